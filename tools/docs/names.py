"""What the reference tells of: all that is public, each thing once, with all of its names."""

from __future__ import annotations

import enum
import importlib
import inspect
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import Any

from tapelab.core.op import REGISTRY
from tapelab.dtypes import DType
from tapelab.namespace.lazy_symbols import NAMES
from tools import surface


@dataclass(frozen=True)
class Entry:
    """One thing of the namespace: its names, the shortest first."""

    names: tuple[str, ...]
    thing: Any

    @property
    def part(self) -> str:
        """Where it is documented: the innermost namespace that has it, or else its module."""
        space = max(
            (name.rpartition(".")[0] for name in self.names), key=lambda part: part.count(".")
        )
        if space != "tf":
            return space
        if isinstance(self.thing, DType):
            return "dtypes"
        home = str(self.thing.__module__).removeprefix("tapelab").lstrip(".")
        return home or "ops"

    @property
    def kind(self) -> str:
        """What Sphinx calls such a thing."""
        if inspect.isclass(self.thing):
            is_error = issubclass(self.thing, BaseException)
            return "exception" if is_error else "class"
        return "function" if callable(self.thing) else "data"

    @property
    def said(self) -> str:
        """What is to be known of it, as Markdown."""
        return said(self.thing)


@cache
def entries() -> tuple[Entry, ...]:
    """All things of the namespace, in the order of the alphabet."""
    names: dict[int, set[str]] = defaultdict(set)
    things: dict[int, Any] = {}
    for name in _listed():
        thing = surface.found(name)
        if _is_documented(thing):
            names[id(thing)].add(name)
            things[id(thing)] = thing
    found = [Entry(tuple(sorted(names[key], key=_length)), things[key]) for key in things]
    return tuple(sorted(found, key=lambda entry: entry.names[0].lower()))


def of(part: str) -> list[Entry]:
    """All that stands in a part of the namespace; or one object by its path, `tapelab.…`."""
    if part.startswith("tapelab."):
        module, _, name = part.rpartition(".")
        return [Entry((name,), getattr(importlib.import_module(module), name))]
    found = [entry for entry in entries() if entry.part == part]
    if not found:
        raise ValueError(f"Nothing of the namespace stands in {part}.")
    return found


def _listed() -> list[str]:
    """The names of TensorFlow's namespaces and of tapelab's own, without members of classes."""
    taught = [symbol.name for symbol in surface.symbols()]
    own = [f"tf.{name}" for names in NAMES.values() for name in names.split()]
    lists = {*surface._lines("tensorflow.txt"), *taught, *own}  # noqa: SLF001 - one tool
    return sorted(name for name in lists if not inspect.isclass(surface.found(_above(name))))


def _above(name: str) -> str:
    return name.rpartition(".")[0]


def _length(name: str) -> tuple[int, int, str]:
    return name.count("."), len(name), name


def _is_documented(thing: Any) -> bool:
    """Whether it is a function, a class or a dtype, and not a module or a mere constant."""
    return callable(thing) or isinstance(thing, DType)


def members(thing: type) -> dict[str, Any]:
    """The public methods and properties of a class, in the order of its code.

    What a base class has, too, is documented there: how a layer builds and calls.
    """
    above = {name for base in thing.__mro__[1:] for name in vars(base)}
    return {
        name: member
        for name, member in vars(thing).items()
        if not name.startswith("_") and name not in above and _is_member(member)
    }


def _is_member(member: Any) -> bool:
    kinds = (property, staticmethod, classmethod)
    return bool(inspect.getdoc(member)) and (
        inspect.isfunction(member) or isinstance(member, kinds) or hasattr(member, "func")
    )


def said(thing: Any) -> str:
    """A docstring as Markdown, its formula as mathematics; of a dtype, what it holds."""
    if isinstance(thing, DType):
        return _of_dtype(thing)
    *parts, last = (inspect.getdoc(thing) or "").split("\n\n")
    if last in _formulas():
        last = f"```{{math}}\n{last}\n```"
    return "\n\n".join([*parts, last])


def _of_dtype(dtype: DType) -> str:
    """How much room a number takes, and how far it goes."""
    if dtype.name == "string":
        return "Text, as bytes."
    bits = f"{8 * dtype.size} bits for each entry"
    if dtype.is_floating:
        return f"{bits}, from {dtype.min:.4g} to {dtype.max:.4g}."
    return f"{bits}, from {dtype.min} to {dtype.max}." if dtype.is_integer else f"{bits}."


@cache
def _formulas() -> frozenset[str]:
    return frozenset(op.formula for op in REGISTRY.values() if op.formula)


def signature(thing: Any) -> str:
    """How a thing is called, as a learner writes it: without types, with TensorFlow's defaults."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parameters = [
        each.replace(annotation=each.empty, default=_default(each.default))
        for name, each in signature.parameters.items()
        if name not in {"self", "cls"}
    ]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


def _default(value: Any) -> Any:
    """A default that prints as one would write it."""
    match value:
        case enum.Enum():
            return _Written(f"tf.{value}")
        case _ if inspect.isroutine(value) or inspect.isclass(value):
            return value if value is inspect.Parameter.empty else _Written(value.__name__)
        case _ if repr(value).startswith("<"):
            return _Written("...")
    return value


@dataclass(frozen=True)
class _Written:
    """What prints as it is written."""

    text: str

    def __repr__(self) -> str:
        return self.text
