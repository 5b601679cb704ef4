"""Recording a program that runs on another autodiff engine than tapelab's.

The engine reports values, ops and the steps of its backward pass; a `Recorder` writes them down in
the form of every `Recording`, so that figures, explanations and checks read them alike. It finds by
itself where in the user's code an op ran: in the nearest frame that belongs neither to tapelab nor
to the engine.

Invariants: a tensor is reported before the op that takes it, and a step of a backward pass after
all steps that contribute to its upstream gradient. Values are copied when they are reported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.recorder.event_encoding import EventColumns, span_columns
from tapelab.recorder.interning import Interned, Spans, Tensors
from tapelab.recording import Recording, TapeFacts
from tapelab.recording import events as e
from tapelab.recording.facts import Rule
from tapelab.recording.op_facts import OpFacts
from tapelab.recording.schema import Role, VariableFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

LETTERS: Final = "xyuvwabcdefghklmnopqrst"
"""What the inputs of an op are called of which only the name is known."""


class Recorder:
    """Records what an autodiff engine of your own computes.

    The methods return the number of the value that they report; later reports refer to it.

        import tapelab as tf
        from tapelab.extend import Recorder

        class Number:
            def __init__(self, value, op="", inputs=(), derivatives=()):
                self.value, self.gradient = value, 0.0
                self.inputs, self.derivatives = inputs, derivatives
                if op:
                    self.number = recorder.op(op, [each.number for each in inputs], value)
                else:
                    self.number = recorder.variable(value)

            def __add__(self, other):
                return Number(self.value + other.value, "add", (self, other), (1.0, 1.0))

            def __mul__(self, other):
                derivatives = (other.value, self.value)
                return Number(self.value * other.value, "multiply", (self, other), derivatives)

        def backward(target, nodes, sources):  # nodes: the results of ops, last one first
            steps = recorder.backward(target.number, [each.number for each in sources])
            target.gradient = 1.0
            for node in nodes:
                for position, each in enumerate(node.inputs):
                    contribution = node.gradient * node.derivatives[position]
                    each.gradient += contribution
                    steps.step(node.number, position, contribution)

        recorder = Recorder("my engine 1.0", engine=[Number, backward])
        x, y = Number(3.0), Number(4.0)
        p = x * y
        z = p + x
        backward(z, [z, p], [x, y])
        print(x.gradient, y.gradient)  # 5.0 3.0
        picture = tf.show(recorder.recording())

    `maker` is the name and version of the engine. `engine` lists its classes, functions and
    modules: an op is shown at the line of the user's code that led to it, outside of these.
    """

    def __init__(
        self, maker: str, *, tape: str = "tape",
        engine: Sequence[type | FunctionType | ModuleType] = (),
    ) -> None:  # fmt: skip
        self._maker, self._tape = maker, tape
        self._modules = {each.__name__ for each in engine if isinstance(each, ModuleType)}
        self._codes = {code for each in engine for code in _codes_of(each)}
        self._strings = Interned()
        self._tensors = Tensors(self._strings)
        self._spans = Spans()
        self._ops = Interned()
        self._variables: list[VariableFacts] = []
        self._events: list[tuple[e.Event, int]] = []
        self._values: list[NDArray[Any]] = []
        self._made_by: dict[int, int] = {}
        self._unread: dict[int, int] = {}
        self._followed: set[int] = set()
        self._backward_passes: list[BackwardPass] = []

    def variable(self, value: Any, name: str = "", *, trainable: bool = True) -> int:
        """Report a value to differentiate with respect to; ops that use it are on the tape.

        By default it is called what the user's code assigns it to.
        """
        span, array = self._place(), np.array(value)
        tensors, number = self._tensors, len(self._variables)
        named = name or self._spans.name(span) or f"variable {number}"
        shape, dtype = tensors.shapes.index(array.shape), tensors.dtypes.index(array.dtype.name)
        self._variables.append(VariableFacts(named, trainable, span, shape, dtype))
        tensor = self._tensor(array, Role.STATE, span, named, number)
        self._emit(e.Made(tensor, self._strings.index("variable")), span)
        self._unread[tensor] = number
        return tensor

    def constant(self, value: Any, name: str = "") -> int:
        """Report a value that no gradient is asked for, such as data."""
        span = self._place()
        tensor = self._tensor(np.array(value), Role.CONSTANT, span, name)
        self._emit(e.Made(tensor, self._strings.index("constant")), span)
        return tensor

    def op(self, op: str | OpFacts, inputs: Sequence[int], value: Any) -> int:
        """Report that an op computed a value from earlier ones.

        `op` is its name, or the `facts()` of an op that was declared with `tapelab.extend.op`,
        which is then shown with its formulas. What tapelab's findings know of an op, they know by
        tapelab's name for it, such as `multiply`, `log` or `stop_gradient`.
        """
        span = self._place()
        if not self._made_by:
            self._emit(e.Opened(), -1)
        for each in inputs:
            self._read(each, span)
        tensor = self._tensor(np.array(value), Role.RESULT, span)
        facts = _named_op(op, len(inputs)) if isinstance(op, str) else op
        followed = any(each in self._followed for each in inputs)
        if followed:
            self._followed.add(tensor)
        cause = e.Cause.TAPED if followed else e.Cause.UNWATCHED
        self._made_by[tensor] = len(self._events)
        self._emit(e.Ran(self._ops.index(facts), -1, cause, tuple(inputs), (tensor,)), span)
        return tensor

    def exit(self, tensor: int, how: str, value: Any) -> int:
        """Report that a value left the engine, `how` as in `float()`; returns the number outside.

        No gradient follows it there, and `tf.explain` says so where it comes back by `reentry`.
        """
        span = self._place()
        outside = self._tensor(np.array(value), Role.OUTSIDE, span)
        self._emit(e.Left(tensor, self._strings.index(how), outside), span)
        return outside

    def reentry(self, outside: int, value: Any) -> int:
        """Report that a value which had left the engine came back as a constant."""
        span = self._place()
        tensor = self._tensor(np.array(value), Role.CONSTANT, span)
        self._emit(e.Returned(outside, tensor), span)
        return tensor

    def backward(self, target: int, sources: Sequence[int], seed: Any = 1.0) -> BackwardPass:
        """Report that gradients are asked for; returns what takes the steps of the backward pass.

        `seed` is the upstream gradient of the target, by default 1 for each element.
        """
        span = self._place()
        if not self._backward_passes:
            self._emit(e.Closed(), -1)
        call, at = len(self._backward_passes), len(self._events)
        self._emit(e.Asked(call, e.Method.GRADIENT, 0, (target,), tuple(sources), ()), span)
        backward_pass = BackwardPass(self, call, at, span)
        self._backward_passes.append(backward_pass)
        backward_pass._start(target, np.broadcast_to(seed, self._values[target].shape))
        return backward_pass

    def recording(self) -> Recording:
        """Everything reported so far as a `Recording`."""
        events = EventColumns()
        results = {each.at: each for each in self._backward_passes}
        for at, (event, span) in enumerate(self._events):
            if isinstance(event, e.Asked):
                event = replace(event, results=results[at].results(event.sources))  # noqa: PLW2901
            events.append(event, span, 0)
        columns = {
            **events.as_columns(),
            **span_columns(self._spans, self._strings),
            **self._tensors.as_columns(),
        }
        return Recording(
            maker=self._maker,
            tape=TapeFacts(self._tape),
            strings=tuple(self._strings),
            shapes=tuple(self._tensors.shapes),
            dtypes=tuple(self._tensors.dtypes),
            ops=tuple(self._ops),
            groups=(),
            sources=self._spans.sources(),
            variables=tuple(self._variables),
            columns=columns,
        )

    def _emit(self, event: e.Event, span: int) -> None:
        self._events.append((event, span))

    def _tensor(
        self, value: NDArray[Any], role: int, span: int = -1, name: str = "", variable: int = -1
    ) -> int:
        """Enter a value under the name it is given, or what the code at a span calls it."""
        named = name or self._spans.name(span)
        text = named or self._spans.text(span)
        index = self._strings.index(text) if text else -1
        self._values.append(value)
        return self._tensors.add(value, role, span, index, int(bool(named)), variable)

    def _read(self, tensor: int, span: int) -> None:
        """Note the first use of a variable, with which the tape begins to watch it."""
        variable = self._unread.pop(tensor, -1)
        if variable < 0:
            return
        if self._variables[variable].trainable:
            self._followed.add(tensor)
            self._emit(e.Watched(tensor, variable, 1), span)
        self._emit(e.Read(variable, tensor), span)

    def _place(self) -> int:
        """The span of the user's code that led to a report."""
        frame: FrameType = sys._getframe(2)
        while frame.f_back is not None and self._is_engine(frame):
            frame = frame.f_back
        return self._spans.of(frame.f_code, frame.f_lasti)

    def _is_engine(self, frame: FrameType) -> bool:
        return frame.f_code in self._codes or frame.f_globals.get("__name__") in self._modules


class BackwardPass:
    """Takes the steps of one backward pass, in the order in which the engine takes them."""

    def __init__(self, recorder: Recorder, call: int, at: int, span: int) -> None:
        self.at: Final = at
        self._recorder, self._call, self._span = recorder, call, span
        self._sums: dict[int, int] = {}

    def step(self, tensor: int, position: int, contribution: Any, *, local: Any = None) -> None:
        """Report what the op that made a tensor contributes to the gradient of one of its inputs.

        None stands for nothing. The contributions to a tensor are summed up; the sum is the
        upstream gradient of the op that made it. `local` is the derivative of an elementwise op.
        """
        recorder = self._recorder
        event = recorder._made_by.get(tensor)
        if event is None or tensor not in self._sums:
            reason = "no op made it" if event is None else "no gradient has reached it so far"
            raise ValueError(
                f"No backward step starts at value {tensor}: {reason}. Report the steps from the "
                "target on, each after all steps that contribute to its upstream gradient."
            )
        ran = recorder._events[event][0]
        assert isinstance(ran, e.Ran)
        upstream, factor = self._sums[tensor], -1 if local is None else self._gradient(local)
        self._add(event, position, ran.inputs[position], contribution, upstream, factor)

    def results(self, sources: Sequence[int]) -> tuple[int, ...]:
        """The gradient that has reached each source, as tensors of the recording; -1 for None."""
        return tuple([self._sums.get(each, -1) for each in sources])

    def _start(self, target: int, seed: NDArray[Any]) -> None:
        self._add(-1, 0, target, seed, None, -1)

    def _add(
        self,
        event: int,
        position: int,
        to: int,
        contribution: Any,
        upstream: int | None,
        local: int,
    ) -> None:
        """Add a contribution to the gradient of a tensor, and write down the step."""
        before = self._sums.get(to)
        gradient = -1 if contribution is None else self._gradient(contribution)
        if gradient >= 0:
            values = self._recorder._values
            total = (
                gradient if before is None else self._gradient(values[before] + values[gradient])
            )
            self._sums[to] = total
        given = gradient if upstream is None else upstream
        fields = (position, to, given, local, gradient, self._sums.get(to, -1))
        self._recorder._emit(e.Flowed(self._call, event, *fields), self._span)

    def _gradient(self, value: Any) -> int:
        return self._recorder._tensor(np.array(value), Role.GRADIENT)


def _named_op(name: str, inputs: int) -> OpFacts:
    """What is known of an op that is given by its name alone."""
    letters = tuple(LETTERS) if inputs <= len(LETTERS) else tuple(f"x{at}" for at in range(inputs))
    letters = letters[:inputs]
    words = "".join(each if each.isalnum() else " " for each in name).strip()
    return OpFacts(
        name=name, title=words.capitalize(), glyph=words, inputs=letters, output="z",
        formula=rf"z = \operatorname{{{words}}}({', '.join(letters)})",
        sentence="", pattern="stop" if name == "stop_gradient" else "differentiable",
        rules=tuple(Rule() for _ in letters),
    )  # fmt: skip


def _codes_of(owner: type | FunctionType | ModuleType) -> Iterator[CodeType]:
    """The code of a function, or of all methods of a class, with the functions inside."""
    members = vars(owner).values() if isinstance(owner, type) else (owner,)
    for member in members:
        parts = (member, *(getattr(member, name, None) for name in ("__func__", "fget", "fset")))
        for part in parts:
            if isinstance(part, FunctionType):
                yield from _nested(part.__code__)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)
