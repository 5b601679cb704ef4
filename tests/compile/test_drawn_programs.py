"""Functions drawn at random give the same by their programs as eagerly, step after step."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.compile import compiled_program, program_vjp
from tapelab.compile.fusion import kernel_runtime
from tests.compile import drawn

SEEDS = range(26)
FEW = 6
CALLS = 5
WAYS = [(way, seed) for way in ("raw", "interpreted") for seed in SEEDS]
WAYS += [("compiled", seed) for seed in range(FEW)]


@pytest.fixture
def way(request, monkeypatch):
    """How programs run: op by op on raw arrays, or groups of ops together, by the interpreter or
    by code that is generated for each group.
    """
    if request.param == "raw":
        monkeypatch.setattr(compiled_program, "fuse", lambda program: program)
        monkeypatch.setattr(program_vjp, "fuse", lambda program: program)
        yield request.param
        return
    if not kernel_runtime.available():
        pytest.skip("nothing is fused on this machine")
    compiled = request.param == "compiled"
    monkeypatch.setattr(kernel_runtime, "COMPILED_FROM", 1 if compiled else np.inf)
    before = kernel_runtime.compile_large("at once" if compiled else "never")
    yield request.param
    kernel_runtime.compile_large(before)


def results(tf, program, seed, decorate):
    """What the calls return, and the variables after each; how the function ran."""
    variables = drawn.states(tf, program, seed)
    function = decorate(lambda x, y: drawn.run(tf, program, x, y, *variables))
    found = []
    tf.random.set_seed(seed)
    for x, y in drawn.inputs(tf, program, seed, CALLS):
        found += [np.asarray(each) for each in tf.nest.flatten(function(x, y))]
        found += [each.numpy() for each in variables]
    return found, function


def gradients(tf, program, seed, decorate):
    """The same under a tape, and the gradients of each call; and which variables were watched."""
    variables = drawn.states(tf, program, seed)
    v, w, _ = variables
    function = decorate(lambda x, y: drawn.run(tf, program, x, y, *variables))
    found = []
    tf.random.set_seed(seed)
    for x, y in drawn.inputs(tf, program, seed, CALLS):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = tf.nest.flatten(function(x, y))
            loss = tf.add_n([tf.reduce_sum(each * each) for each in made])
        found += [np.asarray(each) for each in made]
        found += [np.asarray([each is v or each is w for each in tape.watched_variables()])]
        found += _as_arrays(tf, tape.gradient(loss, [x, v, w]))
        found += [each.numpy() for each in variables]
    return found, function


def _as_arrays(tf, gradients):
    return [np.zeros(0) if each is None else np.asarray(tf.convert_to_tensor(each))
            for each in gradients]  # fmt: skip


def programs_of(function):
    return [each for trace in function._traces.values() for each in trace.execution.programs]


def assert_alike(found, expected, *, exact):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype
        if exact:
            np.testing.assert_array_equal(ours, theirs)
        else:
            np.testing.assert_allclose(ours, theirs, rtol=5e-4, atol=5e-5)


@pytest.mark.parametrize(("way", "seed"), WAYS, indirect=["way"])
def test_a_drawn_function_gives_the_same_by_its_program(tf, way, seed):
    program = drawn.drawn(seed)
    expected, _ = results(tf, program, seed, lambda function: function)
    found, _ = results(tf, program, seed, tf.function)
    assert_alike(found, expected, exact=way == "raw")


@pytest.mark.parametrize(("way", "seed"), WAYS, indirect=["way"])
def test_a_drawn_function_gives_the_same_under_a_tape(tf, way, seed):
    program = drawn.drawn(seed)
    expected, _ = gradients(tf, program, seed, lambda function: function)
    found, _ = gradients(tf, program, seed, tf.function)
    assert_alike(found, expected, exact=False)


def test_most_drawn_functions_have_a_program(tf):
    made = 0
    for seed in SEEDS:
        _, function = results(tf, drawn.drawn(seed), seed, tf.function)
        made += bool(programs_of(function))
    assert made > len(SEEDS) * 0.7


def test_every_kind_of_line_is_drawn():
    kinds = set().union(*(drawn.drawn(seed).kinds for seed in SEEDS))
    assert kinds == set(drawn.LINES)
