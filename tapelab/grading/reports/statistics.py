"""How a class did, by check and by pitfall: numbers from results, and a page with plots."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Final

from tapelab.grading.gradebook.final_grades import counting
from tapelab.grading.reports.report_page import page, picture, status_word, table
from tapelab.grading.result import CheckResult, Result, Status
from tapelab.locales import paragraph, say, say_many, sentence, translated

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
    known = book.assignment(assignment)
    grades = book.grades(assignment)
    pairs = counting(grades, book.results(assignment))
    results = [graded.result for _, graded in pairs]
    return Statistics(
        known.name, known.title, known.of, len(grades),
        sum(grade.attempts > 0 for grade in grades), len(results),
        tuple(grade.final for grade, _ in pairs), checks_of(results), _fallen(_all_checks(results)),
    )  # fmt: skip


def checks_of(results: Sequence[Result]) -> tuple[CheckStatistics, ...]:
    """The statistics of each check, in the order of the assignment."""
    checks_by_key: dict[tuple[str, str], list[CheckResult]] = {}
    for result in results:
        for exercise in result.exercises:
            for check in exercise.checks:
                checks_by_key.setdefault((exercise.exercise, check.key), []).append(check)
    return tuple(_statistics(exercise, checks) for (exercise, _), checks in checks_by_key.items())


def _statistics(exercise: str, checks: Sequence[CheckResult]) -> CheckStatistics:
    last = checks[-1]
    statuses = Counter(check.status.value for check in checks)
    fallen = Counter(check.code for check in checks if check.code)
    return CheckStatistics(
        exercise, last.title, last.visibility.value, last.of, len(checks),
        fmean(check.points for check in checks), dict(statuses), dict(fallen.most_common()),
    )  # fmt: skip


def _all_checks(results: Iterable[Result]) -> list[list[CheckResult]]:
    return [[c for exercise in result.exercises for c in exercise.checks] for result in results]


def _fallen(students: Iterable[Iterable[CheckResult]]) -> dict[str, int]:
    """By code, how many students fell into a pitfall; several checks may find it in one of them."""
    codes = Counter(code for checks in students for code in {c.code for c in checks if c.code})
    return dict(codes.most_common())


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
LONGEST: Final = 44
"""Letters of a title beside a bar."""


def statistics_page(data: Statistics) -> str:
    """The page: how many points, how each check went, and the pitfalls."""
    return page(say("{title}: how it went", title=data.title), _body(data))


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
        yield picture(_bars(data.checks), say("How each check ended, as a part of the students"))
        yield _check_table(data.checks)
    yield f"<h2>{say('Pitfalls')}</h2>"
    if data.pitfalls:
        caption = say("In how many students' recordings each was found")
        yield picture(_pitfalls(data.pitfalls), caption)
        yield table((say("Pitfall"), say("Students")), list(data.pitfalls.items()))
    else:
        yield f"<p>{say('The diagnosis found none in what was recorded.')}</p>"


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
