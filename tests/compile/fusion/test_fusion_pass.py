"""Fused programs come to what their ops come to one by one."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from compile.fusion.drawing import Drawing, exact_program, results_of

from tapelab.compile.fusion import block_code, fuse, kernel_runtime
from tapelab.compile.program import Fused
from tapelab.kernels import memory, threads

pytestmark = pytest.mark.skipif(not kernel_runtime.available(), reason="nothing is compiled here")
SHAPES = [(), (5,), (16,), (37,), (600,), (4, 33), (3, 16), (2, 3, 40), (1, 20), (7, 1)]
DTYPES = [("float32",), ("float64",), ("float32", "float64"), ("int32", "float32"), ("int64",)]


@pytest.fixture
def compiled(monkeypatch):
    """Compile each group at once, however small."""
    before = kernel_runtime.compile_large("at once")
    monkeypatch.setattr(kernel_runtime, "COMPILED_FROM", 0)
    yield
    kernel_runtime.compile_large(before)


@pytest.fixture
def interpreted():
    """Compile nothing."""
    before = kernel_runtime.compile_large("never")
    yield
    kernel_runtime.compile_large(before)


def same(one, other):
    """Equal in kind and in every bit; NaN is NaN."""
    one, other = np.asarray(one), np.asarray(other)
    alike = one.dtype == other.dtype and one.shape == other.shape
    if one.dtype.kind != "f":
        return alike and np.array_equal(one, other)
    signs = (np.signbit(one) == np.signbit(other)) | np.isnan(one)
    return alike and np.array_equal(one, other, equal_nan=True) and signs.all()


def check(seed):
    rng = np.random.default_rng(seed)
    shape, dtypes = SHAPES[rng.integers(len(SHAPES))], DTYPES[rng.integers(len(DTYPES))]
    program, given = exact_program(seed, shape, dtypes, int(rng.integers(2, 25)))
    fused = fuse(program)
    for one, other in zip(results_of(program, given), results_of(fused, given), strict=True):
        assert same(one, other)
    return sum(isinstance(each.op, Fused) for each in fused.instructions)


def test_random_programs_of_exact_ops_agree_in_every_bit_when_interpreted(interpreted):
    assert sum(map(check, range(200))) > 200


def test_random_programs_of_exact_ops_agree_in_every_bit_when_compiled(compiled):
    assert sum(map(check, range(8))) >= 8


def smooth(shape, dtype="float32"):
    """A program of exponentials, sines and sums with its gradient, as lessons have them."""
    drawing = Drawing()
    run = drawing.run
    x = drawing.parameter(shape, dtype, drawing.rng.normal(size=shape).astype(dtype)[()])
    bend = run("tanh", x)
    gate = run("sigmoid", x)
    bell = run("exp", run("negative", run("square", x)))
    wave = run("multiply", run("sin", x), run("log1p", run("abs", x)))
    y = run("add", run("multiply", bend, gate), run("subtract", bell, wave))
    total = run("reduce_sum", y, axis=None, keepdims=False)
    one = drawing.constant(np.dtype(dtype).type(1))
    derivative = run("multiply", gate, run("subtract", one, run("multiply", bend, bend)))
    return drawing, drawing.program([total, derivative, y])


@pytest.mark.parametrize("size", [1, 15, 16, 17, 511, 512, 513, 5000, 2**17 + 100])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_interpreted_and_compiled_groups_give_the_same_bits(size, dtype, monkeypatch):
    drawing, program = smooth((size,), dtype)
    found = []
    monkeypatch.setattr(kernel_runtime, "COMPILED_FROM", 0)
    for way in ("never", "at once"):
        before = kernel_runtime.compile_large(way)
        try:
            found.append(results_of(fuse(program), drawing.given))
        finally:
            kernel_runtime.compile_large(before)
    assert all(map(same, *found))
    tolerance = {"rtol": 1e-5 if dtype == "float32" else 1e-12, "atol": 1e-6}
    for one, other in zip(found[0], results_of(program, drawing.given), strict=True):
        np.testing.assert_allclose(one, other, **tolerance)


def reduced(name, lengths, **settings):
    drawing = Drawing()
    x = drawing.parameter(lengths, value=drawing.rng.normal(size=lengths).astype(np.float32))
    y = drawing.run("multiply", x, drawing.run("add", x, x))
    return drawing, drawing.program([drawing.run(name, y, **settings)])


@pytest.mark.parametrize("name", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min"])
@pytest.mark.parametrize("axis", [None, (0,), (1,), (-1,), (0, 1), (1, 2), (0, 1, 2), (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_are_those_of_numpy(name, axis, keepdims, interpreted):
    drawing, program = reduced(name, (3, 20, 17), axis=axis, keepdims=keepdims)
    fused = fuse(program)
    (found,), (expected,) = (
        results_of(fused, drawing.given),
        results_of(program, drawing.given),
    )
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-6)
    columns = {(0,), (0, 1)} if name == "reduce_sum" else set()
    whole = axis in {None, (-1,), (1, 2), (0, 1, 2), *columns}
    assert (len(fused.instructions) == 1) == whole


@pytest.mark.parametrize("shape", [(), (17,), (20, 17), (1, 1, 17), (20, 1), (3, 1, 1)])
def test_what_was_broadcast_is_summed_back(shape, interpreted):
    drawing, program = reduced("sum_to", (3, 20, 17), shape=shape)
    (found,) = results_of(fuse(program), drawing.given)
    (expected,) = results_of(program, drawing.given)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", ["reduce_max", "reduce_min", "reduce_sum"])
@pytest.mark.parametrize("at", [0, 15, 16, 40, 599])
def test_a_reduction_of_nan_is_nan_wherever_it_stands(name, at, interpreted):
    drawing, program = reduced(name, (600,), axis=None, keepdims=False)
    drawing.given[0][at] = np.nan
    assert np.isnan(results_of(fuse(program), drawing.given)[0])


def test_a_sum_of_many_numbers_loses_less_than_adding_one_by_one(interpreted):
    drawing = Drawing()
    x = drawing.parameter((2**17,), value=np.full(2**17, 0.1, np.float32))
    y = drawing.run("multiply", x, drawing.constant(np.float32(1.5)))
    total = drawing.run("reduce_sum", y, axis=None, keepdims=False)
    (found,) = results_of(fuse(drawing.program([total])), drawing.given)
    assert found == pytest.approx(2**17 * 0.15, rel=3e-7)


def test_an_entry_does_not_depend_on_its_neighbours(interpreted):
    drawing, program = smooth((16,))
    beside = [drawing.given[0].copy()]
    beside[0][5] = 1e30  # its sine takes another way
    fused = fuse(program)
    one, other = (results_of(fused, given)[2] for given in (drawing.given, beside))
    assert np.array_equal(np.delete(one, 5), np.delete(other, 5))


@pytest.mark.parametrize("size", [1000, 10_000, 2**17 + 1])
def test_any_layout_is_read_as_it_looks(size, interpreted):
    drawing, program = smooth((size,))
    (x,) = drawing.given
    spaced = np.repeat(x, 2)[::2]
    backward = np.ascontiguousarray(x[::-1])[::-1]
    shifted = np.frombuffer(b"." + x.tobytes(), np.float32, offset=1)
    fused = fuse(program)
    expected = results_of(fused, [x])

    class Other(np.ndarray):
        """An array of another type."""

    for each in (spaced, backward, shifted, x.view(Other)):
        assert all(map(same, results_of(fused, [each]), expected))


def test_a_number_may_come_as_an_array_without_axes(interpreted):
    drawing, program = smooth(())
    fused = fuse(program)
    (x,) = drawing.given
    assert all(map(same, results_of(fused, [np.asarray(x)]), results_of(fused, [x])))


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch):
    drawing, program = smooth((threads.THREADED_FROM + 7,))
    before = kernel_runtime.compile_large("at once")
    fused = fuse(program)
    kernel_runtime.compile_large(before)
    found = []
    for count in (1, 3):
        monkeypatch.setitem(threads._requested, "threads", count)
        found.append(results_of(fused, drawing.given))
    assert all(map(same, *found))


def test_several_threads_may_run_one_fused_function():
    drawing, program = smooth((3000,))
    fused = fuse(program)
    expected, wrong = results_of(fused, drawing.given), []

    def work():
        for _ in range(20):
            found = results_of(fused, drawing.given)
            wrong.extend(not same(*pair) for pair in zip(found, expected, strict=True))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert wrong
    assert not any(wrong)


def test_what_is_compiled_beside_takes_over_without_a_change():
    drawing, program = smooth((5001,))
    before = kernel_runtime.compile_large("beside")
    fused = fuse(program)
    first = results_of(fused, drawing.given)
    kernel_runtime.finished()
    kernel_runtime.compile_large(before)
    assert all(map(same, results_of(fused, drawing.given), first))


def test_a_chain_of_ten_thousand_ops_on_numbers_is_one_function(interpreted):
    drawing = Drawing()
    x = drawing.parameter((), value=np.float32(0.3))
    half = drawing.constant(np.float32(0.5))
    for _ in range(5000):
        x = drawing.run("add", drawing.run("multiply", x, half), half)
    fused = fuse(drawing.program([x]))
    assert len(fused.instructions) == 1
    assert results_of(fused, drawing.given)[0] == drawing.values[x]


def test_a_machine_that_cannot_compile_leaves_programs_as_they_are(monkeypatch):
    monkeypatch.setattr(kernel_runtime, "available", lambda: False)
    _, program = smooth((100,))
    assert fuse(program) is program


@pytest.mark.parametrize("exponent", [-1.0, 2.0, 3.0, 0.5, 2.5])
def test_small_whole_powers_are_products_and_fuse(exponent, interpreted):
    drawing = Drawing()
    x = drawing.parameter((50,))
    power = drawing.run("pow", x, drawing.constant(np.full(50, exponent, np.float32)))
    y = drawing.run("add", drawing.run("multiply", power, power), x)
    program = drawing.program([y])
    fused = fuse(program)
    assert (len(fused.instructions) == 1) == (exponent in {-1.0, 2.0, 3.0})
    np.testing.assert_allclose(
        results_of(fused, drawing.given)[0],
        results_of(program, drawing.given)[0],
        rtol=1e-6,
    )


@pytest.mark.parametrize("shape", [(2**18,), (2**18 + 37,), (5, 2**16), (4097, 80)])
def test_what_goes_past_the_cache_is_the_same(compiled, monkeypatch, shape):
    monkeypatch.setattr(block_code, "STREAMED_FROM", memory.POOLED_FROM)
    drawing = Drawing()
    x = drawing.parameter(shape)
    y = drawing.run("add", drawing.run("multiply", x, x), x)
    program = drawing.program([y, drawing.run("negative", y)])
    for found, expected in zip(results_of(fuse(program), drawing.given),
                               results_of(program, drawing.given), strict=True):  # fmt: skip
        assert same(found, expected)
