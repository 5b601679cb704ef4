"""Numbers as a person would say them."""

import pytest

from tapelab.diagnosis.descriptions import format_value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1000.0, "1000"),
        (-0.25, "−0.25"),
        (1e-9, "1e−9"),
        (3.4e38, "3.4e38"),
        (-1.5e-12, "−1.5e−12"),
        (0.123456, "0.1235"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (float("nan"), "NaN"),
    ],
)
def test_a_number_is_said_plainly(value, text):
    assert format_value(value) == text
