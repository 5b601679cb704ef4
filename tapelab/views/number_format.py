"""Number formatting of all views: four decimals, a true minus, `1.42e−14` for the small.

The same rules as in `extension/src/core/numbers.ts`.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.locales import say_many, sentence, translated
from tapelab.recording.schema import TensorFacts

MINUS: Final = "−"
NOT_KEPT: Final = sentence("not kept")
LISTED: Final = 16
"""Tensors of more elements than this are shown by their shape."""


def shortened(name: str, most: int) -> str:
    """A name in so many letters: whole if it can be, else without its middle."""
    if len(name) <= most:
        return name
    room = max(2, most - 1)
    return f"{name[: -(-room // 2)]}…{name[-(room // 2) :]}"


def format_number(value: float) -> str:
    """One number, printed like everywhere else."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+∞" if value > 0 else f"{MINUS}∞"
    size = abs(value)
    if size != 0 and not 1e-4 <= size < 1e6:
        return _scientific(value)
    return _with_minus(_rounded(value, 4) if size else "0.0000")


def _rounded(value: float, decimals: int) -> str:
    """Ties go away from zero, as on the screen."""
    step = Decimal(1).scaleb(-decimals)
    return f"{Decimal(value).quantize(step, ROUND_HALF_UP):f}"


def _scientific(value: float) -> str:
    exact = Decimal(value)
    exponent = exact.adjusted()
    mantissa = _rounded_mantissa(exact, exponent)
    if abs(mantissa) >= 10:
        exponent += 1
        mantissa = _rounded_mantissa(exact, exponent)
    return _with_minus(f"{mantissa:f}e{exponent}")


def _rounded_mantissa(exact: Decimal, exponent: int) -> Decimal:
    return exact.scaleb(-exponent).quantize(Decimal("0.01"), ROUND_HALF_UP)


def _with_minus(text: str) -> str:
    return text.replace("-", MINUS)


def format_element(value: Any, dtype: str) -> str:
    """One element of a tensor, in the manner of its dtype."""
    if dtype == "bool":
        return "True" if value else "False"
    if "int" in dtype:
        return _with_minus(str(int(value)))
    if dtype.startswith("complex"):
        sign = MINUS if value.imag < 0 else "+"
        return f"{format_number(value.real)}{sign}{format_number(abs(value.imag))}j"
    return format_number(float(value))


def format_values(tensor: TensorFacts) -> str | None:
    """The numbers in one line, such as `[1. 4. 9.]`; None where they were not kept."""
    if tensor.value is None:
        return tensor.words or None
    if not tensor.shape:
        return format_element(tensor.value.reshape(-1)[0], tensor.dtype)
    if 0 in tensor.shape:
        return "[]"
    return _bracketed(_element_texts(tensor.value, tensor.dtype), tensor.shape)


def _element_texts(value: NDArray[Any], dtype: str) -> list[str]:
    """All elements alike, with as few decimals as tell them apart from rounded ones."""
    flat = value.reshape(-1)
    if dtype.startswith(("float", "bfloat")):
        numbers: list[float] = flat.tolist()
        finite = [number for number in numbers if math.isfinite(number)]
        if all(map(_plain, finite)):
            decimals = next((d for d in range(4) if all(_exact(n, d) for n in finite)), 4)
            return [_alike(number, decimals) for number in numbers]
    return [format_element(each, dtype) for each in flat]


def _alike(number: float, decimals: int) -> str:
    if not math.isfinite(number):
        return format_number(number)
    return _with_minus(_rounded(number or 0.0, decimals) + ("" if decimals else "."))


def _plain(value: float) -> bool:
    return value == 0 or 1e-4 <= abs(value) < 1e6


def _exact(value: float, decimals: int) -> bool:
    scale = 10.0**decimals
    return abs(math.floor(value * scale + 0.5) / scale - value) < 5e-6


def _bracketed(texts: list[str], shape: tuple[int, ...]) -> str:
    """The flat row of texts in brackets, innermost axis first."""
    row = texts
    for size in reversed(shape):
        row = [f"[{' '.join(row[at : at + size])}]" for at in range(0, len(row), size)]
    return row[0]


def format_brief(tensor: TensorFacts, room: int) -> str:
    """How a tensor looks in so many characters: its numbers, or else its shape."""
    elements = int(np.prod(tensor.shape, dtype=np.int64))
    text = format_values(tensor) if elements <= LISTED else None
    if text is not None and len(text) <= room:
        return text
    if not tensor.shape:
        return text or translated(NOT_KEPT)
    shape = format_shape(tensor.shape)
    typed = f"{tensor.dtype} {shape}"
    return typed if len(tensor.shape) == 1 and len(typed) <= room else shape


def format_shape(shape: tuple[int, ...]) -> str:
    """`(3,)` or `2×3`: never in brackets, as values are."""
    return f"({shape[0]},)" if len(shape) == 1 else "×".join(map(str, shape))


def count(amount: int, word: str) -> str:
    """`1 op`, `2 ops`, `412 000 ops`: thousands apart by a narrow space."""
    return say_many(f"{{count}} {word}", f"{{count}} {word}s", amount)
