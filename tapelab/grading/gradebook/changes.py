"""What grading anew changed: check by check, from one result to the next."""

from __future__ import annotations

from dataclasses import dataclass

from tapelab.grading.result import CheckResult, Result


@dataclass(frozen=True)
class Change:
    """A check that has other points than before; None where it was not there."""

    student: str
    exercise: str
    check: str
    before: float | None
    after: float | None
    of: float

    @property
    def by(self) -> float:
        """How many points more."""
        return (self.after or 0.0) - (self.before or 0.0)


def changed(before: Result, after: Result) -> tuple[Change, ...]:
    """The checks that differ in their points, or came, or went; in the order of `after`."""
    old, new = _checks(before), _checks(after)
    keys = [*new, *(key for key in old if key not in new)]
    found = (_change(after.student, key, old.get(key), new.get(key)) for key in keys)
    return tuple(each for each in found if each.before != each.after)


def _change(
    student: str, key: tuple[str, str], before: CheckResult | None, after: CheckResult | None
) -> Change:
    exercise, _ = key
    one = after or before
    assert one is not None, "the key is of one of them"
    was, is_now = (each.points if each else None for each in (before, after))
    return Change(student, exercise, one.title, was, is_now, one.of)


def _checks(result: Result) -> dict[tuple[str, str], CheckResult]:
    return {(e.exercise, check.key): check for e in result.exercises for check in e.checks}
