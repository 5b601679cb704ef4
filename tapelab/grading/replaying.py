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

from tapelab.arrays.creation import constant, convert_to_tensor
from tapelab.engine.op import REGISTRY, Op
from tapelab.engine.tape import GradientTape
from tapelab.engine.tensor import Tensor
from tapelab.recording import Recording
from tapelab.recording.events import Asked, Cause, Ran
from tapelab.recording.facts import KEPT_ELEMENTS, Method
from tapelab.recording.op_facts import OpFacts

CLOSE: Final = 1e-3
"""How far a number may be from what comes out here: threads and machines round differently."""
FREE: Final = {"sampler", "stateful", "outside"}
"""Patterns of ops that need not give the same twice."""
_GRADIENTS: Final = {Method.GRADIENT, Method.PICTURE}
_ROOMS: Final = ("control", "debugging", "image", "queue", "random", "sparse", "strings")
Settings = Sequence[Mapping[str, Any] | None]


class Doubt(ValueError):  # noqa: N818 - it says what contradicts what
    """A recording that no tape can have made."""


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
        self._uncertain: set[int] = set()
        """What came of a step that cannot be computed again."""
        self._tape = GradientTape(persistent=True)

    def run(self, call: int) -> None:
        """Run all steps, then ask again; Doubt where something else comes out."""
        with self._tape:
            steps = self._recording.placed(Ran)
            for at, each in enumerate(steps):
                assert isinstance(each.event, Ran)
                told = self._settings[at] if at < len(self._settings) else None
                self._step(each.event, told)
        for each in self._recording.placed(Asked):
            if isinstance(each.event, Asked) and each.event.call == call:
                self._ask(each.event)

    def _leaf(self, index: int) -> Tensor | None:
        """A tensor that no step made; None where its numbers were too many to be kept."""
        if index not in self._live:
            facts = self._recording.tensor(index)
            self._live[index] = None
            if facts.value is not None:
                self._live[index] = made = constant(facts.value, dtype=facts.dtype)
                if made.dtype.is_floating or made.dtype.is_complex:
                    self._tape.watch(made)
            elif np.prod(facts.shape) <= KEPT_ELEMENTS and facts.dtype != "string":
                raise Doubt("numbers are missing that a tape keeps")
        return self._live[index]

    def _step(self, ran: Ran, settings: Mapping[str, Any] | None) -> None:
        facts = self._recording.ops[ran.op]
        op = ours().get(facts.name)
        inputs = [self._leaf(index) if index >= 0 else None for index in ran.inputs]
        unknown = any(each is None for each in inputs)
        if op is None or is_own(facts) or op.pattern in FREE or unknown:
            uncertain = ran.cause == Cause.TAPED
            self._uncertain.update(ran.outputs if uncertain else ())
            return
        if self._uncertain & {*ran.inputs}:
            self._uncertain.update(ran.outputs)
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
        self._live[index] = made

    def _ask(self, asked: Asked) -> None:
        if asked.method not in _GRADIENTS:
            return
        targets = [self._leaf(index) for index in asked.targets]
        unknown = any(each is None for each in targets)
        if unknown or self._uncertain & {*asked.targets}:
            return
        for source, claimed in zip(asked.sources, asked.results, strict=True):
            live = self._leaf(source)
            if claimed >= 0 and live is not None:
                self._arrived(targets, live, claimed, zero=bool(asked.unconnected))

    def _arrived(self, targets: list[Any], source: Tensor, claimed: int, *, zero: bool) -> None:
        found = self._tape.gradient(targets, source)
        value = self._recording.tensor(claimed).value
        if found is None:
            if not zero:
                raise Doubt("a gradient arrives where no path leads")
        elif value is not None and not alike(np.asarray(convert_to_tensor(found)), value):
            raise Doubt("another gradient arrives")


def alike(got: Any, claimed: Any) -> bool:
    """Whether numbers are the same, up to rounding; anything but numbers is not compared."""
    if got.dtype.kind not in "biufc" or claimed.dtype.kind not in "biufc":
        return True
    if got.shape != claimed.shape:
        return False
    scale = float(np.max(np.abs(got), initial=0.0, where=np.isfinite(got)))
    return bool(np.allclose(got, claimed, CLOSE, CLOSE * min(scale, 1.0), equal_nan=True))
