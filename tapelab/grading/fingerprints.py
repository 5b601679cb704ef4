"""A hash of what a check is: its code, and all that its code was made with."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from tapelab.version import __version__


def fingerprint(*parts: Any) -> str:
    """The same text for the same parts in any process, another when a constant changes."""
    told = sha256(__version__.encode())
    for each in _pieces(parts, frozenset()):
        told.update(len(each).to_bytes(8, "big"))
        told.update(each)
    return told.hexdigest()[:32]


def _pieces(part: Any, above: frozenset[int]) -> Iterator[bytes]:
    """Everything in a part, in order; what contains itself is told of once."""
    yield type(part).__qualname__.encode()
    if id(part) in above:
        return
    inside = above | {id(part)}
    for each in _inside(part):
        yield from [each] if isinstance(each, bytes) else _pieces(each, inside)


def _inside(part: Any) -> Iterator[Any]:
    match part:
        case FunctionType():
            yield from (part.__code__, part.__defaults__, part.__kwdefaults__)
            yield from (_content(cell) for cell in part.__closure__ or ())
        case CodeType():
            yield part.co_code
            yield from (part.co_consts, part.co_names, part.co_varnames)
        case MethodType():
            yield from (part.__func__, part.__self__)
        case functools.partial():
            yield from (part.func, part.args, part.keywords)
        case np.ndarray():
            yield from (str(part.dtype), part.shape, part.tobytes())
        case Mapping():
            yield from (each for pair in part.items() for each in pair)
        case list() | tuple():
            yield from part
        case set() | frozenset():
            yield from sorted(map(repr, part))
        case type() | ModuleType():
            yield part.__name__.encode()
        case _ if is_dataclass(part):
            yield from (getattr(part, field.name) for field in fields(part))
        case _ if hasattr(part, "__dict__"):
            yield vars(part)
        case bytes():
            yield part + b"."
        case _:
            yield repr(part).encode("utf-8", "backslashreplace")


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None
