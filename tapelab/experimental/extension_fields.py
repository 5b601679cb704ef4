"""The fields of an extension type: how an annotation checks and converts the value of a field."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from tapelab.array_ops.creation import convert_to_tensor
from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.type_spec import TypeSpec
from tapelab.dtypes import DType, as_dtype

Annotation = Any
"""A type, a generic of `typing`, or the name of a type."""
_PLAIN: Final = (int, float, str, bytes, bool, type(None))


class ImmutableDict(Mapping[Any, Any]):
    """A mapping that cannot be changed, in which an extension type keeps one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items!r})"


def check_annotation(annotation: Annotation, *, in_key: bool = False) -> None:
    """TypeError unless a field may have this annotation; names of types are not looked up."""
    if isinstance(annotation, (str, typing.ForwardRef)):
        return
    if annotation in (*_PLAIN, None, DType):
        return
    if _is_tensor_like(annotation):
        if in_key:
            raise TypeError(
                f"Mapping had a key {annotation.__name__!r} with type {type(annotation).__name__!r}"
            )
        return
    arguments = typing.get_args(annotation)
    if _is_mapping(annotation) and arguments:
        check_annotation(arguments[0], in_key=True)
        check_annotation(arguments[1], in_key=in_key)
    elif (_is_tuple(annotation) or _is_union(annotation)) and arguments:
        for each in arguments:
            if each is not Ellipsis:
                check_annotation(each, in_key=in_key)
    else:
        shown = annotation.__name__ if isinstance(annotation, type) else annotation
        raise TypeError(f"Unsupported type annotation {shown!r}")


def convert_field(value: Any, annotation: Annotation, path: str, *, for_spec: bool = False) -> Any:
    """The value of a field in its annotated type; TypeError with the `path` where it does not fit.

    In a spec, a spec of such a tensor stands for a tensor.
    """
    kind = type(None) if annotation is None else annotation
    if kind is TensorShape:
        return _converted(TensorShape, value, "tf.TensorShape", path)
    if kind is DType:
        return _converted(as_dtype, value, "tf.DType", path)
    if kind in _PLAIN:
        return _checked(value, kind, path)
    if _is_tensor_like(kind):
        return _spec(value, kind, path) if for_spec else _tensor(value, kind, path)
    arguments = typing.get_args(kind)
    if _is_union(kind):
        for option in arguments:
            try:
                return convert_field(value, option, path, for_spec=for_spec)
            except TypeError:
                continue
        raise TypeError(f"{path}: expected {kind!r}, got {type(value).__name__!r}")
    if _is_mapping(kind):
        if not isinstance(value, Mapping):
            raise TypeError(f"{path}: expected mapping, got {type(value).__name__!r}")
        of_key, of_value = arguments
        return ImmutableDict(
            (
                convert_field(key, of_key, f"{path}[<key>]", for_spec=for_spec),
                convert_field(each, of_value, f"{path}[{key!r}]", for_spec=for_spec),
            )
            for key, each in value.items()
        )
    if _is_tuple(kind):
        return _tuple(value, arguments, path, for_spec=for_spec)
    raise TypeError(f"{path}: Unsupported type annotation {kind!r}")


def _checked(value: Any, kind: type, path: str) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{path}: expected {kind.__name__!r}, got {type(value).__name__!r}")
    return value


def _converted(convert: Callable[[Any], Any], value: Any, shown: str, path: str) -> Any:
    try:
        return convert(value)
    except TypeError as error:
        raise TypeError(f"{path}: expected {shown!r}, got {type(value).__name__!r}") from error


def _tensor(value: Any, kind: type, path: str) -> Any:
    if kind is not Tensor:
        return _checked(value, kind, path)
    if isinstance(value, Tensor):
        return value
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{path}: expected a Tensor, got {type(value).__name__!r}") from error


def _spec(value: Any, kind: type, path: str) -> Any:
    if not isinstance(value, TypeSpec) or not issubclass(value.value_type, kind):
        shown = "TensorSpec" if kind is Tensor else f"TypeSpec for {kind.__name__!r}"
        raise TypeError(f"{path}: expected a {shown}, got {type(value).__name__!r}")
    return value


def _tuple(value: Any, kinds: tuple[Any, ...], path: str, *, for_spec: bool) -> tuple[Any, ...]:
    if not isinstance(value, Sequence):
        raise TypeError(f"{path}: expected tuple, got {type(value).__name__!r}")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        raise TypeError(
            f"{path}: expected tuple with length {len(kinds)}, got {type(value).__name__!r})"
        )
    return tuple(
        convert_field(each, kind, f"{path}[{at}]", for_spec=for_spec)
        for at, (each, kind) in enumerate(zip(value, kinds, strict=True))
    )


def _is_tensor_like(annotation: Annotation) -> bool:
    is_type = isinstance(annotation, type) and not typing.get_args(annotation)
    return is_type and issubclass(annotation, (Tensor, CompositeTensor, TensorShape))


def _is_union(annotation: Annotation) -> bool:
    origin: Any = typing.get_origin(annotation)
    return origin in (typing.Union, types.UnionType)


def _is_tuple(annotation: Annotation) -> bool:
    origin: Any = typing.get_origin(annotation)
    return origin is tuple


def _is_mapping(annotation: Annotation) -> bool:
    origin: Any = typing.get_origin(annotation)
    return isinstance(origin, type) and issubclass(origin, Mapping)
