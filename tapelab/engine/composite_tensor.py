"""Tensors made of tensors, ragged and sparse ones, and how public functions work on them.

A composite is no array, so `to_tensor` refuses it with a `NotDense` error, which costs nothing
where no composite is around. A public function that composites may be given to catches that error
and hands its whole call over to the function that is registered for the kind of composite:

    @takes_composites                    # on the public function, above all other decorators
    def concat(values, axis, name="concat"): ...

    @handles("ragged", "concat")         # wherever that kind of composite lives
    def concat_rows(values, axis, name=None): ...

Where functions of two namespaces share a name, one says another, in both places:
`@takes_composites_as("strings.split")`. A handler may return NotImplemented: then the refusal
stands, and is what the caller sees.

A function of single entries (`tf.sin`, `tf.maximum`, `tf.cast`) is marked `@elementwise` instead,
or made by `unary`, `binary` and `logical` of `tapelab.ops.public`, which hand over by themselves.
If nothing is registered under its name, the composite is asked to map it over its entries
(`_map_elements`). The operators of Tensor and Variable return NotImplemented when a composite
stands on the right, so that the composite's reflected operator has its turn.

A new kind derives from `CompositeTensor`, names its `kind`, and says what it is made of. Functions
that want no array themselves (`tf.is_tensor`, `tf.print`, `tf.nest` with expand_composites,
`tape.watch`, `tape.gradient`) ask these methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ClassVar, Final, Self, TypeVar, cast

from tapelab import nest

Public = Callable[..., Any]
F = TypeVar("F", bound=Public)

HANDLERS: Final[dict[tuple[str, str], Public]] = {}
"""What serves a public function for a kind of composite, by the kind and the function's name."""


class NotDense(ValueError):  # noqa: N818 - it reads as what it says
    """A composite stands where a tensor is needed; `composite` is the one that was met."""

    def __init__(self, composite: CompositeTensor) -> None:
        super().__init__(composite._refusal())
        self.composite = composite


NotDense.__name__ = "ValueError"  # what TensorFlow raises


class CompositeTensor:
    """A thing made of several tensors that functions treat as one; see the top of this file."""

    __slots__ = ()
    __array_ufunc__ = None  # so that `array + composite` reaches the composite's own operator

    kind: ClassVar[str]

    def _refusal(self) -> str:
        """What `tf.convert_to_tensor` says of it."""
        raise NotImplementedError

    def _components(self) -> Sequence[Any]:
        """All the tensors it is made of, as `tf.nest.flatten(…, expand_composites=True)` does."""
        raise NotImplementedError

    def _with_components(self, components: Sequence[Any]) -> Self:
        """The same kind of composite made of other tensors."""
        raise NotImplementedError

    def _numbers(self) -> Any:
        """The tensor that carries its numbers, which `tape.watch` follows."""
        raise NotImplementedError

    def _as_end(self) -> Any:
        """The same as a source or target of a gradient; ValueError where there is no such thing."""
        return self._numbers()

    def _like(self, gradient: Any) -> Any:
        """A composite of the same form with the gradient of its numbers in their place."""
        raise NotImplementedError

    def _map_elements(self, function: Public, args: Any, kwargs: Any) -> Any:
        """An elementwise function of it (and of others); NotImplemented if it cannot be mapped."""
        del function, args, kwargs
        return NotImplemented

    def _printed(self, entry: Callable[[Any], str], ends: int) -> str:
        """What `tf.print` writes, with a way to write one entry and how many to show at an end."""
        raise NotImplementedError


def handles(kind: str, *names: str) -> Callable[[Public], Public]:
    """Register a function as what serves the public functions of these names for a kind."""

    def register(function: Public) -> Public:
        for name in names:
            HANDLERS[kind, name] = function
        return function

    return register


def hand_over(refused: NotDense, function: Public, *args: Any, **kwargs: Any) -> Any:
    """What the handler of a public function makes of a call that met a composite."""
    handler = HANDLERS.get((refused.composite.kind, _name_of(function)))
    result = NotImplemented if handler is None else handler(*args, **kwargs)
    if result is NotImplemented:
        raise refused
    return result


def hand_over_elements(refused: NotDense, function: Public, *args: Any, **kwargs: Any) -> Any:
    """The same for an elementwise function, which needs no handler of its own."""
    composite = refused.composite
    if (composite.kind, _name_of(function)) in HANDLERS:
        return hand_over(refused, function, *args, **kwargs)
    result = composite._map_elements(function, args, kwargs)
    if result is NotImplemented:
        raise refused
    return result


def _name_of(function: Public) -> str:
    return getattr(function, "composite_name", function.__name__)


def _handing(function: F, hand: Public, name: str) -> F:
    @wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except NotDense as error:
            refused = error
        return hand(refused, public, *args, **kwargs)

    public.composite_name = name  # type: ignore[attr-defined]  # the table asks for it
    return cast("F", public)


def takes_composites(function: F) -> F:
    """Let a public function hand a call over that meets a composite."""
    return _handing(function, hand_over, function.__name__)


def elementwise(function: F) -> F:
    """The same for a function of single entries, which a composite may map over its own."""
    return _handing(function, hand_over_elements, function.__name__)


def takes_composites_as(name: str) -> Callable[[F], F]:
    """`takes_composites` under a name of its own, such as "strings.split"."""
    return lambda function: _handing(function, hand_over, name)


def composite_in(values: Any) -> CompositeTensor | None:
    """The first composite in a nest, None if there is none."""
    found = (each for each in nest.flatten(values) if isinstance(each, CompositeTensor))
    return next(found, None)


def refuse_composites(value: Any) -> None:
    """NotDense if the value is a composite or holds one."""
    found = composite_in(value)
    if found is not None:
        raise NotDense(found)


def numbers_of(flat: Sequence[Any]) -> list[Any]:
    """Tensors and variables as they are, composites by the tensor that carries their numbers."""
    return [each._as_end() if isinstance(each, CompositeTensor) else each for each in flat]


def gradients_like(sources: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
    """Gradients in the form of their sources: a composite receives a composite."""
    return [
        source._like(each) if isinstance(source, CompositeTensor) and each is not None else each
        for source, each in zip(sources, gradients, strict=True)
    ]
