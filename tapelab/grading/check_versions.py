"""The version of a check: a hash of all that it reaches.

A result is kept as long as the version of its check is the same. So the version covers the check's
code, constants and closure, and what the code names: helper functions, classes, constants and
modules of the teacher's, with what these name in turn. What tapelab, Python and installed packages
provide is covered by its name; the version of tapelab is part of every hash.

Code that opens files, imports by a computed name or evaluates text may reach anything, and an
object may hide its state. Then the version says that the reach is unknown, and the check is graded
again whenever somebody asks for what changed.
"""

from __future__ import annotations

import dis
import functools
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from tapelab.version import __version__

UNKNOWN_REACH: Final = "?"
"""How the version of a check begins that may reach more than can be seen."""
_DYNAMIC: Final = {
    *("open", "eval", "exec", "compile", "__import__", "globals", "locals", "import_module"),
    *("load", "loadtxt", "genfromtxt", "fromfile", "memmap", "read_text", "read_bytes", "read_csv"),
    *("environ", "getenv", "urlopen", "run", "Popen", "check_output"),
}
"""Names of functions through which code reaches what no hash of it covers."""
_LESSONS: Final = "tapelab.exercises.lessons"
_INSTALLED: Final = {"site-packages", "dist-packages"}
_NOT_STATE: Final = {"__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__"}


def fingerprint(*parts: Any) -> str:
    """The same text for the same parts in any process, another when a constant changes."""
    reach = _Reach()
    digest = sha256(__version__.encode())
    for each in reach.pieces(parts, frozenset()):
        digest.update(len(each).to_bytes(8, "big"))
        digest.update(each)
    text = digest.hexdigest()[:32]
    return text if reach.is_known else UNKNOWN_REACH + text[1:]


def has_unknown_reach(version: str) -> bool:
    """Whether a check of this version, or one of an assignment of it, may reach anything."""
    return version.startswith(UNKNOWN_REACH)


class _Reach:
    """What is reached from some parts, as bytes; `is_known` says whether they are all."""

    def __init__(self) -> None:
        self.is_known = True
        self._visited: dict[int, tuple[int, Any]] = {}
        """By id, the number and the object of each function, class and module that was visited."""

    def pieces(self, part: Any, above: frozenset[int]) -> Iterator[bytes]:
        """The bytes of everything in a part, in order; a part within itself counts once."""
        yield type(part).__qualname__.encode()
        if id(part) in above:
            return
        if isinstance(part, FunctionType | ModuleType | type):
            if id(part) in self._visited:
                yield str(self._visited[id(part)][0]).encode()
                return
            self._visited[id(part)] = (len(self._visited), part)
        inside = above | {id(part)}
        for each in self._inside(part):
            yield from [each] if isinstance(each, bytes) else self.pieces(each, inside)

    def _inside(self, part: Any) -> Iterator[Any]:
        match part:
            case FunctionType():
                yield f"{part.__module__}.{part.__qualname__}".encode()
                yield from (_content(cell) for cell in part.__closure__ or ())
                if not is_installed(part.__module__):
                    yield from (part.__code__, part.__defaults__, part.__kwdefaults__)
                    yield from self._named_by(part.__code__, part.__globals__)
            case CodeType():
                yield part.co_code
                yield from (part.co_consts, part.co_names, part.co_varnames)
            case MethodType():
                yield from (part.__func__, part.__self__)
            case functools.partial():
                yield from (part.func, part.args, part.keywords)
            case np.ndarray() if part.dtype.kind != "O":
                yield from (str(part.dtype), part.shape, part.tobytes())
            case Mapping():
                yield from (each for pair in part.items() for each in pair)
            case list() | tuple():
                yield from part
            case set() | frozenset():
                yield from sorted(map(repr, part))
            case ModuleType():
                yield part.__name__.encode()
                if not is_installed(part.__name__):
                    yield from _state(vars(part))
            case type():
                yield f"{part.__module__}.{part.__qualname__}".encode()
                if not is_installed(part.__module__):
                    yield part.__bases__
                    yield from _state(vars(part))
            case bytes():
                yield part + b"."
            case Enum():
                yield repr(part).encode()
            case _:
                yield from self._inside_object(part)

    def _inside_object(self, part: Any) -> Iterator[Any]:
        """What is in an object: its fields, numbers or name, or its text."""
        if is_dataclass(part):
            yield from (type(part), *(getattr(part, field.name) for field in fields(part)))
        elif hasattr(part, "__wrapped__"):
            yield part.__wrapped__
        elif hasattr(part, "__array__") and np.asarray(part).dtype.kind != "O":
            yield np.asarray(part)
        elif callable(part) and hasattr(part, "__name__"):
            yield f"{getattr(part, '__module__', '')}.{part.__name__}".encode()
        elif hasattr(part, "__dict__") and not is_installed(type(part).__module__):
            yield from (type(part), vars(part))
        else:
            text = repr(part)
            if " at 0x" in text or hasattr(part, "__dict__"):
                self.is_known = False
            else:
                yield text.encode("utf-8", "backslashreplace")

    def _named_by(self, code: CodeType, names: Mapping[str, Any]) -> Iterator[Any]:
        """What the names in some code stand for, and in the functions within it."""
        for name in code.co_names:
            if name in _DYNAMIC and name not in names:
                self.is_known = False
            elif name in names:
                yield from (name, names[name])
        for step in dis.get_instructions(code):
            if step.opname == "IMPORT_NAME":
                yield self._imported(str(step.argval))
        for each in code.co_consts:
            if isinstance(each, CodeType):
                yield from self._named_by(each, names)

    def _imported(self, name: str) -> Any:
        """A module that a function imports when it runs."""
        if name not in sys.modules and not is_installed(name):
            self.is_known = False
        return sys.modules.get(name, name)


def _state(names: Mapping[str, Any]) -> Iterator[Any]:
    """What a module or class of the teacher's defines."""
    for name, value in names.items():
        if name not in _NOT_STATE and not (name.startswith("__") and name.endswith("__")):
            yield from (name, value)


def is_installed(module: str | None) -> bool:
    """Whether a module belongs to Python, tapelab or a package, which versions name."""
    if module is None:
        return True
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names and top != "__main__":
        return True
    if top == "tapelab":
        return not module.startswith(_LESSONS)
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and bool(_INSTALLED & set(Path(file).parts))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None
