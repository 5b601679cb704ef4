"""`tf.experimental.ExtensionType`: classes of the user whose fields are tensors.

A subclass names its fields by annotations. Its constructor converts the arguments to them, and its
objects cannot be changed. Functions, branches, loops and Datasets walk into an object as into a
tuple: `_parts` are the tensors in its fields, and all other fields stay as they are. `Spec`, which
each subclass has, is the type of its objects: the same fields, with a spec for each tensor.

Other functions of the namespace refuse an object, until you register what they do with it
(`type_dispatch`).
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, ClassVar, Final, NamedTuple, Self

from tapelab import math, nest
from tapelab.core.composite_tensor import CompositeTensor, Walked
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.type_spec import TypeSpec, spec_of_composite, type_spec_from_value
from tapelab.dtypes import DType
from tapelab.experimental.extension_fields import check_annotation, convert_field
from tapelab.experimental.type_dispatch import dispatched

__all__ = ["as_dict"]

_REQUIRED: Final = inspect.Parameter.empty
_RESERVED: Final = ("self", "_parts", "_with_parts", "_type_spec")
_STATIC: Final = (int, float, str, bytes, bool, type(None), TensorShape, DType)
"""What is no part of an object; whatever stands for a tensor is one."""
_PART: Final = "a tensor"
"""What stands for a tensor in a form."""


class Field(NamedTuple):
    """One field: its name, its annotation, and its default if it has one."""

    name: str
    annotation: Any
    default: Any


class _Fields(Walked):
    """What extension types and their specs have in common: named fields that do not change."""

    _OF: ClassVar[str]
    _constructing: bool

    @classmethod
    def _fields(cls) -> tuple[Field, ...]:
        raise NotImplementedError

    def _values(self) -> dict[str, Any]:
        """The values of the fields by name."""
        return {field.name: self.__dict__[field.name] for field in self._fields()}

    def _parts(self) -> Sequence[Any]:
        return [part for value in self._values().values() for part in _parts_in(value)]

    def _form(self) -> tuple[Any, ...]:
        """All that two objects of one spec have in common, apart from their tensors."""
        return tuple((name, _form_of(value)) for name, value in self._values().items())

    def _refilled(self, parts: Sequence[Any]) -> dict[str, Any]:
        """The fields with other tensors in them."""
        each = iter(parts)
        return {name: _refill(value, each) for name, value in self._values().items()}

    def _finish(self, *, for_spec: bool) -> None:
        """Check and convert the fields, once the constructor has set them."""
        names = {field.name for field in self._fields()}
        there = {name for name in self.__dict__ if name != "_constructing"}
        if there - names:
            raise ValueError(f"Got unexpected fields: {there - names}")
        if names - there:
            raise ValueError(f"Missing required fields: {names - there}")
        for name, annotation, _ in self._fields():
            value = convert_field(self.__dict__[name], annotation, name, for_spec=for_spec)
            self.__dict__[name] = value
        self.__validate__()

    def __validate__(self) -> None:
        """Check the fields of a new object; a subclass says how."""

    def __setattr__(self, name: str, value: Any) -> None:
        self._check_open(name)
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        self._check_open(name)
        del self.__dict__[name]

    def _check_open(self, name: str) -> None:
        if "_constructing" not in self.__dict__ or all(name != f.name for f in self._fields()):
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of {self._OF}."
            )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._values().items())
        return f"{type(self).__qualname__}({shown})"


class ExtensionTypeSpec(_Fields, TypeSpec):
    """The type of the objects of an extension type: its fields, with a spec for each tensor."""

    _OF: ClassVar[str] = "ExtensionTypeSpec"
    _type: ClassVar[type[ExtensionType]]

    @property
    def value_type(self) -> type:
        """The extension type."""
        return self._type

    @classmethod
    def _fields(cls) -> tuple[Field, ...]:
        return cls._type._fields()

    def _with_parts(self, parts: Sequence[Any]) -> Any:
        return _object_of(self._type, self._refilled(parts), parts)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_plain(value)!r}" for name, value in self._values().items())
        return f"{type(self).__qualname__}({shown})"

    @classmethod
    def from_value(cls, value: ExtensionType) -> Any:
        """The spec that an object fits exactly."""
        return value._with_parts([type_spec_from_value(part) for part in value._parts()])

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether an object, or all objects of another spec, may be what this one describes."""
        other = spec_or_value
        if isinstance(other, ExtensionType):
            other = type(self).from_value(other)
        return self._fits(other) and all(
            ours.is_compatible_with(theirs)
            for ours, theirs in zip(self._parts(), other._parts(), strict=True)
        )

    def is_subtype_of(self, other: TypeSpec) -> bool:
        """Whether everything this describes is also described by the other."""
        return self._fits(other) and all(
            ours.is_subtype_of(theirs)
            for ours, theirs in zip(self._parts(), other._parts(), strict=True)
        )

    def most_specific_common_supertype(self, others: Any) -> Any:
        """The narrowest spec that describes what this and the others do, None if there is none."""
        others = list(others)
        if not all(map(self._fits, others)):
            return None
        rows = zip(self._parts(), *(other._parts() for other in others), strict=True)
        wider = [first.most_specific_common_supertype(rest) for first, *rest in rows]
        return None if None in wider else self._with_parts(wider)

    def _fits(self, other: Any) -> typing.TypeGuard[ExtensionTypeSpec]:
        return type(other) is type(self) and other._form() == self._form()

    def __eq__(self, other: object) -> bool:
        return self._fits(other) and list(self._parts()) == list(other._parts())

    def __hash__(self) -> int:
        return hash((type(self), *self._parts()))


class ExtensionType(_Fields, CompositeTensor):
    """A base of classes whose fields are tensors; see the top of this file."""

    _OF: ClassVar[str] = "ExtensionType"
    Spec: ClassVar[type[Any]]
    _known_fields: ClassVar[tuple[Field, ...]]

    def __init__(self) -> None:
        raise AssertionError(
            "Cannot create an instance of ExtensionType because ExtensionType is an abstract base "
            "class."
        )

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if abstract:
            return
        _check_fields(cls)
        user_spec = cls.__dict__.get("Spec")
        own = {} if user_spec is None else dict(user_spec.__dict__)
        for name in ("__dict__", "__weakref__"):
            own.pop(name, None)
        own |= {
            "_type": cls,
            "__module__": cls.__module__,
            "__qualname__": f"{cls.__qualname__}.Spec",
        }
        cls.Spec = type(f"{cls.__name__}.Spec", (ExtensionTypeSpec,), own)
        for each, for_spec in ((cls, False), (cls.Spec, True)):
            written = each.__dict__.get("__init__") or _constructor(cls, for_spec=for_spec)
            each.__init__ = _completed(written, for_spec=for_spec)  # type: ignore[method-assign]  # each class has its own

    @classmethod
    def _fields(cls) -> tuple[Field, ...]:
        known: tuple[Field, ...] | None = cls.__dict__.get("_known_fields")
        if known is not None:
            return known
        bases = [base for base in reversed(cls.__mro__) if _is_of_user(base)]
        annotations: dict[str, Any] = {}
        for base in bases:
            annotations |= inspect.get_annotations(base)
        resolved = True
        try:
            hints = typing.get_type_hints(cls)
            annotations = {name: hints[name] for name in annotations}
        except NameError:  # a type that is not there yet
            resolved = False
        fields = tuple(
            Field(name, annotation, getattr(cls, name, _REQUIRED))
            for name, annotation in annotations.items()
        )
        if resolved:
            cls._known_fields = fields
        return fields

    @property
    def _type_spec(self) -> Any:
        return type_spec_from_value(self)

    def _with_parts(self, parts: Sequence[Any]) -> Any:
        return _object_of(type(self), self._refilled(parts), parts)

    def _components(self) -> Sequence[Any]:
        return nest.flatten(list(self._parts()), expand_composites=True)

    def _with_components(self, components: Sequence[Any]) -> Self:
        parts = nest.pack_sequence_as(list(self._parts()), components, expand_composites=True)
        built: Self = self._with_parts(parts)
        return built

    def _refusal(self) -> str:
        return (
            f"Attempt to convert a value ({self!r}) with an unsupported type ({type(self)}) to a "
            "Tensor."
        )

    def _numbers(self) -> Any:
        raise ValueError(
            f"Type {type(self).__name__} is not supported as a gradient source or gradient target. "
            "Take its tensors."
        )

    def _printed(self, entry: Callable[[Any], str], ends: int) -> str:
        del entry, ends
        return repr(self)

    def _carry_out(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any],
        *, elementwise: bool,
    ) -> Any:  # fmt: skip
        del elementwise
        return dispatched(function, args, kwargs)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, ExtensionType) or type(other) is not type(self):
            return False
        if self._type_spec != other._type_spec:
            return False
        pairs = zip(self._components(), other._components(), strict=True)
        alike = [math.reduce_all(math.equal(one, two)) for one, two in pairs]
        return math.reduce_all(alike)

    def __ne__(self, other: object) -> Any:
        alike = self == other
        return math.logical_not(alike) if isinstance(alike, Tensor) else not alike

    __hash__ = None  # type: ignore[assignment]  # equality is a tensor


class BatchableExtensionType(ExtensionType, abstract=True):
    """A base of extension types whose objects a Dataset or `tf.map_fn` may put into batches.

    Each tensor gets, or loses, a first axis, and so does each `tf.TensorShape` among the fields.
    """

    def _refilled(self, parts: Sequence[Any]) -> dict[str, Any]:
        fields = super()._refilled(parts)
        gained, lengths = _axes_gained(self._parts(), parts)
        if gained:
            for name, value in fields.items():
                if isinstance(value, TensorShape) and value.rank is not None:
                    fields[name] = lengths.concatenate(value) if gained > 0 else value[-gained:]
        return fields


def as_dict(value: ExtensionType) -> dict[str, Any]:
    """The fields of an object by name."""
    return value._values()


@spec_of_composite.register(ExtensionType)
def spec_of_extension(value: ExtensionType, skipped: int = 0) -> Any:
    """The spec of an object."""
    del skipped
    return type(value).Spec.from_value(value)


def _object_of(cls: type[ExtensionType], fields: dict[str, Any], parts: Sequence[Any]) -> Any:
    """An object with such fields, or the spec of one if its parts are specs; nothing is checked."""
    kind = cls.Spec if parts and all(isinstance(part, TypeSpec) for part in parts) else cls
    instance = object.__new__(kind)
    instance.__dict__.update(fields)
    return instance


def _is_of_user(base: type) -> bool:
    return issubclass(base, ExtensionType) and base not in (ExtensionType, BatchableExtensionType)


def _check_fields(cls: type[ExtensionType]) -> None:
    for name in inspect.get_annotations(cls):
        if name in _RESERVED:
            raise ValueError(f"The field annotations for {cls.__name__} are invalid. Field {name} "
                             "is reserved.")  # fmt: skip
    for name, annotation, _ in cls._fields():
        try:
            check_annotation(annotation)
        except TypeError as error:
            raise TypeError(f"In field {name!r}: {error}") from error
    names = {field.name for field in cls._fields()}
    for name, value in cls.__dict__.items():
        if not name.startswith("_") and name not in names and isinstance(value, Tensor):
            raise ValueError(f"The field {name} of {cls.__name__} needs a type annotation.")


def _constructor(cls: type[ExtensionType], *, for_spec: bool) -> Callable[..., None]:
    """A constructor that takes the fields in their order, or by name."""
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters, optional = [], False
    for name, annotation, declared in cls._fields():
        default = _REQUIRED if for_spec else declared
        if optional and default is _REQUIRED:
            kind = inspect.Parameter.KEYWORD_ONLY
        optional = optional or default is not _REQUIRED
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
    signature = inspect.Signature(parameters)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it becomes one
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        self.__dict__.update(bound.arguments)

    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]
    return __init__


def _completed(constructor: Callable[..., None], *, for_spec: bool) -> Callable[..., None]:
    """A constructor after which the fields are converted and closed."""

    @wraps(constructor)
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        if "_constructing" in self.__dict__:  # called by the constructor of a subclass
            constructor(self, *args, **kwargs)
            return
        self.__dict__["_constructing"] = True
        try:
            constructor(self, *args, **kwargs)
            self._finish(for_spec=for_spec)
        finally:
            del self.__dict__["_constructing"]

    return construct


def _is_part(value: Any) -> bool:
    return not isinstance(value, _STATIC)


def _parts_in(value: Any) -> Iterator[Any]:
    """The tensors of a field from left to right."""
    if isinstance(value, _Fields):
        yield from value._parts()
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _parts_in(each)
    elif isinstance(value, tuple):
        for each in value:
            yield from _parts_in(each)
    elif _is_part(value):
        yield value


def _refill(value: Any, parts: Iterator[Any]) -> Any:
    """A field with the next tensors in place of its own."""
    if isinstance(value, _Fields):
        return value._with_parts([next(parts) for _ in value._parts()])
    if isinstance(value, Mapping):
        return type(value)({key: _refill(each, parts) for key, each in value.items()})  # type: ignore[call-arg]  # a mapping of its kind
    if isinstance(value, tuple):
        return tuple(_refill(each, parts) for each in value)
    return next(parts) if _is_part(value) else value


def _plain(value: Any) -> Any:
    """A field as a spec is printed: mappings as dicts."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def _form_of(value: Any) -> Any:
    if isinstance(value, _Fields):
        kind = value._type if isinstance(value, ExtensionTypeSpec) else type(value)
        return kind, value._form()
    if isinstance(value, Mapping):
        return tuple((key, _form_of(each)) for key, each in value.items())
    if isinstance(value, tuple):
        return tuple(map(_form_of, value))
    return _PART if _is_part(value) else value


def _axes_gained(before: Sequence[Any], after: Sequence[Any]) -> tuple[int, TensorShape]:
    """How many first axes the tensors have gained, and how long these are."""
    for old, new in zip(before, after, strict=True):
        if hasattr(old, "shape") and hasattr(new, "shape"):
            one, two = TensorShape(old.shape), TensorShape(new.shape)
            if one.rank is not None and two.rank is not None:
                gained = two.rank - one.rank
                return gained, two[: max(gained, 0)]
    return 0, TensorShape([])
