"""Which submissions have in common what few others have; why, only people can say."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import log
from typing import Final

from tapelab.grading.reports.features import Feature, Features
from tapelab.grading.reports.page import page, table

NOTE: Final = (
    "Compared are the shape of the code (names, comments and layout do not count) and the ops of "
    "the recordings. What is in the given notebook does not count, and what many have counts "
    "little. Submissions can be alike for many reasons: a common source, work in pairs, a task "
    "with one short answer. Read both before you draw a conclusion."
)
COMMON: Final = 0.5
"""What more than this part of the class has tells nothing of two of them."""
SMALL_CLASS: Final = 6
"""In a smaller class that cannot be said, and only what all of them have is left out."""


@dataclass(frozen=True)
class Place:
    """Where code that two have in common begins: cell and line in each of them."""

    first: tuple[int, int]
    second: tuple[int, int]


@dataclass(frozen=True)
class Pair:
    """Two students' submissions; `code` and `ops` are shares of rare features, 0 to 1.

    `ops` is None where one of them has no recording, or nothing rare was recorded.
    """

    first: str
    second: str
    code: float
    ops: float | None
    places: tuple[Place, ...]


def similar_pairs(
    submissions: Mapping[str, Features], given: Features | None = None, *, least: float = 0.0
) -> tuple[Pair, ...]:
    """All pairs with code in common of at least the share `least`, the most alike first.

    `given` is the notebook that everybody began with. A share is what both have, of what either
    has, each feature weighted by how few others have it.
    """
    began = given or Features({}, frozenset())
    code = _rarity([set(each.code) - set(began.code) for each in submissions.values()])
    ops = _rarity([set(each.ops) - set(began.ops) for each in submissions.values()])
    pairs = (
        Pair(a, b, _share(set(one.code), set(two.code), code) or 0.0,
             _share(set(one.ops), set(two.ops), ops), _places(one, two, code))
        for (a, one), (b, two) in combinations(submissions.items(), 2)
    )  # fmt: skip
    kept = (pair for pair in pairs if pair.code >= least and pair.places)
    return tuple(sorted(kept, key=lambda pair: (-pair.code, pair.first, pair.second)))


def _rarity(submissions: Sequence[set[Feature]]) -> dict[Feature, float]:
    """The weight of each feature; those that many have are left out."""
    count = len(submissions)
    having = Counter(feature for each in submissions for feature in each)
    most = count * COMMON if count >= SMALL_CLASS else max(count - 1, 2)
    return {feature: log((count + 1) / n) for feature, n in having.items() if n <= most}


def _share(one: set[Feature], two: set[Feature], weights: Mapping[Feature, float]) -> float | None:
    either = sum(weights.get(feature, 0.0) for feature in one | two)
    both = sum(weights.get(feature, 0.0) for feature in one & two)
    return both / either if one and two and either else None


def _places(one: Features, two: Features, weights: Mapping[Feature, float]) -> tuple[Place, ...]:
    """Where common passages begin, each line of the first submission once."""
    shared = (f for f in one.code if f in two.code and f in weights)
    places = {one.code[feature]: two.code[feature] for feature in shared}
    return tuple(Place(first, second) for first, second in sorted(places.items()))


def to_json(pairs: Iterable[Pair]) -> str:
    """Everything, for programs."""
    told = {"note": NOTE, "pairs": [asdict(pair) for pair in pairs]}
    return json.dumps(told, ensure_ascii=False, indent=2)


def to_csv(pairs: Iterable[Pair]) -> str:
    """A line for each pair, for spreadsheets."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(["first", "second", "code", "ops", "lines"])
    for pair in pairs:
        ops = "" if pair.ops is None else f"{pair.ops:.3f}"
        lines.writerow([pair.first, pair.second, f"{pair.code:.3f}", ops, len(pair.places)])
    return out.getvalue()


def similarity_page(title: str, pairs: Sequence[Pair]) -> str:
    """The pairs as a page, with what is compared, and where to look."""
    return page(f"{title}: what submissions have in common", _body(pairs))


def _body(pairs: Sequence[Pair]) -> Iterator[str]:
    yield f"<p>{NOTE}</p>"
    columns = ("first", "second", "code, %", "ops, %", "lines", "where to look")
    yield table(columns, [_row(pair) for pair in pairs])


def _row(pair: Pair) -> tuple[object, ...]:
    ops = "–" if pair.ops is None else f"{100 * pair.ops:.0f}"
    looks = "; ".join(where(place) for place in pair.places[:3])
    return (pair.first, pair.second, round(100 * pair.code), ops, len(pair.places), looks)


def where(place: Place) -> str:
    """A place in words: cells are counted among those with code."""
    (cell, line), (other_cell, other_line) = place.first, place.second
    return f"cell {cell} line {line} and cell {other_cell} line {other_line}"
