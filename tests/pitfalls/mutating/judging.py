"""Whether a mutant's gradient changed, and whether the right thing is found."""

from __future__ import annotations

import contextlib
import random
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import tapelab
from tapelab.diagnosis import Explanation, Finding
from tests.pitfalls.healthy import HEALTHY
from tests.pitfalls.mutating import moves, wraps
from tests.pitfalls.mutating.text import Mutant, Program, meant
from tests.pitfalls.questions import Ran

KINDS: dict[str, wraps.Mutation] = {
    **{kind: wraps.wrapped(kind, wrap) for kind, wrap in wraps.WRAPS.items()},
    "NumPy's function": wraps.by_numpy,
    "predict": wraps.by_predict,
    "out, and back a line later": wraps.two_lines,
    "assign in the tape": wraps.assigned,
    "before the tape": moves.before_the_tape,
    "behind the tape": moves.after_the_tape,
    "stop_recording": moves.paused,
    "no watch": moves.unwatched,
    "late watch": moves.late,
    "a constant": moves.constant,
    "trainable=False": moves.untrainable,
    "integers": moves.integers,
    "no auto-watch": moves.not_by_itself,
    "swapped arguments": moves.swapped,
    "another object": moves.another_object,
    "rebound before the tape": moves.rebound,
    "rebound by a step": moves.rebound_by_the_step,
}
TRIES = 30


class Verdict(NamedTuple):
    """What became of a mutant: `found`, `missed`, `alarm`, `unchanged`, `raised` or `none`."""

    kind: str
    outcome: str
    mutant: Mutant | None = None
    said: str = ""


@contextlib.contextmanager
def _without_updates() -> Iterator[None]:
    """Weights that stay what they are: what a cut changes is the gradient alone."""
    still = {"assign_sub": lambda self, *_, **__: self}
    with (
        patch.multiple(tapelab.Variable, **still),
        patch.object(tapelab.keras.optimizers.Optimizer, "apply_gradients", lambda *_, **__: None),
    ):
        yield


def _numbers(gradient: Any) -> Any:
    return None if gradient is None else np.asarray(tapelab.convert_to_tensor(gradient))


def _answers(text: str) -> list[Any]:
    with _without_updates():
        return list(map(_numbers, Ran(text).gradients))


@cache
def _healthy_answers(name: str) -> tuple[Any, ...]:
    return tuple(_answers(HEALTHY[name]))


def _is_hit(whole: Any, left: Any, keeps_values: bool) -> bool:
    """Whether a gradient was lost, or a part of it."""
    if left is None:
        return True
    if not keeps_values or whole.shape != left.shape:
        return False
    return not np.allclose(whole, left, rtol=1e-3, atol=1e-6, equal_nan=True)


def _first(explanation: Explanation) -> Finding | None:
    """The most decisive finding; a zero in place of a None has its reason behind it."""
    findings = [each for each in explanation.findings if each.code != "UNCONNECTED_ZERO"]
    return next(iter(findings), None)


def judged(program: Program, mutant: Mutant) -> Verdict:
    """Run a mutant and compare what is found with what was put in."""
    try:
        answers = _answers(mutant.text)
        ran = Ran(mutant.text)
    except Exception as error:  # noqa: BLE001  any: a mutant that raises is no pitfall of a gradient
        return Verdict(mutant.kind, "raised", mutant, f"{type(error).__name__}: {error}")
    wholes = _healthy_answers(program.name)[: len(answers)]
    hit = [_is_hit(*both, mutant.keeps_values) for both in zip(wholes, answers, strict=True)]
    if not any(hit):
        return Verdict(mutant.kind, "unchanged", mutant)
    return _compared(mutant, ran.explanations(), hit)


def _compared(mutant: Mutant, explanations: list[Explanation], hit: list[bool]) -> Verdict:
    """Whether each gradient that was hit has its reason, and each other has none."""
    lines, alarm = meant(mutant.text), ""
    for explanation, is_hit in zip(explanations, hit, strict=True):
        first = _first(explanation)
        line = first.where.line if first and first.where else 0
        said = f"{explanation.source}: {first.code if first else 'nothing'} in line {line}"
        right = first is not None and first.code in mutant.code.split() and line in lines
        if is_hit and not right:
            return Verdict(mutant.kind, "missed", mutant, said)
        if first and not is_hit and mutant.keeps_values:
            alarm = said
    return Verdict(mutant.kind, "alarm" if alarm else "found", mutant, alarm)


def _drawn(
    programs: list[Program], mutate: wraps.Mutation, draw: random.Random
) -> tuple[Program, Mutant | None]:
    """A program in which the kind has a place; after some tries any."""
    for _ in range(TRIES):
        program = draw.choice(programs)
        mutant = mutate(program, draw)
        if mutant:
            break
    return program, mutant


def verdicts(seed: int, names: list[str] | None = None) -> Iterator[Verdict]:
    """Mutants without end: each kind in turn, of programs by chance."""
    draw = random.Random(seed)
    programs = [Program(name, HEALTHY[name]) for name in names or sorted(HEALTHY)]
    while True:
        for kind, mutate in KINDS.items():
            program, mutant = _drawn(programs, mutate, draw)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield judged(program, mutant) if mutant else Verdict(kind, "none")
