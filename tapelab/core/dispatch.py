"""How a call of a public function finds the code that carries it out: one protocol, `public`.

Every public function of every namespace, every operator and every method that reads or changes
state is built by `public`, where it is defined. A call goes, in this order, to

1. the *fast path*, where there is one: for concrete tensors it runs the kernel at once. It accepts
   only tensors that bear `thread.token`, and none does while an interpreter is open;
2. the *interpreter* of the thread: the trace of a `tf.function`, which records the call as a node
   and returns symbolic tensors. It is asked once, whatever the arguments are, so functions without
   tensor arguments (`tf.range(3)`, `tf.print`) are recorded as well;
3. the function itself, on concrete tensors;
4. the first argument that is no dense tensor but implements the protocol (a ragged or sparse
   tensor): converting it raises `NotDense`, and the call goes to what is registered for its kind.

A function that also takes tensors of another system says so (`takes`): `tf.keras.ops` takes Keras's
symbolic tensors. The first of them among the arguments carries out the call, before all others.

What an interpreter has to know of a function (that it draws random numbers, that it assigns, that
the shape of its result depends on values) is declared here, as arguments of `public`; nothing else
in the package knows public functions by name. A function object that was captured anywhere (in a
closure, a dict, a partial) behaves like the one that is looked up, because it is the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, Literal, Protocol, TypeVar, overload

from tapelab import nest
from tapelab.core.composite_tensor import IMPLEMENTATIONS, NotDense
from tapelab.core.execute import composite
from tapelab.core.log import thread
from tapelab.core.tensor import Named
from tapelab.core.value_types import Nest

Public = Callable[..., Any]
F = TypeVar("F", bound=Public)
FastPath = Callable[[Public], Public]
"""From the general function to one that tries a fast path first."""

Effect = Literal["", "assigns", "tape", "random", "control", "stateful", "asserts", "host"]
"""What a function does besides returning a value.

`assigns`: it changes variables. `tape`: it opens, closes, pauses or watches. `random`: it draws.
`control`: it runs traced branches and bodies. `stateful`: it changes something else. `asserts`: it
checks values. `host`: it acts on the host (prints, files, queues). What asserts or acts on the host
does not run while it is traced.
"""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What interpreters may know of a public function.

    `graph_name`: what TensorFlow calls its nodes, where they are not called like the function.
    `shape_argument`: the second argument is the shape of the result. `value_dependent_shape`: the
    first axis of the results is as long as the values of the arguments decide. `if_shape_is_open`:
    only a call whose tensor has a shape that is partly unknown has to be recorded as one; else the
    body may be traced. `result_spec`: from the arguments to the specs of the results, for what does
    not run while it is traced. `has_op_seed`: its `seed` is that of an op, which graphs count.
    """

    effect: Effect = ""
    graph_name: str = ""
    shape_argument: bool = False
    value_dependent_shape: bool = False
    if_shape_is_open: bool = False
    result_spec: Callable[..., Any] | None = None
    has_op_seed: bool = False


PURE: Final = Declaration()


class Symbolic(Protocol):
    """A tensor of another system, which carries out the functions that take its type."""

    def carry_out(self, function: Public, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call in which it is the first of its type."""


class Interpreter(Protocol):
    """What carries out public functions in a thread instead of running them."""

    def bind(self, function: Public, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call as this interpreter represents it."""


@contextmanager
def outside_trace() -> Iterator[Any]:
    """Run a block on concrete tensors though a function is being traced; yields its trace."""
    trace = thread.trace
    thread.trace = None
    try:
        yield trace
    finally:
        thread.trace = trace


class DispatchedType(Named):
    """The type of a class whose construction is a public function, such as `tf.TensorArray`."""

    def __call__(cls, *args: Nest, **kwargs: Nest) -> Any:  # noqa: N805 - in a metaclass
        """A new object, or what the interpreter of the thread makes of the call."""
        interpreter: Interpreter | None = thread.__dict__["trace"]
        if interpreter is not None:
            return interpreter.bind(cls, args, kwargs)
        return super().__call__(*args, **kwargs)


def declaration_of(function: Public) -> Declaration:
    """What was declared of a function; nothing for one that is not public."""
    declaration: Declaration = getattr(function, "declaration", PURE)
    return declaration


@overload
def public(function: F, /) -> F: ...
@overload
def public(
    *, elementwise: bool = ..., group: bool = ..., graph_name: str = ...,
    effect: Effect = ..., shape_argument: bool = ..., value_dependent_shape: bool = ...,
    if_shape_is_open: bool = ..., result_spec: Callable[..., Any] | None = ...,
    has_op_seed: bool = ..., fast_path: FastPath | None = ...,
) -> Callable[[F], F]: ...  # fmt: skip


def public(
    function: Public | None = None, /, *, elementwise: bool = False, group: bool = False,
    effect: Effect = "", graph_name: str = "", shape_argument: bool = False,
    value_dependent_shape: bool = False, if_shape_is_open: bool = False,
    result_spec: Callable[..., Any] | None = None, has_op_seed: bool = False,
    fast_path: FastPath | None = None,
) -> Any:  # fmt: skip
    """Make a function one that interpreters and other kinds of tensors can carry out.

    `elementwise`: ragged and sparse tensors without an implementation map it over their values.
    `group`: its ops appear as one group under its name. `fast_path` is tried first; the rest is
    what interpreters have to know, see `Declaration`.
    """
    declared = Declaration(
        effect, graph_name, shape_argument, value_dependent_shape, if_shape_is_open, result_spec,
        has_op_seed,
    )  # fmt: skip

    def declare(function: Public) -> Public:
        inner = composite(function) if group else function
        general = _general(inner, lambda: public_function, elementwise=elementwise)
        public_function: Public = general
        if fast_path is not None:
            public_function = wraps(function)(fast_path(general))
        public_function.declaration = declared  # type: ignore[attr-defined]  # see declaration_of
        public_function.elementwise = elementwise  # type: ignore[attr-defined]
        return public_function

    return declare if function is None else declare(function)


def _general(function: Public, outermost: Callable[[], Public], *, elementwise: bool) -> Public:
    """The slow path: the interpreter if one is open, else the function, else an argument's kind."""

    @wraps(function)
    def dispatch(*args: Nest, **kwargs: Nest) -> Any:
        interpreter: Interpreter | None = thread.__dict__["trace"]
        if interpreter is not None:
            return interpreter.bind(outermost(), args, kwargs)
        try:
            return function(*args, **kwargs)
        except NotDense as error:
            refused = error
        result = refused.composite._carry_out(outermost(), args, kwargs, elementwise=elementwise)
        if result is NotImplemented:
            raise refused
        return result

    return dispatch


def takes(symbolic: type[Symbolic]) -> Callable[[Public], Public]:
    """Let the first argument of a type, where there is one, carry out the calls of a function."""

    def declare(function: Public) -> Public:
        @wraps(function)
        def dispatch(*args: Nest, **kwargs: Nest) -> Any:
            for each in nest.flatten((args, kwargs)):
                if isinstance(each, symbolic):
                    return each.carry_out(function, args, kwargs)
            return function(*args, **kwargs)

        return dispatch

    return declare


def implements(kind: str, *functions: Public) -> Callable[[F], F]:
    """Make a function the implementation of public functions for a kind of composite tensor.

    It takes the arguments of the call; where it returns NotImplemented, the call is refused as if
    there were no implementation.
    """

    def register(implementation: F) -> F:
        for function in functions:
            IMPLEMENTATIONS[kind, function] = implementation
        return implementation

    return register
