"""Floats as the bits they are made of, for compiled code. Only `compiled` imports this module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic


def _cast(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))


def _float_of_bits(context: Any, bits: Any) -> tuple[Any, Callable[..., Any]]:
    """The float32 whose bits are those of an int32."""
    del context, bits
    return types.float32(types.int32), _cast


def _bits_of_float(context: Any, number: Any) -> tuple[Any, Callable[..., Any]]:
    """The bits of a float32 as an int32."""
    del context, number
    return types.int32(types.float32), _cast


float_of_bits: Any = intrinsic(_float_of_bits)
bits_of_float: Any = intrinsic(_bits_of_float)
