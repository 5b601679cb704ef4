"""How a class did, by check and by pitfall: numbers from results, and a page with plots."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.grading.gradebook.grade_rows import ABSENT, STATUSES, Verdicts
from tapelab.grading.gradebook.grade_tables import ClassVerdicts, GradedCheck
from tapelab.grading.reports.report_page import page, picture, status_word, table
from tapelab.grading.result import Status
from tapelab.locales import language, paragraph, say, say_many, sentence, translated

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tapelab.grading.gradebook import Gradebook


@dataclass(frozen=True)
class CheckStatistics:
    """How one check ended for all students, and what the diagnosis found in their recordings."""

    exercise: str
    check: str
    visibility: str
    of: float
    students: int
    mean: float
    statuses: dict[str, int]
    pitfalls: dict[str, int]
    """By code, how many students fell into it."""

    @property
    def passed(self) -> float:
        """The part of the students with all points, 0 to 1."""
        return self.statuses.get(Status.PASSED, 0) / self.students if self.students else 0.0


@dataclass(frozen=True)
class Statistics:
    """An assignment in numbers; `points` are those of each student, in the order of the roster."""

    assignment: str
    title: str
    of: float
    students: int
    handed_in: int
    graded: int
    points: tuple[float, ...]
    checks: tuple[CheckStatistics, ...]
    pitfalls: dict[str, int]

    @property
    def mean(self) -> float:
        """Of those who have a result."""
        return fmean(self.points) if self.points else 0.0

    @property
    def median(self) -> float:
        """Of those who have a result."""
        return median(self.points) if self.points else 0.0

    def to_json(self) -> str:
        """Everything, for programs."""
        more = {"mean": self.mean, "median": self.median}
        return json.dumps(asdict(self) | more, ensure_ascii=False, indent=2)

    def to_csv(self) -> str:
        """A line for each check, for spreadsheets."""
        out = io.StringIO()
        table = csv.writer(out, lineterminator="\n")
        statuses = [status.value for status in Status]
        table.writerow(["exercise", "check", "visibility", "of", "students", "mean", *statuses,
                        "pitfalls"])  # fmt: skip
        for each in self.checks:
            counts = [each.statuses.get(status, 0) for status in statuses]
            fallen = "; ".join(f"{code} {count}" for code, count in each.pitfalls.items())
            table.writerow([each.exercise, each.check, each.visibility, f"{each.of:g}",
                            each.students, f"{each.mean:.4g}", *counts, fallen])  # fmt: skip
        return out.getvalue()


def statistics_of(book: Gradebook, assignment: str) -> Statistics:
    """The statistics over the attempt that counts of each student."""
    return class_statistics(book, assignment, book.verdicts(assignment))


def class_statistics(book: Gradebook, assignment: str, graded: ClassVerdicts) -> Statistics:
    """The statistics of verdicts that were read already."""
    known = book.assignment(assignment)
    checks = checks_of(book.checks(assignment), graded.verdicts)
    return Statistics(
        known.name, known.title, known.of, book.student_count(),
        book.counts(assignment).handed_in, len(graded.students), graded.finals, checks,
        dict(graded.verdicts.pitfalls.get(None, Counter()).most_common()),
    )  # fmt: skip


def checks_of(checks: Sequence[GradedCheck], verdicts: Verdicts) -> tuple[CheckStatistics, ...]:
    """The statistics of each check that somebody's result has."""
    places = [place for place in np.unique(verdicts.status).tolist() if place != ABSENT]
    # For each status a row: how many students each check ended with it for.
    counts = np.array([(verdicts.status == place).sum(axis=0) for place in places])
    points = verdicts.points.sum(axis=0)
    statuses = [STATUSES[place] for place in places]
    return tuple(
        _statistics(each, dict(zip(statuses, counts[:, each.position].tolist(), strict=True)),
                    float(points[each.position]), verdicts.pitfalls.get(each.position, Counter()))
        for each in checks if places and counts[:, each.position].any()
    )  # fmt: skip


def _statistics(
    check: GradedCheck, statuses: dict[Status, int], points: float, pitfalls: Counter[str]
) -> CheckStatistics:
    students = sum(statuses.values())
    return CheckStatistics(
        check.exercise, check.title, check.visibility, check.of, students, points / students,
        {status.value: count for status, count in statuses.items() if count},
        dict(pitfalls.most_common()),
    )  # fmt: skip


# The hues of Okabe and Ito, which readers who see fewer colours tell apart, too.
COLOURS: Final = {
    sentence("all points"): ("#009e73", {Status.PASSED}),
    sentence("a part"): ("#56b4e9", {Status.PARTIAL}),
    sentence("none"): ("#e69f00", {Status.FAILED}),
    sentence("not begun"): ("#bbbbbb", {Status.UNSOLVED}),
    sentence("waits for a person"): ("#f0e442", {Status.WAITING}),
    sentence("stopped"): ("#d55e00", {Status.RAISED, Status.TIMEOUT, Status.MEMORY, Status.CRASHED,
                            Status.OUTPUT, Status.REFUSED}),
    sentence("the check itself failed"): ("#000000", {Status.BROKEN}),
}  # fmt: skip
MOST_BARS: Final = 30
"""Bars in one plot, so that it stays readable."""
LONGEST: Final = 44
"""Letters of a title beside a bar."""


def statistics_page(data: Statistics) -> str:
    """The page: how many points, how each check went, and the pitfalls."""
    return _drawn_page(_PageKey(repr(data), language(), data))


@dataclass(frozen=True)
class _PageKey:
    """What a page follows from: plots are drawn once for the same numbers."""

    numbers: str
    language: str
    data: Statistics = field(compare=False)


@lru_cache(maxsize=8)
def _drawn_page(key: _PageKey) -> str:
    return page(say("{title}: how it went", title=key.data.title), _body(key.data))


def _body(data: Statistics) -> Iterator[str]:
    counts = {"handed_in": data.handed_in, "graded": data.graded}
    class_ = say_many("{count} student: {handed_in} handed in, {graded} graded.",
                      "{count} students: {handed_in} handed in, {graded} graded.",
                      data.students, **counts)  # fmt: skip
    means = {"mean": f"{data.mean:.3g}", "median": f"{data.median:.3g}", "of": f"{data.of:g}"}
    average = say("Mean {mean} and median {median} of {of} points.", **means)
    yield f"<p>{paragraph(class_, average)}</p>"
    if data.points:
        yield picture(_histogram(data), say("How many students have how many points"))
    if data.checks:
        yield f"<h2>{say('Check by check')}</h2>"
        yield picture(_bars(hardest(data.checks)), _bars_caption(len(data.checks)))
        yield _check_table(data.checks)
    yield f"<h2>{say('Pitfalls')}</h2>"
    if data.pitfalls:
        caption = say("In how many students' recordings each was found")
        yield picture(_pitfalls(data.pitfalls), caption)
        yield table((say("Pitfall"), say("Students")), list(data.pitfalls.items()))
    else:
        yield f"<p>{say('The diagnosis found none in what was recorded.')}</p>"


def hardest(checks: tuple[CheckStatistics, ...]) -> tuple[CheckStatistics, ...]:
    """The checks that have a bar: all, or those with the smallest part of their points."""
    by_share = sorted(checks, key=lambda each: each.mean / each.of if each.of else 0.0)
    chosen = set(map(id, by_share[:MOST_BARS]))
    return tuple(each for each in checks if id(each) in chosen)


def _bars_caption(checks: int) -> str:
    if checks <= MOST_BARS:
        return say("How each check ended, as a part of the students")
    return say("How the {count} hardest checks ended, as a part of the students", count=MOST_BARS)


def _check_table(checks: tuple[CheckStatistics, ...]) -> str:
    columns = (say("Exercise"), say("Check"), say("Seen by"), say("Mean"), say("Out of"),
               say("All points, %"), say("Pitfalls"))  # fmt: skip
    return table(
        columns,
        [
            (each.exercise, each.check, status_word(each.visibility), float(each.mean), each.of,
             float(100 * each.passed), ", ".join(each.pitfalls))
            for each in checks
        ],
    )  # fmt: skip


def _histogram(data: Statistics) -> str:
    from matplotlib.ticker import MaxNLocator

    def draw(axes: Axes) -> None:
        width = max(data.of, *data.points) / 10 or 1.0
        edges = [width * number for number in range(11)]
        axes.hist(data.points, bins=edges, color="#0072b2", edgecolor="white")
        axes.set(xlabel=say("points"), ylabel=say("students"))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))

    return _drawn(draw, height=2.6)


def _bars(checks: tuple[CheckStatistics, ...]) -> str:
    names = [_short(f"{each.exercise} {each.check}") for each in checks]
    places = range(len(checks))

    def draw(axes: Axes) -> None:
        left = [0.0] * len(checks)
        for label, (colour, statuses) in COLOURS.items():
            parts = [100 * _part(each, statuses) for each in checks]
            if any(parts):
                axes.barh(places, parts, left=left, color=colour, label=translated(label))
                left = [a + b for a, b in zip(left, parts, strict=True)]
        axes.set(xlim=(0, 100), xlabel=say("% of the students"), yticks=places, yticklabels=names)
        axes.invert_yaxis()
        axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=4, frameon=False)

    return _drawn(draw, height=1.3 + 0.3 * len(checks))


def _pitfalls(counts: dict[str, int]) -> str:
    from matplotlib.ticker import MaxNLocator

    def draw(axes: Axes) -> None:
        axes.barh(range(len(counts)), list(counts.values()), color="#b5478c")
        axes.set(xlabel=say("students"), yticks=range(len(counts)), yticklabels=map(_short, counts))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.invert_yaxis()

    return _drawn(draw, height=0.8 + 0.3 * len(counts))


def _part(check: CheckStatistics, statuses: set[Status]) -> float:
    return sum(check.statuses.get(status, 0) for status in statuses) / check.students


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _drawn(draw: Any, *, height: float) -> str:
    """A plot as SVG, drawn without the state that pyplot would leave in the process."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    out = io.StringIO()
    # A title may hold $ or letters of any script: no mathematics, and text stays text.
    plain: Any = {"svg.fonttype": "none", "text.parse_math": False, "svg.hashsalt": "tapelab"}
    with rc_context(plain), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph .* missing")  # browsers have other fonts, too
        figure = Figure(figsize=(8, height), layout="constrained")
        draw(figure.subplots())
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
