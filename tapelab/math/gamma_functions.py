"""Public functions around the gamma function and the quantiles of the bell curve."""

from __future__ import annotations

import math
from typing import Any

from tapelab.core.cell import Holder
from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.ops import error_function, gamma
from tapelab.ops.public import axes_of, binary, matched, strict_operand, tensor, unary
from tapelab.ops.reduce_ops import reduce_sum

lgamma = unary(gamma.lgamma)
digamma = unary(gamma.digamma)
zeta = binary(gamma.zeta)
igamma = binary(gamma.igamma)
igammac = binary(gamma.igammac)
erfinv = unary(error_function.erfinv)
ndtri = unary(error_function.ndtri)


@public
def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The derivative of digamma, taken as often as the order `a` says."""
    return gamma.polygamma(*matched(a, x))


@public
def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The chance that a beta-distributed number with parameters a and b stays below x."""
    given = matched(a, b, x)
    pairs = zip((a, b, x), given, strict=True)
    tensors = [operand for each, operand in pairs if isinstance(each, (Tensor, Holder))]
    if len(tensors) < len(given):
        _require_one_dtype(tensors)
    return gamma.betainc(*given)


def _require_one_dtype(tensors: list[Tensor]) -> None:
    """Python numbers beside tensors need one dtype of all of these, which they shall have too."""
    for each in tensors:
        if each.dtype != tensors[0].dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {tensors[0].dtype.name} for Tensor with dtype "
                f"{each.dtype.name}: {each!r}"
            )


@public(group=True)
def lbeta(x: Any, name: str | None = None) -> Any:
    """The logarithm of the beta function of the numbers along the last axis."""
    parts = tensor(x)
    last = axes_of(parts, -1, "Sum")
    whole: Any = gamma.lgamma(reduce_sum(parts, axis=last))
    return reduce_sum(gamma.lgamma(parts), axis=last) - whole


@public(group=True)
def erfcinv(x: Any, name: str | None = None) -> Any:
    """The number whose complementary error function is x."""
    share: Any = tensor(x)
    half = share * strict_operand(0.5, share.dtype)
    return -error_function.ndtri(half) * math.sqrt(0.5)


@public
def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The next number that the dtype can hold, on the way from x1 to x2."""
    return error_function.nextafter(*matched(x1, x2))
