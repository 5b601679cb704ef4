"""The replay verifier: runs a recording again and compares each step with what it claims.

Steps run on our own kernels and VJP rules, on a fresh tape. What a student may choose freely is
taken as given: constants, random numbers, and functions with custom gradients. Everything that
follows from them is computed again, and then the gradient call itself: a claimed None is compared
as strictly as a number, and so is every contribution of the backward pass. The first contradiction
raises Doubt.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any, Final

import numpy as np

from tapelab.array_ops.creation import constant, convert_to_tensor, ones_like
from tapelab.core.op import REGISTRY, Op
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.errors import NoGradientError
from tapelab.recording import Recording
from tapelab.recording.events import Asked, Cause, Flowed, Ran, Watched
from tapelab.recording.facts import KEPT_ELEMENTS, Method
from tapelab.recording.op_facts import OpFacts

__all__ = ["Doubt", "Replay", "is_own", "ours"]


CLOSE: Final = 1e-3
"""How far a number may be from what comes out here: threads and machines round differently."""
_GRADIENTS: Final = {Method.GRADIENT, Method.PICTURE}
Live = Callable[[int], Tensor | None]
"""The tensor at an index, come to life again; None where its numbers are not known."""


class Doubt(ValueError):  # noqa: N818 - it says what contradicts what
    """A recording that no tape can have made."""


class Again:
    """A question of a recording, and the tape that is asked it again."""

    def __init__(self, recording: Recording, asked: Asked, tape: GradientTape, live: Live) -> None:
        self._recording, self._asked, self._tape, self._live = recording, asked, tape, live
        events = [each.event for each in recording.placed(Flowed)]
        flows = [each for each in events if isinstance(each, Flowed)]
        self._flows = [each for each in flows if each.call == asked.call]

    def compare(self, *, free: set[int], behind: set[int]) -> None:
        """Ask; Doubt where another answer comes.

        The gradients of what is `free` pass something of the learner's own, and may be anything.
        What lies `behind` a wall gets a gradient that no tape gives.
        """
        targets = [self._live(index) for index in self._asked.targets]
        if any(each is None for each in targets):
            return
        seeds = self._seeds(targets)
        if seeds is None:
            return
        try:
            self._sources(targets, seeds, free)
            if self._asked.method in _GRADIENTS:
                self._way(targets, seeds, free, behind)
        except NoGradientError as error:  # an op on the way has no rule, so there is no answer
            if any(each >= 0 for each in self._asked.results):
                raise Doubt("a gradient arrives where an op has no rule") from error

    def _seeds(self, targets: Sequence[Any]) -> list[Any] | None:
        """What was given as upstream of each target; None where that is not known."""
        seeds = [ones_like(each) for each in targets]
        for flow in self._flows:
            if flow.event < 0 and flow.contribution >= 0 and flow.tensor in self._asked.targets:
                value = self._recording.tensor(flow.contribution).value
                if value is None:
                    return None
                at = self._asked.targets.index(flow.tensor)
                seeds[at] = constant(value, dtype=targets[at].dtype)
        return seeds

    def _sources(self, targets: list[Any], seeds: list[Any], free: set[int]) -> None:
        states = [
            [(index, live) for index in self._states(source) if (live := self._live(index))
             is not None] for source in self._asked.sources
        ]  # fmt: skip
        found = iter(self._put(targets, seeds, [live for each in states for _, live in each]))
        for each, claimed in zip(states, self._asked.results, strict=True):
            arrived = [one for one in islice(found, len(each)) if one is not None]
            if each and not free & {index for index, _ in each}:
                self._compare(arrived, claimed)

    def _compare(self, arrived: list[Any], claimed: int) -> None:
        """What arrives here at all that a source was, beside what is said to arrive."""
        if claimed >= 0:
            numbers = [np.asarray(convert_to_tensor(each)) for each in arrived]
            self._number(sum(numbers[1:], numbers[0]) if numbers else None, claimed)
        elif arrived and not self._unanswered():
            raise Doubt("no gradient is said to arrive where a path leads")

    def _states(self, source: int) -> list[int]:
        """All that a source was: a variable is itself in all its states."""
        variable = self._recording.tensor(source).variable
        if variable < 0:
            return [source]
        column = self._recording.columns["tensor.variable"]
        return np.flatnonzero(column == variable).tolist()

    def _put(self, targets: list[Any], seeds: list[Any], sources: list[Tensor]) -> list[Any]:
        if self._asked.method == Method.JACOBIAN:
            return [self._tape.jacobian(targets[0], each) for each in sources]
        if self._asked.method == Method.BATCH_JACOBIAN:
            return [self._tape.batch_jacobian(targets[0], each) for each in sources]
        found: list[Any] = self._tape.gradient(targets, sources, output_gradients=seeds)
        return found

    def _number(self, found: Any, claimed: int) -> None:
        value = self._recording.tensor(claimed).value
        if found is None:
            if not self._asked.unconnected:
                raise Doubt("a gradient arrives where no path leads")
            found = np.zeros_like(value) if value is not None else None
        if value is not None and found is not None and not alike(found, value):
            raise Doubt("another gradient arrives")

    def _unanswered(self) -> bool:
        """Whether the tape had given its one answer before, and could not be asked any more."""
        tape = self._recording.tape
        events = [each.event for each in self._recording.placed(Asked)]
        earlier = [each for each in events if isinstance(each, Asked)]
        return (
            self._asked.method == Method.PICTURE
            and tape.consumed
            and not tape.persistent
            and any(each.method != Method.PICTURE for each in earlier)
        )

    def _way(self, targets: list[Any], seeds: list[Any], free: set[int], behind: set[int]) -> None:
        """Every tensor that the gradient is said to pass gets what is said here, too."""
        sums = {each.tensor: each.sum for each in self._flows
                if each.event >= 0 and each.contribution >= 0}  # fmt: skip
        known = {index: self._live(index) for index in sums if index not in free}
        passed = [(index, live) for index, live in known.items() if live is not None]
        if not passed:
            return
        lives = [live for _, live in passed]
        found = self._tape.gradient(targets, lives, output_gradients=seeds)
        for (index, _), one in zip(passed, found, strict=True):
            if one is None and index in behind:
                continue
            if one is None:
                raise Doubt("a gradient is said to pass where no path leads")
            value = self._recording.tensor(sums[index]).value
            if value is not None and not alike(np.asarray(convert_to_tensor(one)), value):
                raise Doubt("another gradient passes")


def alike(got: Any, claimed: Any) -> bool:
    """Whether numbers are the same, up to rounding; anything but numbers is not compared."""
    if got.dtype.kind not in "biufc" or claimed.dtype.kind not in "biufc":
        return True
    if got.shape != claimed.shape:
        return False
    scale = float(np.max(np.abs(got), initial=0.0, where=np.isfinite(got)))
    return bool(np.allclose(got, claimed, CLOSE, CLOSE * min(scale, 1.0), equal_nan=True))


FREE: Final = {"sampler", "stateful", "outside"}
"""Patterns of ops that need not give the same twice."""
_ROOMS: Final = ("control", "debugging", "image", "queue", "random", "sparse", "strings")
WALL: Final = "stop"
"""The pattern of ops that hold gradients back."""
Settings = Sequence[Mapping[str, Any] | None]


@cache
def ours() -> Mapping[str, Op]:
    """All ops by their names; some rooms declare theirs only when they are entered."""
    from tapelab import ops

    for module in pkgutil.iter_modules(ops.__path__, f"{ops.__name__}."):
        import_module(module.name)
    for room in _ROOMS:
        import_module(f"tapelab.{room}")
    return dict(REGISTRY)


def is_own(facts: OpFacts) -> bool:
    """Whether an op is a learner's, even if it is called as one of ours."""
    known = ours().get(facts.name)
    told = (facts.inputs, facts.formula, facts.glyph, facts.title)
    return known is None or told != (known.inputs, known.formula, known.glyph, known.title)


class Replay:
    """The tensors of a recording come to life again on a tape of ours."""

    def __init__(self, recording: Recording, settings: Settings) -> None:
        self._recording = recording
        self._settings = settings
        self._live: dict[int, Tensor | None] = {}
        self._uncertain: list[Ran] = []
        """Steps on the tape that cannot be computed again."""
        self._behind: set[int] = set()
        """What comes out of walls: a gradient gets there and no further, and a tape gives None."""
        self._tape = GradientTape(persistent=True)

    def run(self, call: int) -> None:
        """Run all steps, then ask again; Doubt where something else comes out."""
        settings = iter(self._settings)
        with self._tape:
            for each in self._recording.placed(Ran, Watched):
                if isinstance(each.event, Ran):
                    self._step(each.event, next(settings, None))
                elif isinstance(each.event, Watched):
                    self._watch(each.event.tensor)
        for each in self._recording.placed(Asked):
            if isinstance(each.event, Asked) and each.event.call == call:
                again = Again(self._recording, each.event, self._tape, self._leaf)
                again.compare(free=self._free(), behind=self._behind)

    def _watch(self, index: int) -> None:
        live = self._leaf(index)
        if live is not None and (live.dtype.is_floating or live.dtype.is_complex):
            self._tape.watch(live)

    def _free(self) -> set[int]:
        """All from which a path leads into a step that cannot be computed again."""
        free = {index for ran in self._uncertain for index in ran.inputs}
        for each in reversed(self._recording.placed(Ran)):
            if isinstance(each.event, Ran) and free & {*each.event.outputs}:
                free.update(each.event.inputs)
        return free

    def _leaf(self, index: int) -> Tensor | None:
        """A tensor that no step made; None where its numbers were too many to be kept."""
        if index not in self._live:
            facts = self._recording.tensor(index)
            self._live[index] = None
            if facts.value is not None:
                self._live[index] = constant(facts.value, dtype=facts.dtype)
            elif np.prod(facts.shape) <= KEPT_ELEMENTS and facts.dtype != "string":
                raise Doubt("numbers are missing that a tape keeps")
        return self._live[index]

    def _step(self, ran: Ran, settings: Mapping[str, Any] | None) -> None:
        facts = self._recording.ops[ran.op]
        op = ours().get(facts.name)
        inputs = [self._leaf(index) if index >= 0 else None for index in ran.inputs]
        unknown = any(each is None for each in inputs)
        if op is None or is_own(facts) or op.pattern in FREE or unknown:
            if ran.cause == Cause.TAPED:
                self._uncertain.append(ran)
                for index in ran.outputs:
                    self._watch(index)
            return
        if op.pattern == WALL or self._behind & {*ran.inputs}:
            self._behind.update(ran.outputs)
        taped = ran.cause in (Cause.TAPED, Cause.REPLACED)
        results = self._computed(op, inputs, settings, taped=taped)
        if len(results) != len(ran.outputs):
            raise Doubt(f"{op.name} has other results")
        for index, made in zip(ran.outputs, results, strict=True):
            self._compare(index, made, op.name)

    def _computed(
        self, op: Op, inputs: Sequence[Any], settings: Mapping[str, Any] | None, *, taped: bool
    ) -> list[Any]:
        known = dict(op.defaults if settings is None else settings)
        try:
            if taped:
                made = op(*inputs, **known)
            else:
                with self._tape.stop_recording():
                    made = op(*inputs, **known)
        except Exception as error:
            raise Doubt(f"{op.name} cannot have run so ({type(error).__name__})") from error
        return list(made) if isinstance(made, tuple | list) else [made]

    def _compare(self, index: int, made: Any, name: str) -> None:
        facts = self._recording.tensor(index)
        if facts.value is not None and not alike(np.asarray(made), facts.value):
            raise Doubt(f"{name} gives something else")
        if isinstance(made, Tensor) and made.dtype.name != facts.dtype:
            raise Doubt(f"{name} gives {made.dtype.name}, not {facts.dtype}")
        self._live[index] = made
