"""A recording run again, step by step, with our own kernels and rules: the same must come out.

What a learner may choose freely is taken as it stands: the numbers they begin with, what a random
generator gave, and functions with gradients of their own. Everything else is computed anew.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np

from tapelab.array_ops.creation import constant
from tapelab.core.op import REGISTRY
from tapelab.core.op_declaration import Op
from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.grading.asking_again import Again, Doubt, alike
from tapelab.recording import Recording
from tapelab.recording.events import Asked, Cause, Ran, Watched
from tapelab.recording.facts import KEPT_ELEMENTS
from tapelab.recording.op_facts import OpFacts

__all__ = ["Doubt", "Replay", "is_own", "ours"]

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
