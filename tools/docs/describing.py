"""From a thing of the namespace to the Markdown that describes it, as Sphinx's domains take it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, Final

from tools import surface
from tools.docs import names
from tools.docs.names import Entry

FENCE: Final = "`" * 8
INNER: Final = "`" * 6


def described(parts: Iterable[str]) -> str:
    """All things of some parts of the namespace."""
    return "\n".join(_entry(each) for part in parts for each in names.of(part))


def _entry(entry: Entry) -> str:
    """One thing under its shortest name; the others lead to it."""
    first, *others = entry.names
    called = names.signature(entry.thing)
    parts = [f"{INNER}{{py:{entry.kind}}} {name}\n:no-typesetting:\n{INNER}\n" for name in others]
    parts += [f"{FENCE}{{py:{entry.kind}}} {first}{called}", names.said(entry.thing), ""]
    if others:
        parts += [f"Also {', '.join(f'`{name}`' for name in others)}.", ""]
    parts += [f"*Not as in TensorFlow:* {each}.\n" for each in _differences(entry)]
    if inspect.isclass(entry.thing):
        parts += [_member(name, each) for name, each in names.members(entry.thing).items()]
    return "\n".join([*parts, FENCE, ""])


def _member(name: str, member: Any) -> str:
    """A method or a property of a class."""
    if isinstance(member, property) or not callable(getattr(member, "__func__", member)):
        head = f"{{py:property}} {name}"
    else:
        head = f"{{py:method}} {name}{names.signature(getattr(member, '__func__', member))}"
    return f"{INNER}{head}\n{names.said(member)}\n{INNER}\n"


def _differences(entry: Entry) -> list[str]:
    differences = surface.differences()
    return [differences[name] for name in entry.names if name in differences]
