"""What tests ask of a traced function: its programs, and what its calls return."""

from __future__ import annotations

import numpy as np

CALLS = 4


def reasons(function):
    return [each for trace in function._traces.values() for each in trace.execution.reasons]


def programs(function):
    return [each for trace in function._traces.values() for each in trace.execution.programs]


def calls(function, *rows):
    """What a function returns for rows of arguments, one after the other."""
    return [np.asarray(function(*row)).tolist() for row in rows]


def numbers(tf, *values):
    return [(tf.constant(each),) for each in values]
