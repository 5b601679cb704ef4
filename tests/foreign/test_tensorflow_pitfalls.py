"""The catalogue's programs under real TensorFlow: the same findings, but for named differences."""

from __future__ import annotations

import linecache
import math

import numpy as np
import pytest

import tapelab
from tapelab.core.log import thread
from tests.foreign.tensorflow_differences import DIFFERENCES
from tests.pitfalls.catalogue import PITFALLS
from tests.pitfalls.snippets import explanation_of, plain

tf = pytest.importorskip("tensorflow", reason="TensorFlow is in an environment of its own")
ENOUGH = 230
"""So many programs get the same codes at least; the catalogue has some 258."""


def codes_of(answer):
    """The codes of an explanation, or of a finding."""
    return tuple([each.code for each in getattr(answer, "findings", None) or (answer,)])


def ours(pitfall):
    """What is said of a program on tapelab's engine."""
    return tuple([each.code for each in explanation_of(pitfall.marked, pitfall.ask).findings])


def theirs(pitfall):
    """What is said of a program that TensorFlow runs; None where it or the question raises."""
    text, file = spoken(plain(pitfall.marked)), f"<tensorflow {pitfall}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    thread.recent_calls.clear()
    tf.random.set_seed(0)
    recorder = tapelab.record("tensorflow", run_functions_eagerly=True)
    names = {"tf": tf, "np": np, "math": math, "tapelab": tapelab, "recorder": recorder}
    try:
        with recorder:
            exec(compile(text, file, "exec"), names)
        answer = eval(spoken(pitfall.ask), names)
    except Exception:  # noqa: BLE001 - whatever TensorFlow raises
        return None
    return () if getattr(answer, "findings", True) == () else codes_of(answer)


def spoken(text):
    """A program that asks the recorder in place of the tape."""
    text = text.replace("tf.explain(tape, ", "tapelab.explain(recorder, ")
    return text.replace("tf.why()", "tapelab.why()")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("pitfall", PITFALLS, ids=str)
def test_a_pitfall_has_the_same_findings_under_tensorflow(pitfall):
    difference = DIFFERENCES.get(str(pitfall))
    codes = theirs(pitfall)
    if difference is None:
        assert codes == ours(pitfall)
    else:
        assert codes == difference.codes
        assert codes != ours(pitfall)


def test_the_differences_are_few_and_each_has_a_reason():
    names = {str(each) for each in PITFALLS}
    assert names.issuperset(DIFFERENCES)
    assert len(PITFALLS) - len(DIFFERENCES) >= ENOUGH
    assert all(each.because.endswith(".") for each in DIFFERENCES.values())
