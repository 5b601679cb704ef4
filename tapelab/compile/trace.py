"""Tracing: the Python function runs once on symbolic tensors, and its calls are recorded as nodes.

Every public function, operator and method dispatches to the active trace (`core.dispatch`) and so
to `Trace.bind`. A call is evaluated in two environments on example tensors, which tells what it
returns (`abstract_evaluation`), and becomes one node of the graph. At replay the same functions are
called on real tensors. Invariants:

- Whatever depends on values or sizes of real tensors (`tf.range(n)`, `tf.reshape(x, tf.shape(y))`,
  a mask) is computed again at each replay; only its dtype and shape are known here.
- A tape inside the function is a real tape at each replay.
- Tensors of an outer trace become captures; those of a closed trace are refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from tapelab.compile import examples
from tapelab.compile.abstract_evaluation import (
    FAILED,
    Environment,
    graph_error,
    has_fixed_shapes,
    is_eager,
    missing,
    result_examples,
    result_of_shape_argument,
    spread_from,
)
from tapelab.compile.call_graph import FuncGraph, Graph, Names, Node, Place, Slot, base_name
from tapelab.compile.dead_calls import dead_calls
from tapelab.compile.graph_def import GraphDef, graph_def
from tapelab.compile.pytree import Leaf, Tree, leaves, mapped
from tapelab.compile.shape_cache import CachedCall, ShapeCache
from tapelab.compile.symbolic import (
    Symbolic,
    SymbolicObject,
    SymbolicTensor,
    check_scope,
    symbol,
)
from tapelab.core.cell import Holder
from tapelab.core.dispatch import declaration_of, outside_trace
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import ModuleScope, Scope
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.variable import Variable, handle_of
from tapelab.random.seeds import GraphSeeds

SINGLETON: Final = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the "
    "tf.Variable is only created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)
NON_FIRST_CALL: Final = (
    "Creating variables on a non-first call to a function decorated with tf.function. Create them "
    "on the first call, or outside."
)
TraceRule = Callable[..., Any]
CONTROL_FLOW: Final[dict[Callable[..., Any], TraceRule]] = {}
"""How a function that calls back is traced, by the function; see `staging`."""


class Trace:
    """A graph in the making."""

    def __init__(
        self, name: str, outer: Trace | None = None,
        environments: tuple[Environment, ...] | None = None, *, in_function: bool = True,
        creates: bool = False, no_variables: str = SINGLETON,
    ) -> None:  # fmt: skip
        self.name = name
        self.outer = outer
        self.environments = environments or tuple(
            Environment(number) for number in examples.ENVIRONMENTS
        )
        self.in_function = in_function
        self.creates = creates
        self.no_variables = no_variables
        self.created: list[Variable] = []
        self.kinds: dict[str, str] = {}
        self.nodes: list[Node] = []
        self.inputs: list[Slot] = []
        self.captured: dict[int, tuple[Any, Any]] = {}
        self.variables: dict[int, Variable] = {}
        self.tapes: dict[int, GradientTape] = {}
        self.symbols: dict[int, Any] = {}
        self.constants: set[int] = set()
        self.options: dict[int, TensorShape] = {}
        self._kept: list[Any] = []
        self.graph_handle: Any = FuncGraph(self)
        self.seeds: GraphSeeds = GraphSeeds(None if outer is None else outer.seeds)
        self._names = Names()
        self._shape_cache = ShapeCache()
        self._outside = thread.scope
        self._scopes: dict[int, tuple[Scope, ModuleScope | None]] = {}

    def placeholder(self, name: str, things: tuple[Any, ...]) -> Any:
        """A new input, with its examples."""
        unique = self._names.unique(name)
        self.kinds[unique] = "Placeholder"
        make: Any = symbol if type(things[0]) is Tensor else SymbolicObject
        placeholder = make(self, f"{unique}:0", things)
        self.inputs.append(Slot(placeholder._id))
        self.symbols[placeholder._id] = placeholder
        return placeholder

    def bind(self, function: Callable[..., Any], args: Tree, kwargs: Tree) -> Any:
        """Record a call of a public function, as the function was declared; see `protocol`."""
        rule = CONTROL_FLOW.get(function)
        if rule is not None:
            result = rule(self, function, *args, **kwargs)
            return _body_of(function)(*args, **kwargs) if result is NotImplemented else result
        declared = declaration_of(function)
        if declared.if_shape_is_open and not _has_open_shape(args):
            return _body_of(function)(*args, **kwargs)
        autocast = thread.autocast
        if autocast is not None and not declared.effect:
            args, kwargs = mapped(args, autocast.leaf), mapped(kwargs, autocast.leaf)
        if declared.result_spec is not None:
            specs = examples.spec_examples(declared.result_spec(*args, **kwargs))
            return self.write(function, args, specs, kwargs, runs=False)
        if declared.has_op_seed:
            args, kwargs = self._with_op_seed(function, args, kwargs)
        skipped = declared.effect in ("asserts", "host")
        return self.call(function, args, kwargs, acts=declared.effect != "", replay_only=skipped)

    def _with_op_seed(self, function: Callable[..., Any], args: Tree, kwargs: Tree) -> Any:
        """The arguments with the seed that the op has in this graph."""
        at = list(inspect.signature(function).parameters).index("seed")
        if len(args) > at:
            return (*args[:at], self.seeds.op_seed(args[at]), *args[at + 1 :]), kwargs
        return args, {**kwargs, "seed": self.seeds.op_seed(kwargs.get("seed"))}

    @contextmanager
    def creating(self, variable: Leaf) -> Iterator[None]:
        """Leave the trace to make a variable; ValueError where none may be made any more."""
        root = self._root_that_creates()
        with outside_trace():
            yield
        root.created.append(variable)

    def adopt(self, variables: list[Any]) -> None:
        """Take variables that were made outside for this trace; ValueError as `creating`."""
        self._root_that_creates().created.extend(variables)

    def _root_that_creates(self) -> Trace:
        root = self
        while root.outer is not None:
            root = root.outer
        if root.in_function and not root.creates:
            raise ValueError(root.no_variables)
        return root

    def examples_in(self, things: Any) -> Any:
        """The same structure with an example in place of each symbolic tensor."""
        return mapped(things, lambda leaf: leaf._examples[0] if is_symbolic(leaf) else leaf)

    def call(
        self, function: Callable[..., Any], args: Tree, kwargs: Tree, *,
        acts: bool = False, replay_only: bool = False,
    ) -> Any:  # fmt: skip
        """Write down a call and return what stands for its results.

        A call that `acts` is kept whatever it returns. One that is `replay_only` (`tf.print`) is
        not evaluated, and returns None.
        """
        key = None if kwargs or acts or replay_only else self._shape_cache.key(self, function, args)
        if key is not None and key in self._shape_cache.known:
            return self._write_again(self._shape_cache.known[key], function, args)
        given = [self._own(leaf) for leaf in leaves((args, kwargs))]
        args, kwargs = mapped(args, self._own), mapped(kwargs, self._own)
        symbols = {id(e): leaf for leaf in given if isinstance(leaf, Symbolic)
                   for e in leaf._examples}  # fmt: skip
        if replay_only:
            return self._write(function, args, kwargs, None, acts=True, replay_only=True)
        outcome, results = self._tried(function, args, kwargs, bool(symbols))
        known = {*symbols, *map(id, given)}  # such as the tensor that a cast to its dtype returns
        fresh = [leaf for leaf in leaves(outcome) if is_eager(leaf) and id(leaf) not in known]
        if not fresh and not acts and (not symbols or outcome is not None):
            return mapped(outcome, lambda leaf: symbols.get(id(leaf), leaf))
        result = self._write(function, args, kwargs, results, acts=acts, symbols=symbols)
        if key is not None:
            self._shape_cache.learn(key, self, args, result, self.environments[0].last_op())
        return result

    def _write_again(
        self, cached: CachedCall, function: Callable[..., Any], args: Tree
    ) -> SymbolicTensor:
        """Write down a call of which is known what such calls return."""
        name = self._names.unique(cached.base)
        self.kinds[name] = cached.kind
        origin = origin_here()
        result = symbol(self, f"{name}:0", cached.examples(origin), origin)
        self.symbols[result._id] = result
        slotted = tuple([_as_slot(each) for each in args])
        place = Place(origin.code, origin.instruction, self._module_scope(thread.scope))
        results = (Slot(result._id),)
        self.nodes.append(
            Node(name, cached.kind, function, slotted, {}, results, place, acts=False, simple=True)
        )
        return result

    def write(
        self, function: Callable[..., Any], args: Tree, results: list[Any], kwargs: Tree = None, *,
        runs: bool = True,
    ) -> Any:  # fmt: skip
        """Record a call whose results in each environment are known already.

        If it does not run in environments (`tf.py_function`), it returns these results there, too.
        """
        args, kwargs = mapped(args, self._own), mapped(kwargs or {}, self._own)
        given = () if runs else tuple(results)
        return self._write(function, args, kwargs, results, acts=True, given=given)

    def shaped(self, tensor: SymbolicTensor, shape: TensorShape) -> tuple[Tensor, ...]:
        """Examples of a tensor of whose shape more is known now; tapes still follow them."""
        tensors = []
        for environment, there in zip(self.environments, tensor._examples, strict=True):
            if shape.is_compatible_with(there.shape):
                tensors.append(there)
            else:
                spec = examples.from_spec(shape, there._array.dtype)[environment.number]
                tensors.append(environment.run(spread_from, (there, spec), {}))
        return tuple(tensors)

    def placeholder_like(self, tensor: Leaf, tensors: tuple[Any, ...]) -> SymbolicTensor:
        """A tensor of the same name with other examples; no input of the graph."""
        return symbol(self, getattr(tensor, "_name", "arg:0"), tensors)

    def _tried(
        self, function: Callable[..., Any], args: Tree, kwargs: Tree, symbolic: bool
    ) -> tuple[Any, Any]:
        """What a call returns, in the environment that knows most of it and in each of them."""
        results: list[Any] = []
        errors: list[Exception] = []
        for environment in self.environments:
            try:
                result = environment.run(function, args, kwargs)
                results.append(mapped(result, environment.original))
            except Exception as error:  # noqa: BLE001 - one environment may fail where another works
                results.append(result_of_shape_argument(environment, function, args))
                errors.append(error)
        done = [each for each in results if each is not FAILED]
        if not done:
            raise graph_error(errors[0], function, args, self) if symbolic else errors[0]
        return min(done, key=missing), results

    def _write(
        self, function: Callable[..., Any], args: Tree, kwargs: Tree, results: Tree, *, acts: bool,
        symbols: dict[int, Any] | None = None, replay_only: bool = False,
        given: tuple[Any, ...] = (),
    ) -> Any:  # fmt: skip
        last = self.environments[0].last_op() if results is not None else ""
        kind = base_name(function, {}, last)
        name = self._names.unique(base_name(function, kwargs, last))
        self.kinds[name] = last or kind
        result = None if results is None else self._symbols(function, name, results, symbols or {})
        slots = tuple(
            Slot(leaf._id) if isinstance(leaf, Symbolic) else None for leaf in leaves(result)
        )
        origin = origin_here()
        place = Place(origin.code, origin.instruction, self._module_scope(thread.scope))
        slotted = mapped(args, _as_slot), mapped(kwargs, _as_slot)
        if not acts and not any(
            isinstance(leaf, (Symbolic, Holder)) for leaf in leaves((args, kwargs))
        ):
            self.constants |= {slot.number for slot in slots if slot is not None}
        self.symbols |= {leaf._id: leaf for leaf in leaves(result) if isinstance(leaf, Symbolic)}
        handles = [leaf for leaf in leaves(result) if isinstance(leaf, Holder)]
        self._kept += handles
        writes = tuple(map(id, handles))
        self.nodes.append(
            Node(
                name,
                last or kind,
                function,
                *slotted,
                slots,
                place,
                acts,
                writes,
                replay_only,
                given,
            )
        )
        return result

    def _module_scope(self, scope: Scope | None) -> ModuleScope | None:
        """The calls of modules that a scope lies in, as far as they began in this trace."""
        if scope is None or scope is self._outside:
            return None
        known = self._scopes.get(id(scope))
        if known is None:
            module = self._module_scope(scope.outer)
            if isinstance(scope, ModuleScope):
                module = ModuleScope(scope.name, module, scope.code, scope.instruction)
            known = self._scopes[id(scope)] = scope, module  # it lives as long as its id is known
        return known[1]

    def _symbols(
        self, function: Callable[..., Any], name: str, results: Tree, symbols: dict[int, Any]
    ) -> Any:
        """The structure that a call returned, with a symbolic tensor for each tensor in it."""
        template = min((each for each in results if each is not FAILED), key=missing)
        size = len(leaves(template))
        flat: list[Any] = [each if each is FAILED else leaves(each) for each in results]
        rows = [each if each is not FAILED and len(each) == size else None for each in flat]
        place = iter(range(size))
        number = iter(range(size))
        is_fixed = has_fixed_shapes(function, symbols.values())

        def stand_for(leaf: Leaf) -> Any:
            at = next(place)
            if not is_eager(leaf):
                return leaf
            if id(leaf) in symbols:
                return symbols[id(leaf)]
            seen = [None if row is None else row[at] for row in rows]
            label = f"{name}:{next(number)}"
            if type(leaf) is not Tensor:
                there = tuple(leaf if each is None else each for each in seen)
                return SymbolicObject(self, label, there)
            return symbol(self, label, result_examples(function, leaf, seen, is_fixed=is_fixed))

        return mapped(template, stand_for)

    def _own(self, leaf: Leaf) -> Any:
        """An argument as it belongs into this graph: what another graph made is captured."""
        if isinstance(leaf, Symbolic):
            return self.own(leaf)
        if isinstance(leaf, Holder):
            self.variables.setdefault(id(leaf._cell), handle_of(leaf._cell))
        elif isinstance(leaf, GradientTape) and not leaf._entered:
            self.tapes[id(leaf)] = leaf
        elif type(leaf) is np.ndarray:
            return leaf.copy()
        return leaf

    def own(self, tensor: Leaf) -> Any:
        """A tensor of this graph that stands for one of an outer graph; TypeError for strangers."""
        if tensor._trace is self:
            return tensor
        check_scope(tensor)
        pair = self.captured.get(tensor._id)
        if pair is None:
            make: Any = symbol if isinstance(tensor, SymbolicTensor) else SymbolicObject
            inner = make(self, tensor._name, tensor._examples)
            pair = self.captured[tensor._id] = tensor, inner
            self.symbols[inner._id] = inner
        return pair[1]

    def is_placeholder(self, tensor: Tensor) -> bool:
        """Whether a tensor of this graph stands for an input or a capture."""
        captures = (inner._id for _, inner in self.captured.values())
        return tensor._id in {*(slot.number for slot in self.inputs), *captures}

    def call_of(self, tensor: Tensor) -> Node | None:
        """The call that returned a tensor of this graph; None for an input or a capture."""
        slot = Slot(tensor._id)
        return next((node for node in reversed(self.nodes) if slot in node.results), None)

    def graph(self, outputs: Tree) -> Graph:
        """The finished graph."""
        slotted = mapped(outputs, _as_slot)
        return Graph(
            self.name, tuple(self.inputs), tuple(self.nodes), slotted,
            tuple(Slot(inner._id) for _, inner in self.captured.values()),
            frozenset(self.tapes), dead_calls(self.nodes, slotted),
        )  # fmt: skip

    def graph_def(self) -> GraphDef:
        """The calls of the graph by name."""
        names = [name for name, kind in self.kinds.items() if kind == "Placeholder"]
        return graph_def(names, self.inputs, self.nodes)

    def forget(self, outputs: Tree) -> None:
        """Release the examples and the copies of variables.

        Of those of the outputs their shapes and dtypes stay.
        """
        self.symbols.clear()
        self._shape_cache.known.clear()
        self.environments = ()
        for leaf in leaves(outputs):
            if isinstance(leaf, SymbolicTensor):
                leaf._examples = tuple(map(examples.without_numbers, leaf._examples))

    def default_session(self) -> Any:
        """The session that runs this graph; a function has none."""
        return self.graph_handle.default_session()


def _body_of(function: Callable[..., Any]) -> Any:
    """What a public function does where no interpreter takes the call."""
    return function.__wrapped__  # type: ignore[attr-defined]  # `public` wraps it


def _has_open_shape(args: tuple[Any, ...]) -> bool:
    """Whether the tensor that a method is called with has a shape that is partly unknown."""
    x = args[1] if len(args) > 1 else None
    return isinstance(x, SymbolicTensor) and not x.shape.is_fully_defined()


def is_symbolic(leaf: Leaf) -> bool:
    """Whether a leaf is a tensor without values."""
    return isinstance(leaf, SymbolicTensor)


def _as_slot(leaf: Leaf) -> Any:
    return Slot(leaf._id) if isinstance(leaf, Symbolic) else leaf


def current() -> Any:
    """The trace that is open in this thread, if any."""
    return thread.trace
