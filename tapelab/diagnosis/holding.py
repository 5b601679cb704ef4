"""A persistent tape that keeps large values though it was asked once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.block import constructor, marker, tape_name
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.inside import asked_inside, own_questions
from tapelab.diagnosis.names import text_of
from tapelab.diagnosis.wording import paragraph, say, say_many
from tapelab.recording import events as e
from tapelab.recording.schema import Role

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix, Where
    from tapelab.recording.events import Located

NOTABLE: Final = 2**20
"""How many bytes a tape holds before it is worth a word."""


def held(case: Case) -> Iterator[Finding]:
    """A persistent tape that was asked once and keeps a lot."""
    asked = own_questions(case)
    if not case.recording.tape.persistent or len(asked) != 1 or asked_inside(case):
        return
    if _asks_row_by_row(case, asked[0]):
        return
    columns, edges = case.recording.columns, case.flow.edges.columns
    taped = edges[5] == 1
    kept = np.unique(np.concatenate([edges[0][taped], edges[1][taped]]))
    kept = kept[columns["tensor.role"][kept] != Role.STATE]
    sizes = _bytes(case)[kept]
    if sizes.sum() >= NOTABLE:
        yield _held(case, asked[0], len(kept), int(sizes.sum()), int(kept[sizes.argmax()]))


def _asks_row_by_row(case: Case, asked: Located) -> bool:
    call = case.codes.expression(asked.span)
    named = {each.arg for each in call.keywords} if isinstance(call, ast.Call) else set()
    return bool(named & {"experimental_use_pfor", "parallel_iterations"})


def _bytes(case: Case) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How many bytes each tensor takes."""
    columns, recording = case.recording.columns, case.recording
    counts = np.array([int(np.prod(shape, dtype=np.int64)) for shape in recording.shapes])
    widths = np.array([_width(name) for name in recording.dtypes])
    taken: np.ndarray[tuple[int], np.dtype[np.int64]] = (
        counts[columns["tensor.shape"]] * widths[columns["tensor.dtype"]]
    )
    return taken


def _width(dtype: str) -> int:
    """How many bytes a number of a dtype takes, 1 where it has no fixed size."""
    bits = dtype.strip("abcdefghijklmnopqrstuvwxyz_")
    return max(int(bits) // 8, 1) if bits.isdigit() else 1


def _held(case: Case, asked: Located, count: int, size: int, largest: int) -> Finding:
    tape, facts = tape_name(case), case.recording.tensor(largest)
    text, line = text_of(case, facts.span), case.codes.line(facts.span)
    return Finding(
        code="PERSISTENT_HELD",
        title=say("`{tape}` holds {size:.1f} MB", tape=tape, size=size / 2**20),
        message=paragraph(
            say_many(
                "`{tape}` is persistent, so it keeps {count} tensor as long as `{tape}` lives, "
                "though it was asked once.",
                "`{tape}` is persistent, so it keeps {count} tensors as long as `{tape}` lives, "
                "though it was asked once.",
                count,
                tape=tape,
            ),
            say("The largest is `{text}` in line {line}.", text=text, line=line) if text else "",
            say("A tape that answers once lets go of them with its answer; or write `del {tape}`.",
                tape=tape),
        ),
        where=_making(case),
        fix=_answers_once(case),
        evidence=(asked.index,),
        steps=(Step(line, say("`{text}` was kept", text=text)),) if text else (),
    )  # fmt: skip


def _making(case: Case) -> Where | None:
    """Where the tape was made, or else where its block begins."""
    span = case.recording.located[marker(case, e.Opened)].span
    made = constructor(case)
    return case.codes.where(span, made[0].extent(made[1]) if made else None)


def _answers_once(case: Case) -> Fix | None:
    """The tape without `persistent=True`."""
    made = constructor(case)
    if made is None:
        return None
    code, call = made
    given = [each for each in call.keywords if each.arg == "persistent"]
    return edits.fix(code, [edits.without_argument(code, call, each) for each in given])
