"""`tf.Module`: an object that finds the variables in its attributes, and in those of its parts."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from types import FunctionType
from typing import Any, ClassVar, Final

from tapelab import nest
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import ModuleScope
from tapelab.core.variable import Variable
from tapelab.framework.restoration import restore_new
from tapelab.framework.scopes import name_scope

_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
Predicate = Callable[[Any], bool]


class Module:
    """Holds variables and other modules in its attributes, and collects them by walking there.

    The walk goes through lists, tuples and dicts, attributes in alphabetical order; its own
    variables come first, then those of each submodule.
    """

    _TF_MODULE_IGNORED_PROPERTIES: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **settings: Any) -> None:
        """Let each call of the class be a group of the recording."""
        super().__init_subclass__(**settings)
        call = vars(cls).get("__call__")
        if isinstance(call, FunctionType):
            cls.__call__ = _grouped(call)  # type: ignore[method-assign]  # of a subclass

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        restore_new(self)

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        if not _IDENTIFIER.fullmatch(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._name_scope = name_scope(scope)

    @property
    def name(self) -> str:
        """The name it was given, or that of its class in small letters: MyNet is my_net."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """A context that puts the name before those of the variables made inside."""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of this module and of those in it."""
        variables = tuple(self._flatten(predicate=_is_variable))
        for each in variables:
            each._cell.identity.tracked = True
        return variables

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that training changes."""
        return tuple(each for each in self.variables if each.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that training leaves alone."""
        return tuple(each for each in self.variables if not each.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules in this one, and in those, and so on."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self, recursive: bool = True, predicate: Predicate | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None, with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:  # fmt: skip
        """What its attributes hold, down to the leaves, each once; all paths count."""
        seen = {id(self)}
        pending: list[tuple[tuple[Any, ...], Module]] = [((), self)]
        while pending:
            path, module = pending.pop()
            inner = []
            for place, leaf in module._leaves(attribute_traversal_key):
                if id(leaf) in seen and (not with_path or _is_module(leaf)):
                    continue
                seen.add(id(leaf))
                if predicate is None or predicate(leaf):
                    yield (path + place, leaf) if with_path else leaf
                if recursive and _is_module(leaf):
                    inner.append((path + place, leaf))
            pending.extend(reversed(inner))

    def _leaves(self, order: Callable[[str], Any] | None) -> Iterable[tuple[tuple[Any, ...], Any]]:
        for name in sorted(vars(self), key=order):
            if name in self._TF_MODULE_IGNORED_PROPERTIES or name == "_name_scope":
                continue
            value = vars(self)[name]
            try:
                yield from _walk((name,), value)
            except TypeError as error:
                raise ValueError(f"Error processing property {name!r} of {value!r}") from error

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Run a method inside the name scope of its module."""

        @wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


class _Running(threading.local):
    """The innermost module that is called."""

    module: Module | None = None


_running: Final = _Running()


def _grouped(call: Callable[..., Any]) -> Callable[..., Any]:
    """A `__call__` that runs in the scope of its module, while a tape or a trace records."""

    @wraps(call)
    def scoped(self: Module, /, *args: Any, **kwargs: Any) -> Any:
        token = thread.token
        around = _running.module
        if not token or around is self:
            return call(self, *args, **kwargs)
        origin, outer = origin_here(None, 2), thread.scope
        own = vars(self).get("_name") or _snake_case(type(self).__name__)
        name = _place_in(around, self) or own
        thread.scope, _running.module = ModuleScope(name, outer, *origin[1:3]), self
        try:
            return call(self, *args, **kwargs)
        finally:
            thread.scope, _running.module = outer, around

    return scoped


def _place_in(around: Module | None, module: Module) -> str:
    """Where a module stands in another, such as `blocks[3]`; empty if not in its attributes."""
    for name, value in vars(around).items() if around is not None else ():
        if value is module:
            return name
        if isinstance(value, (list, tuple, dict)):
            for key, each in value.items() if isinstance(value, dict) else enumerate(value):
                if each is module:
                    return f"{name}[{key!r}]"
    return ""


def _walk(path: tuple[Any, ...], value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _walk((*path, key), value[key])
    elif nest.is_nested(value):
        for at, each in enumerate(value):
            yield from _walk((*path, at), each)
    else:
        yield path, value


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable)


def _is_module(value: Any) -> bool:
    return isinstance(value, Module)


def _snake_case(name: str) -> str:
    return _WORD_STARTS.sub("_", name).lower()
