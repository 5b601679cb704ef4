"""The tensor inside a function that is being traced: it has a dtype and a shape, but no numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, Final, Never, Protocol

from tapelab.compile.call_graph import Node
from tapelab.compile.pytree import Leaf, Tree
from tapelab.core.dispatch import public
from tapelab.core.large_values import truncated
from tapelab.core.log import origin_here, thread
from tapelab.core.op import SYMBOLIC
from tapelab.core.origin import LoggedTensor, Origin, next_id
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.type_spec import common_shape
from tapelab.dtypes import DType
from tapelab.errors import (
    InaccessibleTensorError,
    MisusedError,
    OperatorNotAllowedInGraphError,
    Refusal,
)

RESOLUTIONS: Final = (
    "You can attempt the following resolutions to the problem: If you are running in Graph mode, "
    "use Eager execution mode or decorate this function with @tf.function. If you are using "
    "AutoGraph, you can try decorating this function with @tf.function. If that does not work, "
    "then you may be using an unsupported feature or your source code may not be visible to "
    "AutoGraph. Here you can always write {}."
)


class OpenTrace(Protocol):
    """What symbolic values ask of the trace that they belong to."""

    name: str
    outer: Any
    environments: tuple[Any, ...]
    in_function: bool
    kinds: dict[str, str]
    graph_handle: Any
    symbols: dict[int, Any]

    def bind(self, function: Callable[..., Any], args: Tree, kwargs: Tree) -> Any:
        """Record a call of a public function."""

    def call(
        self, function: Callable[..., Any], args: Tree, kwargs: Tree, *, acts: bool = ...
    ) -> Any:
        """Record a call."""

    def call_of(self, tensor: Tensor) -> Node | None:
        """The call that returned a tensor of this graph."""

    def shaped(self, tensor: SymbolicTensor, shape: TensorShape) -> tuple[Tensor, ...]:
        """Examples of a tensor of whose shape more is known now."""

    def default_session(self) -> Any:
        """The session that runs the graph."""


class AbstractArray:
    """What library code may ask of the array of a symbolic tensor: its shape and its dtype."""

    __slots__ = ("dtype", "ndim", "shape")

    def __init__(self, tensor: SymbolicTensor) -> None:
        shape = tensor.shape
        self.dtype = tensor._examples[0]._array.dtype
        self.ndim = shape.rank
        self.shape = None if shape.rank is None else tuple(shape)

    def __getattr__(self, name: str) -> Never:
        raise TypeError(
            f"The numbers of a tensor are asked for ({name}) while the function is traced; they "
            "are there only when it runs. Try tf.py_function for code that needs them."
        )


class Symbolic:
    """What stands in a graph for a thing that is there at replay only; it has examples."""

    __slots__ = ()

    _id: int
    _trace: OpenTrace
    _name: str
    _origin: Origin
    _examples: tuple[Any, ...]


class SymbolicTensor(Tensor, Symbolic):
    """A tensor of a graph: it has a dtype, a shape as far as it is known, and no values.

    It carries one example per environment (see `abstract_evaluation`). Where the shapes of the
    examples agree, the shape is known.
    """

    __slots__ = ("_examples", "_name", "_narrowed", "_trace")

    _examples: tuple[Tensor, ...]
    _narrowed: TensorShape | None

    @property
    def _array(self) -> Any:
        check_scope(self)
        return AbstractArray(self)

    @property
    def _value(self) -> Any:
        return self._array

    @property
    def shape(self) -> TensorShape:
        """How long the tensor is along each axis; None where that is known at replay only."""
        first, *others = (TensorShape(each._array.shape) for each in self._examples)
        for other in others:
            first = common_shape(first, other)
        return first if self._narrowed is None else first.merge_with(self._narrowed)

    @property
    def dtype(self) -> DType:
        """What kind of number it will hold."""
        return self._examples[0].dtype

    @property
    def ndim(self) -> Any:
        """The number of axes, None if unknown."""
        return self.shape.rank

    @property
    def name(self) -> str:
        """What the tensor is called in its graph, `add:0`."""
        return self._name

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self._trace.graph_handle

    @property
    def op(self) -> Operation:
        """The node of the graph that makes it."""
        name = self._name.rpartition(":")[0]
        return Operation(self.graph, name, self._trace.kinds.get(name, "Placeholder"))

    @property
    def value_index(self) -> int:
        """Which result of its node it is."""
        return int(self._name.rpartition(":")[2])

    @property
    def device(self) -> str:
        """Where it will be; not settled in a graph."""
        return ""

    @property
    def assign(self) -> Any:
        """Write into the variable this tensor is a slice of: `v[0].assign(5)`."""
        if not hasattr(self, "_slice_of"):
            raise AttributeError("'SymbolicTensor' object has no attribute 'assign'")
        return self._slice_of

    def interpreter(self) -> OpenTrace:
        """The open trace, which carries out ops on this tensor; TypeError for a stranger."""
        check_scope(self)
        trace: OpenTrace = thread.trace
        return trace

    def set_shape(self, shape: Any) -> None:
        """Add what you know of the shape; ValueError where it contradicts what is known."""
        self._narrowed = self.shape.merge_with(shape)
        self._examples = self._trace.shaped(self, self._narrowed)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value in a session of `tf.compat.v1`."""
        chosen = session or self._trace.default_session()
        return chosen.run(self, feed_dict)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Never:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self._name}) to a numpy array. This error may "
            "indicate that you're trying to pass a Tensor to a NumPy call, which is not supported. "
            "Inside a tf.function use the function of tf of that name, or tf.numpy_function."
        )

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Tree, kwargs: Tree
    ) -> Never:
        self.__array__()

    def __bool__(self) -> Never:
        raise not_allowed("Using a symbolic `tf.Tensor` as a Python `bool`", "tf.cond or tf.where")

    def __iter__(self) -> Iterator[Tensor]:
        raise not_allowed("Iterating over a symbolic `tf.Tensor`", "tf.unstack or tf.map_fn")

    def __len__(self) -> Never:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self._name}). Please call `x.shape` "
            "rather than `len(x)` for shape information. The length at replay is tf.shape(x)[0]."
        )

    def __int__(self) -> Never:
        raise self._no_number("int() argument must be a string, a bytes-like object or a real")

    def __float__(self) -> Never:
        raise self._no_number("float() argument must be a string or a real")

    def __complex__(self) -> Never:
        raise self._no_number("complex() first argument must be a string or a")

    def __index__(self) -> Never:
        raise TypeError("'SymbolicTensor' object cannot be interpreted as an integer")

    def _no_number(self, words: str) -> TypeError:
        return TypeError(f"{words} number, not 'SymbolicTensor'")

    def __round__(self, digits: int | None = None) -> Never:
        raise AttributeError("SymbolicTensor object has no attribute 'round'; try tf.round(x)")

    @property
    def numpy(self) -> Never:
        """There are no numbers yet."""
        raise AttributeError

    @property
    def to_numpy(self) -> Never:
        """There are no numbers yet."""
        raise AttributeError

    def __getattr__(self, name: str) -> Never:
        raise AttributeError(f"'SymbolicTensor' object has no attribute {name!r}", name=name)

    def __setitem__(self, key: Tree, value: Leaf) -> Never:
        raise TypeError("'SymbolicTensor' object does not support item assignment")

    def __reduce__(self) -> Never:
        raise TypeError(f"{self!r} is part of a graph and cannot be pickled.")

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __str__(self) -> str:
        return f'Tensor("{self._name}"{self._spoken_shape()}, dtype={self.dtype.name})'

    def _spoken_shape(self) -> str:
        return "" if self.shape.rank is None else f", shape={self.shape}"

    def __repr__(self) -> str:
        return f"<tf.Tensor {self._name!r} shape={self.shape} dtype={self.dtype.name}>"


class Operation:
    """A node of a graph as its tensors name it."""

    def __init__(self, graph: Any, name: str, kind: str) -> None:
        self.graph = graph
        self.name = name
        self.type = kind

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


def not_allowed(what: str, instead: str) -> OperatorNotAllowedInGraphError:
    """The error for what Python cannot do with a tensor that has no numbers yet."""
    return OperatorNotAllowedInGraphError(f"{what} is not allowed. {RESOLUTIONS.format(instead)}")


def symbol(
    trace: OpenTrace, name: str, examples: tuple[Tensor, ...], origin: Origin | None = None
) -> SymbolicTensor:
    """A new tensor of a trace."""
    tensor = object.__new__(SymbolicTensor)
    tensor._id = next_id()
    tensor._origin = origin or origin_here()
    tensor._trace = trace
    tensor._name = name
    tensor._examples = examples
    tensor._narrowed = None
    return tensor


def check_scope(tensor: Symbolic) -> None:
    """An error where a tensor is used outside of the function whose trace it belongs to.

    InaccessibleTensorError where that trace is inside the open one, as a loop's body is; else
    TypeError.
    """
    trace = thread.trace
    while trace is not None:
        if trace is tensor._trace:
            return
        trace = trace.outer
    is_inner = thread.trace is not None and _is_inside(tensor._trace, thread.trace)
    kind = InaccessibleTensorError if is_inner else MisusedError
    place = tensor._origin
    ends = _seen(tensor) if isinstance(tensor, SymbolicTensor) else ()
    raise kind(
        f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python "
        "locals or TensorFlow collections to access it.\nPlease see "
        "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values"
        f" for more information.\n\n{tensor!r} was defined here:\n    File "
        f'"{place.code.co_filename}", in {place.code.co_name}',
        Refusal("LEAKED_SYMBOL", origin_here(), ends=ends, details={"in": place.code.co_name}),
    )


def _is_inside(trace: OpenTrace, outer: OpenTrace) -> bool:
    """Whether a trace was opened while another was open."""
    while trace.outer is not None:
        trace = trace.outer
        if trace is outer:
            return True
    return False


def _seen(tensor: SymbolicTensor) -> tuple[LoggedTensor, ...]:
    """A tensor without numbers, as an error remembers where it was made."""
    (example, *_) = tensor._examples
    return (LoggedTensor(tensor._id, truncated(example._array), tensor._origin),)


OPERATORS: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"),
    *("lt", "le", "gt", "ge", "eq", "ne", "neg", "abs", "invert", "getitem"),
    *("radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul"),
    *("rand", "ror", "rxor"),
)


def _hash(self: SymbolicTensor) -> int:
    """By identity in a graph of `tf.compat.v1`, where tensors are the keys of a feed_dict."""
    if self._trace.in_function:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")
    return id(self)


SYMBOLIC.add(SymbolicTensor)
setattr(SymbolicTensor, "__hash__", _hash)  # noqa: B010 - giving it __eq__ took the inherited one


class SymbolicObject(Symbolic):
    """Stands for an object with methods, such as a `TensorArray`; its calls become nodes."""

    __slots__ = ("_examples", "_id", "_name", "_origin", "_trace")

    def __init__(self, trace: OpenTrace, name: str, objects: tuple[Any, ...]) -> None:
        self._id = next_id()
        self._origin = origin_here()
        self._trace = trace
        self._name = name
        self._examples = objects

    @property  # type: ignore[misc]  # a class is no property elsewhere
    def __class__(self) -> Any:  # so that isinstance(r, tf.RaggedTensor) holds
        return type(self._examples[0])

    @property
    def shape(self) -> Any:
        """How long it is along each axis; None where that is known at replay only."""
        first, *others = (each.shape for each in self._examples)
        return reduce(common_shape, others, first)

    def __getattr__(self, name: str) -> Any:
        example = getattr(self._examples[0], name)
        if not callable(example):
            return thread.trace.call(getattr, (self, name), {}) if thread.trace else example

        def method(*args: Tree, **kwargs: Tree) -> Any:
            return thread.trace.call(call_method, (self, name, args, kwargs), {}, acts=True)

        return method

    def __enter__(self) -> Any:
        return thread.trace.call(call_method, (self, "__enter__", (), {}), {}, acts=True)

    def __exit__(self, *exception: object) -> None:
        leaving = (None, None, None)
        thread.trace.call(call_method, (self, "__exit__", leaving, {}), {}, acts=True)


def _object_operator(name: str) -> Any:
    def operator(self: SymbolicObject, *others: Tree) -> Any:
        return thread.trace.call(call_method, (self, name, others, {}), {})

    operator.__name__ = name
    return operator


@public(effect="control")
def call_method(target: Leaf, name: str, args: Tree, kwargs: Tree) -> Any:
    """Call a method of an object by its name."""
    return getattr(target, name)(*args, **kwargs)


for _name in OPERATORS:
    if _name not in ("eq", "ne"):
        setattr(SymbolicObject, f"__{_name}__", _object_operator(f"__{_name}__"))
