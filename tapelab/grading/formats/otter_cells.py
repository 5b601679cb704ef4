"""The cells of an Otter Assign notebook: questions between raw cells, and configs of their tests.

A raw cell, or a fenced block ```otter in a cell of text, says `# BEGIN QUESTION` with YAML below.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tapelab.grading.formats.csv_tables import UnreadableFormat
from tapelab.grading.formats.notebook_format import CODE, MARKDOWN, RAW, Cell, markdown, raw
from tapelab.grading.formats.ok_tests import Case, doctest_of

QUESTION, PROMPT, SOLUTION, TESTS = "question", "prompt", "solution", "tests"
_BOUNDARY: Final = re.compile(
    r"#\s+(begin|end)\s+(question|prompt|solution|tests)\s*", re.IGNORECASE
)
_CONFIG: Final = re.compile(r"#\s+assignment\s+config\s*", re.IGNORECASE)
_IGNORED: Final = re.compile(r"(##\s*ignore\s*##|#\s*ignore\b)\s*", re.IGNORECASE)
_FENCED: Final = re.compile(r"^```otter[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    """A question with the cells of its parts, in order; `part` is empty outside of them."""

    config: Mapping[str, Any]
    cells: list[tuple[str, Cell]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What the question is called."""
        return str(self.config["name"])

    def cells_of(self, part: str) -> list[Cell]:
        """The cells of one part."""
        return [cell for kind, cell in self.cells if kind == part]


def config_in(cells: Iterable[Cell]) -> Mapping[str, Any]:
    """What the cell `# ASSIGNMENT CONFIG` says; nothing where there is none."""
    for cell in unfenced(cells):
        if cell.kind == RAW and _CONFIG.match(cell.source):
            return _cell_config(cell)
    return {}


def blocks_in(cells: Iterable[Cell]) -> Iterator[Cell | Block]:
    """The questions of a notebook, and the cells between; UnreadableFormat says what is wrong."""
    block: Block | None = None
    part = ""
    for number, cell in enumerate(unfenced(cells), 1):
        mark = _BOUNDARY.match(cell.source) if cell.kind == RAW else None
        if mark is None:
            if block is not None:
                block.cells += [] if _is_ignored(cell) else [(part, cell)]
            elif not _is_ignored(cell):
                yield cell
            continue
        opens, kind = mark[1].lower() == "begin", mark[2].lower()
        wrong = _out_of_place(kind, block, part, opens=opens)
        if wrong:
            raise UnreadableFormat(f"Cell {number}, {mark[0].strip()}, is out of place: {wrong}.")
        if kind != QUESTION:
            part = kind if opens else ""
        elif opens:
            block = Block(_question(cell, number))
        elif block is not None:
            yield block
            block = None
    if block is not None:
        raise UnreadableFormat(f"The question {block.name!r} has no # END QUESTION.")


def _is_ignored(cell: Cell) -> bool:
    config = cell.kind == RAW and _CONFIG.match(cell.source)
    return bool(config or _IGNORED.match(cell.source))


def unfenced(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Cells in which every fenced block ```otter is a raw cell of its own."""
    for cell in cells:
        if cell.kind != MARKDOWN or "```otter" not in cell.source:
            yield cell
            continue
        at = 0
        for block in _FENCED.finditer(cell.source):
            yield from _markdown_cell(cell.source[at : block.start()])
            yield raw(block[1])
            at = block.end()
        if "```otter" in cell.source[at:]:
            raise UnreadableFormat("A block ```otter is never closed by ```.")
        yield from _markdown_cell(cell.source[at:])


def _markdown_cell(source: str) -> Iterator[Cell]:
    if source.strip():
        yield markdown(source)


def _out_of_place(kind: str, block: Block | None, part: str, *, opens: bool) -> str:
    """Why a mark cannot stand there: parts are in questions, nothing is in a part but its end."""
    if kind == QUESTION and part:
        return f"the {part} above it is still open"
    if kind == QUESTION:
        message = f"the question {block.name!r} is still open" if block else "no question is open"
        return message if opens == (block is not None) else ""
    if block is None:
        return "no question is open"
    if opens:
        return f"the {part} above it is still open" if part else ""
    return "" if part == kind else f"no {kind} is open"


def _question(cell: Cell, number: int) -> Mapping[str, Any]:
    config = _cell_config(cell)
    if not config.get("name"):
        raise UnreadableFormat(f"The question that begins in cell {number} has no name.")
    return config


def _cell_config(cell: Cell) -> Mapping[str, Any]:
    config = _parse_yaml(cell.source, "A cell of Otter")
    if config is None:
        return {}
    if not isinstance(config, dict):
        raise UnreadableFormat(
            f"A cell of Otter has to be a list of `name: value`, not {config!r}."
        )
    return config


def _parse_yaml(source: str, title: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(source)
    except yaml.YAMLError as error:
        raise UnreadableFormat(f"{title} is no YAML: {error}.") from None


_BEGIN: Final = re.compile(r'(?:.\s*=\s*)?""?"?\s*#\s*BEGIN\s*TEST\s*CONFIG', re.IGNORECASE)
_END: Final = re.compile(r'""?"?\s*#\s*END\s*TEST\s*CONFIG', re.IGNORECASE)
_HIDDEN: Final = re.compile(r"\s*#.*\bhidden\b", re.IGNORECASE)


def case_of(cell: Cell, question: str, *, functions: bool = False) -> Case:
    """The case that a test cell comes to, as an OK test has it.

    It has the statements, then what the cell showed when the teacher ran it. With `functions`,
    tests are functions that raise where they fail, called with the names that they ask for.
    """
    if cell.kind != CODE:
        raise UnreadableFormat(f"The tests of {question!r} have a cell that is not code.")
    first, _, _ = cell.source.partition("\n")
    hidden = bool(_HIDDEN.match(first))
    config, source = _split_config(cell.source, question)
    try:
        body = doctest_of(_call_of(source, question)) if functions else _body(source, cell.shown)
    except SyntaxError as error:
        raise UnreadableFormat(f"A test of {question!r} is no Python: {error}.") from None
    return Case(
        body, config.get("hidden", hidden) is True, config.get("points"),
        success_message=str(config.get("success_message") or ""),
        failure_message=str(config.get("failure_message") or ""),
    )  # fmt: skip


def _body(source: str, shown: str) -> str:
    return "\n".join(filter(None, (doctest_of(source), shown.rstrip("\n"))))


def _call_of(source: str, question: str) -> str:
    body = ast.parse(source).body
    if not body or not isinstance(body[0], ast.FunctionDef):
        raise UnreadableFormat(f"A test of {question!r} has to begin with its function.")
    function = body[0]
    function.decorator_list = []
    names = [each.arg for each in function.args.args]
    arguments = ", ".join("env=globals()" if name == "env" else f"{name}={name}" for name in names)
    return f"{ast.unparse(function)}\n{function.name}({arguments})"


def _split_config(source: str, question: str) -> tuple[Mapping[str, Any], str]:
    """What a test says of itself in a text at its top, and the test below it."""
    lines = source.split("\n")
    if not _BEGIN.match(lines[0]):
        return {}, source
    ends = [at for at, line in enumerate(lines) if _END.match(line)]
    if not ends:
        raise UnreadableFormat(f"A test of {question!r} has BEGIN TEST CONFIG and no end of it.")
    config = _parse_yaml("\n".join(lines[1 : ends[0]]), f"What a test of {question!r} says")
    if not isinstance(config, dict):
        raise UnreadableFormat(f"What a test of {question!r} says has to be `name: value`.")
    return config, "\n".join(lines[ends[0] + 1 :])
