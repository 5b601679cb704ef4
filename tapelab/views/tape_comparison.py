"""Two aligned recordings side by side with their differences marked, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from html import escape
from pathlib import Path
from textwrap import dedent
from typing import Final

from tapelab.locales import say, say_many, sentence
from tapelab.recording import Recording
from tapelab.views.alignment import Pair, aligned
from tapelab.views.card import card, columns, minified
from tapelab.views.number_format import format_brief, shortened
from tapelab.views.tape_summary import describe_call, gradient_results
from tapelab.views.text_view import code_lines
from tapelab.views.timeline import Model

AROUND: Final = 2
"""So many frames that are alike stay beside those that differ; the others are counted."""
MOST: Final = 200
"""So many rows are shown at most."""
ROOM: Final = 22
NAME: Final = 24
MARKS: Final = {"gone": "−", "new": "+", "": " "}
CHANGES: Final = {
    "gone": sentence("only before"),
    "new": sentence("only after"),
    "op": sentence("another op"),
    "name": sentence("another name"),
    "taped": sentence("now on the tape"),
    "untaped": sentence("now off the tape"),
    "value": sentence("another value"),
    "gradient": sentence("another gradient"),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One frame of a tape: its op, its name, its value and its gradient, as text."""

    op: str
    name: str
    value: str
    gradient: str


@dataclass(frozen=True, slots=True)
class Row:
    """A pair of frames, or how many pairs are alike and left out."""

    before: Cell | None
    after: Cell | None
    changes: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def mark(self) -> str:
        """One sign: − gone, + new, ≠ different, nothing where both are alike."""
        single = next((each for each in self.changes if each in MARKS), "")
        return MARKS[single] if single or not self.changes else "≠"


@dataclass(frozen=True)
class Compared:
    """What two recordings have in common and what not; a pure function of the two."""

    before: Recording
    after: Recording
    models: tuple[Model, Model]
    pairs: tuple[Pair, ...]

    @property
    def differences(self) -> int:
        """How many pairs differ in anything."""
        return sum(1 for pair in self.pairs if pair.changes)

    @property
    def headline(self) -> str:
        """How much differs, in one sentence."""
        if not self.differences:
            return self._besides()
        return say_many(
            "{count} frame differs, of {of}.",
            "{count} frames differ, of {of}.",
            self.differences,
            of=len(self.pairs),
        )

    def _besides(self) -> str:
        """In what the tapes differ whose frames are alike."""
        if any(old != new for _, old, new in self.gradients):
            return say("The frames are alike; what was asked of them differs.")
        if any(mark != " " for mark, *_ in code_rows(self)):
            return say("The frames are alike; the code differs.")
        return say("Both tapes are alike.")

    @property
    def gradients(self) -> list[tuple[str, str, str]]:
        """For each source its name, its gradient before and its gradient after."""
        old, new = dict(gradient_results(self.before)), dict(gradient_results(self.after))
        return [(name, old.get(name, "–"), new.get(name, "–")) for name in {**old, **new}]


def compared(before: Recording, after: Recording) -> Compared:
    """Align two recordings and find their differences."""
    old, new, pairs = aligned(before, after)
    return Compared(before, after, (old, new), pairs)


def rows(comparison: Compared) -> list[Row]:
    """The pairs that differ with what is around them, the others counted."""
    old, new = comparison.models
    near = _near(comparison.pairs)
    shown: list[Row] = []
    skipped = 0
    for at, pair in enumerate(comparison.pairs):
        if at not in near or len(shown) >= MOST:
            skipped += 1
            continue
        if skipped:
            shown.append(Row(None, None, left_out=skipped))
            skipped = 0
        changes = tuple(each for each in CHANGES if each in pair.changes)
        shown.append(Row(_cell(old, pair.before), _cell(new, pair.after), changes))
    return [*shown, Row(None, None, left_out=skipped)] if skipped else shown


def _near(pairs: tuple[Pair, ...]) -> set[int]:
    """The places of the pairs that differ and of those around them; of short tapes all."""
    if len(pairs) <= 12:
        return set(range(len(pairs)))
    different = [at for at, pair in enumerate(pairs) if pair.changes]
    return {near for at in different for near in range(at - AROUND, at + AROUND + 1)}


def _cell(model: Model, frame: int) -> Cell | None:
    if frame < 0:
        return None
    node = model.graph.frames[frame].node
    tensor = model.tensor(node)
    gradient = (
        say("off the tape") if model.is_off(frame) else model.slot_text(model.slot(node), ROOM)
    )
    value = format_brief(tensor, ROOM) if tensor else ""
    return Cell(model.tag(frame), model.frame_label(frame), value, gradient)


def code_rows(comparison: Compared) -> list[tuple[str, str, str]]:
    """The lines of both codes side by side with a mark: ` ` alike, `−`, `+`, `≠`."""
    old, new = (dedent("\n".join(code_lines(model))).split("\n") for model in comparison.models)
    rows = []
    for kind, start, end, begin, stop in SequenceMatcher(None, old, new, False).get_opcodes():
        for at in range(max(end - start, stop - begin)):
            left = old[start + at] if start + at < end else ""
            right = new[begin + at] if begin + at < stop else ""
            here, there = start + at < end, begin + at < stop
            mark = " " if kind == "equal" else "≠" if here and there else "−" if here else "+"
            rows.append((mark, left, right))
    return rows


# As text


def text(comparison: Compared) -> str:
    """A terminal's form: the lines of code that differ, the answers, and the frames."""
    different = [row for row in code_rows(comparison) if row[0] != " "]
    code = [
        line
        for mark, left, right in different
        for line in ([f"  − {left}"] * (mark in "−≠") + [f"  + {right}"] * (mark in "+≠"))
    ]
    gradients = [
        f"  {name}  {old}  →  {new}" for name, old, new in comparison.gradients if old != new
    ]
    sections = [
        [comparison.headline],
        code,
        [describe_call(comparison.after) or describe_call(comparison.before), *gradients]
        if gradients
        else [],
        _table(comparison),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _table(comparison: Compared) -> list[str]:
    """The frames in columns: those of the one side, those of the other, and what differs."""
    shown = rows(comparison)
    cells = [(*_cell_texts(row.before), *_cell_texts(row.after)) for row in shown]
    widths = [max(map(columns, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row, texts in zip(shown, cells, strict=True):
        if row.left_out:
            lines.append(f"    ⋮ {_alike(row.left_out)}")
            continue
        padded = [
            text + " " * room if at % 4 < 2 else " " * room + text
            for at, text in enumerate(texts)
            for room in [widths[at] - columns(text)]
        ]
        why = ", ".join(say(CHANGES[each]) for each in row.changes)
        left, right = "  ".join(padded[:4]), "  ".join(padded[4:])
        lines.append(f"{row.mark} {left}  │  {right}   {why}".rstrip())
    return lines


def _call_text(comparison: Compared) -> str:
    return describe_call(comparison.after) or describe_call(comparison.before)


def _alike(count: int) -> str:
    return say_many("{count} frame alike", "{count} frames alike", count)


def _cell_texts(cell: Cell | None) -> tuple[str, ...]:
    if cell is None:
        return ("",) * 4
    return cell.op, shortened(cell.name, NAME), cell.value, cell.gradient


# As a card


def html(comparison: Compared) -> str:
    """A card for a notebook: both codes, both answers, both tapes; it needs no script."""
    head = f'<div class="head"><h3>{say("Before and after")}</h3><span class="muted">'
    body = f"{head}{escape(comparison.headline)}</span></div>{_code_html(comparison)}"
    return f"<style>{_style()}</style>" + card(
        say("Before and after"), f"{body}{_answers_html(comparison)}{_frames_html(comparison)}"
    )


@cache
def _style() -> str:
    return minified(Path(__file__).with_suffix(".css"))


_SIGNS: Final = {"−": "− ", "+": " +", "≠": "−+", " ": "  "}
"""What stands before a line, on the one side and on the other."""


def _code_html(comparison: Compared) -> str:
    looks = {"−": ("del", ""), "+": ("", "ins"), "≠": ("del", "ins"), " ": ("", "")}
    sides = []
    for side, title in ((0, say("before")), (1, say("after"))):
        lines = "".join(
            f'<span class="row {looks[mark][side]}"><i>{_SIGNS[mark][side]}</i>'
            f"{escape(code[side], quote=False)}</span>"
            for mark, *code in code_rows(comparison)
        )
        sides.append(f'<div><h4>{title}</h4><pre dir="ltr" tabindex="0">{lines}</pre></div>')
    return f'<div class="pair">{"".join(sides)}</div>'


def _answers_html(comparison: Compared) -> str:
    texts = "".join(
        f"<li><code>{escape(name)}</code><bdi>{escape(old)}</bdi> → <bdi>{escape(new)}</bdi></li>"
        for name, old, new in comparison.gradients
    )
    call_text = escape(describe_call(comparison.after) or describe_call(comparison.before))
    return (
        f'<div class="say"><h4><code>{call_text}</code></h4><ul>{texts}</ul></div>' if texts else ""
    )


def _frames_html(comparison: Compared) -> str:
    head = "".join(_heads())
    body = "".join(_row_html(row) for row in rows(comparison))
    caption = say("The frames of both tapes, side by side")
    return (
        f'<div class="frames" tabindex="0" role="group" aria-label="{escape(caption)}">'
        f'<table dir="ltr"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _heads() -> Iterator[str]:
    for title in (say("before"), say("after")):
        yield f'<th colspan="2">{escape(title)}</th>'
        for look, each in (("value", say("value")), ("gradient", say("gradient"))):
            yield f'<th class="{look}">{escape(each)}</th>'
        if title == say("before"):
            yield f'<th class="mark">{say("differs")}</th>'


def _row_html(row: Row) -> str:
    if row.left_out:
        return f'<tr><td colspan="9" class="muted">⋮ {escape(_alike(row.left_out))}</td></tr>'
    why = ", ".join(say(CHANGES[each]) for each in row.changes)
    mark = f'<td class="mark"><b aria-hidden="true">{row.mark}</b> {escape(why)}</td>'
    left, right = (_cells_html(cell, row) for cell in (row.before, row.after))
    look = {"−": "gone", "+": "new", "≠": "other"}.get(row.mark, "")
    return f'<tr class="{look}">{left}{mark}{right}</tr>'


def _cells_html(cell: Cell | None, row: Row) -> str:
    if cell is None:
        return '<td colspan="4" class="empty"></td>'
    texts = zip(("op", "name", "value", "gradient"), _cell_texts(cell), strict=True)
    return "".join(
        f'<td class="{kind}{" at" if kind in row.changes else ""}'
        f'{" none" if text == "None" else ""}">{escape(text, quote=False)}</td>'
        for kind, text in texts
    )
