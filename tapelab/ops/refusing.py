"""Refusals that TensorFlow makes for dtypes its processor kernels do not know."""

from __future__ import annotations

from typing import Any

from tapelab.errors import NotFoundError


def refuse_half(raw: str, x: Any) -> None:
    """NotFoundError for 16 bits, where TensorFlow has no kernel for the processor."""
    if x.dtype.itemsize == 2:
        raise NotFoundError(
            None, raw, f"Could not find device for node: {{{{node {raw}}}}} = {raw}[T=DT_HALF]. "
            f"{raw} is there for float32 and float64. Try tf.cast(x, tf.float32).",
        )  # fmt: skip


def refuse_no_number(x: Any) -> None:
    """TypeError for truths and text, of which there is no conjugate."""
    if not x.dtype.is_numeric:
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")
