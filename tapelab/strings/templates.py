"""Tensors written into a template."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.framework.logging_ops import array_text
from tapelab.ops import samples
from tapelab.ops.public import tensor
from tapelab.strings.texts import declared, texts


def written(rng: np.random.Generator) -> list[samples.Sample]:
    """Two arrays with a template for them."""
    settings = {"pieces": ("", " and ", "."), "summarize": 3}
    return [((rng.normal(size=2), np.arange(9)), settings)]


@declared("StringFormat", "string_format", written)
def _format(x: Any, *more: Any, pieces: tuple[str, ...], summarize: int) -> Any:
    """The pieces of a template with tensors in the gaps between them."""
    head, *rest = pieces
    gaps = zip((x, *more), rest, strict=True)
    parts = (array_text(np.asarray(value), summarize) + after for value, after in gaps)
    return texts([head + "".join(parts)], ())


@public
def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """A text with tensors in the gaps of a template, printed as by `tf.print`.

    ValueError unless there is one tensor for each gap.
    """
    given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    return filled(template.split(placeholder), given, summarize)


def filled(pieces: list[str], values: list[Any], summarize: int) -> Tensor:
    """The pieces of a template with values between them; ValueError unless their numbers fit."""
    given = [tensor(each) for each in values]
    gaps = len(pieces) - 1
    if gaps != len(given):
        raise ValueError(
            f"The template expects {gaps} tensors, but the inputs only has {len(given)}. Please "
            "ensure the number of placeholders in template matches inputs length."
        )
    if not given:
        return tensor(pieces[0])
    made: Tensor = _format(*given, pieces=tuple(pieces), summarize=int(summarize))
    return made
