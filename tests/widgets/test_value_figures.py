"""Values as small pictures: bars for a row, squares for a matrix, nothing for a number."""

from __future__ import annotations

import re
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from tapelab.widgets.value_figures import MOST, pictures


def heights(picture):
    return [float(each) for each in re.findall(r"height='([\d.]+)'", picture)]


def test_a_row_is_bars_of_one_scale_up_and_down():
    shown = pictures((np.array([1.0, -2.0]), np.array([2.0, 0.5])))
    assert heights(shown) == [15.5, 31.0, 31.0, 7.8]
    assert (shown.count("class=up"), shown.count("class=down")) == (3, 1)
    assert "expected: 2 numbers from -2 to 1" in shown


def test_a_matrix_is_squares_filled_by_size():
    shown = pictures((np.eye(2), np.array([[1.0, 0.5], [-1.0, np.nan]])))
    assert re.findall(r"fill-opacity='([\d.]+)'", shown) == ["1.00", "0.00", "0.00", "1.00",
                                                           "1.00", "0.50", "1.00"]  # fmt: skip
    assert shown.count("class=odd") == 1
    assert "yours: 2 × 2 numbers from -1 to 1" in shown


def drawn(shown):
    """The pixels of the pictures in a page, as Matplotlib reads them."""
    found = re.findall(r"src='data:image/png;base64,([^']*)'", shown)
    return [imread(BytesIO(b64decode(each))) for each in found]


def test_an_image_is_an_image_beside_what_is_not_quite_one():
    image = np.linspace(0, 1, 4 * 5 * 3).reshape(4, 5, 3)
    other = np.where(image < 0.1, np.nan, 2 * image)
    shown = pictures((image, other))
    expected, yours = drawn(shown)
    np.testing.assert_allclose(expected, image, atol=1 / 255)
    np.testing.assert_allclose(yours, np.clip(np.nan_to_num(other), 0, 1), atol=1 / 255)
    assert "expected: an image of 4 × 5 pixels" in shown


def test_a_large_image_is_shown_by_some_of_its_pixels():
    grey = np.arange(300 * 200, dtype=np.uint8).reshape(300, 200, 1)
    (first, _), same = drawn(pictures((grey, grey))), grey[::3, ::3, 0]
    np.testing.assert_array_equal(np.rint(first * 255), same)


def test_beside_an_image_another_shape_has_no_picture():
    assert pictures((np.zeros((4, 4, 3)), np.zeros((4, 4, 5)))) == ""


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
