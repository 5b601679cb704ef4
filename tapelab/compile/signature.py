"""Keys and bindings of arguments: what decides whether a function is traced again.

A key replaces every tensor by its `Kind` (dtype, shape, which variable), keeps plain Python values,
and holds other objects by identity. `Binding` puts arguments into the places of the parameters.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapelab.compile import examples
from tapelab.compile.abstract_evaluation import is_composite
from tapelab.compile.pytree import Leaf, Tree, leaves
from tapelab.compile.symbolic import Symbolic, SymbolicTensor
from tapelab.core.cell import Holder
from tapelab.core.composite_tensor import CompositeTensor, Walked
from tapelab.core.convert import to_tensor
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.type_spec import TensorSpec, TypeSpec, common_shape, spec_of_composite
from tapelab.recording.identity_cache import SameObject

Key = tuple[Any, ...]
_VALUES: Final = (bool, int, float, complex, str, bytes, range, TensorShape)
"""The types whose values, not their identity, decide whether a function is traced again."""
_COMPOSITE: Final = -2
"""What a kind says of a ragged or sparse tensor in place of a variable's number."""


@dataclass(frozen=True)
class Kind:
    """The dtype and the shape of a tensor argument."""

    dtype: str
    shape: tuple[int | None, ...] | None
    variable: int = -1

    def takes(self, other: Any) -> bool:
        """Whether a trace for this kind serves an argument of the other."""
        if not isinstance(other, Kind):
            return False
        if (self.dtype, self.variable) != (other.dtype, other.variable):
            return False
        if self.shape is None or other.shape is None:
            return self.shape is None
        return len(self.shape) == len(other.shape) and all(
            a is None or a == b for a, b in zip(self.shape, other.shape, strict=True)
        )


def canonical(leaf: Leaf) -> Any:
    """NumPy data become tensors; everything else stays."""
    return to_tensor(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf


def key_of(arguments: Tree) -> Key:
    """What two calls must have in common to share a trace."""
    variables: dict[int, int] = {}
    key: Key = _key(arguments, variables)
    return key


def _key(value: Leaf, variables: dict[int, int]) -> Any:
    if isinstance(value, Holder):
        number = variables.setdefault(id(value._cell), len(variables))
        return _kind(value._cell.dtype, value._cell.shape, number)
    if isinstance(value, (Tensor, TensorSpec)):
        return _kind(value.dtype, value.shape)
    if isinstance(value, (np.ndarray, np.generic)):
        return _kind(to_tensor(value).dtype, TensorShape(value.shape))
    if isinstance(value, Walked):  # an object of an extension type, or its spec
        whole: Any = value
        return whole._form(), tuple(_key(each, variables) for each in whole._parts())
    if isinstance(value, CompositeTensor):
        spread: Any = value
        return type(value._examples[0] if isinstance(value, Symbolic) else value), _kind(
            spread.dtype, spread.shape, _COMPOSITE
        )
    if isinstance(value, TypeSpec):  # of a ragged or a sparse tensor
        spec: Any = value
        return spec.value_type, _kind(spec.dtype, spec.shape, _COMPOSITE)
    if isinstance(value, Mapping):
        return type(value), tuple((name, _key(value[name], variables)) for name in value)
    if isinstance(value, (list, tuple)):
        return type(value), tuple(_key(each, variables) for each in value)
    if value is None or isinstance(value, _VALUES):
        return value
    if type(value).__hash__ is None or isinstance(value, weakref.ref):
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}. An argument of a tf.function "
            "is a tensor, a nest of tensors, or an object that can be hashed; try a tuple."
        )
    return SameObject(value)


def _kind(dtype: Any, shape: TensorShape, variable: int = -1) -> Kind:
    return Kind(dtype.name, None if shape.rank is None else tuple(shape), variable)


def serves(trace: Tree, call: Tree) -> bool:
    """Whether the trace of one key can be used for a call of another."""
    if isinstance(trace, Kind):
        return trace.takes(call)
    if isinstance(trace, tuple) and isinstance(call, tuple):
        return len(trace) == len(call) and all(map(serves, trace, call))
    return bool(trace == call)


def count_open_axes(key: Tree) -> int:
    """How many lengths a key leaves open."""
    if isinstance(key, Kind):
        return 100 if key.shape is None else key.shape.count(None)
    return sum(map(count_open_axes, key)) if isinstance(key, tuple) else 0


def relax_key(one: Leaf, other: Any) -> Any:
    """A key that serves both, with open lengths where they differ; None if there is none."""
    if isinstance(one, Kind) and isinstance(other, Kind):
        if (one.dtype, one.variable) != (other.dtype, other.variable):
            return None
        shape = common_shape(TensorShape(one.shape), TensorShape(other.shape))
        return Kind(one.dtype, None if shape.rank is None else tuple(shape), one.variable)
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        parts = tuple(map(relax_key, one, other))
        apart = any(p is None and a is not None for p, a in zip(parts, one, strict=True))
        return None if apart else parts
    return one if one == other else None


def kinds_in(key: Tree) -> list[Kind]:
    """The kinds of the tensors in a key, from left to right."""
    if isinstance(key, Kind):
        return [key]
    return [kind for part in key for kind in kinds_in(part)] if isinstance(key, tuple) else []


class Binding:
    """The parameters of a Python function, and how arguments find their places."""

    def __init__(self, function: Callable[..., Any], specs: Tree = None) -> None:
        self.signature = inspect.signature(function)
        self.specs = None if specs is None else _checked_specs(specs, self.signature)
        self._shown = str(self.signature).partition(" ->")[0]
        kinds = {each.kind: each.name for each in self.signature.parameters.values()}
        self._keywords = kinds.get(inspect.Parameter.VAR_KEYWORD)

    def bind(self, args: Tree, kwargs: Tree) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments in their canonical places, with all defaults; TypeError for a misfit."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self.refused(str(error), args, kwargs) from None
        bound.apply_defaults()
        if self._keywords is not None:  # in one order, so that their order starts no new trace
            bound.arguments[self._keywords] = dict(sorted(bound.arguments[self._keywords].items()))
        if self.specs is None:
            return bound.args, bound.kwargs
        given = list(bound.args)
        for at, spec in enumerate(self.specs[: len(given)]):
            given[at] = self._cast(given[at], spec, args, kwargs)
        return tuple(given), bound.kwargs

    def _cast(self, value: Leaf, spec: Leaf, args: Tree, kwargs: Tree) -> Any:
        if isinstance(spec, (list, tuple)) and isinstance(value, (list, tuple)):
            return type(value)(
                self._cast(v, s, args, kwargs) for v, s in zip(value, spec, strict=True)
            )
        if isinstance(spec, Mapping) and isinstance(value, Mapping):
            return {name: self._cast(value[name], spec[name], args, kwargs) for name in spec}
        if not isinstance(spec, TypeSpec):
            return value
        if isinstance(value, TensorSpec) and isinstance(spec, TensorSpec):
            if _kind(spec.dtype, spec.shape).takes(_kind(value.dtype, value.shape)):
                return value
            raise self.refused(f"Can not cast {value!r} to {spec!r}", args, kwargs)
        if isinstance(value, TypeSpec):
            return value
        if not isinstance(spec, TensorSpec):
            if spec.is_compatible_with(value):
                return value
            there = spec_of_composite(value) if is_composite(value) else value
            raise self.refused(f"Can not cast {there!r} to {spec!r}", args, kwargs)
        if isinstance(value, Holder):
            value = to_tensor(value)
        if not isinstance(value, Tensor):
            value = to_tensor(value, spec.dtype)
        if spec.is_compatible_with(value):
            return value
        there = TensorSpec(value.shape, value.dtype)
        raise self.refused(f"Can not cast {there!r} to {spec!r}", args, kwargs)

    def refused(self, why: str, args: Tree, kwargs: Tree) -> TypeError:
        """The error that says why arguments find no places."""
        return TypeError(
            f"Binding inputs to tf.function failed due to `{why}`. Received args: {args} and "
            f"kwargs: {kwargs} for signature: {self._shown}."
        )


def _checked_specs(specs: Tree, signature: inspect.Signature) -> tuple[Any, ...]:
    if not isinstance(specs, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(specs)}.")
    named = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    named = named[1:] if named and named[0].name == "self" else named
    for parameter in named[len(specs) :]:
        if parameter.default is parameter.empty:
            raise TypeError(f"input_signature missing type constraint for {parameter.name}")
    variadic = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())
    if len(specs) > len(named) and not variadic:
        raise TypeError(
            f"input_signature has {len(specs)} entries, but the function takes {len(named)} "
            "arguments: the function takes fewer arguments than input_signature names."
        )
    return tuple(specs)


def tensors_in(arguments: Tree) -> list[Any]:
    """The tensors among the arguments, from left to right, those of composites included."""
    return [leaf for leaf in leaves(arguments) if takes_slot(leaf)]


def takes_slot(leaf: Leaf) -> bool:
    """Whether an argument goes into the graph, and is no constant of the trace."""
    return isinstance(leaf, (Tensor, TypeSpec, Symbolic)) or is_composite(leaf)


def examples_of(leaf: Leaf, kind: Kind, lengths: tuple[int, int]) -> Any:
    """What stands for an argument in each environment."""
    shape = TensorShape(kind.shape)
    if isinstance(leaf, SymbolicTensor):
        return _examples_in_shape(leaf, kind, lengths)
    if isinstance(leaf, Symbolic):
        return leaf._examples
    if is_composite(leaf):
        if shape == leaf.shape:
            return leaf, leaf
        return leaf, examples.from_composite(spec_of_composite(leaf)._reshaped(shape), lengths)[1]
    if isinstance(leaf, Tensor):
        return examples.from_value(leaf, shape)
    if not isinstance(leaf, TensorSpec):
        return examples.from_composite(leaf, lengths)
    return examples.from_spec(shape, leaf.dtype.as_numpy_dtype, lengths)


def _examples_in_shape(
    tensor: SymbolicTensor, kind: Kind, lengths: tuple[int, int]
) -> tuple[Tensor, ...]:
    """The examples of a tensor of a graph around this one, in the shape that the trace is for."""
    known, shape = tensor.shape, TensorShape(kind.shape)
    if (None if known.rank is None else tuple(known)) == kind.shape:
        return tensor._examples
    first = tensor._examples[0]
    if shape.is_compatible_with(first.shape):
        return examples.from_value(first, shape)
    specs: tuple[Tensor, ...] = examples.from_spec(shape, first._array.dtype, lengths)
    return specs


def positional_name(parameters: list[inspect.Parameter], at: int) -> str:
    """The name of a positional argument; those of `*args` are numbered."""
    kinds = [parameter.kind for parameter in parameters]
    many = inspect.Parameter.VAR_POSITIONAL
    first = kinds.index(many) if many in kinds else len(kinds)
    return parameters[at].name if at < first else f"{parameters[first].name}_{at - first}"


def argument_names(binding: Binding, bound: Tree) -> list[str]:
    """A name for each leaf of the arguments: that of the parameter it belongs to."""
    args, kwargs = bound
    parameters = list(binding.signature.parameters.values())
    names: list[str] = []
    for at, each in enumerate(args):
        names += [positional_name(parameters, at)] * len(leaves(each))
    for name, each in kwargs.items():
        names += [name] * len(leaves(each))
    return names


def spec_of_argument(kinds: list[Kind], names: list[str]) -> Callable[[Any], Any]:
    """What stands for an argument in a signature: the spec of what is a tensor, or as it is."""
    open_kinds, open_names = iter(kinds), iter(names)

    def spec(leaf: Leaf) -> Any:
        name = next(open_names)
        if not takes_slot(leaf):
            return leaf
        kind = next(open_kinds)
        if is_composite(leaf) and not isinstance(leaf, Symbolic):
            return spec_of_composite(leaf)._reshaped(TensorShape(kind.shape))
        if not isinstance(leaf, (Tensor, TensorSpec)):
            return leaf
        return TensorSpec(TensorShape(kind.shape), kind.dtype, getattr(leaf, "name", name) or name)

    return spec
