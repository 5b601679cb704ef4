"""What two submissions are compared by: the shape of their code, and the ops of their recordings.

Code is read as a tree. Names that a learner chose count as "a name", so that renaming changes
nothing; neither do comments, layout, docstrings and type hints. Operators, literals, attributes
(as in `tf.reduce_sum`) and names of built-ins count as they are. A recording is read as the names
and shapes of its ops in their order; its values and names do not count.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tapelab.errors import RecordingError
from tapelab.recording import Recording, from_bytes
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
            ops = list(_ops(from_bytes(tape)))
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
        below = [child for child in ast.iter_child_nodes(node) if not _is_aside(child, node)]
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


def _is_aside(child: ast.AST, parent: ast.AST) -> bool:
    """Docstrings and type hints say nothing of what is computed."""
    lone_text = (
        isinstance(child, ast.Expr)
        and isinstance(child.value, ast.Constant)
        and isinstance(child.value.value, str)
    )
    return lone_text or child in (getattr(parent, "annotation", 0), getattr(parent, "returns", 0))
