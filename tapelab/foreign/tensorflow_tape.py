"""A tape for TensorFlow: what a program computes, written into tapelab's own log.

TensorFlow calls back for each kernel that runs eagerly (`op_callbacks`). The recorder enters the
kernel as the op that it is, with TensorFlow's values, into the log of the thread, and keeps a twin
of each object: a tensor of tapelab's for each tensor, a variable for each variable, a tape for each
`tf.GradientTape`. So figures, explanations and fixes read such a program as they read one of
tapelab's own, and in the same words: both speak TensorFlow.

- The gradient rule of each op is the one in TensorFlow's gradient registry; the result of a call of
  `tape.gradient` is TensorFlow's.
- A kernel called from C++ reads variables without a callback. Such an input shares its memory with
  the variable, and is known by its address.
- What has no callback (tapes, constants, variables, values that leave) is noted by wrappers around
  TensorFlow's methods, which are taken off when the recording ends.

Invariant: nothing of the recorder's runs on a tape of the program, or is recorded itself.
"""

from __future__ import annotations

import gc
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import backprop, record
from tensorflow.python.framework import constant_op, op_callbacks, ops
from tensorflow.python.ops import custom_gradient
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable, ResourceVariable

from tapelab.core.backward import backward
from tapelab.core.backward_report import GradientCall
from tapelab.core.cell import read
from tapelab.core.convert import new_constant
from tapelab.core.custom_op import declare
from tapelab.core.exits import record_exit
from tapelab.core.gradient_call import begin_call, finish_call, ones_like
from tapelab.core.helper_calls import OURS
from tapelab.core.log import origin_here, thread
from tapelab.core.origin import CustomGradientScope, ModuleScope, Scope, next_id
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor, wrap
from tapelab.core.variable import Variable
from tapelab.diagnosis.explanation import finding_of
from tapelab.errors import Refusal
from tapelab.foreign import tensorflow_kernels as kernels
from tapelab.foreign.tensorflow_frames import called_function, numpy_function
from tapelab.foreign.tensorflow_functions import WHOLE, Whole
from tapelab.foreign.tensorflow_twins import MADE, Twins, inside
from tapelab.foreign.tensorflow_values import array_of, is_differentiable, plain, state_of, value_of
from tapelab.recorder.foreign_tape import ForeignTape
from tapelab.recorder.introspection import Introspection, introspect, recording_of
from tapelab.recorder.own_recorder import LETTERS
from tapelab.recording import events as e
from tapelab.recording.facts import Method

if TYPE_CHECKING:
    from tapelab.recording import Recording

EXITS: Final = {
    "numpy": "numpy()", "__array__": "__array__", "__float__": "float()", "__int__": "int()",
    "__bool__": "bool()", "__nonzero__": "bool()", "__index__": "int()", "__complex__": "complex()",
}  # fmt: skip
"""The methods with which a value leaves TensorFlow, as code spells them."""
CONTROL_FLOW: Final = frozenset({"while_loop_v2", "while_loop", "cond_for_tf_v2", "cond"})
"""Functions that decide by a value which of the user's functions runs."""
MIXED: Final = re.compile(
    r"cannot compute (\w+) as input #1\(zero-based\) was expected to be an? (\w+) tensor "
    r"but is an? (\w+) tensor"
)
C_NAMES: Final = {"float": "float32", "double": "float64", "half": "float16"}
"""How TensorFlow's errors call dtypes."""
ZEROS: Final = (tf.UnconnectedGradients.ZERO, "zero")
MOST_ROWS: Final = 64
"""The steps of a Jacobian of more rows are not reported."""


class TensorFlowTape(Twins, ForeignTape):
    """Records what TensorFlow computes while it is open, and the gradients that its tapes give."""

    framework = f"TensorFlow {tf.__version__}"

    def __init__(self, *, run_functions_eagerly: bool = False) -> None:
        self._run_eagerly = run_functions_eagerly
        self._was_eager = False
        super().__init__()
        self._tapes: dict[int, tuple[Any, GradientTape]] = {}
        self._patched: list[tuple[Any, str, Any]] = []
        self._stopped = 0

    def __enter__(self) -> Self:
        """Begin to record."""
        self._own_libraries()
        self._wrap_tapes()
        self._wrap_values()
        self._wrap_calls()
        for each in gc.get_objects():
            if isinstance(each, BaseResourceVariable) and hasattr(each, "_handle"):
                self._know(each)
        if self._run_eagerly:
            self._was_eager = tf.config.functions_run_eagerly()
            tf.config.run_functions_eagerly(True)
        op_callbacks.add_op_callback(self._ran)
        return self

    def __exit__(self, *error: object) -> None:
        """Stop recording."""
        op_callbacks.remove_op_callback(self._ran)
        if self._run_eagerly:
            tf.config.run_functions_eagerly(self._was_eager)
        for owner, name, original in reversed(self._patched):
            setattr(owner, name, original)
        del ops._EagerTensorBase.__array_function__
        for number in self._own_modules:
            OURS.pop(number, None)
        self._patched, self._own_modules, self._modules = [], [], 0
        self._composite = None, None

    # What tf.show and tf.explain ask for

    def recording(self, target: Any = None, source: Any = None) -> Recording:
        """What happened on the tape of a target, or on the last one."""
        tape = self._tape_of(target)
        with self._quietly():
            sources = None if source is None else self._ends(source)
            recording = recording_of(tape, None if target is None else self._ends(target), sources)
        return replace(recording, framework=self.framework)

    def ends(self, target: Any, source: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The numbers of the targets and the sources in the recording."""
        answer = self.introspect(target, source)
        calls = [place.event for place in answer.recording.placed(e.Asked)]
        call = next(
            each for each in calls if isinstance(each, e.Asked) and each.call == answer.call
        )
        return call.targets, tuple([call.sources[at] for at in answer.positions])

    def introspect(self, target: Any, source: Any) -> Introspection:
        """A recording with the gradient call from some targets to some sources."""
        tape = self._tape_of(target)
        with self._quietly():
            answer = introspect(tape, self._ends(target), self._ends(source))
        return answer._replace(recording=replace(answer.recording, framework=self.framework))

    def _ends(self, given: Any) -> list[Any]:
        return [self._end(each) for each in tf.nest.flatten(given)]

    def _end(self, end: Any) -> Any:
        value = plain(end)
        if isinstance(value, BaseResourceVariable):
            return self._variable(value)
        return self._twin(value) if isinstance(value, tf.Tensor) else value

    def _tape_of(self, target: Any) -> GradientTape:
        """The tape that was asked for the gradient of a target, else the last that was opened."""
        tapes = [tape for _, tape in self._tapes.values()]
        if not tapes:
            raise RuntimeError(
                "The program has opened no tf.GradientTape while it was recorded. "
                "Open one around the forward pass, inside of the block of record()."
            )
        wanted = [] if target is None else [self._end(each) for each in tf.nest.flatten(target)]
        ids = [each._id for each in wanted if isinstance(each, Tensor)]
        for tape in reversed(tapes):
            if any([end.id for end in call.targets] == ids for call in tape._gradient_calls):
                return tape
        tracking = (tape for tape in reversed(tapes) if any(each in tape._tracked for each in ids))
        return next(tracking, tapes[-1])

    # What has no callback

    def _patch(self, owner: Any, name: str, around: Callable[..., Any]) -> None:
        """Wrap a method of TensorFlow's; `around` gets the original first."""
        original = owner.__dict__[name]
        function = (
            original.__func__ if isinstance(original, (classmethod, staticmethod)) else original
        )

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if self._is_busy or not tf.executing_eagerly():
                return function(*args, **kwargs)
            return around(function, *args, **kwargs)

        wrapper.__name__ = name
        wrapper.autograph_info__ = None  # type: ignore[attr-defined]  # AutoGraph leaves it as it is
        self._patched.append((owner, name, original))
        setattr(owner, name, wrapper)

    def _patch_property(self, owner: Any, name: str) -> None:
        """Note which variables a property of a module lists."""
        original = owner.__dict__[name]

        def listed(module: Any) -> Any:
            variables = original.fget(module)
            for each in variables:
                twin = self._variables.get(each.handle._id)
                if twin is not None:
                    twin._cell.identity.tracked = True
            return variables

        self._patched.append((owner, name, original))
        setattr(owner, name, property(listed))

    def _wrap_tapes(self) -> None:
        tape = backprop.GradientTape
        self._patch(tape, "_push_tape", self._push)
        self._patch(tape, "_pop_tape", self._pop)
        self._patch(tape, "watch", self._watch)
        self._patch(tape, "reset", self._reset)
        self._patch(tape, "gradient", self._gradient)
        self._patch(tape, "stop_recording", self._stop)

    def _wrap_values(self) -> None:
        self._patch(constant_op, "convert_to_eager_tensor", self._converted)
        self._patch(ResourceVariable, "__init__", self._created)
        for owner in (ops._EagerTensorBase, BaseResourceVariable):
            for name, how in EXITS.items():
                if name in owner.__dict__:
                    self._patch(owner, name, _leaving(self, how))
        ops._EagerTensorBase.__array_function__ = _computed_by_numpy(self)

    def _wrap_calls(self) -> None:
        self._patch(record, "record_operation", self._recorded)
        self._patch(ops, "raise_from_not_ok_status", self._mixed)
        self._patch(custom_gradient, "_eager_mode_decorator", self._custom)
        self._patch(backprop.GradientTape, "jacobian", self._jacobian(Method.JACOBIAN))
        self._patch(backprop.GradientTape, "batch_jacobian", self._jacobian(Method.BATCH_JACOBIAN))
        self._patch(threading.Thread, "run", self._run_thread)
        for name in ("variables", "trainable_variables"):
            self._patch_property(tf.Module, name)
        for whole in WHOLE:
            for owner in whole.owners:
                self._patch(owner, whole.function, self._whole(whole))
        layer = sys.modules.get("keras.src.layers.layer")
        if layer is not None:
            self._patch(layer.Layer, "__call__", self._layer_called)

    def _push(self, push: Callable[..., Any], tape: Any) -> None:
        push(tape)
        _, twin = self._tapes.get(id(tape), (None, None))
        with self._quietly():
            if twin is None:
                twin = GradientTape(tape._persistent, tape._watch_accessed_variables)
                self._tapes[id(tape)] = tape, twin
            if self._stopped:
                twin._resume()
            else:
                twin._push()

    def _pop(self, pop: Callable[..., Any], tape: Any) -> None:
        pop(tape)
        known = self._tapes.get(id(tape))
        if known is not None and known[1]._recording:
            with self._quietly():
                if self._stopped:
                    known[1]._pause()
                else:
                    known[1]._pop()

    @contextmanager
    def _stop(self, stop: Callable[..., Any], tape: Any) -> Iterator[None]:
        with counted(self):
            block = stop(tape)
            block.__enter__()
        try:
            yield
        finally:
            with counted(self):
                block.__exit__(None, None, None)

    def _reset(self, reset: Callable[..., Any], tape: Any) -> None:
        with self._quietly():
            reset(tape)
            self._tapes[id(tape)][1].reset()

    def _watch(self, watch: Callable[..., Any], tape: Any, tensor: Any) -> None:
        watch(tape, tensor)
        known = self._tapes.get(id(tape))
        if known is not None:
            with self._quietly(), logging_off():
                for each in self._ends(tensor):
                    known[1].watch(each)

    def _gradient(
        self, gradient: Callable[..., Any], tape: Any, target: Any, sources: Any,
        output_gradients: Any = None, unconnected_gradients: Any = tf.UnconnectedGradients.NONE,
    ) -> Any:  # fmt: skip
        known = self._tapes.get(id(tape))
        here = origin_here()
        outer = thread.scope
        scope = Scope("gradient", outer, here.code, here.instruction)
        thread.scope = scope
        self._in_gradient += 1
        try:
            given = gradient(tape, target, sources, output_gradients, unconnected_gradients)
        except (RuntimeError, LookupError) as error:
            self._refused(error, known)
            raise
        finally:
            self._in_gradient -= 1
            thread.scope = outer
        if known is None:
            return given
        with self._quietly(), inside(scope):
            zero = unconnected_gradients in ZEROS
            self._answered(known[1], target, sources, output_gradients, given, zero=zero)
        return given

    def _jacobian(self, method: Method) -> Callable[..., Any]:
        def ask(
            jacobian: Callable[..., Any], tape: Any, target: Any, sources: Any, *args: Any,
            **kwargs: Any,
        ) -> Any:  # fmt: skip
            known = self._tapes.get(id(tape))
            with self._quietly():
                was_open = tape._recording
                try:
                    given = jacobian(tape, target, sources, *args, **kwargs)
                except RuntimeError as error:
                    self._refused(error, known)
                    raise
                if known is None:
                    return given
                if was_open and not tape._recording:
                    known[1]._pop()
                targets = [state_of(each) for each in self._ends(target)]
                ends = self._ends(sources)
                zero = kwargs.get("unconnected_gradients") in ZEROS
                call = begin_call(known[1], method, zero, targets, ends, origin_here())
                self._rows(known[1], call, targets, ends)
                self._finish(known[1], call, given)
            return given

        return ask

    def _rows(
        self, tape: GradientTape, call: GradientCall, targets: list[Tensor], ends: list[Any]
    ) -> None:
        """Report the steps of a Jacobian, one row after the other, if they are not too many."""
        (size,) = [each._array.size for each in targets] or [0]
        for row in range(size if size <= MOST_ROWS else 0):
            seed = np.zeros(size, targets[0]._array.dtype)
            seed[row] = 1
            self._report(tape, call, targets, [seed.reshape(targets[0]._array.shape)[()]], ends)

    def _report(
        self, tape: GradientTape, call: GradientCall, targets: list[Tensor], seeds: list[Any],
        ends: list[Any],
    ) -> None:  # fmt: skip
        active, thread.active_tapes = thread.active_tapes, ()
        try:
            with suppress(LookupError):  # an op on the path has no rule
                backward(tape, targets, seeds, ends, call.report, shown=True)
        finally:
            thread.active_tapes = active

    def _refused(self, error: Exception, known: tuple[Any, GradientTape] | None) -> None:
        """Let an error of TensorFlow's say what it comes from, as `error.finding`."""
        if known is None:
            return
        missing = re.search("gradient registry has no entry for: (\\w+)", str(error))
        code = "NO_GRADIENT_REGISTERED" if missing else "TAPE_CONSUMED"
        if not missing and "persistent" not in str(error):
            return
        name = kernels.BY_KERNEL.get(missing[1], kernels.snake(missing[1])) if missing else ""
        details = {"op": name} if missing else {}
        with self._quietly():
            refusal = Refusal(code, origin_here(), known[1], details=details)
            error.finding = finding_of(refusal)  # type: ignore[attr-defined]

    def _mixed(self, fail: Callable[..., Any], error: Any, name: Any) -> None:
        """Let TensorFlow's error about two dtypes say what it comes from."""
        words = MIXED.search(str(error))
        if words is not None:
            kernel, expected, got = words.groups()
            op = kernels.BY_KERNEL.get(kernel) or kernels.TRANSLATIONS[kernel].op
            dtypes = tuple(C_NAMES.get(each, each) for each in (expected, got))
            details = {"op": op, "first": 0, "dtypes": dtypes}
            tapes = [tape for _, tape in self._tapes.values()]
            with self._quietly():
                refusal = Refusal(
                    "MIXED_DTYPE", origin_here(), tapes[-1] if tapes else None, details=details
                )
                finding = finding_of(refusal)
            try:
                fail(error, name)
            except tf.errors.InvalidArgumentError as raised:
                raised.finding = finding
                raise
        fail(error, name)

    def _run_thread(self, run: Callable[..., Any], started: Any) -> None:
        op_callbacks.add_op_callback(self._ran)
        try:
            run(started)
        finally:
            with suppress(KeyError):
                op_callbacks.remove_op_callback(self._ran)

    def _whole(self, whole: Whole) -> Callable[..., Any]:
        """What enters a function as one op, and its kernels not at all."""

        def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            if not tf.executing_eagerly() or (self._in_gradient and not thread.active_tapes):
                return function(*args, **kwargs)
            bound = signature(function).bind(*args, **kwargs)
            bound.apply_defaults()
            with self._quietly():
                self._own_libraries()
                given = [plain(bound.arguments[name]) for name in whole.inputs]
                watched = [each for each in given if is_differentiable(each)]
                with backprop.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
                    tape.watch(watched)
                    result = function(*args, **kwargs)
                if not isinstance(result, ops.EagerTensor):
                    return result
                op, like = self._op(whole.op), next(iter(watched), None)
                inputs = [self._taken(each, like) for each in given]
                settings = whole.settings(bound.arguments)

                def vjp(dy: Any) -> list[Any]:
                    gradients = iter(tape.gradient(result, watched, tf.reshape(dy, result.shape)))
                    return [next(gradients) if is_differentiable(each) else None for each in given]

                self._write(op, inputs, [result], {**op.defaults, **settings}, vjp)
            return result

        return call

    def _taken(self, value: Any, like: Any) -> Tensor:
        """The twin of an argument: a tensor, a variable, or a number that becomes a tensor."""
        if isinstance(value, BaseResourceVariable):
            return read(self._variable(value))
        if isinstance(value, ops.EagerTensor):
            return self._input(value)
        dtype = None if like is None or isinstance(value, np.ndarray) else like.dtype
        with suppress(TypeError, ValueError):
            return new_constant(array_of(tf.convert_to_tensor(value, dtype)), value)
        return new_constant(array_of(tf.convert_to_tensor(value)), value)

    def _answered(
        self, tape: GradientTape, target: Any, sources: Any, seeds: Any, given: Any, *, zero: bool
    ) -> None:
        """Note a gradient call: its steps, by TensorFlow's rules, and TensorFlow's result."""
        targets = [state_of(each) for each in self._ends(target)]
        ends, origin = self._ends(sources), origin_here()
        call = begin_call(tape, Method.GRADIENT, zero, targets, ends, origin)
        ones = ones_like(targets)
        if seeds is not None:
            flat = tf.nest.flatten(seeds)
            ones = [np.broadcast_to(array_of(tf.convert_to_tensor(each)), np.shape(one))
                    for each, one in zip(flat, ones, strict=True)]  # fmt: skip
        self._report(tape, call, targets, ones, ends)
        self._finish(tape, call, given)

    def _finish(self, tape: GradientTape, call: GradientCall, given: Any) -> None:
        """Note what a gradient call returned; the tape keeps what a figure may ask for."""
        flat = tf.nest.flatten(given) if given is not None else [None] * len(call.sources)
        results: list[Tensor | None] = []
        for each in flat:
            if each is None:
                results.append(None)
                continue
            dense = each if isinstance(each, tf.Tensor) else tf.convert_to_tensor(each)
            twin = self._tensors.get(dense._id)
            if twin is None:
                twin = self._keep(dense, wrap(array_of(dense), next_id(), call.origin))
            results.append(twin)
        persistent, tape._persistent = tape._persistent, True
        try:
            finish_call(tape, call, results)
        finally:
            tape._persistent = persistent

    def _leave(self, value: Any, how: str, result: Any) -> None:
        """Note that the value of a tensor or a variable left TensorFlow."""
        end = self._end(value)
        record_exit((read(end) if isinstance(end, Variable) else end)._id, how, result)

    def _converted(self, convert: Callable[..., Any], value: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = convert(value, *args, **kwargs)
        function = called_function()
        left = thread.log is not None and id(value) in thread.log.exits
        if (
            tensor._id not in self._tensors
            and (left or function in {"constant", "convert_to_tensor", "zeros", "ones"})
            and not (self._in_gradient and not thread.active_tapes)
        ):
            with self._quietly():
                self._own_libraries()
                self._make(tensor, value, f"tf.{function}" if function in MADE else "")
        return tensor

    def _created(
        self, create: Callable[..., Any], variable: Any, *args: Any, **kwargs: Any
    ) -> None:
        create(variable, *args, **kwargs)
        if not tf.executing_eagerly() or not hasattr(variable, "_handle"):
            return
        initial = args[0] if args else kwargs.get("initial_value")
        with self._quietly():
            self._own_libraries()
            start: Any = value_of(variable)
            source = self._starts.pop(variable.handle._id, None)
            if isinstance(initial, ops.EagerTensor):
                source = self._tensors.get(initial._id, source)
            start = source if source is not None and source._array.dtype == start.dtype else start
            given = kwargs.get("name")
            twin = Variable(start, trainable=variable.trainable, name=given)
            self._adopt(variable, twin)

    def _recorded(
        self, record_operation: Callable[..., Any], name: Any, outputs: Any, inputs: Any,
        vjp: Any, forward_function: Any = None,
    ) -> None:  # fmt: skip
        """Enter an op whose gradient rule is a function: a custom gradient, or a `tf.function`."""
        answers: list[tuple[list[Any], list[Any]]] = []

        def observed(*upstream: Any) -> Any:
            given = vjp(*upstream)
            with self._quietly():
                parts = given if isinstance(given, (list, tuple)) else [given]
                answers.append((list(map(array_of, upstream)), list(map(array_of, parts))))
            return given

        def known_vjp(*upstream: Any) -> Any:
            """What the user's function has propagated: it is called no more often than before."""
            arrived = list(map(array_of, upstream))
            for before, given in answers:
                if all(map(np.array_equal, before, arrived)):
                    return given
            return vjp(*upstream)

        record_operation(name, outputs, inputs, observed, forward_function)
        with self._quietly():
            flat, given = list(tf.nest.flatten(outputs)), list(tf.nest.flatten(inputs))
            if not flat or not tf.executing_eagerly():
                return
            text = name.decode() if isinstance(name, bytes) else str(name)
            parts = text.removeprefix("__forward_").removeprefix("__inference_").split("_")
            title = "_".join(part for part in parts if not part.isdigit()) or text
            twins = [self._input(each) for each in given]
            op = declare(title, "", tuple(LETTERS[: len(given)]), many=len(flat) > 1)
            own = self._ops.setdefault(f"{title} {len(given)} {len(flat)}", self._with_rule(op))
            body = tuple(
                [self._tensors[each._id]._id for each in flat if each._id in self._tensors]
            )
            self._write(own, twins, flat, {"vjp": None, "body": body}, known_vjp)

    def _custom(
        self, decorate: Callable[..., Any], function: Any, *args: Any, **kwargs: Any
    ) -> Any:
        here = origin_here()
        name = getattr(function, "__name__", "function")
        with inside(CustomGradientScope(name, thread.scope, here.code, here.instruction)):
            return decorate(function, *args, **kwargs)

    def _layer_called(self, call: Callable[..., Any], layer: Any, *args: Any, **kwargs: Any) -> Any:
        here = origin_here()
        with inside(ModuleScope(layer.name, thread.scope, here.code, here.instruction)):
            result = call(layer, *args, **kwargs)
        for weight in layer.weights:
            twin = self._variables.get(weight.value.handle._id)
            if twin is not None:
                identity = twin._cell.identity
                identity.name, identity.tracked = weight.path, True
                identity.frozen = not weight.trainable
        return result


def _leaving(tape: TensorFlowTape, how: str) -> Callable[..., Any]:
    """What notes that a value left by a method."""

    def leave(method: Callable[..., Any], tensor: Any, *args: Any, **kwargs: Any) -> Any:
        with tape._quietly():
            result = method(tensor, *args, **kwargs)
            if called_function() in {"", *EXITS, *CONTROL_FLOW}:
                tape._leave(tensor, numpy_function() or how, result)
        return result

    return leave


def _computed_by_numpy(tape: TensorFlowTape) -> Callable[..., Any]:
    """What notes that a function of NumPy's took tensors."""

    def leave(
        tensor: Any, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        with tape._quietly():
            given: list[Any] = []
            plain_args, plain_kwargs = _as_arrays(args, given), _as_arrays(kwargs, given)
            result = function(*plain_args, **plain_kwargs)
            for each in given:
                tape._leave(each, f"np.{function.__name__}", result)
        return result

    return leave


def _as_arrays(given: Any, tensors: list[Any]) -> Any:
    """Arguments with arrays in place of tensors, which are noted."""
    if isinstance(given, ops.EagerTensor):
        tensors.append(given)
        return np.asarray(given._numpy())
    if isinstance(given, dict):
        return {name: _as_arrays(each, tensors) for name, each in given.items()}
    if isinstance(given, (list, tuple)):
        return type(given)(_as_arrays(each, tensors) for each in given)
    return given


@contextmanager
def counted(tape: TensorFlowTape) -> Iterator[None]:
    tape._stopped += 1
    try:
        yield
    finally:
        tape._stopped -= 1


@contextmanager
def logging_off() -> Iterator[None]:
    """Without tapelab's warnings, which TensorFlow has given already."""
    from tapelab.core.logger import get_logger

    logger = get_logger()
    level = logger.level
    logger.setLevel("ERROR")
    try:
        yield
    finally:
        logger.setLevel(level)
