"""Values as small pictures: bars for a row, squares for a matrix, nothing for a number."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tapelab.widgets.value_pictures import MOST, pictures


def heights(picture):
    return [float(each) for each in re.findall(r"height='([\d.]+)'", picture)]


def test_a_row_is_bars_of_one_scale_up_and_down():
    told = pictures((np.array([1.0, -2.0]), np.array([2.0, 0.5])))
    assert heights(told) == [15.5, 31.0, 31.0, 7.8]
    assert (told.count("class=up"), told.count("class=down")) == (3, 1)
    assert "expected: 2 numbers from -2 to 1" in told


def test_a_matrix_is_squares_filled_by_size():
    told = pictures((np.eye(2), np.array([[1.0, 0.5], [-1.0, np.nan]])))
    assert re.findall(r"fill-opacity='([\d.]+)'", told) == ["1.00", "0.00", "0.00", "1.00",
                                                           "1.00", "0.50", "1.00"]  # fmt: skip
    assert told.count("class=odd") == 1
    assert "yours: 2 × 2 numbers from -1 to 1" in told


@pytest.mark.parametrize(
    "array", [np.array(1.0), np.array(["a", "b"]), np.ones(MOST + 1), np.ones((2, 2, 2)),
              np.ones(2, complex)],
)  # fmt: skip
def test_what_has_no_picture_gets_none(array):
    assert pictures((array, np.ones(3))) == pictures((np.ones(3), array)) == ""
    assert pictures(None) == ""


def test_numbers_that_are_none_at_all_are_crosses():
    nothing = np.full(2, np.nan)
    with np.errstate(all="raise"):
        assert pictures((nothing, nothing)).count("class=odd") == 4
