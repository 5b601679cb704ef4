"""What tests of compiled functions under tapes share: a small network, and how answers compare."""

from __future__ import annotations

import numpy as np

from tapelab.core.records import TapedCall, kind_of, view

CALLS = 5


def count_records(tape):
    """How many calls stand on a tape as one record each."""
    return len(calls_on(tape))


def calls_on(tape):
    """The calls of programs that a tape took in one record each."""
    records = [record for log, *_ in tape._windows for record in log.records]
    return [view(TapedCall, each).call for each in records if kind_of(each) is TapedCall]


def repeated(function, ask, calls=CALLS):
    """The last answer of several, and the tape that gave it."""
    return [ask(function) for _ in range(calls)][-1]


def flat(tf, answer):
    """The parts of an answer as arrays; None stays None."""
    parts = tf.nest.flatten(answer)
    return [None if each is None else np.asarray(tf.convert_to_tensor(each)) for each in parts]


def assert_same(tf, found, expected):
    for ours, theirs in zip(flat(tf, found), flat(tf, expected), strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert ours.dtype == theirs.dtype
            assert ours.shape == theirs.shape
            np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5)


def layers(tf, rows=6, width=40):
    """A small network, its variables, and inputs."""
    numbers = np.random.default_rng(0)
    w = tf.Variable(numbers.normal(size=(5, width)).astype("f"))
    b = tf.Variable(numbers.normal(size=width).astype("f"))
    x = tf.constant(numbers.normal(size=(rows, 5)).astype("f"))
    return (lambda given: tf.reduce_mean(tf.tanh(given @ w + b) ** 2.0)), x, (w, b)


def answers_for(tf, function, ask):
    return repeated(function, ask), repeated(tf.function(function), ask)
