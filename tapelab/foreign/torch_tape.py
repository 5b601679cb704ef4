"""A tape for PyTorch: what a program computes, and its backward passes, as a `Recording`.

Three hooks of PyTorch's tell everything, and the program runs as it would without them:

- a `TorchFunctionMode` sees each call of PyTorch's API, with the user's line that led to it;
- a hook on each node of autograd's graph sees the cotangents that it propagates, step by step;
- hooks on modules and optimizers tell which call an op belongs to, and when weights change.

Invariant: a tensor of the recording is one state of one PyTorch tensor, known by its version and by
the node that made it. A write in place, also one through a view, therefore gives a new state, and a
node that no call explains (a custom Function, a view that autograd rebuilt) becomes an op of its
own, which ends at the nodes that are known.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules import module as module_hooks
from torch.optim import optimizer as optimizer_hooks
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

import tapelab.recorder
from tapelab.foreign import torch_ops
from tapelab.foreign.torch_values import array_of, storage_of, version_of
from tapelab.recorder.foreign_tape import ForeignTape
from tapelab.recorder.own_recorder import BackwardPass, Recorder
from tapelab.recording import Recording
from tapelab.recording import events as e
from tapelab.recording.facts import KEPT_ELEMENTS
from tapelab.recording.schema import GroupKind
from tapelab.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch.autograd.graph import Node

Output = tuple["Node", int]
"""A node of autograd's graph, and which of its outputs."""


class State(NamedTuple):
    """One state of a tensor: its number in the recording, and what tells it from later states."""

    tensor: weakref.ref[Tensor]
    number: int
    version: int
    node: Node | None
    is_leaf: bool


class Loss(NamedTuple):
    """A value that a node had saved and that is gone: overwritten, or freed."""

    is_overwritten: bool
    is_result: bool
    """Whether it was a result of the node's op, and not an input."""


class Contribution(NamedTuple):
    """What a node propagated: an output of its op, the position of the input, the values."""

    output: int
    position: int
    value: NDArray[Any] | None
    local: NDArray[Any] | None


class TorchTape(ForeignTape, TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """Records what PyTorch computes while it is open, and the backward passes in it."""

    def __init__(self) -> None:
        super().__init__()
        self._recorder = Recorder(
            f"tapelab {__version__}", tape="PyTorch", framework=f"PyTorch {torch.__version__}",
            engine=[torch, sys.modules["tapelab.foreign"], tapelab.recorder],
        )  # fmt: skip
        self._states: dict[int, State] = {}
        self._outputs: dict[Output, int] = {}
        self._followed: dict[Node, int] = {}
        self._storage_of: dict[int, int] = {}
        self._operands_of: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
        self._writes: list[int] = []
        self._latest: dict[tuple[int, torch.Size, torch.dtype], int] = {}
        self._exits: dict[int, tuple[Any, int]] = {}
        self._gradients: dict[int, tuple[weakref.ref[Tensor], int]] = {}
        self._contributions: list[Contribution] = []
        self._passed: set[Node] = set()
        self._is_backward = False
        self._is_paused = False
        self._depth = 0
        self._storages: dict[int, int] = {}
        self._names: dict[int, tuple[str, str]] = {}
        self._module_paths: dict[int, str] = {}
        self._versions: list[tuple[Tensor, int]] = []
        self._handles: list[Any] = []
        self._stances = ExitStack()

    def __enter__(self) -> Self:
        """Begin to record."""
        self._handles = [
            module_hooks.register_module_forward_pre_hook(self._enter_module),
            module_hooks.register_module_forward_hook(self._leave_module, always_call=True),
            optimizer_hooks.register_optimizer_step_pre_hook(self._before_step),
            optimizer_hooks.register_optimizer_step_post_hook(self._after_step),
        ]
        if "torch._dynamo" in sys.modules:
            self._stances.enter_context(torch.compiler.set_stance("force_eager"))
        super().__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Stop recording."""
        super().__exit__(*error)
        self._stances.close()
        for handle in self._handles:
            handle.remove()

    # What tf.show and tf.explain ask for

    def recording(self, target: Any = None, source: Any = None) -> Recording:
        """What happened; with a target that no backward pass began at, one is run for it."""
        if target is not None:
            with torch._C.DisableTorchFunction():
                self._show(target, source)
        return self._recorder.recording()

    def ends(self, target: Any, source: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The numbers of the targets and the sources in the recording."""
        with torch._C.DisableTorchFunction():
            return self._numbers(target), self._numbers(source)

    def _numbers(self, tensors: Any) -> tuple[int, ...]:
        leaves = [each for each in tree_leaves(tensors) if isinstance(each, Tensor)]
        return tuple(self._number(each) for each in leaves)

    def _show(self, target: Any, source: Any) -> None:
        targets = [each for each in tree_leaves(target) if isinstance(each, Tensor)]
        numbers = self._numbers(targets)
        if self._recorder.is_target(numbers) and (source is None or self._recorder.has_failed):
            return
        sources = [each for each in tree_leaves(source) if isinstance(each, Tensor)]
        sources = sources or [each for each in self._live_leaves() if each.requires_grad]
        able = [each for each in sources if each.requires_grad]
        tops = [each for each in targets if each.requires_grad]
        contributions: list[Contribution] = []
        if tops and able:
            seeds = [torch.ones_like(each) for each in tops]
            contributions = self._flowing(
                lambda: torch.autograd.grad(tops, able, seeds, retain_graph=True, allow_unused=True)
            )[1]
        chosen = [self._number(each) for each in sources]
        ones = [np.ones(tuple(each.shape), array_of(each).dtype) for each in targets]
        steps = self._recorder.backward(numbers, chosen, ones, method=e.Method.PICTURE)
        _report(steps, contributions)

    def _live_leaves(self) -> Iterator[Tensor]:
        for state in list(self._states.values()):
            tensor = state.tensor()
            if tensor is not None and state.is_leaf:
                yield tensor

    # Calls of PyTorch's API

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run a function of PyTorch's, and record it if it computes."""
        kwargs = kwargs or {}
        if self._is_paused or self._is_backward:
            return func(*args, **kwargs)
        if func is Tensor.backward:
            return self._backward(func, args, kwargs)
        if func is Tensor.retain_grad:
            self._recorder.watch(self._number(args[0]))
            return func(*args, **kwargs)
        if func is torch.autograd.grad:
            return self._grad(func, args, kwargs)
        if func == Tensor.grad.__set__:
            return self._set_grad(func, args, kwargs)
        if func == Tensor.grad.__get__:
            return self._get_grad(func, args)
        if _is_property(func) and func not in torch_ops.STOPS and func not in torch_ops.VIEWS:
            return func(*args, **kwargs)
        return self._call(func, args, kwargs)

    def _call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
        if any(map(torch._C._functorch.is_functorch_wrapped_tensor, given)):
            return func(*args, **kwargs)
        before = [(each, version_of(each), each.is_leaf, each.grad_fn) for each in given]
        known = [self._state_of(each) is not None or not _is_own_leaf(each) for each in given]
        numbers = [
            self._number(each) if one else -1 for each, one in zip(given, known, strict=True)
        ]
        out = func(*args, **kwargs)
        with torch._C.DisableTorchFunction():
            if func in torch_ops.EXITS:
                self._exit(self._number(given[0]), torch_ops.EXITS[func], out)
                return out
            written = _distinct(t for t, version, _, _ in before if version_of(t) != version)
            results = [each for each in tree_leaves(out) if isinstance(each, Tensor)]
            is_copy = func in torch_ops.COPIERS and any(each.requires_grad for each in given)
            if (func in torch_ops.CREATORS and not is_copy) or not given:
                if not self._is_library():
                    how = torch_ops.CREATORS.get(func) or f"torch.{torch_ops.name_of(func)}"
                    self._create(how, args, results)
            elif any(map(_is_own_leaf, written)):
                self._assign(func, written, numbers, given)
            else:
                fresh = [each for each in results if not self._is_same(each)]
                outputs = _distinct([*fresh, *written, *self._bases_of(written)])
                if outputs:
                    numbers = [
                        self._number(each) if number < 0 else number
                        for each, number in zip(given, numbers, strict=True)
                    ]
                    self._record_op(func, args, given, numbers, outputs)
                    self._writes += [self._states[id(each)].number for each in written]
        return out

    def _state_of(self, tensor: Tensor) -> State | None:
        """The last known state of a tensor; None for one that is new."""
        state = self._states.get(id(tensor))
        alive: object = state.tensor() if state is not None else None
        return state if alive is tensor else None

    def _is_same(self, tensor: Tensor) -> bool:
        """Whether a result is a tensor that was there before, unchanged."""
        state = self._state_of(tensor)
        if state is None:
            return False
        return state.version == version_of(tensor) and state.node is tensor.grad_fn

    def _bases_of(self, written: Sequence[Tensor]) -> list[Tensor]:
        """The tensors that writes through views have changed too."""
        bases = (each._base for each in written if each._is_view())
        return [each for each in bases if each is not None and self._is_changed_result(each)]

    def _is_changed_result(self, tensor: Tensor) -> bool:
        known = self._state_of(tensor) is not None
        return known and tensor.grad_fn is not None and not self._is_same(tensor)

    def _record_op(
        self, func: Any, args: tuple[Any, ...], given: Sequence[Tensor], numbers: Sequence[int],
        outputs: Sequence[Tensor],
    ) -> None:  # fmt: skip
        name = torch_ops.name_of(func)
        inputs = self._operands(name, args, given, numbers)
        edges = self._edges(outputs)
        inputs += [to for _, ends in edges for _, to in ends if to not in inputs]
        is_stop = func in torch_ops.STOPS
        facts = torch_ops.facts_of(name, len(inputs))
        cause = self._cause(given, outputs, is_stop=is_stop)
        with_local = torch_ops.is_elementwise(facts) and len(edges) == 1 and not _has_saving_hooks()
        self._enter_op(facts, inputs, outputs, edges, cause, with_local=with_local)

    def _enter_op(
        self, facts: Any, inputs: Sequence[int], outputs: Sequence[Tensor],
        edges: Sequence[tuple[Node, list[tuple[int, int]]]], cause: e.Cause, *,
        with_local: bool = False,
    ) -> None:  # fmt: skip
        values = [array_of(each) for each in outputs]
        numbers = self._recorder.results(
            facts, inputs, values, cause=cause, library=self._is_library()
        )
        for tensor, number in zip(outputs, numbers, strict=True):
            self._keep(tensor, number)
        for node, ends in edges:
            self._followed[node] = numbers[0]
            self._operands_of[numbers[0]] = inputs, numbers
            self._follow(node, numbers[0], list(inputs), ends, with_local=with_local)

    def _operands(
        self, name: str, args: tuple[Any, ...], given: Sequence[Tensor], numbers: Sequence[int]
    ) -> list[int]:
        """The inputs of a call; a number beside a tensor is an input too."""
        same = torch_ops.SAME_OP.get(name, name)
        inputs = list(numbers)
        scalars = [
            each for each in args if isinstance(each, (int, float)) and not isinstance(each, bool)
        ]
        if len(inputs) == 1 and len(args) == 2 and len(scalars) == 1 and same in torch_ops.BINARY:
            dtype = array_of(given[0]).dtype
            value = np.asarray(scalars[0])
            constant = self._constant(
                scalars[0], value.astype(dtype) if dtype.kind in "fc" else value, ""
            )
            inputs = [inputs[0], constant] if isinstance(args[0], Tensor) else [constant, inputs[0]]
        return inputs[::-1] if name in torch_ops.SWAPPED and len(inputs) == 2 else inputs

    def _constant(self, value: Any, array: NDArray[Any], how: str) -> int:
        """A constant; it comes from outside if it is a value that had left."""
        kept = self._exits.get(id(value))
        if kept is not None and kept[0] is value:
            return self._recorder.reentry(kept[1], array)
        return self._recorder.constant(array, how=how or "a number")

    def _cause(
        self, given: Sequence[Tensor], outputs: Sequence[Tensor], *, is_stop: bool
    ) -> e.Cause:
        if any(each.requires_grad for each in outputs):
            return e.Cause.TAPED
        watched = any(each.requires_grad for each in given)
        if not watched:
            return e.Cause.UNWATCHED
        if not torch.is_grad_enabled():
            return e.Cause.REPLACED if _in_custom_function() else e.Cause.PAUSED
        if is_stop:
            return e.Cause.TAPED
        if not any(each.is_floating_point() or each.is_complex() for each in outputs):
            return e.Cause.INTEGER
        return e.Cause.TAPED

    def _exit(self, number: int, how: str, value: Any) -> None:
        outside = self._recorder.exit(number, how, value)
        self._exits[id(value)] = value, outside

    def _create(self, how: str, args: tuple[Any, ...], results: Sequence[Tensor]) -> None:
        value = args[0] if args else None
        for each in results:
            if _is_own_leaf(each) and id(value) not in self._exits:
                self._keep(each, self._leaf(each))
            else:
                self._keep(each, self._constant(value, array_of(each), how))

    # The numbers of tensors

    def _number(self, tensor: Tensor) -> int:
        """The number of a tensor in the recording; one that is new or was changed is entered."""
        with torch._C.DisableTorchFunction():
            state = self._state_of(tensor)
            if state is not None:
                if self._is_same(tensor):
                    if tensor.is_leaf and tensor.requires_grad:
                        self._recorder.watch(state.number)
                    return state.number
                if tensor.is_leaf and state.is_leaf:
                    return self._changed(tensor, state.number)
            if tensor.grad_fn is not None:
                return self._rebuilt(tensor, tensor.grad_fn)
            return self._keep(tensor, self._leaf(tensor))

    def _changed(
        self, leaf: Tensor, number: int, how: e.How = e.How.ASSIGN, source: int = -1
    ) -> int:
        """Enter a leaf again whose values were overwritten."""
        if self._recorder.is_variable(number):
            state = self._recorder.assignment(number, array_of(leaf), how, source)
            self._writes.append(state)
            return self._keep(leaf, state)
        return self._keep(leaf, self._leaf(leaf))

    def _leaf(self, tensor: Tensor) -> int:
        """Enter a tensor without history: a parameter, or data."""
        value = array_of(tensor)
        name, path = self._names.get(id(tensor)) or (_name_in_frames(tensor), "")
        if tensor.requires_grad or isinstance(tensor, nn.Parameter):
            source = self._latest.get((storage_of(tensor), tensor.shape, tensor.dtype), -1)
            return self._recorder.variable(
                value, name, trainable=tensor.requires_grad, path=path, source=source
            )
        return self._recorder.constant(value, name, how="a tensor")

    def _rebuilt(self, tensor: Tensor, node: Node) -> int:
        """Enter a tensor whose node no recorded call has made, by the nodes that lead to it."""
        known = self._outputs.get((node, tensor.output_nr))
        if known is not None and tensor.grad_fn is node and id(tensor) not in self._states:
            return self._keep(tensor, known)
        edges = self._edges([tensor])
        inputs = list(dict.fromkeys(to for _, ends in edges for _, to in ends))
        name = node.name().split("::")[-1].rstrip("0123456789").removesuffix("Backward")
        self._enter_op(name or "op", inputs, [tensor], edges, e.Cause.TAPED)
        return self._states[id(tensor)].number

    def _keep(self, tensor: Tensor, number: int) -> int:
        """Remember the number of a tensor in its present state."""
        with torch._C.DisableTorchFunction():
            node, version = tensor.grad_fn, version_of(tensor)
            kept = State(weakref.ref(tensor), number, version, node, tensor.is_leaf)
            self._states[id(tensor)] = kept
            if node is not None:
                self._outputs[node, tensor.output_nr] = number
            storage = storage_of(tensor)
            self._storage_of[number] = storage
            if storage:
                self._latest[storage, tensor.shape, tensor.dtype] = number
            if version > 0 or tensor._is_view():
                index = self._storages.setdefault(storage, len(self._storages))
                self._recorder.alias(number, index, max(version, 0))
            if tensor.device.type != "cpu":
                self._recorder.device(number, str(tensor.device))
        return number

    # The graph of autograd

    def _edges(self, outputs: Sequence[Tensor]) -> list[tuple[Node, list[tuple[int, int]]]]:
        """The new nodes that lead to some tensors; of each its edges to tensors that are known."""
        edges: list[tuple[Node, list[tuple[int, int]]]] = []
        stack = [each.grad_fn for each in outputs if each.grad_fn is not None]
        while stack:
            node = stack.pop()
            if node in self._followed:
                continue
            self._followed[node] = -1
            ends: list[tuple[int, int]] = []
            for at, (following, output) in enumerate(node.next_functions):
                if following is None:
                    continue
                known = self._outputs.get((following, output))
                leaf = getattr(following, "variable", None)
                if known is not None:
                    ends.append((at, known))
                elif isinstance(leaf, Tensor):
                    ends.append((at, self._number(leaf)))
                else:
                    stack.append(following)
            edges.append((node, ends))
        return edges

    def _follow(
        self, node: Node, output: int, inputs: list[int], ends: list[tuple[int, int]], *,
        with_local: bool,
    ) -> None:  # fmt: skip
        """Hook a node: what it propagates to known tensors are steps of the backward pass."""
        places: list[tuple[int, int]] = []
        free = list(enumerate(inputs))
        for at, to in ends:
            position = next((place for place, each in free if each == to), inputs.index(to))
            free = [(place, each) for place, each in free if place != position]
            places.append((at, position))
        tape = weakref.ref(self)

        def hook(propagated: Sequence[Tensor | None], got: Sequence[Tensor | None]) -> None:
            recorder = tape()
            if recorder is None or not recorder._is_backward:
                return
            recorder._passed.add(node)
            with torch._C.DisableTorchFunction(), torch.no_grad():
                locals_of = _local_derivatives(node, got) if with_local else ()
                for at, position in places:
                    value = propagated[at]
                    array = None if value is None else array_of(value)
                    local = locals_of[at] if at < len(locals_of) else None
                    same = local is not None and array is not None and local.shape == array.shape
                    one = Contribution(output, position, array, local if same else None)
                    recorder._contributions.append(one)

        node.register_hook(hook)

    # Backward passes

    def _flowing(self, run: Any) -> tuple[Any, list[Contribution]]:
        """Run a backward pass; its result, and what nodes propagated."""
        self._contributions, self._is_backward = [], True
        self._passed.clear()
        try:
            return run(), self._contributions
        finally:
            self._is_backward = False

    def _backward(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        target, seed = args[0], args[1] if len(args) > 1 else kwargs.get("gradient")
        number = self._number(target)
        with torch._C.DisableTorchFunction():
            leaves = [each for each in self._live_leaves() if each.requires_grad]
            kept = {id(each): None if each.grad is None else array_of(each.grad) for each in leaves}
            writes = {
                id(each): -1 if each.grad is None else version_of(each.grad) for each in leaves
            }
        try:
            out, contributions = self._flowing(lambda: func(*args, **kwargs))
        except RuntimeError as error:
            self._report_failure([target], leaves, error)
            raise
        with torch._C.DisableTorchFunction():
            changed = [
                each for each in leaves if _has_changed(each.grad, kept[id(each)], writes[id(each)])
            ]  # fmt: skip
            value = np.ones(tuple(target.shape), array_of(target).dtype)
            sources = [self._states[id(each)].number for each in changed]
            steps = self._recorder.backward(
                [number], sources, [value if seed is None else array_of(seed)]
            )
            _report(steps, contributions)
            for each, source in zip(changed, sources, strict=True):
                steps.accumulated(source, kept[id(each)], array_of(each.grad))
        return out

    def _report_failure(
        self, targets: Sequence[Tensor], sources: Sequence[Tensor], error: RuntimeError
    ) -> None:
        """Record a gradient call that raised an error, and the op whose saved values were gone."""
        with torch._C.DisableTorchFunction():
            ends = self._numbers(targets), self._numbers(sources)
            self._recorder.backward(*ends, [np.ones(tuple(each.shape)) for each in targets])
            is_overwritten = "inplace operation" in str(error)
            lost = [
                (node._sequence_nr(), output, loss)
                for node, output in self._nodes_behind(targets)
                for loss in [_loss_of(node)]
                if loss and loss.is_overwritten == is_overwritten and node not in self._passed
            ]
            if not lost:
                self._recorder.failed()
                return
            _, output, loss = max(lost)
            inputs, outputs = self._operands_of[output]
            saved = outputs if loss.is_result else inputs
            storages = {self._storage_of.get(each, 0) for each in saved} - {0}
            writes = (
                each
                for each in self._writes
                if each > output and self._storage_of.get(each) in storages
            )
            self._recorder.failed(output, next(writes, -1) if is_overwritten else -1)

    def _nodes_behind(self, targets: Sequence[Tensor]) -> Iterator[tuple[Node, int]]:
        """The recorded nodes of autograd's graph that lead to some targets, with their results."""
        stack, seen = [each.grad_fn for each in targets], set()
        while stack:
            node = stack.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            stack += [each for each, _ in node.next_functions]
            if self._followed.get(node, -1) >= 0:
                yield node, self._followed[node]

    def _grad(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        outputs, inputs = (
            list(tree_leaves(args[at] if len(args) > at else kwargs[name]))
            for at, name in enumerate(("outputs", "inputs"))
        )
        seeds = tree_leaves(args[2] if len(args) > 2 else kwargs.get("grad_outputs"))
        targets, sources = self._numbers(outputs), self._numbers(inputs)
        try:
            out, contributions = self._flowing(lambda: func(*args, **kwargs))
        except RuntimeError as error:
            self._report_failure(outputs, inputs, error)
            raise
        with torch._C.DisableTorchFunction():
            given = [
                np.ones(tuple(each.shape), array_of(each).dtype) if seed is None else array_of(seed)
                for each, seed in zip(outputs, seeds or [None] * len(outputs), strict=False)
            ]
            _report(self._recorder.backward(targets, sources, given), contributions)
            for each in tree_leaves(out):
                if isinstance(each, Tensor) and each.grad_fn is None:
                    self._keep(
                        each, self._recorder.constant(array_of(each), how="torch.autograd.grad")
                    )
        return out

    def _get_grad(self, func: Any, args: tuple[Any, ...]) -> Any:
        gradient = func(*args)
        with torch._C.DisableTorchFunction():
            if gradient is not None and args[0].is_leaf:
                self._gradients[id(gradient)] = weakref.ref(gradient), self._number(args[0])
                if not self._is_same(gradient):
                    number = self._recorder.constant(array_of(gradient), how=".grad")
                    self._keep(gradient, number)
        return gradient

    def _set_grad(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        leaf, value = args[0], args[1] if len(args) > 1 else None
        with torch._C.DisableTorchFunction():
            before = leaf.grad
            if value is None and before is not None and leaf.is_leaf:
                self._recorder.cleared(self._number(leaf), array_of(before))
        return func(*args, **kwargs)

    # Modules and optimizers

    def _enter_module(self, module: nn.Module, args: Any) -> None:
        with torch._C.DisableTorchFunction():
            if not self._depth:
                self._name_parts(module)
            path = self._module_paths.get(id(module), "")
            self._recorder.enter_group(type(module).__name__, GroupKind.MODULE, path)
            self._depth += 1

    def _leave_module(self, module: nn.Module, args: Any, out: Any) -> None:
        if self._depth:
            self._depth -= 1
            self._recorder.leave_group()

    def _name_parts(self, model: nn.Module) -> None:
        """Note where the parameters and modules of a model stand in it."""
        name = _name_in_frames(model)
        prefix = f"{name}." if name else ""
        for path, parameter in model.named_parameters():
            self._names[id(parameter)] = prefix + path, path
        for path, module in model.named_modules():
            self._module_paths[id(module)] = path

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if kwargs.get("closure") is not None or len(args) > 1:
            return  # the closure computes a loss, which is recorded
        with torch._C.DisableTorchFunction():
            self._is_paused = True
            groups = optimizer.param_groups
            parameters = [each for group in groups for each in group["params"]]
            self._versions = [(each, version_of(each)) for each in parameters]

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        with torch._C.DisableTorchFunction():
            for each, version in self._versions:
                state = self._state_of(each)
                if state is not None and version_of(each) != version:
                    self._changed(each, state.number, e.How.ASSIGN_SUB)
            self._versions, self._is_paused = [], False

    def _assign(
        self, func: Any, written: Sequence[Tensor], numbers: Sequence[int], given: Sequence[Tensor]
    ) -> None:
        """Record a write to leaves, such as the update of a weight under `no_grad`."""
        how = _HOW.get(torch_ops.name_of(func), e.How.ASSIGN)
        for each in written:
            own = next(number for number, one in zip(numbers, given, strict=True) if one is each)
            others = [number for number, one in zip(numbers, given, strict=True) if one is not each]
            if own >= 0:
                self._changed(each, own, how, others[-1] if others else -1)

    def _is_library(self) -> bool:
        """Whether a module of PyTorch's calls the function, and not the user's code."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            name = frame.f_globals.get("__name__", "")
            if not name.startswith(_PLUMBING):
                return bool(name.startswith("torch."))
            frame = frame.f_back
        return False


_PLUMBING = (
    "tapelab.", "torch.overrides", "torch._tensor", "torch.functional", "torch.nn.functional",
    "torch._jit_internal", "torch.utils._contextlib",
)  # fmt: skip
_HOW = {
    "add": e.How.ASSIGN_ADD, "iadd": e.How.ASSIGN_ADD, "sub": e.How.ASSIGN_SUB,
    "isub": e.How.ASSIGN_SUB, "setitem": e.How.SLICE,
}  # fmt: skip


def _is_own_leaf(tensor: Tensor) -> bool:
    """Whether a write to a tensor is an assignment: it is a weight, or a leaf to watch."""
    return tensor.is_leaf and (tensor.requires_grad or isinstance(tensor, nn.Parameter))


def _is_property(func: Any) -> bool:
    return getattr(func, "__name__", "") == "__get__"


def _distinct(tensors: Any) -> list[Tensor]:
    return list({id(each): each for each in tensors}.values())


def _has_changed(gradient: Tensor | None, before: NDArray[Any] | None, version: int) -> bool:
    """Whether a backward pass added to what a leaf keeps."""
    if gradient is None:
        return False
    return (
        before is None
        or version != version_of(gradient)
        or not np.array_equal(before, array_of(gradient), equal_nan=True)
    )


def _report(steps: BackwardPass, contributions: Sequence[Contribution]) -> None:
    for output, position, value, local in contributions:
        if steps.reaches(output):
            steps.step(output, position, value, local=local)


def _loss_of(node: Node) -> Loss | None:
    """What a node had saved and cannot use any more; None if it has everything."""
    for name in dir(node):
        if name.startswith("_saved_") or name == "saved_tensors":
            try:
                getattr(node, name)
            except RuntimeError as error:
                return Loss("inplace operation" in str(error), name.startswith("_saved_result"))
    return None


def _local_derivatives(node: Node, got: Sequence[Tensor | None]) -> list[NDArray[Any] | None]:
    """What a node of an elementwise op propagates for an upstream gradient of ones."""
    upstream = got[0]
    if upstream is None or upstream.numel() > KEPT_ELEMENTS:
        return []
    results = node(torch.ones_like(upstream))
    parts = results if isinstance(results, tuple) else (results,)
    return [
        array_of(each) if each is not None and each.shape == upstream.shape else None
        for each in parts
    ]


def _has_saving_hooks() -> bool:
    """Whether hooks keep what nodes save, as for checkpoints: they allow one backward pass only."""
    return torch._C._autograd._top_saved_tensors_default_hooks(False) is not None


def _in_custom_function() -> bool:
    """Whether the forward of a `torch.autograd.Function` is running.

    Its code tells: newer versions of PyTorch call it from C++, so `apply` has no frame.
    """
    codes = {getattr(each.forward, "__code__", None) for each in _kinds_of(torch.autograd.Function)}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code in codes:
            return True
        frame = frame.f_back
    return False


def _kinds_of(base: type[Any]) -> Iterator[type[Any]]:
    """All subclasses of a class."""
    for each in base.__subclasses__():
        yield each
        yield from _kinds_of(each)


def _name_in_frames(value: object) -> str:
    """What the outermost function that knows a tensor or a module calls it; empty if none does."""
    frame: FrameType | None = sys._getframe(1)
    name = ""
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(("torch.", "tapelab.")):
            for names in (frame.f_locals, frame.f_globals):
                name = next(_names_of(value, names), name)
        frame = frame.f_back
    return name


def _names_of(value: object, names: Mapping[str, Any]) -> Iterator[str]:
    """What some variables call a value: `w`, or `model.fc1.weight` for a parameter of a model."""
    for key, each in list(names.items()):
        if each is value and key != "self":
            yield key
        elif isinstance(each, nn.Module) and isinstance(value, nn.Parameter) and key != "self":
            yield from (f"{key}.{path}" for path, own in each.named_parameters() if own is value)
