from __future__ import annotations

import math

import numpy as np
import pytest

from tapelab.recording.schema import TensorFacts
from tapelab.views.number_format import count, format_brief, format_number, format_values, shortened


def tensor(value, dtype="float32"):
    array = None if value is None else np.array(value, dtype)
    shape = () if value is None else array.shape
    return TensorFacts(0, 0, shape, dtype, "x", True, -1, -1, array)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (3.0, "3.0000"),
        (-0.98999, "−0.9900"),
        (0.0, "0.0000"),
        (-0.0, "0.0000"),
        (1.42e-14, "1.42e−14"),
        (9.999e-5, "1.00e−4"),
        (1e6, "1.00e6"),
        (999999.0, "999999.0000"),
        (-2.5e9, "−2.50e9"),
        (math.nan, "NaN"),
        (math.inf, "+∞"),
        (-math.inf, "−∞"),
    ],
)
def test_a_number_is_printed_alike_everywhere(number, text):
    assert format_number(number) == text


def test_a_tie_is_rounded_away_from_zero_as_in_the_browser():
    assert format_number(0.03125) == "0.0313"
    assert format_number(-0.03125) == "−0.0313"


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        ([1.0, 4.0, 9.0], "float32", "[1. 4. 9.]"),
        ([0.5, -1.25], "float32", "[0.50 −1.25]"),
        ([[1.0, 2.0], [3.0, 4.0]], "float64", "[[1. 2.] [3. 4.]]"),
        ([1 / 3, 2.0], "float64", "[0.3333 2.0000]"),
        ([math.nan, 1.0], "float32", "[NaN 1.]"),
        ([1, -2], "int32", "[1 −2]"),
        ([True, False], "bool", "[True False]"),
        (1 - 2j, "complex128", "1.0000−2.0000j"),
        ([], "float32", "[]"),
    ],
)
def test_a_tensor_stands_in_one_line_with_as_few_decimals_as_it_needs(value, dtype, text):
    assert format_values(tensor(value, dtype)) == text


def test_what_does_not_fit_is_shown_by_its_shape():
    assert format_brief(tensor([1 / 3, 2 / 3]), 10) == "(2,)"
    assert format_brief(tensor([1 / 3, 2 / 3]), 12) == "float32 (2,)"
    assert format_brief(tensor(np.ones((3, 7))), 200) == "3×7"


def test_a_value_that_was_not_kept_is_never_invented():
    assert format_brief(tensor(None), 20) == "not kept"


def test_thousands_stand_apart():
    assert count(1, "op") == "1 op"
    assert count(412_000, "op") == "412\u202f000 ops"


@pytest.mark.parametrize(
    ("name", "most", "text"),
    [
        ("blocks[11]", 10, "blocks[11]"),
        ("blocks[11]", 9, "bloc…[11]"),
        ("blocks[11]", 8, "bloc…11]"),
        ("blocks[11]", 1, "b…]"),
    ],
)
def test_a_long_name_loses_its_middle(name, most, text):
    assert shortened(name, most) == text
