"""`tf.function`: trace a Python function once per kind of arguments, then replay its graph.

A call takes the first of these that serves it: the call cache (tensors and plain numbers of kinds
seen before), a concrete function whose key equals or covers the key of the arguments, a new trace.
Tracing runs the Python code on symbolic tensors, so prints and appends happen once per trace.
Invariants:

- Two calls share a trace exactly if their keys (`signature.key_of`) are equal, or if one trace with
  open axes serves both.
- A variable may be created on the first call only. The function is then traced a second time, in
  which none may be created.
- Nothing that a trace does to the state of the thread or to random sequences stays.
"""

from __future__ import annotations

import inspect
import logging
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import Any, Final

from tapelab.compile import callback_rules as callback_rules  # noqa: PLC0414 - registers its rules
from tapelab.compile import examples
from tapelab.compile.abstract_evaluation import fresh_state, is_composite, thread_in
from tapelab.compile.autograph.source_transform import convert_function
from tapelab.compile.call_cache import MISSED, CallCache
from tapelab.compile.concrete_function import ConcreteFunction
from tapelab.compile.pytree import Leaf, Tree, mapped
from tapelab.compile.signature import (
    Binding,
    Key,
    argument_names,
    canonical,
    count_open_axes,
    examples_of,
    key_of,
    kinds_in,
    relax_key,
    serves,
    spec_of_argument,
    takes_slot,
    tensors_in,
)
from tapelab.compile.symbolic import Symbolic, SymbolicTensor
from tapelab.compile.trace import NON_FIRST_CALL, SINGLETON, Trace
from tapelab.config import settings
from tapelab.core.cell import Holder
from tapelab.core.convert import to_tensor
from tapelab.core.garbage_collection import gc_relaxed
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.ops.pass_through import identity
from tapelab.random.seeds import untouched

logger: Final = logging.getLogger("tapelab")
_OFTEN: Final = 5
_WATCHED_CALLS: Final = 10
_RETURNABLE: Final = (bool, int, float, complex, str, bytes, TensorShape)


class Function:
    """A Python function that is traced when it is called with a new kind of arguments.

    Its Python code runs while it is traced: prints, appends and counters happen then, and every op
    is recorded as a node of a graph. Later calls of that kind run the graph.
    """

    def __init__(
        self, python_function: Callable[..., Any], name: str | None = None,
        input_signature: Sequence[Tree] | None = None, autograph: bool = True,
        reduce_retracing: bool = False,
    ) -> None:  # fmt: skip
        update_wrapper(self, python_function)
        self._python_function = python_function
        self._name: str = name or _name_of(python_function)
        self._binding = Binding(python_function, input_signature)
        self._autograph = autograph
        self._reduce = reduce_retracing
        self._traces: dict[Key, ConcreteFunction] = {}
        self._call_cache = CallCache()
        self._count = 0
        self._traced_before = False
        self._owns_variables = False
        self._recent: deque[bool] = deque(maxlen=_WATCHED_CALLS)
        self._warnings = 0
        self._of_instance: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._owner: weakref.ref[Any] | None = None

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function that was decorated."""
        return self._python_function

    @property
    def name(self) -> str:
        """The name of the function, as graphs and errors show it."""
        return self._name

    @property
    def input_signature(self) -> Any:
        """The specs that it was decorated with, or None."""
        return self._binding.specs

    @property
    def function_spec(self) -> Any:
        """The parameters, and how arguments are bound to them."""
        return self._binding

    def __reduce__(self) -> tuple[Any, ...]:
        """It is pickled as what it was made of: the copy begins without traces."""
        specs = self._binding.specs
        return Function, (self._python_function, self._name, specs, self._autograph, self._reduce)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """The function as a method: each instance has traces of its own."""
        if instance is None:
            return self
        function = self._of_instance.get(instance)
        if function is None:
            method = _weak_method(self._python_function, instance, self._autograph)
            specs = self._binding.specs
            function = Function(method, self._name, None, self._autograph, self._reduce)
            function._binding = Binding(method, specs)
            function._owner = weakref.ref(instance)
            self._of_instance[instance] = function
        return function

    def __call__(self, *args: Tree, **kwargs: Tree) -> Any:
        """Run the trace for arguments of this kind; trace first if there is none."""
        cached = self._call_cache.result(args, kwargs)
        if cached is not MISSED:
            self._recent.append(False)
            return cached
        if settings["run_functions_eagerly"]:
            return self._python_function(*args, **kwargs)
        bound = mapped(self._binding.bind(args, kwargs), canonical)
        known, flat = self._count, tensors_in(bound)
        concrete = self._concrete(bound)
        self._notice(self._count > known)
        result = concrete.call_bound(bound, flat)
        self._call_cache.learn(args, kwargs, concrete.call_target(flat), flat)
        return result

    def get_concrete_function(self, *args: Tree, **kwargs: Tree) -> ConcreteFunction:
        """The trace for arguments, or for specs in their place."""
        if not args and not kwargs and self._binding.specs is not None:
            args = self._binding.specs
        return self._concrete(mapped(self._binding.bind(args, kwargs), canonical))

    def _concrete(self, bound: Tree) -> ConcreteFunction:
        key = self._key(bound)
        concrete = self._traces.get(key) or self._serving(key)
        if concrete is not None:
            return concrete
        wider = self._wider(key) if self._reduce else None
        concrete = self._traced(bound, wider or key)
        self._traces[wider or key] = concrete
        return concrete

    def _key(self, bound: Tree) -> Key:
        if self._binding.specs is None:
            return key_of(bound)
        args, kwargs = bound
        count = len(self._binding.specs)
        return key_of(((*self._binding.specs, *args[count:]), kwargs))

    def _serving(self, key: Key) -> ConcreteFunction | None:
        """The narrowest trace with open lengths that serves a key."""
        fitting = [known for known in self._traces if count_open_axes(known) and serves(known, key)]
        return self._traces[min(fitting, key=count_open_axes)] if fitting else None

    def _wider(self, key: Key) -> Key | None:
        for known in reversed(self._traces):
            wider = relax_key(known, key)
            if wider is not None:
                return tuple(wider)
        return None

    def _traced(self, bound: Tree, key: Key) -> ConcreteFunction:
        """Trace; a trace that made variables is done once more, now that they are there."""
        concrete = self._trace_once(bound, key, creates=not self._traced_before)
        self._traced_before = True
        if concrete._trace.created:
            self._owns_variables = True
            concrete = self._trace_once(bound, key, creates=False)
        return concrete

    def _trace_once(self, bound: Tree, key: Key, *, creates: bool) -> ConcreteFunction:
        self._count += 1
        refusal = SINGLETON if self._owns_variables or not self._traced_before else NON_FIRST_CALL
        trace = Trace(self._name, thread.trace, creates=creates, no_variables=refusal)
        kinds = [kind for kind in kinds_in(key) if kind.variable < 0]  # no variables
        names = iter(argument_names(self._binding, bound))
        shapes = [TensorShape(kind.shape) for kind in kinds]
        lengths = examples.open_lengths(shapes)
        open_kinds = iter(kinds)

        def placeholder(leaf: Leaf) -> Any:
            name = next(names)
            if not takes_slot(leaf):
                return leaf
            kind = next(open_kinds)
            return trace.placeholder(name, examples_of(leaf, kind, lengths))

        with gc_relaxed(), untouched(), thread_in(fresh_state(trace)):
            given, by_name = mapped(bound, placeholder)
            kept = mapped((given, by_name), lambda leaf: leaf)
            outputs = _returned(self._body()(*given, **by_name), self._python_function)
            if not _has_the_parts_of(kept, (given, by_name)):
                raise ValueError(
                    f"{self._name}{self._binding.signature} should not modify its Python input "
                    "arguments. Check if it modifies any lists or dicts passed as arguments. "
                    "Modifying a copy is allowed."
                )
            outputs = mapped(outputs, lambda leaf: _own_output(leaf, trace))
        specs = mapped(bound, spec_of_argument(kinds, argument_names(self._binding, bound)))
        concrete = ConcreteFunction(trace, trace.graph(outputs), outputs, specs, self._binding)
        trace.forget(outputs)
        return concrete

    def _body(self) -> Callable[..., Any]:
        """The Python function, its control flow rewritten so that it can go by tensors."""
        return convert_function(self._python_function) if self._autograph else self._python_function

    def _notice(self, traced: bool) -> None:
        """Warn of a function that is traced again and again, as often as TensorFlow does."""
        self._recent.append(traced)
        if not traced or sum(self._recent) < _OFTEN or self._warnings >= 2:
            return
        self._warnings += 1
        logger.warning(
            "%d out of the last %d calls to %r triggered tf.function retracing. Tracing is "
            "expensive and the excessive number of tracings could be due to (1) creating "
            "@tf.function repeatedly in a loop, (2) passing tensors with different shapes, (3) "
            "passing Python objects instead of tensors. For (1), please define your @tf.function "
            "outside of the loop. For (2), @tf.function has reduce_retracing=True option that can "
            "avoid unnecessary retracing. For (3), please refer to "
            "https://www.tensorflow.org/guide/function#controlling_retracing and "
            "https://www.tensorflow.org/api_docs/python/tf/function for  more details.",
            sum(self._recent), len(self._recent), self._python_function,
        )  # fmt: skip

    def experimental_get_tracing_count(self) -> int:
        """The number of traces made so far."""
        return self._count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """What each trace takes and returns."""
        signatures = [each.pretty_printed_signature(verbose) for each in self._traces.values()]
        return "\n\n".join(signatures)

    def __repr__(self) -> str:
        return (
            "<tensorflow.python.eager.polymorphic_function.polymorphic_function.Function object at "
            f"{hex(id(self))}>"
        )


def function(
    func: Callable[..., Any] | None = None, input_signature: Sequence[Tree] | None = None,
    autograph: bool = True, jit_compile: bool | None = None, reduce_retracing: bool = False,
    experimental_implements: Any = None, experimental_autograph_options: Any = None,
    experimental_attributes: Any = None, experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None, experimental_follow_type_hints: bool | None = None,
) -> Any:  # fmt: skip
    """Trace a function once per kind of arguments and replay it: `@tf.function`."""
    del jit_compile, experimental_implements, experimental_autograph_options
    del experimental_attributes, experimental_compile, experimental_follow_type_hints
    relax = reduce_retracing or bool(experimental_relax_shapes)

    def decorated(inner: Callable[..., Any]) -> Function:
        if isinstance(inner, Function):
            inner = inner.python_function
        return Function(inner, None, input_signature, autograph, relax)

    return decorated if func is None else decorated(func)


def _has_the_parts_of(one: Leaf, other: Any) -> bool:
    """Whether two nests of lists, tuples and dicts hold the same things in the same places."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        same = one.keys() == other.keys()
        return same and all(_has_the_parts_of(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_has_the_parts_of, one, other))
    return one is other or not isinstance(one, (Tensor, Symbolic))


def _name_of(python_function: Callable[..., Any]) -> str:
    return str(getattr(python_function, "__name__", type(python_function).__name__))


def _weak_method(
    python_function: Callable[..., Any], instance: Any, autograph: bool
) -> Callable[..., Any]:
    """The function with its first argument filled in, without keeping the instance alive."""
    reference = weakref.ref(instance)
    bound = python_function.__get__(instance)

    def method(*args: Tree, **kwargs: Tree) -> Any:
        inner = convert_function(python_function) if autograph else python_function
        return inner(reference(), *args, **kwargs)

    update_wrapper(method, python_function)
    method.__signature__ = inspect.signature(bound)  # type: ignore[attr-defined]  # help() reads it
    return method


def _returned(outputs: Tree, python_function: Callable[..., Any]) -> Any:
    """What a function returns, every value of it a tensor."""

    def as_tensor(leaf: Leaf) -> Any:
        if leaf is None or isinstance(leaf, (Tensor, Symbolic)) or is_composite(leaf):
            return leaf
        known = not isinstance(leaf, TensorShape) or leaf.is_fully_defined()
        if known and (isinstance(leaf, (Holder, *_RETURNABLE)) or hasattr(leaf, "__array__")):
            return thread.trace.call(to_tensor, (leaf,), {})
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors "
            f"or ExtensionTypes or None values; in compilation of {python_function}, found return "
            f"value of type {type(leaf).__name__}, which is not a Tensor or ExtensionType."
        )

    return mapped(outputs, as_tensor)


def _own_output(leaf: Leaf, trace: Trace) -> Any:
    """An output as a tensor of the graph; an input or a capture is returned as a new tensor."""
    if not isinstance(leaf, Tensor):
        return trace.own(leaf) if isinstance(leaf, Symbolic) else leaf
    from_outside = not isinstance(leaf, SymbolicTensor) or leaf._trace is not trace
    if from_outside or trace.is_placeholder(leaf):
        return trace.call(identity, (leaf,), {})
    return leaf
