"""Errors of which the diagnosis can say more."""

from __future__ import annotations

import pickle
import sys
from types import SimpleNamespace

import pytest

import tapelab as tf
from tapelab.errors import InvalidArgumentError


def refused():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError) as caught:
        tape.gradient(y, x)
    return caught.value


def test_an_error_of_a_tape_has_a_finding():
    finding = refused().finding
    assert finding.code == "TAPE_CONSUMED"
    assert finding.where.text == "tape.gradient(y, x)"
    assert finding.fix.after == "with tf.GradientTape(persistent=True) as tape:"


def test_it_looks_like_the_plain_error_that_it_is_in_tensorflow():
    assert repr(refused()).startswith("RuntimeError('A non-persistent GradientTape")
    assert type(refused()).__name__ == "RuntimeError"
    assert type(refused()).__module__ == "builtins"


def test_it_is_sent_as_a_plain_error():
    again = pickle.loads(pickle.dumps(refused()))
    assert type(again) is RuntimeError
    assert again.args == refused().args


def test_a_tape_that_was_never_entered_is_said_to_be_so():
    x = tf.Variable(3.0)
    y = x * x
    tape = tf.GradientTape()
    with pytest.raises(RuntimeError) as caught:
        tape.gradient(y, x)
    assert caught.value.finding.code == "BEFORE_TAPE"


def test_an_error_of_which_nothing_more_is_known_has_no_finding():
    assert InvalidArgumentError(None, None, "no").finding is None


def test_a_notebook_shows_the_finding_below_the_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=object))
    shown = "\n".join(refused().__notes__)
    assert "tape was already used for a gradient (" in shown
    assert "+ with tf.GradientTape(persistent=True) as tape:" in shown


def test_plain_python_does_not(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not any("used for a gradient (" in note for note in refused().__notes__)


def test_a_note_that_is_added_stays():
    error = InvalidArgumentError(None, None, "no")
    error.add_note("by the way")
    assert error.__notes__ == ["by the way"]
