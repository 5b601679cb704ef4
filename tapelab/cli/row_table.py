"""Rows as a table that fits the terminal, as whole lines, or as JSON; nothing is cut off.

Where a table is too wide, columns in which no row has anything are left out and named below it, and
long texts go on in the next line. Where even that is too wide, each row becomes a block of lines.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tapelab.cli.terminal_text import printable

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Wide = Annotated[
    bool, typer.Option("--wide", help="Print each row in one line, however long it is.")
]
Rows = list[dict[str, Any]]
_GAP: Final = 2
"""Columns of the terminal between two of a table."""
_NARROWEST: Final = 8
"""Columns of the terminal that a text needs to be readable."""


def print_rows(
    rows: Rows, columns: tuple[str, ...], *, as_json: bool = False, wide: bool = False,
    title: str = "", caption: str = "",
) -> None:  # fmt: skip
    """Rows as a table, or as JSON for programs."""
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2, default=str))
        return
    texts = [{name: printable(_brief(row[name])) for name in columns} for row in rows]
    natural_width = _natural_width(texts, columns)
    console = Console(highlight=False, width=natural_width if wide else None)
    notes = []
    if natural_width > console.width:
        empty = [name for name in columns if rows and not any(row[name] for row in rows)]
        columns = tuple(name for name in columns if name not in empty)
        notes = [f"Empty or 0: {', '.join(map(_head, empty))}."] if empty else []
    if title:
        console.print(Text(title, "italic"), soft_wrap=True)
    if _least_width(rows, texts, columns) > console.width:
        _print_blocks(console, texts, columns)
    else:
        narrow = _natural_width(texts, columns) > console.width
        console.print(_table(rows, texts, columns, narrow=narrow))
    for note in filter(None, [*notes, caption]):
        console.print(Text(note, "dim"))


def _brief(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _head(name: str) -> str:
    return name.replace("_", " ")


def _is_number(rows: Rows, name: str) -> bool:
    return all(isinstance(row[name], int | float) for row in rows)


def _widest(texts: Rows, name: str) -> int:
    return max([cell_len(_head(name)), *(cell_len(row[name]) for row in texts)])


def _natural_width(texts: Rows, columns: tuple[str, ...]) -> int:
    return sum(_widest(texts, name) + _GAP for name in columns)


def _least(rows: Rows, texts: Rows, name: str) -> int:
    """The narrowest that a column may be: numbers stay whole, texts go on in the next line."""
    if _is_number(rows, name):
        words = _head(name).split()
        return max([*map(cell_len, words), *(cell_len(row[name]) for row in texts)])
    return min(_widest(texts, name), _NARROWEST)


def _least_width(rows: Rows, texts: Rows, columns: tuple[str, ...]) -> int:
    return sum(_least(rows, texts, name) + _GAP for name in columns)


def _table(rows: Rows, texts: Rows, columns: tuple[str, ...], *, narrow: bool) -> Table:
    """The table; a `narrow` one gives texts the room that heads of numbers do not need."""
    table = Table(box=None, header_style="dim", padding=(0, _GAP, 0, 0))
    for name in columns:
        least, is_number = _least(rows, texts, name), bool(rows) and _is_number(rows, name)
        table.add_column(
            _head(name), justify="right" if is_number else "left", overflow="fold",
            min_width=least, max_width=least if is_number and narrow else None,
        )  # fmt: skip
    for row in texts:
        table.add_row(*(Text(row[name]) for name in columns))
    return table


def _print_blocks(console: Console, texts: Rows, columns: tuple[str, ...]) -> None:
    """Each row as lines of a name and its value."""
    for number, row in enumerate(texts):
        block = Table(box=None, show_header=False, padding=(0, _GAP, 0, 0))
        block.add_column(style="dim", overflow="fold", max_width=console.width // 3)
        block.add_column(overflow="fold")
        for name in columns:
            if row[name]:
                block.add_row(Text(_head(name)), Text(row[name]))
        console.print(*([""] if number else []), block, sep="\n")
