"""A recording at other values of its variables: the ops run again, and then the backward passes.

The events stay what they are. The program followed one path, with its branches and its loops, and
that path is what runs again: a Python `if` is not decided again, no random number is drawn again,
and what left the tape stays as it was. So the new recording has the structure of the old one, and
only numbers differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tapelab.core.backward import BackwardPass
from tapelab.core.backward_report import SEED, StepReport
from tapelab.core.cotangents import RawCotangents
from tapelab.core.large_values import Dropped
from tapelab.core.op import REGISTRY
from tapelab.core.op_declaration import Op
from tapelab.core.origin import Origin
from tapelab.core.records import Record, as_op_run, op_run
from tapelab.kernels.sliding_windows import Sliding
from tapelab.locales import say
from tapelab.recorder.builder import local_derivative
from tapelab.recording import Recording
from tapelab.recording import events as e
from tapelab.recording.facts import How

DRAWN: Final = ("sampler", "stateful", "outside")
"""The patterns of ops whose results are not a function of their inputs: they keep them."""


class ReplayError(ValueError):
    """Some op cannot run again; says which, and why."""


def replayed(recording: Recording, values: Mapping[int, float]) -> Recording:
    """The recording with other values of some scalar tensors, and of all that depends on them."""
    replay = _Replay(recording)
    with np.errstate(all="ignore"):
        for tensor, value in values.items():
            replay.put(tensor, np.asarray(value, recording.tensor(tensor).dtype)[()])
        for located in recording:
            replay.run(located)
        replay.propagate()
    return replay.recording_now()


class _Replay:
    """The new values of tensors by their indices, as far as the events have run again."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.new: dict[int, Any] = {}
        self.ran: dict[int, e.Ran] = {}
        self.calls: dict[int, e.Asked] = {}
        self.flows: dict[int, list[e.Flowed]] = {}
        self.states: dict[int, int] = {}

    def put(self, tensor: int, value: Any) -> None:
        """Enter the new value of a tensor."""
        if np.shape(value) != self.recording.tensor(tensor).shape:
            raise ReplayError(say("The new values lead to other shapes."))
        self.new[tensor] = value

    def value(self, tensor: int) -> Any:
        """The value of a tensor now, a NumPy scalar where it has no axes."""
        if tensor in self.new:
            return self.new[tensor]
        facts = self.recording.tensor(tensor)
        if facts.value is None:
            name = facts.name or "a tensor"
            raise ReplayError(
                say("The numbers of `{name}` were not kept: the ops cannot run again.", name=name)
            )
        return facts.value[()] if facts.value.ndim == 0 else facts.value

    def run(self, located: e.Located) -> None:
        """Let one event happen again, where something that it depends on is new."""
        match located.event:
            case e.Ran() as ran:
                self.ran[located.index] = ran
                if not self.new.keys().isdisjoint(ran.inputs):
                    self._run_op(located.index, ran)
            case e.Read(variable, tensor):
                self.states[variable] = tensor
            case e.Made(tensor, _, source) if source in self.new:
                self.put(tensor, self.new[source])
            case e.Assigned() as assigned:
                self._assign(assigned)
            case e.Asked() as gradient_call:
                self.calls[gradient_call.call] = gradient_call
            case e.Flowed() as flow:
                self.flows.setdefault(flow.call, []).append(flow)

    def _assign(self, assigned: e.Assigned) -> None:
        before = self.states.get(assigned.variable, -1)
        self.states[assigned.variable] = assigned.state
        if self.new.keys().isdisjoint((assigned.source, before)):
            return
        if assigned.how == How.ASSIGN:
            self.put(assigned.state, self.value(assigned.source))
        elif assigned.how == How.SLICE or before < 0:
            raise ReplayError(say("A slice was assigned to: the ops cannot run again."))
        else:
            sign = 1 if assigned.how == How.ASSIGN_ADD else -1
            self.put(assigned.state, self.value(before) + sign * self.value(assigned.source))

    def _run_op(self, index: int, ran: e.Ran) -> None:
        op = self._op(ran)
        if op.pattern in DRAWN:
            return
        results = op(*map(self.value, ran.inputs), **self._settings(op, index, ran))
        for tensor, value in zip(ran.outputs, results if op.multi else (results,), strict=True):
            self.put(tensor, value)

    def _op(self, ran: e.Ran) -> Op:
        name = self.recording.ops[ran.op].name
        op = REGISTRY.get(name)
        if op is None:
            raise ReplayError(say("`{op}` is not an op of tapelab: it cannot run again.", op=name))
        return op

    def _settings(self, op: Op, index: int, ran: e.Ran) -> dict[str, Any]:
        """The settings of an op as it ran; a dtype is that of its result."""
        settings = {name: _setting(value) for name, value in self._kept(index).items()}
        if "dtype" in op.settings:
            settings["dtype"] = np.dtype(self.recording.tensor(ran.outputs[0]).dtype)
        if missing := [name for name in op.settings if name not in {**op.defaults, **settings}]:
            raise ReplayError(
                say("`{op}` cannot run again: its `{name}` was not kept.", op=op.name,
                    name=missing[0])
            )  # fmt: skip
        return settings

    def _kept(self, index: int) -> Mapping[str, Any]:
        return self.recording.settings_of.get(index, {})

    def propagate(self) -> None:
        """Run the backward passes again, and enter the values of each of their steps."""
        for call, flows in self.flows.items():
            self._propagate(self.calls[call], flows)

    def _propagate(self, gradient_call: e.Asked, flows: Sequence[e.Flowed]) -> None:
        visited = sorted({flow.event for flow in flows if flow.event >= 0}, reverse=True)
        runs = {event: self._record(event) for event in visited}
        seeds = [(each.tensor, self.value(each.upstream)) for each in flows if each.event < 0]
        report = StepReport()
        tracked = {flow.tensor for flow in flows}
        walk = BackwardPass(RawCotangents(), seeds, set(gradient_call.sources), tracked, report)
        walk.propagate(runs.values())
        steps = report.read()
        if [(step.op, step.position, step.tensor) for step in steps] != [
            (flow.event, flow.position, flow.tensor) for flow in flows
        ]:
            raise ReplayError(say("The backward pass takes another way at these values."))
        for flow, step in zip(flows, steps, strict=True):
            self._enter(flow.upstream, step.upstream)
            self._enter(flow.contribution, step.contribution)
            self._enter(flow.sum, step.sum)
            if flow.local >= 0 and step.op != SEED:
                run = as_op_run(runs[flow.event])
                self._enter(flow.local, local_derivative(run, flow.position))

    def _record(self, event: int) -> Record:
        """The run of an op as the backward pass reads it; its serial is its event."""
        ran = self.ran[event]
        op = self._op(ran)
        results = tuple(map(self.value, ran.outputs))
        return op_run(
            event, 0, Origin(op, _NOWHERE, 0, None), input_ids=ran.inputs,
            inputs=tuple(map(self.value, ran.inputs)),
            result_ids=ran.outputs if op.multi else ran.outputs[0],
            results=results if op.multi else results[0],
            settings=self._settings(op, event, ran), tapes=(1,),
        )  # fmt: skip

    def _enter(self, tensor: int, value: Any) -> None:
        if tensor >= 0 and value is not None and type(value) is not Dropped:
            self.put(tensor, value)

    def recording_now(self) -> Recording:
        """The recording with the new values in the places of the old ones."""
        columns = self.recording.columns
        numbers = columns["values"].copy()
        for tensor, value in self.new.items():
            start = int(columns["tensor.value"][tensor])
            if start < 0:
                name = self.recording.tensor(tensor).name or "a tensor"
                raise ReplayError(
                    say("`{name}` has too many numbers to run again with others.", name=name)
                )
            flat = np.asarray(value, np.float64).ravel()
            numbers[start : start + len(flat)] = flat
        return replace(self.recording, columns={**columns, "values": numbers})


_NOWHERE: Final = replayed.__code__


def _setting(value: Any) -> Any:
    """A setting as the op takes it, from its JSON."""
    if isinstance(value, Mapping):
        if "slice" in value:
            return slice(*value["slice"])
        return Sliding(**{name: _setting(part) for name, part in value.items()})
    if isinstance(value, list | tuple):
        return tuple(map(_setting, value))
    return Ellipsis if value == "..." else value
