"""Which submissions share what few others have; why they do, only people can say.

Two submissions are compared by features: windows over the syntax tree of their code, and windows
over the ops of their recordings. Names that a student chose count as "a name", so renaming changes
nothing; neither do comments, layout, docstrings and type hints. Operators, literals, attributes (as
in `tf.reduce_sum`) and built-in names count as they are; of a recording, names and shapes of its
ops count. A shared feature weighs more the fewer others have it, and nothing if most have it.
"""

from __future__ import annotations

import ast
import builtins
import csv
import io
import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import log
from typing import Final

from tapelab.errors import RecordingError
from tapelab.grading.reports.report_page import page, table
from tapelab.grading.stored_tapes import from_stored
from tapelab.recording import Recording
from tapelab.recording.events import Cause, Ran

WINDOW: Final = 12
"""So many pieces of code in a row make one feature: a line or two."""
OPS: Final = 4
"""So many ops in a row make one feature of a recording."""
LONGEST: Final = 80
"""Letters of a literal that tell it from others."""
BUILT_IN: Final = frozenset(dir(builtins))
_UNSAID: Final = (ast.Module, ast.expr_context, ast.arguments, ast.Expr)

Feature = tuple[str, ...]


@dataclass(frozen=True)
class Features:
    """Of one submission; each feature of the code with the cell and the line where it begins."""

    code: Mapping[Feature, tuple[int, int]]
    ops: frozenset[Feature]


def features_of(cells: Sequence[str], tapes: Iterable[bytes]) -> Features:
    """The features of the cells of a submission, and of what its tapes recorded."""
    code: dict[Feature, tuple[int, int]] = {}
    for number, source in enumerate(cells, start=1):
        pieces = list(_pieces(source))
        for at in range(len(pieces) - WINDOW + 1):
            window = pieces[at : at + WINDOW]
            code.setdefault(tuple(piece for piece, _ in window), (number, window[0][1]))
    return Features(code, frozenset(_op_features(tapes)))


def _op_features(tapes: Iterable[bytes]) -> Iterator[Feature]:
    for tape in tapes:
        try:
            ops = list(_ops(from_stored(tape)))
        except RecordingError:
            continue  # a newer tapelab recorded it
        yield from (tuple(ops[at : at + OPS]) for at in range(max(len(ops) - OPS + 1, 0)))


def _ops(recording: Recording) -> Iterator[str]:
    for each in recording:
        event = each.event
        if isinstance(event, Ran) and event.cause == Cause.TAPED:
            shapes = (recording.tensor(number).shape for number in event.outputs)
            yield f"{recording.ops[event.op].name}{[*shapes]}"


def _pieces(source: str) -> Iterator[tuple[str, int]]:
    """The pieces of a cell in the order of its tree, each with its line, if it is Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a learner's code warns of, such as "\d"
            tree = ast.parse(_without_magics(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    waiting: list[tuple[ast.AST, int]] = [(tree, 1)]
    while waiting:  # no recursion: a learner's expression may be nested deeply
        node, above = waiting.pop()
        line = getattr(node, "lineno", above)
        if not isinstance(node, _UNSAID):
            yield _piece(node), line
        below = [child for child in ast.iter_child_nodes(node) if not _is_ignored(child, node)]
        waiting.extend((child, line) for child in reversed(below))


def _without_magics(source: str) -> str:
    lines = source.split("\n")
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def _piece(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name):
            return name if name in BUILT_IN else "a name"
        case ast.Constant(value=int(value)):
            return hex(value)[:LONGEST]  # repr refuses very long ones
        case ast.Constant(value=value):
            return repr(value)[:LONGEST]
        case ast.Attribute(attr=name):
            return f".{name}"
        case ast.keyword(arg=str(name)):
            return f"{name}="
        case _:
            return type(node).__name__


def _is_ignored(child: ast.AST, parent: ast.AST) -> bool:
    """Docstrings and type hints say nothing of what is computed."""
    lone_text = (
        isinstance(child, ast.Expr)
        and isinstance(child.value, ast.Constant)
        and isinstance(child.value.value, str)
    )
    return lone_text or child in (getattr(parent, "annotation", 0), getattr(parent, "returns", 0))


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
    data = {"note": NOTE, "pairs": [asdict(pair) for pair in pairs]}
    return json.dumps(data, ensure_ascii=False, indent=2)


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
