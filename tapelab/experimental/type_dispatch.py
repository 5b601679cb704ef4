"""What public functions do with extension types: `tf.experimental.dispatch_for_api` and the like.

A function of the user is registered with types for the parameters of a public function. A call that
meets an object of an extension type goes to the first one whose types all arguments have.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)
Signature = dict[Any, Any]
"""Types by the names, or by the positions, of parameters."""

_PAIRS: Final = frozenset(
    {("x", "y"), ("y", "x"), ("a", "x"), ("real", "imag"), ("labels", "logits")}
)
"""The first two parameters of elementwise functions of two tensors."""


@dataclass(frozen=True)
class _Target:
    """A function of the user, and the types of arguments that it is for; any of `signatures`."""

    function: Function
    signatures: tuple[Signature, ...]


@dataclass(frozen=True)
class _Handler:
    """A function of the user for all elementwise functions of one or of two tensors."""

    function: Function
    types: tuple[Any, ...]
    asserts: bool = False


_TARGETS: Final[dict[Function, list[_Target]]] = {}
_HANDLERS: Final[list[_Handler]] = []


def dispatch_for_api(api: Function, *signatures: Signature) -> Callable[[F], F]:
    """Register what a public function does with arguments of certain types.

    The types stand in `signatures`, or else in the annotations of the decorated function.
    """
    if not hasattr(api, "declaration"):
        raise ValueError(f"{api} does not support dispatch.")
    parameters = list(inspect.signature(api).parameters)

    def register(target: F) -> F:
        if not callable(target):
            raise TypeError(f"Expected dispatch_target to be callable; got {target!r}")
        own = [name for name in inspect.signature(target).parameters if name != "name"]
        if own != [name for name in parameters if name != "name"][: len(own)]:
            raise ValueError(
                f"Dispatch function's signature {inspect.signature(target)} does not match API's "
                f"signature {inspect.signature(api)}."
            )
        named = signatures or (typing.get_type_hints(target),)
        known = tuple(
            {parameters[key] if isinstance(key, int) else key: kind for key, kind in each.items()
             if key != "return"}
            for each in named
        )  # fmt: skip
        _TARGETS.setdefault(api, []).append(_Target(target, known))
        return target

    return register


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[F], F]:
    """Register what all elementwise functions of one tensor do with a type: `handler(api, x)`."""
    return partial(_with_handler, (x_type,), False)


def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[F], F]:
    """Register what all elementwise functions of two tensors do: `handler(api, x, y)`."""
    return partial(_with_handler, (x_type, y_type), False)


def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[F], F]:
    """Register what checks of two tensors, as `tf.debugging.assert_equal`, do with two types."""
    return partial(_with_handler, (x_type, y_type), True)


def _with_handler(kinds: tuple[Any, ...], asserts: bool, handler: F) -> F:
    if any(each.types == kinds and each.asserts == asserts for each in _HANDLERS):
        shown = ", ".join(f"{name}={kind}" for name, kind in zip("xy", kinds, strict=False))
        raise ValueError(
            f"An elementwise dispatch handler for types [{shown}] has already been registered."
        )
    _HANDLERS.append(_Handler(handler, kinds, asserts))
    return handler


def unregister_dispatch_for(dispatch_target: Function) -> None:
    """Forget a function that was registered; ValueError if it was not."""
    count = len(_HANDLERS) + sum(map(len, _TARGETS.values()))
    _HANDLERS[:] = [each for each in _HANDLERS if each.function is not dispatch_target]
    for targets in _TARGETS.values():
        targets[:] = [each for each in targets if each.function is not dispatch_target]
    if count == len(_HANDLERS) + sum(map(len, _TARGETS.values())):
        raise ValueError(f"Function {dispatch_target} was not registered.")


def dispatched(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is registered for a call carries it out; NotImplemented if nothing is."""
    parameters = inspect.signature(function).parameters
    bound = inspect.signature(function).bind(*args, **kwargs).arguments
    for target in _TARGETS.get(function, ()):
        if any(_all_fit(each, bound) for each in target.signatures):
            if "name" not in inspect.signature(target.function).parameters:
                bound.pop("name", None)
            return target.function(**bound)
    for handler in _handlers_of(function, list(parameters)):
        names = list(parameters)[: len(handler.types)]
        given = [bound.get(name) for name in names]
        if all(map(_has_type, given, handler.types)):
            rest = {name: value for name, value in bound.items() if name not in names}
            return handler.function(partial(function, **rest), *given)
    return NotImplemented


def _handlers_of(function: Function, names: list[str]) -> Iterator[_Handler]:
    """The handlers of all functions of the kind that a function is of."""
    declared: Any = function
    asserts = declared.declaration.effect == "asserts"
    if not asserts and not declared.elementwise:
        return
    count = 2 if asserts or tuple(names[:2]) in _PAIRS else 1
    yield from (each for each in _HANDLERS if len(each.types) == count and each.asserts == asserts)


def _all_fit(signature: Signature, bound: dict[str, Any]) -> bool:
    return all(name in bound and _has_type(bound[name], kind) for name, kind in signature.items())


def _has_type(value: Any, kind: Any) -> bool:
    """Whether a value is of an annotated type: a class, a union, or a list of such values."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_has_type(value, each) for each in arguments)
    if origin is list:
        return isinstance(value, (list, tuple)) and all(
            _has_type(each, arguments[0]) for each in value
        )
    return isinstance(value, type(None) if kind is None else kind)
