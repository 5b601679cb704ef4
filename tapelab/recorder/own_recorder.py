"""Recording a program that runs on another autodiff engine than tapelab's.

The engine reports values, ops and the steps of its backward pass; a `Recorder` writes them down in
the form of every `Recording`, so that figures, explanations and checks read them alike. It finds by
itself where in the user's code an op ran: in the nearest frame that belongs neither to tapelab nor
to the engine.

Invariants: a tensor is reported before the op that takes it, and a step of a backward pass after
all steps that contribute to its upstream gradient. Values are copied when they are reported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.recorder.event_encoding import EventColumns, span_columns
from tapelab.recorder.interning import Interned, Spans, Tensors
from tapelab.recording import Recording, TapeFacts
from tapelab.recording import events as e
from tapelab.recording.facts import Rule
from tapelab.recording.op_facts import OpFacts
from tapelab.recording.schema import Group, GroupKind, Role, VariableFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

LETTERS: Final = "xyuvwabcdefghklmnopqrst"
"""What the inputs of an op are called of which only the name is known."""
INSTALLED: Final = ("site-packages", "dist-packages")
"""The folders of installed packages."""
STANDARD: Final = str(Path(os.__file__).parent)
"""Where Python's own modules lie."""


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

    `maker` is the name and version of the engine, `framework` that of the framework whose program
    it is, if it is not the engine's own. `engine` lists its classes, functions, modules and
    packages: an op is shown at the line of the user's code that led to it, outside of these and of
    installed packages.
    """

    def __init__(
        self, maker: str, *, tape: str = "tape", framework: str = "",
        engine: Sequence[type | FunctionType | ModuleType] = (),
    ) -> None:  # fmt: skip
        self._maker, self._tape, self._framework = maker, tape, framework
        self._frames = UserFrames(engine)
        self._strings = Interned()
        self._tensors = Tensors(self._strings)
        self._spans = Spans()
        self._ops = Interned()
        self._variables: list[VariableFacts] = []
        self._groups: list[Group] = []
        self._open_groups: list[int] = []
        self._events: list[tuple[e.Event, int]] = []
        self._tables: dict[str, list[int]] = {}
        self._made_by: dict[int, int] = {}
        self._assigned_by: dict[int, int] = {}
        self._unread: dict[int, int] = {}
        self._followed: set[int] = set()
        self._watched: set[int] = set()
        self._backward_passes: list[BackwardPass] = []

    def variable(
        self, value: Any, name: str = "", *, trainable: bool = True, path: str = "",
        source: int = -1,
    ) -> int:  # fmt: skip
        """Report a value to differentiate with respect to; ops that use it are on the tape.

        By default it is called what the user's code assigns it to. `path` is where it stands in a
        model, such as `layers.0.weight`. `source` is the value that was copied into it, if any.
        """
        span, array = self._place(), np.array(value)
        tensors, number = self._tensors, len(self._variables)
        named = name or self._spans.name(span) or f"variable {number}"
        shape, dtype = tensors.shapes.index(array.shape), tensors.dtypes.index(array.dtype.name)
        facts = VariableFacts(named, trainable, span, shape, dtype, bool(path), path=path)
        self._variables.append(facts)
        tensor = self._tensor(array, Role.STATE, span, named, number)
        self._emit(e.Made(tensor, self._strings.index("variable"), source), span)
        self._unread[tensor] = number
        return tensor

    def assignment(
        self, state: int, value: Any, how: e.How = e.How.ASSIGN, source: int = -1
    ) -> int:
        """Report that a variable, given by its state, was given a new value; returns its new state.

        Its history ends there, as that of a weight after the step of an optimizer. `source` is the
        value that was assigned, if it is known.
        """
        span, number = self._place(), self._tensors.variable(state)
        new = self._tensor(np.array(value), Role.STATE, span, self._variables[number].name, number)
        self._unread.pop(state, None)
        self._assigned_by[new] = self._emit(e.Assigned(number, how, source, new), span)
        self._unread[new] = number
        return new

    def watch(self, tensor: int) -> None:
        """Report that a value which is no variable is watched: ops that use it are on the tape."""
        if tensor not in self._watched and not self.is_variable(tensor):
            self._watched.add(tensor)
            self._followed.add(tensor)
            self._emit(e.Watched(tensor, -1, 0), self._place())

    def is_variable(self, tensor: int) -> bool:
        """Whether a value is the state of a variable."""
        return self._tensors.variable(tensor) >= 0

    def is_target(self, tensors: Sequence[int]) -> bool:
        """Whether the last backward pass began at these values."""
        calls = [event for event, _ in self._events if isinstance(event, e.Asked)]
        return bool(calls) and calls[-1].targets == tuple(tensors)

    def constant(self, value: Any, name: str = "", how: str = "constant") -> int:
        """Report a value that no gradient is asked for, and `how` it was made."""
        span = self._place()
        tensor = self._tensor(np.array(value), Role.CONSTANT, span, name)
        self._emit(e.Made(tensor, self._strings.index(how)), span)
        return tensor

    def op(self, op: str | OpFacts, inputs: Sequence[int], value: Any) -> int:
        """Report that an op computed a value from earlier ones.

        `op` is its name, or the `facts()` of an op that was declared with `tapelab.extend.op`,
        which is then shown with its formulas. What tapelab's findings know of an op, they know by
        tapelab's name for it, such as `multiply`, `log` or `stop_gradient`.
        """
        return self.results(op, inputs, [value])[0]

    def results(
        self, op: str | OpFacts, inputs: Sequence[int], values: Sequence[Any], *,
        cause: e.Cause | None = None, library: bool = False,
    ) -> list[int]:  # fmt: skip
        """Report that an op computed several values; returns the number of each.

        `cause` says why the op is not on the tape; by default it is on the tape if it uses a
        variable. `library` says that a library ran the op, on behalf of the user's line.
        """
        span = self._place()
        if not self._made_by:
            self._emit(e.Opened(), -1)
        for each in inputs:
            self._read(each, span)
        tensors = tuple(self._tensor(np.array(value), Role.RESULT, span) for value in values)
        facts = _named_op(op, len(inputs)) if isinstance(op, str) else op
        if cause is None:
            followed = any(each in self._followed for each in inputs)
            cause = e.Cause.TAPED if followed else e.Cause.UNWATCHED
        if cause is e.Cause.TAPED:
            self._followed.update(tensors)
        event, group = len(self._events), self._open_groups[-1] if self._open_groups else -1
        self._made_by.update(dict.fromkeys(tensors, event))
        if library:
            self._add_row("library", event=event)
        self._emit(e.Ran(self._ops.index(facts), group, cause, tuple(inputs), tensors), span)
        return list(tensors)

    def enter_group(
        self, name: str, kind: GroupKind = GroupKind.COMPOSITE, path: str = "",
    ) -> None:  # fmt: skip
        """Report that what follows belongs together: a call of a module, or a composite op."""
        parent = self._open_groups[-1] if self._open_groups else -1
        self._open_groups.append(len(self._groups))
        self._groups.append(Group(name, parent, self._place(), kind.value, path=path))

    def leave_group(self) -> None:
        """Report the end of what belongs together."""
        self._open_groups.pop()

    def alias(self, tensor: int, storage: int, version: int) -> None:
        """Report that a tensor shares a storage, to which so many writes had been made."""
        self._add_row("alias", tensor=tensor, storage=storage, version=version)

    def device(self, tensor: int, name: str) -> None:
        """Report on which device a tensor lies, where it is not the processor."""
        self._add_row("device", tensor=tensor, name=self._strings.index(name))

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

    def backward(
        self, target: int | Sequence[int], sources: Sequence[int], seed: Any = 1.0, *,
        method: e.Method = e.Method.GRADIENT,
    ) -> BackwardPass:  # fmt: skip
        """Report that gradients are asked for; returns what takes the steps of the backward pass.

        `seed` is the upstream gradient of the target, by default 1 for each element; of several
        targets it is a list.
        """
        span = self._place()
        targets, seeds = ((target,), (seed,)) if isinstance(target, int) else (target, seed)
        if not self._backward_passes:
            self._emit(e.Closed(), -1)
        for source in sources:
            self._read(source, span)
        call, at = len(self._backward_passes), len(self._events)
        self._emit(e.Asked(call, method, 0, tuple(targets), tuple(sources), ()), span)
        backward_pass = BackwardPass(self, call, at, span)
        self._backward_passes.append(backward_pass)
        for each, upstream in zip(targets, seeds, strict=True):
            backward_pass._start(each, np.broadcast_to(upstream, self._tensors.shape(each)))
        return backward_pass

    @property
    def last_backward_pass(self) -> BackwardPass:
        """The backward pass that was reported last."""
        return self._backward_passes[-1]

    def failed(self, tensor: int = -1, writer: int = -1) -> None:
        """Report that the last backward pass raised an error instead of a result.

        `tensor` was made by the op whose saved values were gone; `writer` is the result of the op,
        or the new state, that overwrote them. Without it, an earlier backward pass freed them.
        """
        self._add_row(
            "failure",
            call=self.last_backward_pass.at,
            event=self._made_by.get(tensor, -1),
            writer=self._made_by.get(writer, self._assigned_by.get(writer, -1)),
        )

    @property
    def has_failed(self) -> bool:
        """Whether the last backward pass raised an error."""
        return self.last_backward_pass.at in self._tables.get("failure.call", ())

    def cleared(self, tensor: int, before: Any) -> None:
        """Report that the gradient which a leaf had kept was cleared, as by `zero_grad`."""
        kept = self._tensor(np.array(before), Role.GRADIENT)
        self._emit(e.Accumulated(-1, tensor, kept, -1), self._place())

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
            **{name: np.array(rows, "<i4") for name, rows in self._tables.items()},
        }
        return Recording(
            maker=self._maker,
            tape=TapeFacts(self._tape),
            strings=tuple(self._strings),
            shapes=tuple(self._tensors.shapes),
            dtypes=tuple(self._tensors.dtypes),
            ops=tuple(self._ops),
            groups=tuple(self._groups),
            sources=self._spans.sources(),
            variables=tuple(self._variables),
            columns=columns,
            framework=self._framework,
        )

    def _emit(self, event: e.Event, span: int) -> int:
        self._events.append((event, span))
        return len(self._events) - 1

    def _add_row(self, table: str, **fields: int) -> None:
        """Add a row to one of the sparse tables of `foreign_facts.py`."""
        for name, value in fields.items():
            self._tables.setdefault(f"{table}.{name}", []).append(value)

    def _tensor(
        self, value: NDArray[Any], role: int, span: int = -1, name: str = "", variable: int = -1
    ) -> int:
        """Enter a value under the name it is given, or what the code at a span calls it."""
        named = name or self._spans.name(span)
        text = named or self._spans.text(span)
        index = self._strings.index(text) if text else -1
        tensor = self._tensors.add(value, role, span, index, int(bool(named)), variable)
        self._tensors.release(tensor)
        return tensor

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
        frame = self._frames.nearest(sys._getframe(2))
        return self._spans.of(frame.f_code, frame.f_lasti)


class UserFrames:
    """Tells the frames of the user's code from those of an engine and of installed packages."""

    def __init__(self, engine: Sequence[type | FunctionType | ModuleType]) -> None:
        modules = [each for each in engine if isinstance(each, ModuleType)]
        self._modules = {__name__, *(each.__name__ for each in modules)}
        self._packages = tuple(f"{each.__name__}." for each in modules if hasattr(each, "__path__"))
        self._engine = {code: True for each in engine for code in _codes_of(each)}
        self._installed: dict[str, bool] = {}

    def nearest(self, frame: FrameType) -> FrameType:
        """The innermost frame of the user's, from one of the engine outwards.

        Where all code is installed, as in a script of a package, it is the first that is not the
        engine's.
        """
        first: FrameType | None = None
        at: FrameType | None = frame
        while at is not None:
            if not self.is_engine(at):
                if not self._is_installed(at.f_code.co_filename):
                    return at
                first = first or at
            at = at.f_back
        return first or frame

    def is_engine(self, frame: FrameType) -> bool:
        """Whether a frame runs code of the engine."""
        if frame.f_code in self._engine:
            return True
        name = frame.f_globals.get("__name__", "")
        return name in self._modules or name.startswith(self._packages)

    def _is_installed(self, file: str) -> bool:
        installed = self._installed.get(file)
        if installed is None:
            installed = file.startswith(("<frozen ", "<@", STANDARD)) or any(
                folder in file for folder in INSTALLED
            )
            self._installed[file] = installed
        return installed


class BackwardPass:
    """Takes the steps of one backward pass, in the order in which the engine takes them."""

    def __init__(self, recorder: Recorder, call: int, at: int, span: int) -> None:
        self.at: Final = at
        self._recorder, self._call, self._span = recorder, call, span
        self._sums: dict[int, int] = {}
        self._values: dict[int, NDArray[Any]] = {}

    def step(self, tensor: int, position: int, contribution: Any, *, local: Any = None) -> None:
        """Report what the op that made a tensor contributes to the gradient of one of its inputs.

        None stands for nothing. The contributions to a tensor are summed up; the sum is the
        upstream gradient of the op that made it. `local` is the derivative of an elementwise op.
        """
        recorder = self._recorder
        event = recorder._made_by.get(tensor)
        ran = recorder._events[event][0] if event is not None else None
        reached = (
            [each for each in ran.outputs if each in self._sums] if isinstance(ran, e.Ran) else []
        )
        if event is None or not isinstance(ran, e.Ran) or not reached:
            reason = "no op made it" if event is None else "no gradient has reached it so far"
            raise ValueError(
                f"No backward step starts at value {tensor}: {reason}. Report the steps from the "
                "target on, each after all steps that contribute to its upstream gradient."
            )
        factor = -1 if local is None else self._gradient(np.array(local))
        upstreams = [self._sums[each] for each in reached]
        at = self._add(event, position, ran.inputs[position], contribution, upstreams[0], factor)
        for further in upstreams[1:]:
            recorder._add_row("upstream", event=at, tensor=further)

    def accumulated(self, tensor: int, before: Any, after: Any) -> None:
        """Report that the gradient of a leaf was added to the one that it had kept, if it had."""
        kept = -1 if before is None else self._gradient(np.array(before))
        now = self._gradient(np.array(after))
        self._recorder._emit(e.Accumulated(self._call, tensor, kept, now), self._span)

    def reaches(self, tensor: int) -> bool:
        """Whether a gradient has reached the results of the op that made a value."""
        event = self._recorder._made_by.get(tensor, -1)
        ran = self._recorder._events[event][0] if event >= 0 else None
        return isinstance(ran, e.Ran) and any(each in self._sums for each in ran.outputs)

    def gradient(self, tensor: int) -> NDArray[Any] | None:
        """The sum of all contributions to the gradient of a value; None if there were none."""
        return self._values.get(tensor)

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
    ) -> int:
        """Add a contribution to the gradient of a tensor, and write down the step."""
        before = self._values.get(to)
        gradient = -1
        if contribution is not None:
            value = np.array(contribution)
            total = value if before is None else before + value
            self._values[to] = total
            gradient = self._gradient(value)
            self._sums[to] = gradient if before is None else self._gradient(total)
        given = gradient if upstream is None else upstream
        fields = (position, to, given, local, gradient, self._sums.get(to, -1))
        return self._recorder._emit(e.Flowed(self._call, event, *fields), self._span)

    def _gradient(self, value: NDArray[Any]) -> int:
        return self._recorder._tensor(value, Role.GRADIENT)


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
