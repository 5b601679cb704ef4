"""What stands in for functions and methods that a trace treats in a way of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any, Final
from weakref import WeakKeyDictionary

from tapelab.compiling import staging
from tapelab.compiling.branching import spec_examples
from tapelab.compiling.symbolic import SymbolicTensor, not_allowed
from tapelab.compiling.walking import mapped
from tapelab.engine.log import thread
from tapelab.engine.tape import GradientTape
from tapelab.engine.variable import Variable

Method = Callable[..., Any]

_pauses: Final[WeakKeyDictionary[GradientTape, list[AbstractContextManager[None]]]] = (
    WeakKeyDictionary()
)

SINGLETON: Final = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the "
    "tf.Variable is only created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)


def _created(original: Method) -> Method:
    """A variable that is made inside a function: real, and only while it is traced first."""

    @wraps(original)
    def made(self: Variable, initial_value: Any = None, *args: Any, **kwargs: Any) -> None:
        if thread.trace is None:
            original(self, initial_value, *args, **kwargs)
            return
        with _outside(self):
            start = initial_value() if callable(initial_value) else initial_value
            original(self, _example(start), *args, **kwargs)

    return made


def created_whole(original: Method) -> Method:
    """A weight of a layer that is made inside a function: its initializer runs at once, too."""

    @wraps(original)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        if thread.trace is None:
            original(self, *args, **kwargs)
            return
        with _outside(self):
            original(self, *mapped(args, _example), **mapped(kwargs, _example))

    return made


def built(original: Method) -> Method:
    """The building of a layer, which runs at once: only its weights are of interest."""

    @wraps(original)
    def ensure(self: Any, args: Any, kwargs: Any) -> None:
        trace = thread.trace
        thread.trace = None
        try:
            new = not self.built
            original(self, args, kwargs)
        finally:
            thread.trace = trace
        if trace is not None and new and self.weights:
            _creating(trace).created.extend(self.weights)

    return ensure


def _creating(trace: Any) -> Any:
    """The outermost trace; ValueError where no variable may be made in it any more."""
    root = trace
    while root.outer is not None:
        root = root.outer
    if root.in_function and not root.creates:
        raise ValueError(SINGLETON)
    return root


@contextmanager
def _outside(variable: Any) -> Iterator[None]:
    """Step out of the trace to make a variable; ValueError where none may be made any more."""
    trace = thread.trace
    root = _creating(trace)
    thread.trace = None
    try:
        yield
    finally:
        thread.trace = trace
    root.created.append(variable)


def _example(leaf: Any) -> Any:
    return leaf._examples[0] if isinstance(leaf, SymbolicTensor) else leaf


def pause(tape: GradientTape) -> None:
    """Begin to compute off a tape."""
    context = tape.stop_recording()
    context.__enter__()
    _pauses.setdefault(tape, []).append(context)


def resume(tape: GradientTape) -> None:
    """End the stretch that `pause` began."""
    _pauses[tape].pop().__exit__(None, None, None)


def _paused(original: Method) -> Method:
    @contextmanager
    def stop_recording(self: GradientTape) -> Iterator[None]:
        trace = thread.trace
        if trace is None:
            with original(self):
                yield
            return
        trace.call(pause, (self,), {}, acts=True)
        try:
            yield
        finally:
            trace.call(resume, (self,), {}, acts=True)

    return stop_recording


def _item(original: Method) -> Method:
    """A piece of a variable, into which one can write."""

    def item(self: Variable, key: Any) -> Any:
        trace = thread.trace
        if trace is None:
            return original(self, key)
        piece = trace.call(original, (self, key), {})

        def assign(value: Any, name: str | None = None) -> Any:
            return trace.call(_assign_piece, (self, key, value, name), {}, acts=True)

        piece._made_by = assign
        return piece

    item.__name__ = "__getitem__"
    return item


def _assign_piece(variable: Any, key: Any, value: Any, name: str | None) -> Any:
    return variable[key].assign(value, name=name)


def whole_call(original: Method, *, acts: bool = False, tells: bool = False) -> Method:
    """A call that is kept as one, together with what it calls back."""

    @wraps(original)
    def through(*args: Any, **kwargs: Any) -> Any:
        trace = thread.trace
        if trace is None:
            return original(*args, **kwargs)
        return trace.call(original, args, kwargs, acts=acts, tells=tells)

    return through


def whole_where_open(original: Method) -> Method:
    """A step of a layer that asks for lengths: kept as one where they are known at replay only."""

    @wraps(original)
    def through(self: Any, x: Any, *others: Any) -> Any:
        trace = thread.trace
        if trace is None or not isinstance(x, SymbolicTensor) or x.shape.is_fully_defined():
            return original(self, x, *others)
        return trace.call(original, (self, x, *others), {}, acts=True)

    return through


def next_element(original: Method) -> Method:
    """The next element of a dataset's iterator, taken at each replay."""

    @wraps(original)
    def following(self: Any) -> Any:
        trace = thread.trace
        if trace is None:
            return original(self)
        return trace.write(take_next, (self,), spec_examples(self.element_spec), runs=False)

    return following


def put_in_queue(original: Method) -> Method:
    """A call that changes a queue and returns nothing, made at each replay."""

    @wraps(original)
    def putting(self: Any, *args: Any, **kwargs: Any) -> Any:
        trace = thread.trace
        if trace is None:
            return original(self, *args, **kwargs)
        return trace.call(original, (self, *args), kwargs, tells=True)

    return putting


def asked_of_queue(original: Method) -> Method:
    """What a queue hands out or says of itself, asked at each replay."""

    @wraps(original)
    def asking(self: Any, n: Any = None, name: str | None = None) -> Any:
        trace = thread.trace
        if trace is None:
            return original(self) if n is None else original(self, n)
        given = (self,) if n is None else (self, n)
        found = spec_examples(self._answer_spec(original.__name__, n))
        return trace.write(original, given, found, runs=False)

    return asking


def take_next(iterator: Any) -> Any:
    """The next element; OutOfRangeError at the end."""
    return iterator.get_next()


def _denied(what: str, instead: str) -> Callable[[Method], Method]:
    def stand_in(original: Method) -> Method:
        @wraps(original)
        def denied(self: Any, *args: Any) -> Any:
            if thread.trace is None:
                return original(self, *args)
            raise not_allowed(what, instead)

        return denied

    return stand_in


def _no_numbers(original: Method) -> Method:
    @wraps(original)
    def numpy(self: Any, *args: Any, **kwargs: Any) -> Any:
        if thread.trace is None:
            return original(self, *args, **kwargs)
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    return numpy


def _repr_inside(original: Method) -> Method:
    @wraps(original)
    def told(self: Variable) -> str:
        if thread.trace is None:
            return str(original(self))
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    return told


METHODS: Final[tuple[tuple[type, str, Callable[[Method], Method]], ...]] = (
    (Variable, "__init__", _created),
    (Variable, "__getitem__", _item),
    (Variable, "numpy", _no_numbers),
    (Variable, "__repr__", _repr_inside),
    (Variable, "__bool__", _denied("Using a symbolic `tf.Tensor` as a Python `bool`", "tf.cond")),
    (Variable, "__iter__", _denied("Iterating over a symbolic `tf.Tensor`", "tf.unstack")),
    (GradientTape, "stop_recording", _paused),
)
"""Methods with a stand-in of their own while a trace is open."""
FUNCTIONS: Final[dict[str, Callable[..., Any]]] = staging.FUNCTIONS
"""Functions with a door of their own, by name."""
