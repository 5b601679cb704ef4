"""The twins of a TensorFlow program: its tensors and variables as tapelab's, its kernels as ops.

A kernel that TensorFlow has run is entered into the log of the thread as the op that it is, with
TensorFlow's values. Its gradient rule is the one in TensorFlow's gradient registry.

A kernel called from C++ reads variables without a callback: an input that is unknown shares its
memory with the variable, and is known by its address.
"""

from __future__ import annotations

import copy
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

import numpy as np
import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, record
from tensorflow.python.framework import ops

from tapelab.core import op as core_op
from tapelab.core.cell import read, store
from tapelab.core.convert import new_constant
from tapelab.core.execute import recording_tapes, write_observed
from tapelab.core.helper_calls import OURS
from tapelab.core.log import origin_here, thread
from tapelab.core.op_declaration import Op
from tapelab.core.origin import Scope, next_id
from tapelab.core.records import op_run
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.variable import Variable
from tapelab.foreign import tensorflow_kernels as kernels
from tapelab.foreign.tensorflow_frames import (
    LIBRARIES,
    called_function,
    frames,
    given_number,
    handle_given,
    name_in_frames,
)
from tapelab.foreign.tensorflow_values import address_of, array_of, has_values, raw_value, value_of
from tapelab.recording.facts import How

_UPDATING: Final = ("Assign", "ResourceApply", "ResourceScatter", "ResourceStridedSliceAssign")

UPDATES: Final = {
    "AssignVariableOp": How.ASSIGN, "AssignAddVariableOp": How.ASSIGN_ADD,
    "AssignSubVariableOp": How.ASSIGN_SUB,
}  # fmt: skip

OPERATORS: Final = {"value", "read_value", "sparse_read"}

MADE: Final = {"constant", "zeros", "ones", "fill", "range", "eye", "linspace"}
"""Functions that make a constant."""


@contextmanager
def inside(scope: Scope | None) -> Iterator[None]:
    """Run a block in a scope; None: in the one that is open."""
    outer = thread.scope
    if scope is not None:
        thread.scope = scope
    try:
        yield
    finally:
        thread.scope = outer


class Twins:
    """The twins of what a program computes, entered as its kernels run."""

    def __init__(self) -> None:
        self._tensors: dict[int, Tensor] = {}
        self._variables: dict[int, Variable] = {}
        self._held: dict[int, weakref.ref[Any]] = {}
        self._origins: dict[int, list[Tensor]] = {}
        self._vjps: dict[int, tuple[Any, Callable[..., Any]]] = {}
        self._ops: dict[str, Op] = {}
        self._addresses: dict[int, int] = {}
        self._starts: dict[int, Tensor] = {}
        self._own_modules: list[int] = []
        self._modules = 0
        self._is_busy = False
        self._in_gradient = 0
        self._composite: tuple[FrameType | None, Scope | None] = (None, None)

    def _ran(
        self, kernel: Any, inputs: Any, attributes: Any, outputs: Any, op_name: Any = None,
        graph: Any = None,
    ) -> None:  # fmt: skip
        """Enter a kernel that TensorFlow has run, unless it is part of a graph."""
        if graph is not None or self._is_busy:
            return
        name = kernel.decode() if isinstance(kernel, bytes) else kernel
        pairs = dict(zip(attributes[::2], attributes[1::2], strict=True)) if attributes else {}
        with self._quietly():
            self._own_libraries()
            run = kernels.Run(name, list(inputs), pairs, list(outputs))
            self._enter(run, tuple(attributes or ()))

    def _enter(self, run: kernels.Run, attributes: tuple[Any, ...]) -> None:
        name, inputs, outputs = run.kernel, run.inputs, run.outputs
        function = called_function()
        if name == "ReadVariableOp":
            self._read(inputs[0], outputs[0], function)
        elif name.startswith(_UPDATING):
            self._updated(run)
        elif self._in_gradient and not thread.active_tapes:
            pass  # what a gradient rule computes is on no tape
        elif (
            name.startswith(("__inference_", "__forward_", "__backward_"))
            or "PartitionedCall" in name
        ):
            if not pywrap_tfe.TFE_Py_TapeSetIsStopped():
                self._op_of_kernel(run, attributes, function)
        elif any(map(self._is_handle, (*inputs, *outputs))):
            self._handed(run)
        elif name in kernels.CREATORS or function.startswith("random_"):
            for each in outputs:
                self._make(each, None, _how(name, function))
        elif outputs:
            self._op_of_kernel(run, attributes, function)

    def _is_handle(self, tensor: Any) -> bool:
        """Whether a tensor stands for a queue, a dataset or the like, but not for a variable."""
        return not has_values(tensor) and tensor._id not in self._variables

    def _op_of_kernel(self, run: kernels.Run, attributes: tuple[Any, ...], function: str) -> None:
        translation = kernels.translation_of(run)
        inputs = [self._input(each) for each in run.inputs]
        settings: dict[str, Any] = {}
        rule = _rule_of(run.kernel)
        if translation is not None:
            op = self._op(translation.op)
            chosen = list(translation.inputs(len(inputs)))
            settings = {**op.defaults, **translation.settings(run)}
        else:
            op, chosen = self._unknown(run, rule), list(range(len(inputs)))

        def vjp(*arrived: Any) -> list[Any]:
            rest = [tf.zeros_like(each) for each in run.outputs[len(arrived) :]]
            upstream = (*arrived, *rest)
            given = backprop._gradient_function(
                run.kernel, attributes, len(run.inputs), run.inputs, run.outputs, upstream, (), ""
            )
            parts = given if isinstance(given, (list, tuple)) else [given]
            return [parts[at] for at in chosen]

        outputs = run.outputs if op.multi else run.outputs[:1]
        with inside(self._scope(op)):
            self._write(
                op,
                [inputs[at] for at in chosen],
                outputs,
                settings,
                vjp if callable(rule) else None,
            )

    def _unknown(self, run: kernels.Run, rule: Any) -> Op:
        name = kernels.snake(run.kernel)
        floating = any(each.dtype.is_floating or each.dtype.is_complex for each in run.outputs)
        pattern, because = "differentiable", ""
        if run.kernel in kernels.SAMPLERS:
            pattern, because = "sampler", "It draws numbers, which have no derivative."
        elif rule is LookupError:
            pattern = "not implemented"
        elif rule is None:
            pattern = "flat" if floating else "integer"
            because = "TensorFlow has no derivative for it."
        op = kernels.kernel_op(
            name, len(run.inputs), many=len(run.outputs) > 1, pattern=pattern, because=because
        )
        return self._with_rule(op) if pattern == "differentiable" else op

    def _op(self, name: str) -> Op:
        """An op of tapelab's with TensorFlow's gradient rule."""
        if name not in self._ops:
            op = core_op.REGISTRY[name]
            self._ops[name] = self._with_rule(op) if op.pattern == "differentiable" else op
        return self._ops[name]

    def _with_rule(self, op: Op) -> Op:
        own = copy.copy(op)
        own.joint, own.vjps, own.vjps_on_floats, own.fast_path = self._vjp, None, None, None
        own.batching, own.propagates_slices = None, False
        return own

    def _vjp(self, dy: Any, y: Any, *inputs: Any, **settings: Any) -> list[Any]:
        """What TensorFlow's gradient rule propagates to each input of an op."""
        known = self._vjps.get(id(y))
        if known is None:
            return [None] * len(inputs)
        upstream = dy if isinstance(dy, tuple) else (dy,)
        with self._quietly(), record.stop_recording():
            tensors = [tf.constant(np.asarray(each)) for each in upstream]
            return [array_of(each) for each in known[1](*tensors)]

    def _scope(self, op: Op) -> Scope | None:
        """The function that the user called, as a scope, if the op is only a part of it."""
        if thread.scope is not None:
            return None
        composites = [each for each in frames() if each.f_code.co_name in COMPOSITES]
        if not composites or composites[-1].f_code.co_name == op.name:
            return None
        outermost = composites[-1]
        if self._composite[0] is not outermost:
            here = origin_here()
            scope = Scope(outermost.f_code.co_name, None, here.code, here.instruction)
            self._composite = outermost, scope
        return self._composite[1]

    def _write(
        self, op: Op, inputs: Sequence[Tensor], outputs: Sequence[Any], settings: dict[str, Any],
        vjp: Callable[..., Any] | None,
    ) -> None:  # fmt: skip
        """Write the run of an op to the log, with the values that TensorFlow computed."""
        origin = origin_here(op)
        twins = [wrap(array_of(each), next_id(), origin) for each in outputs]
        ids = tuple([each._id for each in inputs])
        values = tuple([each._array for each in inputs])
        result_ids: Any = tuple([each._id for each in twins])
        results: Any = tuple([each._array for each in twins])
        if not op.multi:
            result_ids, results = result_ids[0], results[0]
        tapes = recording_tapes(op, ids, result_ids, results) if thread.active_tapes else ()
        if vjp is not None:
            self._vjps[id(results)] = results, vjp
        write_observed(op_run(
            twins[0]._id, thread.number, origin, input_ids=ids, inputs=values,
            result_ids=result_ids, results=results, settings=settings, tapes=tapes,
        ))  # fmt: skip
        for each, twin in zip(outputs, twins, strict=True):
            self._keep(each, twin)

    def _handed(self, run: kernels.Run) -> None:
        """Follow values into queues and datasets, and out of them."""
        inputs = [self._input(each) for each in run.inputs if has_values(each)]
        known = {each._id: each for each in inputs}
        handles = [each._id for each in (*run.inputs, *run.outputs) if not has_values(each)]
        for handle in handles:
            known.update((each._id, each) for each in self._origins.get(handle, ()))
        numbers = list(known.values())
        for handle in handles:
            self._origins[handle] = numbers
        results = [each for each in run.outputs if has_values(each)]
        paired = len(results) == len(numbers)
        parts = (
            [([x], [y]) for x, y in zip(numbers, results, strict=paired)]
            if paired
            else ([(numbers, results)] if results and numbers else [])
        )
        for taken, given in parts:
            name = kernels.BY_KERNEL.get(run.kernel) or kernels.snake(run.kernel)
            op = kernels.kernel_op(
                name, len(taken), many=len(given) > 1, pattern="stateful",
                because="It is stateful: it hands out copies of values, without their history.",
            )  # fmt: skip
            self._write(op, taken, given, {}, None)

    def _keep(self, tensor: Any, twin: Tensor) -> Tensor:
        self._tensors[tensor._id] = twin
        return twin

    def _twin(self, tensor: Any) -> Tensor:
        """The twin of a tensor; one that is met for the first time is a constant."""
        known = self._tensors.get(tensor._id)
        return known if known is not None else self._make(tensor, None, "")

    def _input(self, tensor: Any) -> Tensor:
        """The twin of what a kernel took, which may be a variable."""
        known = self._tensors.get(tensor._id)
        if known is not None:
            return known
        if tensor.dtype == tf.resource:
            variable = self._variables.get(tensor._id)
            if variable is not None:
                return read(variable)
        owner = self._owner_at(tensor)
        if owner is None:
            owner = self._variables.get(handle_given(tensor))
        if owner is not None:
            return self._keep(tensor, read(owner))
        return self._make(tensor, given_number(tensor), "")

    def _make(self, tensor: Any, source: Any, how: str) -> Tensor:
        value = array_of(tensor)
        return self._keep(tensor, new_constant(value, source, how))

    def _know(self, variable: Any) -> Variable:
        """The twin of a variable; one from before the recording gets it now."""
        handle = variable.handle._id
        if handle not in self._variables:
            with self._quietly():
                name = name_in_frames(variable) or variable.name.partition(":")[0]
                twin = Variable(value_of(variable), trainable=variable.trainable, name=name)
                self._adopt(variable, twin)
        return self._variables[handle]

    def _adopt(self, variable: Any, twin: Variable) -> None:
        handle = variable.handle._id
        self._variables[handle] = twin
        self._held[handle] = weakref.ref(variable)
        self._addresses.clear()

    def _variable(self, variable: Any) -> Variable:
        known = self._variables.get(variable.handle._id)
        return self._know(variable) if known is None else known

    def _owner_at(self, tensor: Any) -> Variable | None:
        """The variable that shares its memory with a tensor."""
        if not has_values(tensor) or not tensor.dtype.is_numpy_compatible:
            return None
        if not self._addresses:
            for handle, reference in self._held.items():
                variable = reference()
                if variable is not None and variable.dtype.is_floating | variable.dtype.is_complex:
                    self._addresses[address_of(raw_value(variable))] = handle
        handle = self._addresses.get(address_of(tensor), -1)
        twin = self._variables.get(handle)
        if twin is None or twin._cell.state._array.shape != tuple(tensor.shape):
            return None
        return twin

    def _read(self, handle: Any, tensor: Any, function: str) -> None:
        twin = self._variables.get(handle._id)
        if twin is None:
            return
        state = read(twin)
        if function in OPERATORS:
            with inside(None):
                self._write_read(state, tensor)
        else:
            self._keep(tensor, state)

    def _write_read(self, state: Tensor, tensor: Any) -> None:
        op = self._op("read_value")
        self._write(op, [state], [tensor], {}, lambda dy: [dy])

    def _updated(self, run: kernels.Run) -> None:
        """Note the new value of each variable that a kernel has written."""
        self._addresses.clear()
        is_part = run.kernel.startswith(("ResourceScatter", "ResourceStrided"))
        value = run.inputs[-1] if is_part or run.kernel in UPDATES else None
        source = None if value is None else self._tensors.get(value._id)
        for handle in run.inputs:
            if handle.dtype != tf.resource:
                continue
            twin = self._variables.get(handle._id)
            variable = self._held[handle._id]() if twin is not None else None
            if twin is None or variable is None:
                if source is not None:
                    self._starts[handle._id] = source
                continue
            how = How.SLICE if is_part else UPDATES.get(run.kernel, How.ASSIGN_SUB)
            store(twin._cell, value_of(variable), how, -1 if source is None else source._id)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Run the recorder's own code, which is not recorded."""
        busy, self._is_busy = self._is_busy, True
        try:
            yield
        finally:
            self._is_busy = busy

    def _own_libraries(self) -> None:
        """Let the frames of TensorFlow count as ours: an op ran where the user called it."""
        if len(sys.modules) == self._modules:
            return
        self._modules = len(sys.modules)
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] in LIBRARIES:
                names = getattr(module, "__dict__", None)
                if names is not None and id(names) not in OURS:
                    OURS[id(names)] = names
                    self._own_modules.append(id(names))


COMPOSITES: Final = frozenset({
    "reduce_variance", "reduce_std", "moments", "l2_normalize", "norm", "clip_by_norm",
    "clip_by_global_norm", "batch_normalization", "dropout_v2", "gelu", "tensordot", "normalize",
    "categorical_crossentropy", "map_fn_v2", "map_fn", "foldl_v2", "scan_v2", "vectorized_map",
    "weighted_moments", "einsum", "binary_crossentropy", "sparse_categorical_crossentropy",
    "mean_squared_error", "mean_absolute_error",
})  # fmt: skip
"""Functions of several kernels, which a figure folds."""


def _how(kernel: str, function: str) -> str:
    if "Random" in kernel or "Normal" in kernel:
        return f"tf.random.{function.removeprefix('random_')}"
    return f"tf.{function}" if function in MADE else ""


def _rule_of(kernel: str) -> Any:
    """The gradient rule of a kernel: None if it has none, LookupError if it is not known."""
    if kernel == "EagerPyFunc":  # its rule can be run only once, by the program's own tape
        return LookupError
    try:
        return ops._gradient_registry.lookup(kernel)
    except LookupError:
        return LookupError
