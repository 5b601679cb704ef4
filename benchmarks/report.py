"""The results as Markdown, beside JSON and a plot."""

from __future__ import annotations

import statistics
from pathlib import Path

from benchmarks.goals import Measured, Verdict, pairs, verdict
from benchmarks.names import OURS, TITLES
from benchmarks.plot import draw
from benchmarks.results import LONG, Results, about, keep
from benchmarks.works import BY_NAME, Work


def write(folder: Path, results: Results) -> None:
    """Write results.md, results.json and results.svg, and print the table."""
    folder.mkdir(parents=True, exist_ok=True)
    verdicts = {work: _verdicts(work, results.measured) for work in results.measured}
    text = "\n".join([
        *_head(results), *_table(results, verdicts), "", *_summary(verdicts), "",
        *_ratios(results),
    ]) + "\n"  # fmt: skip
    (folder / "results.md").write_text(text, encoding="utf-8")
    keep(
        folder, results, {work: _as_data(BY_NAME[work], found) for work, found in verdicts.items()}
    )
    draw(folder / "results.svg", results)
    print(text)


def _verdicts(work: str, measured: Measured) -> list[Verdict]:
    return [verdict(goal, work, measured) for goal in BY_NAME[work].goals]


def _as_data(work: Work, verdicts: list[Verdict]) -> list[dict[str, object]]:
    return [
        {"goal": each.goal.describe(work.unit, work.per_second), "met": each.met,
         "shares": [round(share, 4) for share in each.shares]}
        for each in verdicts
    ]  # fmt: skip


def _head(results: Results) -> list[str]:
    facts = about()
    versions = ", ".join(f"{name} {number}" for name, number in list(facts.items())[3:])
    left_out = ", ".join(TITLES[name] for name in results.absent) or "none"
    counts = [len(found) for work in results.measured.values() for found in work.values()]
    where = f"{facts['date']}, {facts['processor']}, {facts['cores']} cores; {versions}."
    how = (
        "One thread, CPU time (wall time for imports, starts and first calls). Each number is the "
        f"median of {max(counts, default=0)} rounds in which the contenders took turns; what takes "
        f"one longer than {LONG:g} seconds is measured once."
    )
    failed = [f"Failed: {what}: {why}" for what, why in results.failed.items()]
    paragraphs = [where, f"Left out, as not installed: {left_out}.", how, *failed]
    return ["# Side by side", "", *(line for each in paragraphs for line in (each, ""))]


def _table(results: Results, verdicts: dict[str, list[Verdict]]) -> list[str]:
    names = results.names()
    rows = _columns("work", "unit", *(TITLES[name] for name in names), "goal", "reached")
    for work, found in results.measured.items():
        row = BY_NAME[work]
        cells = [_middle(found.get(name, []), row.per_second) for name in names]
        goals = "; ".join(each.goal.describe(row.unit, row.per_second) for each in verdicts[work])
        reached = "; ".join(each.describe() for each in verdicts[work])
        rows.append(_row(row.title, row.unit, *cells, goals or "–", reached or "–"))
    return rows


def _summary(verdicts: dict[str, list[Verdict]]) -> list[str]:
    known = [(work, each) for work, found in verdicts.items() for each in found if each.shares]
    met = sum(each.met for _, each in known)
    lines = [f"{met} of {len(known)} goals met."]
    lines += [
        f"- missed: {BY_NAME[work].title}: {each.share:.2f} times what the goal allows "
        f"({each.goal.describe(BY_NAME[work].unit, BY_NAME[work].per_second)})"
        for work, each in known
        if not each.met
    ]
    return lines


def _ratios(results: Results) -> list[str]:
    """How many times the others take of what we take: the least, the middle and the most."""
    others = [name for name in results.names() if name not in OURS]
    rows = ["## Others over tapelab", "", "Least / middle / most over the rounds.", ""]
    rows += _columns("work", "ours", *(TITLES[name] for name in others))
    for work, found in results.measured.items():
        for ours in OURS:
            if found.get(ours):
                cells = [_ratio(found[ours], found.get(name, [])) for name in others]
                rows.append(_row(BY_NAME[work].title, TITLES[ours], *cells))
    return rows


def _columns(*titles: str) -> list[str]:
    return [_row(*titles), _row(*("---" for _ in titles))]


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _middle(found: list[float], per_second: float) -> str:
    return _number(statistics.median(found) * per_second) if found else "–"


def _ratio(ours: list[float], theirs: list[float]) -> str:
    found = [b / a for a, b in pairs(ours, theirs) if a]
    if not found:
        return "–"
    return " / ".join(_number(each) for each in (min(found), statistics.median(found), max(found)))


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
