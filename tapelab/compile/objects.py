"""Objects that go through a graph as one thing: ragged and sparse tensors, `TensorArray`s."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tapelab.compile.symbolic import OPERATORS, OpenTrace, Symbolic
from tapelab.core.dispatch import public
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import next_id
from tapelab.core.type_spec import common_shape


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

        def method(*args: Any, **kwargs: Any) -> Any:
            return thread.trace.call(call_method, (self, name, args, kwargs), {}, acts=True)

        return method

    def __enter__(self) -> Any:
        return thread.trace.call(call_method, (self, "__enter__", (), {}), {}, acts=True)

    def __exit__(self, *exception: object) -> None:
        leaving = (None, None, None)
        thread.trace.call(call_method, (self, "__exit__", leaving, {}), {}, acts=True)


def _object_operator(name: str) -> Any:
    def operator(self: SymbolicObject, *others: Any) -> Any:
        return thread.trace.call(call_method, (self, name, others, {}), {})

    operator.__name__ = name
    return operator


@public(effect="control")
def call_method(thing: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Call a method of an object by its name."""
    return getattr(thing, name)(*args, **kwargs)


for _name in OPERATORS:
    if _name not in ("eq", "ne"):
        setattr(SymbolicObject, f"__{_name}__", _object_operator(f"__{_name}__"))
