"""The replay verifier: runs a recording again and compares each step with what it claims.

Steps run on our own kernels and VJP rules, on a fresh tape. What a student may choose freely is
taken as given: constants, random numbers, and functions with custom gradients. Everything that
follows from them is computed again, and then the gradient call itself: a claimed None is compared
as strictly as a number, and so is every contribution of the backward pass. The first contradiction
raises ReplayMismatch.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapelab.array_ops.creation import constant, convert_to_tensor, ones_like
from tapelab.core.op import REGISTRY
from tapelab.core.op_declaration import Op
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.errors import NoGradientError
from tapelab.recording import Recording
from tapelab.recording.events import Asked, Cause, Flowed, Ran, Watched
from tapelab.recording.facts import KEPT_ELEMENTS, Method
from tapelab.recording.op_facts import OpFacts

__all__ = ["Replay", "ReplayMismatch", "is_own", "our_ops"]


TOLERANCE: Final = 1e-3
"""How far numbers may differ from ours: threads and machines round differently."""
_GRADIENT_METHODS: Final = {Method.GRADIENT, Method.PICTURE}
LiveTensor = Callable[[int], Tensor | None]
"""The replayed tensor at an index of the recording; None where its values are unknown."""


class ReplayMismatch(ValueError):  # noqa: N818 - it says what contradicts what
    """A recording that no tape can have made."""


class GradientReplay:
    """A gradient call of a recording, made again on the tape of its replay."""

    def __init__(
        self, recording: Recording, call: Asked, tape: GradientTape, live: LiveTensor
    ) -> None:
        self._recording, self._call, self._tape, self._live = recording, call, tape, live
        events = [each.event for each in recording.placed(Flowed)]
        flows = [each for each in events if isinstance(each, Flowed)]
        self._flows = [each for each in flows if each.call == call.call]

    def compare(self, *, free: set[int], behind: set[int]) -> None:
        """Make the call; ReplayMismatch where it gives another result.

        Gradients of `free` tensors pass a custom op and may be anything. Tensors `behind` a
        stop_gradient boundary receive a gradient that no tape returns.
        """
        targets = [self._live(index) for index in self._call.targets]
        if any(each is None for each in targets):
            return
        upstream = self._upstream_gradients(targets)
        if upstream is None:
            return
        try:
            self._compare_sources(targets, upstream, free)
            if self._call.method in _GRADIENT_METHODS:
                self._compare_backward_pass(targets, upstream, free, behind)
        except NoGradientError as error:  # an op on the path has no VJP rule, so no result
            if any(each >= 0 for each in self._call.results):
                raise ReplayMismatch("a gradient arrives where an op has no rule") from error

    def _upstream_gradients(self, targets: Sequence[Any]) -> list[Any] | None:
        """The upstream gradient of each target; None where one is not known."""
        upstream = [ones_like(each) for each in targets]
        for flow in self._flows:
            if flow.event < 0 and flow.contribution >= 0 and flow.tensor in self._call.targets:
                value = self._recording.tensor(flow.contribution).value
                if value is None:
                    return None
                at = self._call.targets.index(flow.tensor)
                upstream[at] = constant(value, dtype=targets[at].dtype)
        return upstream

    def _compare_sources(self, targets: list[Any], upstream: list[Any], free: set[int]) -> None:
        states = [
            [(index, live) for index in self._states(source) if (live := self._live(index))
             is not None] for source in self._call.sources
        ]  # fmt: skip
        sources = [live for each in states for _, live in each]
        gradients = iter(self._differentiate(targets, upstream, sources))
        for each, claimed in zip(states, self._call.results, strict=True):
            arrived = [one for one in islice(gradients, len(each)) if one is not None]
            if each and not free & {index for index, _ in each}:
                self._compare_source(arrived, claimed)

    def _compare_source(self, arrived: list[Any], claimed: int) -> None:
        """Compare the sum of the gradients at all states of a source with the claimed one."""
        if claimed >= 0:
            gradients = [np.asarray(convert_to_tensor(each)) for each in arrived]
            self._compare_gradient(sum(gradients[1:], gradients[0]) if gradients else None, claimed)
        elif arrived and not self._is_consumed():
            raise ReplayMismatch("no gradient is claimed where a path leads")

    def _states(self, source: int) -> list[int]:
        """All tensors of a source: a variable has one for each of its states."""
        variable = self._recording.tensor(source).variable
        if variable < 0:
            return [source]
        column = self._recording.columns["tensor.variable"]
        return np.flatnonzero(column == variable).tolist()

    def _differentiate(
        self, targets: list[Any], upstream: list[Any], sources: list[Tensor]
    ) -> list[Any]:
        if self._call.method == Method.JACOBIAN:
            return [self._tape.jacobian(targets[0], each) for each in sources]
        if self._call.method == Method.BATCH_JACOBIAN:
            return [self._tape.batch_jacobian(targets[0], each) for each in sources]
        gradients: list[Any] = self._tape.gradient(targets, sources, output_gradients=upstream)
        return gradients

    def _compare_gradient(self, gradient: NDArray[Any] | None, claimed: int) -> None:
        value = self._recording.tensor(claimed).value
        if gradient is None:
            if not self._call.unconnected:
                raise ReplayMismatch("a gradient arrives where no path leads")
            gradient = np.zeros_like(value) if value is not None else None
        if value is not None and gradient is not None and not is_close(gradient, value):
            raise ReplayMismatch("another gradient arrives")

    def _is_consumed(self) -> bool:
        """Whether the tape was not persistent and had been used up by an earlier call."""
        tape = self._recording.tape
        events = [each.event for each in self._recording.placed(Asked)]
        calls = [each for each in events if isinstance(each, Asked)]
        return (
            self._call.method == Method.PICTURE
            and tape.consumed
            and not tape.persistent
            and any(each.method != Method.PICTURE for each in calls)
        )

    def _compare_backward_pass(
        self, targets: list[Any], upstream: list[Any], free: set[int], behind: set[int]
    ) -> None:
        """Compare the accumulated gradient of every tensor on the path with the claimed one."""
        sums = {each.tensor: each.sum for each in self._flows
                if each.event >= 0 and each.contribution >= 0}  # fmt: skip
        live = {index: self._live(index) for index in sums if index not in free}
        passed = {index: tensor for index, tensor in live.items() if tensor is not None}
        if not passed:
            return
        tensors = list(passed.values())
        gradients = self._tape.gradient(targets, tensors, output_gradients=upstream)
        for index, gradient in zip(passed, gradients, strict=True):
            if gradient is None and index in behind:
                continue
            if gradient is None:
                raise ReplayMismatch("a gradient is claimed to pass where no path leads")
            value = self._recording.tensor(sums[index]).value
            if value is not None and not is_close(np.asarray(convert_to_tensor(gradient)), value):
                raise ReplayMismatch("another gradient passes")


def is_close(got: NDArray[Any], claimed: NDArray[Any]) -> bool:
    """Whether numbers are the same, up to rounding; anything but numbers is not compared."""
    if got.dtype.kind not in "biufc" or claimed.dtype.kind not in "biufc":
        return True
    if got.shape != claimed.shape:
        return False
    scale = float(np.max(np.abs(got), initial=0.0, where=np.isfinite(got)))
    return bool(np.allclose(got, claimed, TOLERANCE, TOLERANCE * min(scale, 1.0), equal_nan=True))


FREE_PATTERNS: Final = {"sampler", "stateful", "outside"}
"""Patterns of ops whose results may differ from run to run."""
BOUNDARY_PATTERN: Final = "stop"
"""The pattern of ops that stop gradients."""
Settings = Sequence[Mapping[str, Any] | None]


@cache
def our_ops() -> Mapping[str, Op]:
    """All ops by their names; some packages declare theirs only when they are imported."""
    from tapelab import ops

    for module in pkgutil.iter_modules(ops.__path__, f"{ops.__name__}."):
        import_module(module.name)
    from tapelab import (  # noqa: F401 - importing them declares their ops
        control_flow,
        debugging,
        image,
        queue,
        random,
        sparse,
        strings,
    )  # fmt: skip

    return dict(REGISTRY)


def is_own(facts: OpFacts) -> bool:
    """Whether an op is a custom op of the student, even one that has the name of ours."""
    known = our_ops().get(facts.name)
    declared = (facts.inputs, facts.formula, facts.glyph, facts.title)
    return known is None or declared != (known.inputs, known.formula, known.glyph, known.title)


class Replay:
    """Runs the steps of a recording again on a new tape."""

    def __init__(self, recording: Recording, settings: Settings) -> None:
        self._recording = recording
        self._settings = settings
        self._live: dict[int, Tensor | None] = {}
        self._unreplayable: list[Ran] = []
        """Taped steps that cannot be computed again."""
        self._behind: set[int] = set()
        """Tensors behind a stop_gradient boundary: gradients end there, and a tape returns None."""
        self._tape = GradientTape(persistent=True)

    def run(self, call: int) -> None:
        """Run all steps, then the gradient call; ReplayMismatch where a result differs."""
        self._run_steps()
        for each in self._recording.placed(Asked):
            if isinstance(each.event, Asked) and each.event.call == call:
                replay = GradientReplay(self._recording, each.event, self._tape, self._live_tensor)
                replay.compare(free=self._free_tensors(), behind=self._behind)

    def _run_steps(self) -> None:
        settings = iter(self._settings)
        with self._tape:
            for each in self._recording.placed(Ran, Watched):
                if isinstance(each.event, Ran):
                    self._step(each.event, next(settings, None))
                elif isinstance(each.event, Watched):
                    self._watch(each.event.tensor)

    def _watch(self, index: int) -> None:
        live = self._live_tensor(index)
        if live is not None and (live.dtype.is_floating or live.dtype.is_complex):
            self._tape.watch(live)

    def _free_tensors(self) -> set[int]:
        """All tensors with a path into a step that cannot be computed again."""
        free = {index for ran in self._unreplayable for index in ran.inputs}
        for each in reversed(self._recording.placed(Ran)):
            if isinstance(each.event, Ran) and free & {*each.event.outputs}:
                free.update(each.event.inputs)
        return free

    def _live_tensor(self, index: int) -> Tensor | None:
        """The replayed tensor, or a constant that no step made; None where it was too large."""
        if index not in self._live:
            facts = self._recording.tensor(index)
            self._live[index] = None
            if facts.value is not None:
                self._live[index] = constant(facts.value, dtype=facts.dtype)
            elif np.prod(facts.shape) <= KEPT_ELEMENTS and facts.dtype != "string":
                raise ReplayMismatch("values are missing that a tape keeps")
        return self._live[index]

    def _step(self, ran: Ran, settings: Mapping[str, Any] | None) -> None:
        facts = self._recording.ops[ran.op]
        op = our_ops().get(facts.name)
        inputs = [self._live_tensor(index) if index >= 0 else None for index in ran.inputs]
        unknown = any(each is None for each in inputs)
        if op is None or is_own(facts) or op.pattern in FREE_PATTERNS or unknown:
            if ran.cause == Cause.TAPED:
                self._unreplayable.append(ran)
                for index in ran.outputs:
                    self._watch(index)
            return
        if op.pattern == BOUNDARY_PATTERN or self._behind & {*ran.inputs}:
            self._behind.update(ran.outputs)
        results = self._run_op(op, inputs, settings, taped=ran.cause == Cause.TAPED)
        if len(results) != len(ran.outputs):
            raise ReplayMismatch(f"{op.name} has other results")
        for index, result in zip(ran.outputs, results, strict=True):
            self._compare(index, result, op.name)

    def _run_op(
        self, op: Op, inputs: Sequence[Any], settings: Mapping[str, Any] | None, *, taped: bool
    ) -> list[Any]:
        known = dict(op.defaults if settings is None else settings)
        try:
            if taped:
                results = op(*inputs, **known)
            else:
                with self._tape.stop_recording():
                    results = op(*inputs, **known)
        except Exception as error:
            raise ReplayMismatch(f"{op.name} raises {type(error).__name__}") from error
        return list(results) if isinstance(results, tuple | list) else [results]

    def _compare(self, index: int, result: Any, name: str) -> None:
        facts = self._recording.tensor(index)
        if facts.value is not None and not is_close(np.asarray(result), facts.value):
            raise ReplayMismatch(f"{name} gives another result")
        if isinstance(result, Tensor) and result.dtype.name != facts.dtype:
            raise ReplayMismatch(f"{name} gives {result.dtype.name}, not {facts.dtype}")
        self._live[index] = result
