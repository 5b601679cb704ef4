"""Numbers in sentences: as short as a person would say them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tapelab.diagnosis.wording import say
from tapelab.views.numbers import MINUS, format_shape

if TYPE_CHECKING:
    from tapelab.diagnosis.way import Way


def plainly(value: float) -> str:
    """`0`, `1000`, `−0.25`, `3.4e38`, `∞`, `NaN`."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    mantissa, _, exponent = f"{value:.4g}".partition("e")
    return (f"{mantissa}e{int(exponent)}" if exponent else mantissa).replace("-", MINUS)


def extent(way: Way, tensor: int) -> str:
    """The one number of a tensor, or from where to where its numbers go; else its shape."""
    if not way.measures.known[tensor]:
        return format_shape(way.recording.tensor(tensor).shape)
    measure = way.measures.of(tensor)
    least, greatest = plainly(measure.least), plainly(measure.greatest)
    return least if least == greatest else say("{least} to {most}", least=least, most=greatest)
