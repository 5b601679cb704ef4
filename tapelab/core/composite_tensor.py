"""Tensors made of tensors (ragged, sparse), which functions treat as one thing.

A composite is no array, so `to_tensor` refuses it with a `NotDense` error, which costs nothing
where no composite is around. `public` catches the error and gives the whole call to what implements
the function for the kind of composite (see `implements` in `protocol`). An elementwise function
without an implementation is mapped over the composite's elements (`_map_elements`). The operators
of Tensor and Variable return NotImplemented when a composite is on the right, so that Python asks
the composite's reflected operator.

A new kind derives from `CompositeTensor`, names its `kind`, and says what it is made of. Functions
that want no array themselves (`tf.is_tensor`, `tf.print`, `tf.nest` with expand_composites,
`tape.watch`, `tape.gradient`) ask these methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, Self, TypeVar

from tapelab import nest
from tapelab.core.value_types import Cotangent, Value, Values

Public = Callable[..., Any]
F = TypeVar("F", bound=Public)


IMPLEMENTATIONS: Final[dict[tuple[str, Public], Public]] = {}
"""What carries out a public function for a kind of composite tensor."""


class NotDense(ValueError):  # noqa: N818 - it reads as what it says
    """A composite stands where a tensor is needed; `composite` is the one that was met."""

    def __init__(self, composite: CompositeTensor) -> None:
        super().__init__(composite._refusal())
        self.composite = composite


NotDense.__name__ = "ValueError"  # what TensorFlow raises


class Walked:
    """A thing with tensors inside that nests of tensors are walked into, as into a tuple."""

    __slots__ = ()

    def _parts(self) -> Sequence[Any]:
        """The tensors inside, from left to right."""
        raise NotImplementedError

    def _with_parts(self, parts: Sequence[Any]) -> Any:
        """The same thing around other tensors."""
        raise NotImplementedError


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

    def _like(self, gradient: Cotangent) -> Any:
        """A composite of the same form with the gradient of its numbers in their place."""
        raise NotImplementedError

    def _map_elements(self, function: Public, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """An elementwise function of it (and of others); NotImplemented if it cannot be mapped."""
        del function, args, kwargs
        return NotImplemented

    def _carry_out(
        self, function: Public, args: tuple[Any, ...], kwargs: dict[str, Any], *, elementwise: bool
    ) -> Any:
        """The result of a public function that met it; NotImplemented if there is none."""
        implementation = IMPLEMENTATIONS.get((self.kind, function))
        if implementation is not None:
            return implementation(*args, **kwargs)
        return self._map_elements(function, args, kwargs) if elementwise else NotImplemented

    def _printed(self, entry: Callable[[Any], str], ends: int) -> str:
        """What `tf.print` writes, with a way to write one entry and how many to show at an end."""
        raise NotImplementedError


def composite_in(values: Values) -> CompositeTensor | None:
    """The first composite in a nest, None if there is none."""
    composites = (each for each in nest.flatten(values) if isinstance(each, CompositeTensor))
    return next(composites, None)


def refuse_composites(value: Value) -> None:
    """NotDense if the value is a composite or holds one."""
    composite = composite_in(value)
    if composite is not None:
        raise NotDense(composite)


def numbers_of(flat: Sequence[Any]) -> list[Any]:
    """Tensors and variables as they are, composites by the tensor that carries their numbers."""
    return [each._as_end() if isinstance(each, CompositeTensor) else each for each in flat]


def gradients_like(sources: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
    """Gradients in the form of their sources: a composite receives a composite."""
    return [
        source._like(each) if isinstance(source, CompositeTensor) and each is not None else each
        for source, each in zip(sources, gradients, strict=True)
    ]
