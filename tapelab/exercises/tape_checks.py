"""Checks of what a learner's tape recorded. They read the Recording, never the source text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from tapelab.exercises.answer import TAPE_TARGET_SOURCE, Answer, Ends
from tapelab.exercises.check import Check, Outcome, Slip
from tapelab.exercises.checks import NO_ARGUMENTS, TOLERANCE, Arguments
from tapelab.exercises.plain import close
from tapelab.exercises.tape_trial import Trial
from tapelab.exercises.value_text import listed, spelled
from tapelab.locales import paragraph, say, say_many
from tapelab.recording.facts import KEPT_ELEMENTS
from tapelab.views.number_format import count

UNUSED: Final = "UNUSED_SOURCE"


def _check(
    title: str, points: float, ends: Ends, look: Callable[[Trial], Outcome | None],
    slips: Sequence[Slip] = (), at: Sequence[Arguments] = NO_ARGUMENTS,
) -> Check:  # fmt: skip
    """A check that sees a trial for all arguments in `at`; None from `look` means full points.

    What is wrong comes with the recording, the pitfall in it, and the event at which to look.
    """

    def judge(answer: Answer) -> Outcome:
        for arguments in at:
            trial = answer.trial(ends, *arguments)
            if outcome := look(trial):
                return replace(outcome, code=trial.code, trial=trial, event=trial.place)
        return check.full()

    check = Check(title, points, judge, slips=tuple(slips))
    return check


def arrives(
    title: str, points: float, expected: ArrayLike, *, ends: Ends = TAPE_TARGET_SOURCE,
    slips: Sequence[Slip] = (), at: Sequence[Arguments] = NO_ARGUMENTS,
    target: float | None = None,
) -> Check:  # fmt: skip
    """A gradient arrives at the source and is the right one; half the points if it only arrives.

    `target` is what the target sums up to: a right gradient of another function is not enough.
    """
    right = np.asarray(expected, float)
    if right.size > KEPT_ELEMENTS:
        raise ValueError(
            f"arrives() compares up to {KEPT_ELEMENTS} numbers, as many as a recording keeps of a "
            f"gradient; {title!r} expects {right.size}. Try fewer, or compare their sum by value()."
        )

    def look(trial: Trial) -> Outcome | None:
        got = trial.gradient
        if not trial.connected:
            return Outcome(0, say("No gradient arrives yet."), spelled(right), "None")
        if got is None:  # it has more numbers than a recording keeps
            text = say("A gradient arrives, but it has another shape.")
            return Outcome(points // 2, text, spelled(right))
        another = say("A gradient arrives, but the function is another one now.")
        if close(got, right, TOLERANCE):
            return _elsewhere(trial, target, Outcome(points // 2, another))
        for slip in slips:
            if close(got, np.asarray(slip.value, float), TOLERANCE):
                return Outcome(slip.points, slip.text, spelled(right), spelled(got))
        return Outcome(points // 2, another, spelled(right), spelled(got))

    return _check(title, points, ends, look, slips, at)


def _elsewhere(trial: Trial, target: float | None, another: Outcome) -> Outcome | None:
    """What is found where the target is another one than it should be; None where it is not."""
    if target is None or trial.target is None:
        return None
    right = np.asarray(target)
    if close(trial.target, right, TOLERANCE):
        return None
    return replace(another, expected=spelled(right), got=spelled(trial.target))


def flows_through(
    title: str, points: float, name: str, *, ends: Ends = TAPE_TARGET_SOURCE
) -> Check:  # fmt: skip
    """On its way to the source, the gradient passes the tensor of this name."""

    def look(trial: Trial) -> Outcome | None:
        if name in trial.flowing():
            return None
        return Outcome(0, say("No gradient reaches `{name}`.", name=name))

    return _check(title, points, ends, look)


def none_because(
    title: str, points: float, codes: Collection[str], *, ends: Ends = TAPE_TARGET_SOURCE,
    at: Sequence[Arguments] = NO_ARGUMENTS,
) -> Check:  # fmt: skip
    """The gradient is None for one of these reasons; a third of the points for another one.

    A source from which nothing was computed is worth nothing, unless that is the reason.
    """

    def look(trial: Trial) -> Outcome | None:
        wanted = " or ".join(codes)
        if trial.connected:
            return Outcome(0, say("A gradient arrives, so there is nothing to explain."), "None")
        code = trial.code
        if code in codes:
            return None
        part = 0 if code == UNUSED else points // 3
        return Outcome(
            part, say("It is None, for another reason."), wanted, code or say("no finding")
        )

    return _check(title, points, ends, look, at=at)


def watches(
    title: str, points: float, names: Sequence[str], *, ends: Ends = TAPE_TARGET_SOURCE
) -> Check:  # fmt: skip
    """The tape watches exactly the tensors and variables of these names."""

    def look(trial: Trial) -> Outcome | None:
        got = trial.watched()
        if sorted(got) == sorted(names):
            return None
        missing = [name for name in names if name not in got]
        extra = [name for name in got if name not in names]
        text = paragraph(
            say("{names} is not watched.", names=listed(missing)) if missing else "",
            say("{names} need not be watched.", names=listed(extra)) if extra else "",
        )
        return Outcome(0 if missing else points // 2, text, listed(names), listed(got))

    return _check(title, points, ends, look)


def uses(title: str, points: float, op: str, *, ends: Ends = TAPE_TARGET_SOURCE) -> Check:
    """An op of this name is on the tape."""

    def look(trial: Trial) -> Outcome | None:
        got = trial.taped_ops()
        return (
            None
            if op in got
            else Outcome(0, say("There is no {op} on the tape.", op=op), op, listed(got))
        )

    return _check(title, points, ends, look)


def avoids(title: str, points: float, op: str, *, ends: Ends = TAPE_TARGET_SOURCE) -> Check:
    """No op of this name is on the tape, and something is."""

    def look(trial: Trial) -> Outcome | None:
        got = trial.taped_ops()
        if not got:
            return Outcome(0, say("Nothing is on the tape yet."))
        if op not in got:
            return None
        return Outcome(
            0,
            say_many(
                "{op} is on the tape {count} time.",
                "{op} is on the tape {count} times.",
                got.count(op),
                op=op,
            ),
        )

    return _check(title, points, ends, look)


def at_most(title: str, points: float, ops: int, *, ends: Ends = TAPE_TARGET_SOURCE) -> Check:
    """A gradient arrives, and no more than this many ops are on the tape."""

    def look(trial: Trial) -> Outcome | None:
        got = len(trial.taped_ops())
        if not trial.connected:
            return Outcome(0, say("No gradient arrives yet."))
        if got <= ops:
            return None
        return Outcome(0, "", say("at most {count}", count=count(ops, "op")), count(got, "op"))

    return _check(title, points, ends, look)


def no_pitfall(
    title: str, points: float, codes: Collection[str] = (), *, ends: Ends = TAPE_TARGET_SOURCE
) -> Check:
    """The diagnosis finds none of these pitfalls in what was recorded; by default none at all."""

    def look(trial: Trial) -> Outcome | None:
        findings = trial.explanation.findings
        met = [each for each in findings if not codes or each.code in codes]
        return Outcome(0, f"{met[0].title}.", got=met[0].code) if met else None

    return _check(title, points, ends, look)


def memory_at_most(
    title: str, points: float, most: int, *, ends: Ends = TAPE_TARGET_SOURCE
) -> Check:
    """A gradient arrives, and tape and backward pass never hold more than so many bytes."""

    def look(trial: Trial) -> Outcome | None:
        if not trial.connected:
            return Outcome(0, say("No gradient arrives yet."))
        if trial.memory < 0:
            return Outcome(
                0,
                say(
                    "The memory of this tape cannot be verified, "
                    "because its steps cannot be run again."
                ),
            )
        if trial.memory <= most:
            return None
        return Outcome(
            0, "", say("at most {count}", count=count(most, "byte")), count(trial.memory, "byte")
        )

    return _check(title, points, ends, look)
