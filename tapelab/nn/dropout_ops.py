"""Dropout: entries set to 0 by chance, so that no entry is relied on alone."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tapelab import random
from tapelab.core.dispatch import public
from tapelab.ops import pass_through, selection
from tapelab.ops.arithmetic import multiply
from tapelab.ops.comparison import greater_equal
from tapelab.ops.integer_arguments import one_float
from tapelab.ops.public import strict_operand, tensor

Sampler = Callable[[Any, Any], Any]


@public(elementwise=True, group=True, has_op_seed=True)
def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Some entries set to 0 by chance, the others scaled up so that the mean stays."""
    return _dropped(
        x, rate, noise_shape, lambda size, dtype: random.uniform(size, seed=seed, dtype=dtype)
    )


@public(group=True)
def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = "auto_select", noise_shape: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Dropout that is the same for the same seed of two numbers."""
    return _dropped(x, rate, noise_shape, lambda size, dtype: random.stateless_uniform(
        size, seed, dtype=dtype))  # fmt: skip


@public(group=True)
def general_dropout(
    x: Any, rate: Any, uniform_sampler: Sampler, noise_shape: Any = None, name: str | None = None
) -> Any:
    """Dropout by numbers between 0 and 1 that a function of yours draws."""
    return _dropped(x, rate, noise_shape, uniform_sampler)


experimental = SimpleNamespace(general_dropout=general_dropout, stateless_dropout=stateless_dropout)
"""`tf.nn.experimental`."""


def _dropped(x: Any, rate: Any, noise_shape: Any, sampler: Sampler) -> Any:
    given, share = tensor(x), one_float("rate", rate)
    if not 0 <= share < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    if not given.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. "
            f"Received: x_dtype={given.dtype}"
        )
    if share == 0:
        return pass_through.identity(given)
    chance = sampler(given.shape if noise_shape is None else noise_shape, given.dtype)
    kept = greater_equal(chance, strict_operand(share, given.dtype))
    scaled = multiply(given, strict_operand(1.0 / (1.0 - share), given.dtype))
    return selection.select(kept, scaled, selection.zeros_like(scaled))
