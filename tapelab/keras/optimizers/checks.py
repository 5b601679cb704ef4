"""What an optimizer refuses, and what it warns of."""

from __future__ import annotations

import warnings
from typing import Any

from tapelab.core.log import origin_here, thread
from tapelab.errors import NothingArrivedError, Refusal


def with_gradients(grads: list[Any], variables: list[Any]) -> list[tuple[Any, Any]]:
    """The pairs that have a gradient; a warning names the others, an error says that none has."""
    pairs = [(g, v) for g, v in zip(grads, variables, strict=True) if g is not None]
    if not pairs:
        tape = thread.recent_calls[-1][0]() if thread.recent_calls else None
        raise NothingArrivedError(
            "No gradients provided for any variable. tf.explain(tape, loss, variable) says why a "
            "gradient is None.",
            Refusal("SOME_NONE", origin_here(), tape, details={"variables": len(variables)}),
        )
    without = [v.name for g, v in zip(grads, variables, strict=True) if g is None]
    if without:
        warnings.warn(
            f"Gradients do not exist for variables {without} when minimizing the loss. If using "
            "`model.compile()`, did you forget to provide a `loss` argument?",
            stacklevel=4,
        )
    return pairs


def check_unused(kwargs: dict[str, Any]) -> None:
    if kwargs.pop("decay", None) is not None:
        warnings.warn(
            "Argument `decay` is no longer supported and will be ignored. "
            "Try a schedule of tf.keras.optimizers.schedules.",
            stacklevel=4,
        )
    if kwargs:
        raise ValueError(f"Argument(s) not recognized: {kwargs}")
