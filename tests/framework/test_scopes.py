"""Contexts: names get a prefix, the rest is there so that code runs."""

from __future__ import annotations

import pytest

import tapelab as tf


def test_scopes_nest_and_end():
    with tf.name_scope("outer") as outer:
        assert outer == "outer/"
        with tf.name_scope("inner"):
            assert tf.get_current_name_scope() == "outer/inner"
            assert tf.Variable(1.0, name="v").name == "outer/inner/v:0"
    assert tf.get_current_name_scope() == ""
    assert tf.Variable(1.0, name="v").name == "v:0"


def test_a_scope_ends_when_an_error_passes():
    with pytest.raises(KeyError), tf.name_scope("s"):
        raise KeyError
    assert tf.get_current_name_scope() == ""


def test_a_scope_needs_a_name():
    with pytest.raises(ValueError, match="must be a string"):
        tf.name_scope(None)


def test_contexts_that_do_nothing_do_nothing():
    with tf.device("/GPU:0"), tf.control_dependencies([]), tf.init_scope():
        assert tf.executing_eagerly() is True
