"""Functions drawn at random give the same by their programs as eagerly, step after step."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.compiling import executing
from tapelab.compiling.fusing import running
from tests.compiling import drawn

SEEDS = range(16)
CALLS = 4


@pytest.fixture(params=["raw", "interpreted"])
def way(request, monkeypatch):
    """How programs run: op by op on raw arrays, or with groups of ops as one function."""
    if request.param == "raw":
        monkeypatch.setattr(executing, "fuse", lambda program: program)
    elif not running.available():
        pytest.skip("nothing is fused on this machine")
    return request.param


def results(tf, program, seed, decorate):
    """What the calls return, and the variables after each; how the function ran."""
    variables = drawn.states(tf, program, seed)
    function = decorate(lambda x, y: drawn.run(tf, program, x, y, *variables))
    found = []
    for x, y in drawn.inputs(tf, program, seed, CALLS):
        found += [np.asarray(each) for each in tf.nest.flatten(function(x, y))]
        found += [each.numpy() for each in variables]
    return found, function


def programs_of(function):
    return [each for trace in function._traces.values() for each in trace.execution.programs]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_drawn_function_gives_the_same_by_its_program(tf, way, seed):
    program = drawn.drawn(seed)
    expected, _ = results(tf, program, seed, lambda function: function)
    found, _ = results(tf, program, seed, tf.function)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype
        if way == "raw":
            np.testing.assert_array_equal(ours, theirs)
        else:
            np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5)


def test_most_drawn_functions_have_a_program(tf):
    made = 0
    for seed in SEEDS:
        _, function = results(tf, drawn.drawn(seed), seed, tf.function)
        made += len(programs_of(function))
    assert made > len(SEEDS) * 0.7
