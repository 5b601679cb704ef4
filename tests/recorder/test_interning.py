"""Tensors that are entered together are entered as each alone."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.recorder.interning import NOWHERE, Interned, Tensors
from tapelab.recording.schema import Role

SCALARS = [np.float32(number) for number in (1.5, -0.0, np.nan, np.inf)]
ARRAYS = [np.array([1.0, 2.0], np.float32), np.zeros((2, 2)), np.array(3)]


@pytest.mark.parametrize(
    "values",
    [
        SCALARS,
        [np.int64(2**40), np.int64(-1)],
        [np.float32(1), np.float64(2)],
        [np.True_, np.False_],
        [np.complex64(1 + 2j)] * 2,
        ARRAYS,
        [*SCALARS, *ARRAYS],
        [np.zeros(5000, np.float32), np.float32(1)],
        [],
    ],
    ids=repr,
)
@pytest.mark.parametrize("placed", [True, False])
def test_many_tensors_are_entered_as_each_alone(values, placed):
    here, there = (0, 1, -1, 7), (2, 0, 4, 8)
    places_of_each = [here if at % 2 else there for at in range(len(values))]
    places = np.array(places_of_each, np.intc).reshape(-1, 4) if placed else NOWHERE
    together, alone = Tensors(Interned()), Tensors(Interned())
    indices = together.add_all(values, Role.RESULT, places)
    for at, value in enumerate(values):
        name, named, variable, span = places_of_each[at] if placed else (-1, 0, -1, -1)
        assert indices[at] == alone.add(value, Role.RESULT, span, name, named, variable)
    assert list(together.shapes) == list(alone.shapes)
    assert list(together.dtypes) == list(alone.dtypes)
    mine, theirs = together.as_columns(), alone.as_columns()
    assert mine.keys() == theirs.keys()
    for name, column in mine.items():
        np.testing.assert_array_equal(column, theirs[name], name)
