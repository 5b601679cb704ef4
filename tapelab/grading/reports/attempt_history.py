"""The history of an attempt in words: handed in, how late, graded and regraded, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from tapelab.grading.formats.csv_tables import format_points
from tapelab.grading.gradebook.entities import DAY, Graded, Handed
from tapelab.grading.result import Result
from tapelab.locales import say, say_many

HOUR: Final = timedelta(hours=1)
MINUTE: Final = timedelta(minutes=1)


def local_time(value: datetime | None) -> str:
    """A time in the time zone of this computer."""
    return value.astimezone().strftime("%Y-%m-%d %H:%M") if value else "–"


def lateness(late: timedelta) -> str:
    """How late something is, in minutes, hours or days; empty for in time."""
    if late <= timedelta(0):
        return ""
    if late < HOUR:
        return say("{minutes} min late", minutes=-(-late // MINUTE))
    if late < 2 * DAY:
        return say("{hours} h late", hours=f"{late / HOUR:.3g}")
    return say("{days} days late", days=f"{late / DAY:.1f}")


def attempt_history(
    handed: Handed, late: timedelta, graded: Sequence[Graded], versions: Mapping[str, datetime]
) -> tuple[str, ...]:
    """One sentence for each event, in order; `versions` says since when each set of checks is."""
    return tuple(_sentences(handed, late, graded, versions))


def _sentences(
    handed: Handed, late: timedelta, graded: Sequence[Graded], versions: Mapping[str, datetime]
) -> Iterator[str]:
    moment = local_time(handed.received)
    if late:
        yield say("Handed in on {moment}, {late}.", moment=moment, late=lateness(late))
    else:
        yield say("Handed in on {moment}.", moment=moment)
    for number, each in enumerate(graded):
        points = {"points": format_points(each.result.points), "of": format_points(each.result.of)}
        if number == 0:
            since = local_time(versions.get(each.result.version, each.at))
            yield say(
                "Graded with the checks of {moment}: {points} of {of}.", moment=since, **points
            )
        else:
            yield _regrading(local_time(each.at), graded[number - 1].result, each.result, points)


def _regrading(moment: str, before: Result, after: Result, points: dict[str, str]) -> str:
    mended = changed_exercises(before, after)
    if not mended:
        return say("Regraded on {moment}: {points} of {of}.", moment=moment, **points)
    return say_many(
        "Regraded on {moment} after exercise {names} was changed: {points} of {of}.",
        "Regraded on {moment} after the exercises {names} were changed: {points} of {of}.",
        len(mended), moment=moment, names=", ".join(mended), **points,
    )  # fmt: skip


def changed_exercises(before: Result, after: Result) -> tuple[str, ...]:
    """The exercises whose checks differ between two results of a submission."""
    earlier = _check_versions(before)
    later = _check_versions(after)
    return tuple(each for each in later if later[each] != earlier.get(each))


def _check_versions(result: Result) -> dict[str, set[tuple[str, str]]]:
    return {e.exercise: {(c.key, c.version) for c in e.checks} for e in result.exercises}
