"""Write docs/reference/surface.md: which of TensorFlow's names are there, what differs, and why.

    python -m tools.surface          write the page, and its first sentence into the README
    python -m tools.surface --check  only say whether they are out of date

The teaching surface stands in docs/surface/symbols.txt, what differs in differences.txt beside it,
TensorFlow's own names, as it lists them, in tensorflow.txt, and what was counted over the cells of
its guides in guides.txt.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import tapelab as tf
from tools.programs import programs, uses_of

DOCS: Final = Path(__file__).parents[1] / "docs"
PAGE: Final = DOCS / "reference" / "surface.md"
README: Final = DOCS.parent / "README.md"
MARK: Final = "<!-- surface -->"
"""What stands in the README above the sentence on the surface."""
MISSING: Final = object()
TIERS: Final = {
    "T1": "what the founding tutorials use",
    "T2": "what TensorFlow's own guides use",
    "T3": "what is common in teaching code",
}


@dataclass(frozen=True)
class Symbol:
    """One name of the teaching surface: whether it is there, and how often it is compared."""

    name: str
    tier: str
    there: bool
    programs: int
    differs: str


def main(arguments: list[str]) -> str | None:
    """Write the page and the README, or with --check complain about what is out of date."""
    wanted = {PAGE: page(), README: readme()}
    stale = [path for path, text in wanted.items() if _read(path) != text]
    if "--check" in arguments:
        names = ", ".join(path.name for path in stale)
        return f"Out of date: {names}. Run python -m tools.surface." if stale else None
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
        print(f"wrote {path.name}")
    return None


def readme() -> str:
    """The README with the sentence on how complete the surface is."""
    return re.sub(
        f"(?<={MARK}\n).*", f"{claim()} ([the table](docs/reference/surface.md)).", _read(README)
    )


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def found(name: str) -> Any:
    """What stands under a dotted name like tf.math.sin in tapelab, or MISSING."""
    thing: Any = tf
    for step in name.split(".")[1:]:
        thing = getattr(thing, step, MISSING)
        if thing is MISSING:
            return MISSING
    return thing


def symbols() -> list[Symbol]:
    """The teaching surface, in order of need."""
    uses, differs = uses_of(programs()), differences()
    made = []
    for line in _lines("symbols.txt"):
        tier, name = line.split()
        thing = found(name)
        member = f".{name.rpartition('.')[2]}"
        used = uses[member] if _is_member(name) else uses[name]
        if not used and thing is not MISSING:
            used = max((uses[other] for other in _aliases(thing)), default=0)
        made.append(Symbol(name, tier, thing is not MISSING, used, differs.get(name, "")))
    return made


def differences() -> dict[str, str]:
    """What differs from TensorFlow, and why, by symbol."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in _lines("differences.txt"):
        name, what, why = (part.strip() for part in line.split("|"))
        found[name].append(f"{what} ({why})")
    return {name: "; ".join(each) for name, each in found.items()}


def claim() -> str:
    """How complete the surface is, as the README says it."""
    known = symbols()
    there = [each for each in known if each.there]
    compared = [each for each in there if each.programs]
    return (
        f"{len(there)} of the {len(known)} symbols of TensorFlow that tutorials, guides and "
        f"courses use are there, {len(compared)} of them compared with TensorFlow 2.21 in "
        f"{len(programs())} small programs"
    )


def page() -> str:
    """The whole page as Markdown."""
    return "\n".join([*_head(), *_table(), "", *_guides(), *_parts(), *_elsewhere()]) + "\n"


def _head() -> list[str]:
    return [
        "# What is there of TensorFlow",
        "",
        f"<!-- Written by tools/surface.py. -->{claim()}. The table is in order of need:",
        *(f"{tier} is {what}{'.' if tier == 'T3' else ';'}" for tier, what in TIERS.items()),
        "*Programs* counts those in the tests that use the symbol and run on TensorFlow too.",
        "",
    ]


def _table() -> list[str]:
    rows = ["| symbol | need | there | programs | what differs, and why |", "|---|---|---|---|---|"]
    for each in symbols():
        there = "yes" if each.there else "**no**"
        rows.append(
            f"| `{each.name}` | {each.tier} | {there} | {each.programs or ''} | {each.differs} |"
        )
    return rows


@dataclass(frozen=True)
class Guide:
    """What was counted of one of TensorFlow's guides, and its cells that do not run, with why."""

    name: str
    valid: int
    passed: int
    alike: int
    stopped: tuple[tuple[str, str], ...]


def guides() -> list[Guide]:
    """What was counted over the cells of TensorFlow's guides."""
    counted: list[Guide] = []
    for line in _lines("guides.txt"):
        name, *rest = (part.strip() for part in line.split("|"))
        if name:
            valid, passed, alike = map(int, rest)
            counted.append(Guide(name, valid, passed, alike, ()))
        else:
            cells, why = rest
            stopped = (*counted[-1].stopped, (cells, why))
            counted[-1] = replace(counted[-1], stopped=stopped)
    return counted


def _guides() -> list[str]:
    """How many cells of TensorFlow's guides run, and which do not."""
    counted = guides()
    valid, passed, alike = (
        sum(numbers)
        for numbers in zip(*((g.valid, g.passed, g.alike) for g in counted), strict=True)
    )
    rows = [
        "## Cell by cell",
        "",
        (
            f"TensorFlow 2.21 runs {valid} code cells of {len(counted)} of its own guides and "
            f"tutorials on a computer without a network. tapelab runs {passed} of them, and "
            f"{alike} print the same. What a cell prints differs mostly in random numbers "
            "without a seed, in times, paths and addresses, in the version, and in the names of "
            "classes. Cells are counted from 0, without text cells."
        ),
        "",
        "| guide | cells | run | print the same | cells that do not run, and why |",
        "|---|---|---|---|---|",
    ]
    for each in counted:
        stopped = "; ".join(f"{cells}: {why}" for cells, why in each.stopped)
        rows.append(f"| `{each.name}` | {each.valid} | {each.passed} | {each.alike} | {stopped} |")
    return [*rows, ""]


def _parts() -> list[str]:
    """How much of each part of TensorFlow is there, whether or not it is taught."""
    names = _lines("tensorflow.txt")
    parts: dict[str, list[str]] = defaultdict(list)
    for name in names:
        parts[name.rpartition(".")[0]].append(name)
    rows = [
        "## Part by part",
        "",
        "All public names that TensorFlow 2.21 lists in these parts, taught or not.",
        "",
        "| part | there | not there |",
        "|---|---|---|",
    ]
    for part, members in sorted(parts.items()):
        gone = [name.rpartition(".")[2] for name in members if found(name) is MISSING]
        rows.append(
            f"| `{part}` | {len(members) - len(gone)} of {len(members)} | {_listed(gone)} |"
        )
    return [*rows, ""]


def _elsewhere() -> list[str]:
    """Differences of names that are not in the table."""
    listed = {each.name for each in symbols()}
    rest = {name: what for name, what in differences().items() if name not in listed}
    if not rest:
        return []
    lines = ["## What differs elsewhere", "", "| symbol | what differs, and why |", "|---|---|"]
    return [*lines, *(f"| `{name}` | {what} |" for name, what in sorted(rest.items()))]


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _lines(file: str) -> list[str]:
    text = (DOCS / "surface" / file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _is_member(name: str) -> bool:
    return name.split(".")[1] in {"GradientTape", "Variable", "Tensor"}


def _aliases(thing: Any) -> list[str]:
    """Other public names of the same function: tf.sin is tf.math.sin."""
    return _by_identity().get(id(thing), [])


_KNOWN: Final[dict[int, list[str]]] = {}


def _by_identity() -> dict[int, list[str]]:
    if not _KNOWN:
        for name in _lines("tensorflow.txt"):
            _KNOWN.setdefault(id(found(name)), []).append(name)
    return _KNOWN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
