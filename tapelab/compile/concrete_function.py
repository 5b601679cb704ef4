"""A concrete function: the graph of one trace, called with arguments of the kinds it is for.

`get_concrete_function` returns one, and `Function` calls one. It binds arguments to the slots of
the graph, checks dtypes and shapes, and lets its `Execution` run the graph: by a compiled program
if there is one, else by a replay. Inside another trace, the call becomes a node of that graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from tapelab.array_ops.shape_ops import identity_n
from tapelab.compile.call_cache import CallTarget
from tapelab.compile.call_graph import Graph, Slot
from tapelab.compile.compiled_program import Compiled
from tapelab.compile.execution import Execution, is_unobserved
from tapelab.compile.guards import GuardedPrograms
from tapelab.compile.pytree import Leaf, Tree, leaves, mapped
from tapelab.compile.replay import Replay
from tapelab.compile.signature import Binding, canonical, positional_name, takes_slot, tensors_in
from tapelab.compile.symbolic import Symbolic, SymbolicTensor
from tapelab.compile.trace import Trace
from tapelab.core.cell import Holder
from tapelab.core.composite_tensor import CompositeTensor
from tapelab.core.convert import to_tensor
from tapelab.core.log import thread
from tapelab.core.tape_base import TapeBase
from tapelab.core.tensor import Tensor
from tapelab.core.text_forms import spoken
from tapelab.core.type_spec import TensorSpec, TypeSpec, spec_of_composite
from tapelab.errors import invalid_argument


class ConcreteFunction:
    """A graph that can be called: arguments go into its slots, results come out of them."""

    def __init__(
        self, trace: Trace, graph: Graph, outputs: Tree, arguments: Tree, binding: Binding
    ) -> None:
        self._trace = trace
        self._graph = graph
        self._binding = binding
        self._arguments = arguments
        self._holders = [leaf for leaf in leaves(arguments) if isinstance(leaf, Holder)]
        self._opaque = [leaf for leaf in leaves(arguments) if _is_opaque(leaf)]
        self.outputs = [leaf for leaf in leaves(outputs) if isinstance(leaf, (Tensor, Symbolic))]
        self.structured_outputs = mapped(outputs, _spec)
        self._open = [v._cell for v in self.variables if not v.shape.is_fully_defined()]
        self._execution = Execution()
        self._output_sources = find_output_sources(graph)
        self.name = f"__inference_{graph.name}_{len(graph.nodes)}".encode()
        self.__name__ = graph.name

    @property
    def graph(self) -> Any:
        """The graph behind it."""
        return self._trace.graph_handle

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it reads or writes."""
        return tuple(self._trace.variables.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of them that a tape watches by itself."""
        return tuple(each for each in self.variables if each.trainable)

    @property
    def inputs(self) -> list[Any]:
        """The specs of the tensors that it takes."""
        return [leaf for leaf in leaves(self._arguments) if takes_slot(leaf)]

    @property
    def structured_input_signature(self) -> Any:
        """The specs of its arguments, in their places: positional ones and those by keyword."""
        return self._arguments

    def __call__(self, *args: Tree, **kwargs: Tree) -> Any:
        """Run the graph; TypeError or InvalidArgumentError where the arguments do not fit."""
        bound = self._read(mapped(self._bound(args, kwargs), canonical))
        specs, flat = self.inputs, tensors_in(bound)
        if len(specs) != len(flat):
            pairs = zip(_numbers(bound), specs, strict=False)
            flat = [to_tensor(leaf, spec.dtype) for leaf, spec in pairs]
        if len(specs) > len(flat):
            raise self._binding.refused("missing a required argument", args, kwargs)
        for at, (each, spec) in enumerate(zip(flat, specs, strict=True)):
            self._check(at, each, spec)
        return self.call_bound(bound, flat)

    def _bound(self, args: Tree, kwargs: Tree) -> Any:
        """The arguments in their places, by the names of parameters or else by those of specs."""
        try:
            return self._bound_by_parameters(args, kwargs)
        except TypeError:
            bound = self._bound_by_specs(args, kwargs)
            if bound is None:
                raise
            return bound

    def _bound_by_specs(self, args: Tree, kwargs: Tree) -> Any:
        """The tensors alone, in order or by the names of their specs; None if they do not fit."""
        names = [getattr(spec, "name", None) for spec in self.inputs]
        behind = names[len(args) :]
        if len(names) != len(args) + len(kwargs) or set(behind) != set(kwargs):
            return None
        values = iter([*args, *map(kwargs.get, behind)])
        return mapped(self._arguments, lambda leaf: next(values) if takes_slot(leaf) else leaf)

    def _bound_by_parameters(self, args: Tree, kwargs: Tree) -> Any:
        """The arguments in their places; constants of the trace may be left out."""
        positional, by_name = self._arguments
        by_name = {name: value for name, value in by_name.items() if _is_fixed(value)}
        if len(args) < len(positional):
            names = list(self._binding.signature.parameters)[: len(positional)]
            pairs = zip(names, positional, strict=False)
            fixed = {name: value for name, value in pairs if _is_fixed(value)}
            kwargs = {**dict(list(fixed.items())), **kwargs}
            kwargs = {
                name: value for name, value in kwargs.items() if name not in names[: len(args)]
            }
        bound = self._binding.bind(args, {**by_name, **kwargs} if kwargs or by_name else {})
        for fixed, given in zip(positional, bound[0], strict=False):
            if isinstance(fixed, (bool, int, float, str)) and given != fixed:
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast {given!r} to "
                    f"{_shown(fixed)}`. This trace is for {fixed!r} alone; call the function "
                    "itself to get another."
                )
        return bound

    def _read(self, bound: Tree) -> Any:
        """The arguments with the values of variables where the trace takes tensors."""
        expected = leaves(self._arguments)
        if len(expected) == len(self._holders) or len(expected) != len(leaves(bound)):
            return bound
        takes = iter(expected)

        def value(leaf: Leaf) -> Any:
            is_read = isinstance(next(takes), TypeSpec) and isinstance(leaf, Holder)
            return to_tensor(leaf) if is_read else leaf

        return mapped(bound, value)

    def _check(self, at: int, given: Tree, spec: Leaf) -> None:
        if not isinstance(spec, TensorSpec):
            if given.dtype is not spec.dtype:
                raise TypeError(
                    "Binding inputs to tf.function failed due to `Can not cast "
                    f"{spec_of_composite(given)!r} to {spec!r}`."
                )
        elif given.dtype is not spec.dtype:
            raise invalid_argument(
                self.name.decode(), f"cannot compute {self.name.decode()} as input #{at}"
                f"(zero-based) was expected to be a {spoken(spec.dtype.name)} "
                f"tensor but is a {spoken(given.dtype.name)} tensor",
            )  # fmt: skip
        if not spec.shape.is_compatible_with(given.shape):
            there = TensorSpec(given.shape, given.dtype)
            raise TypeError(
                "Binding inputs to tf.function failed due to `Can not cast "
                f"{there!r} to {TensorSpec(spec.shape, spec.dtype)!r}`."
            )

    def call_bound(self, bound: Tree, flat: list[Any]) -> Any:
        """Run the graph on arguments that are known to fit."""
        outer = thread.trace
        captures = [pair[0] for pair in self._trace.captured.values()]
        if outer is not None:
            result = outer.call(self._run, (bound, flat, captures), {}, acts=True)
            return connected(result) if self._has_separate_outputs else result
        result = self._run(bound, flat, captures)
        return self._connected(result, [*flat, *captures]) if self._has_separate_outputs else result

    @property
    def _has_separate_outputs(self) -> bool:
        """Whether outputs differ in what they depend on."""
        return len(self._output_sources) > 1

    def _connected(self, result: Tree, inputs: Sequence[Any]) -> Any:
        """The results on the active tapes; joined where they differ in what the tapes follow."""
        tapes: tuple[TapeBase, ...] = thread.__dict__["active_tapes"]
        if not tapes:
            return result
        slots = (*self._graph.inputs, *self._graph.captures)
        unfollowed = {
            slot
            for slot, value in zip(slots, inputs, strict=True)
            if not any(value._id in tape._tracked for tape in tapes)
        }
        differ = len({sources - unfollowed for sources in self._output_sources}) > 1
        return connected(result, tapes) if differ else result

    def _run(self, bound: Tree, flat: list[Any], captures: list[Any]) -> Any:
        cells = self._open
        if self._holders:
            cells = [*cells, *[leaf._cell for leaf in leaves(bound) if isinstance(leaf, Holder)]]
        replay = partial(self._replayed, bound)
        run = self._execution.run if is_unobserved() else self._execution.run_taped
        return run(self._graph, replay, [*flat, *captures], cells)

    @property
    def execution(self) -> Execution:
        """Which calls run by a program, and why others do not."""
        return self._execution

    def call_target(self, flat: list[Any]) -> CallTarget | None:
        """The target of calls that need only tensors of such shapes; None if others are needed."""
        if self._open or self._holders or self._opaque or self._trace.captured:
            return None
        known = self._execution.known(flat, ())
        program = known if isinstance(known, (Compiled, GuardedPrograms)) else None
        again = not isinstance(known, str)
        connect = self._connected if self._has_separate_outputs else None
        return CallTarget(partial(self._replayed, ()), program, again, connect)

    def _replayed(self, bound: Tree, flat: list[Any], captures: Sequence[Any] = ()) -> Any:
        stand_ins: dict[int, Any] = {}
        if self._holders or self._opaque:
            flat_arguments = leaves(bound)
            cells = [leaf._cell for leaf in flat_arguments if isinstance(leaf, Holder)]
            stand_ins |= {id(a._cell): b for a, b in zip(self._holders, cells, strict=True)}
            others = [leaf for leaf in flat_arguments if _is_opaque(leaf)]
            stand_ins |= {id(a): b for a, b in zip(self._opaque, others, strict=False)}
        return Replay(self._graph, stand_ins).run(flat, captures)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """What it takes and what it returns, in lines."""
        if not verbose:
            return f"({self._shown_parameters()}) -> {_shown(self.structured_outputs)}"
        takes = [
            f"  {name} ({kind}): {_shown(value)}" for name, kind, value in self._parameters()
        ] or ["  None"]
        gives = f"Output Type:\n  {_shown(self.structured_outputs)}"
        captures = [f"  {id(v)}: {_captured(v)}" for v in self.variables] or ["  None"]
        return "\n".join(["Input Parameters:", *takes, gives, "Captures:", *captures])

    def _parameters(self) -> list[tuple[str, str, Any]]:
        positional, by_name = self._arguments
        parameters = list(self._binding.signature.parameters.values())
        rows = []
        for at, value in enumerate(positional):
            rows.append((positional_name(parameters, at), "POSITIONAL_OR_KEYWORD", value))
        return rows + [(name, "KEYWORD_ONLY", value) for name, value in by_name.items()]

    def _shown_parameters(self) -> str:
        return ", ".join(f"{name}: {_shown(value)}" for name, _, value in self._parameters())

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(False)} at 0x{id(self):X}>"


def find_output_sources(graph: Graph) -> set[frozenset[Any]]:
    """For each output of a graph the inputs, variables and effects that it depends on.

    Inputs and captures are slots. There are as many sets as there are outputs that differ in them.
    """
    nothing: frozenset[Any] = frozenset()
    sources = {slot.number: frozenset([slot]) for slot in (*graph.inputs, *graph.captures)}
    for node in graph.nodes:
        taken = leaves((node.args, node.kwargs))
        own: set[Any] = {id(leaf._cell) for leaf in taken if isinstance(leaf, Holder)}
        if node.acts:  # it may use more than its arguments show
            own.add(node.name)
        slots = (leaf.number for leaf in taken if type(leaf) is Slot)
        needed = nothing.union(own, *(sources.get(number, nothing) for number in slots))
        sources |= {slot.number: needed for slot in node.results if slot is not None}
    outputs = (leaf for leaf in leaves(graph.outputs) if type(leaf) is Slot)
    return {sources.get(slot.number, nothing) for slot in outputs}


def connected(result: Tree, tapes: Sequence[TapeBase] = ()) -> Any:
    """The results of a call as those of one op: the gradient of one has zeros for the others.

    So an argument of the function has a gradient of zeros, and not None, if another result than
    the target depends on it. Only results are joined that tapes follow, or that may be followed
    where the function is traced.
    """
    outputs = {
        id(leaf): leaf
        for leaf in leaves(result)
        if isinstance(leaf, Tensor)
        and leaf.dtype.is_differentiable
        and (not tapes or any(leaf._id in tape._tracked for tape in tapes))
    }
    if len(outputs) < 2:
        return result
    joined = dict(zip(outputs, identity_n(list(outputs.values())), strict=True))
    return mapped(result, lambda leaf: joined.get(id(leaf), leaf))


def _spec(leaf: Leaf) -> Any:
    return TensorSpec(leaf.shape, leaf.dtype) if isinstance(leaf, SymbolicTensor) else leaf


def _is_fixed(argument: Leaf) -> bool:
    """Whether an argument is a constant of the trace, which a call may leave out."""
    return not any(isinstance(leaf, (TypeSpec, Holder)) for leaf in leaves(argument))


def _numbers(bound: Tree) -> list[Any]:
    """The leaves that are given where tensors are expected: Python numbers."""
    return [leaf for leaf in leaves(bound) if isinstance(leaf, (Tensor, bool, int, float, complex))]


def _is_opaque(leaf: Leaf) -> bool:
    """Whether an argument is an object of the user's, which goes by identity."""
    plain = (Tensor, TensorSpec, Holder, CompositeTensor, bool, int, float, complex, str, bytes)
    return leaf is not None and not isinstance(leaf, plain)


def _captured(variable: Leaf) -> str:
    return f"TensorSpec(shape=(), dtype=tf.resource, name=None) ({variable.name})"


def _shown(value: Leaf) -> str:
    if isinstance(value, TensorSpec):
        return repr(TensorSpec(value.shape, value.dtype))
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return f"Literal[{value!r}]"
    if isinstance(value, list):
        return f"List[{', '.join(map(_shown, value))}]"
    if isinstance(value, tuple):
        return f"Tuple[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return f"Dict[{', '.join(f'[{k!r}, {_shown(v)}]' for k, v in value.items())}]"
    return repr(value)
