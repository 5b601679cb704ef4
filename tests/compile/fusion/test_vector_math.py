"""Polynomials in the place of exponentials and sines: how far off they are, over all floats."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from tapelab.compile.fusion import jit, kernel_runtime
from tapelab.compile.fusion.block_code import block_function
from tapelab.compile.fusion.fusion_group import Group, Operand, Step
from tapelab.compile.fusion.kernel_call import DTYPES, Frame, header, kernel
from tapelab.compile.fusion.vector_math import ULPS
from tapelab.core.op import REGISTRY

pytestmark = pytest.mark.skipif(not kernel_runtime.available(), reason="nothing is compiled here")
EXACT = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "tanh": np.tanh,
    "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "erf": lambda x: special.erf(x.astype(np.float64)),
    "sigmoid": lambda x: np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x))),
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
}  # fmt: skip
ENDS = (0.0, -0.0, np.inf, -np.inf, np.nan)


def everywhere(dtype):
    """Floats of all exponents and both signs, and many where functions bend or angles repeat."""
    bits = np.random.default_rng(0).integers(0, 2**63, 60_000, dtype=np.uint64) * 2 + 1
    shift = 64 - dtype.itemsize * 8
    drawn = (bits >> np.uint64(shift)).astype(f"u{dtype.itemsize}").view(dtype)
    bends = [np.linspace(-end, end, 20_001) for end in (1e-3, 1, 5, 20, 110, 800, 1e5)]
    found = np.finfo(dtype)
    edges = [*ENDS, found.tiny, found.smallest_subnormal, found.max, found.min]
    return np.concatenate([drawn, *bends, np.arange(-500, 500) * (np.pi / 2), edges], dtype=dtype,
                          casting="unsafe")  # fmt: skip


def values(kind, x, *, scales):
    """All functions of the numbers, compiled in one group."""
    names = [name for name, bounds in ULPS.items() if bounds[kind == "double"] is not None]
    steps = tuple(Step(REGISTRY[name], (0,), (), kind) for name in names)
    group = Group(1, x.size, x.size, (Operand("full", kind),), steps,
                  tuple(range(1, len(steps) + 1)), ())  # fmt: skip

    def text():
        return block_function(group, "block", scales=scales)

    address = kernel_runtime.address(f"the functions of tests {group} {scales}", "block", text)
    frame = Frame((x.shape,) * len(steps), ())
    function = kernel(kernel_runtime._driver(), group, frame, [header(group, address)])
    return dict(zip(names, function(x), strict=True))


@pytest.fixture(scope="module", params=["float", "double"])
def computed(request):
    """Floats of one kind with their functions."""
    x = everywhere(DTYPES[request.param])
    ways = {jit.scales(), False}
    return x, {way: values(request.param, x, scales=way) for way in ways}


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="nothing finer than float64 here")
@pytest.mark.parametrize("name", ULPS)
def test_a_function_keeps_within_its_bound_and_meets_every_end(name, computed):
    x, ways = computed
    bound = ULPS[name][x.dtype == np.float64]
    if bound is None:
        pytest.skip("not in float64")
    with np.errstate(all="ignore"):
        fine = EXACT[name](x.astype(np.longdouble))
        near = fine.astype(x.dtype)
        unit = np.spacing(np.maximum(np.abs(near), np.finfo(x.dtype).tiny))
    for got in (way[name] for way in ways.values()):
        number = np.isfinite(near)
        np.testing.assert_array_equal(got[~number], near[~number])
        off = np.abs(got[number].astype(np.longdouble) - fine[number]) / unit[number]
        assert off.max() <= bound


def test_zeros_keep_their_signs(computed):
    x, ways = computed
    minus = np.flatnonzero((x == 0) & np.signbit(x))[0]
    for got in ways.values():
        assert all(np.signbit(got[name][minus]) for name in ("expm1", "log1p", "tanh", "sin"))
        assert not np.signbit(got["cos"][minus])


def test_with_and_without_the_scaling_of_the_processor_there_are_the_same_bits(computed):
    _, ways = computed
    if len(ways) == 1:
        pytest.skip("this processor has no such instruction")
    for name in ways[True]:
        np.testing.assert_array_equal(ways[True][name], ways[False][name])
