"""What a diagnosis says: an explanation with its findings, as plain data."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tapelab.diagnosis.declarations import Rank, declaration_of
from tapelab.locales import language, say, sentence
from tapelab.recording.drawable import Pictured
from tapelab.views.card import columns, plain, wrapped

if TYPE_CHECKING:
    from tapelab.recording import Recording


@dataclass(frozen=True)
class Where:
    """A place in the learner's code; lines from 1, columns from 0, the end exclusive."""

    source: int
    line: int
    column: int
    end_line: int
    end_column: int
    file: str = ""
    text: str = ""

    def columns_in(self, line: str, number: int) -> tuple[int, int]:
        """From where to where a line, by its number, belongs to the place."""
        indent = len(line) - len(line.lstrip())
        start = self.column if number == self.line else indent
        return start, self.end_column if number == self.end_line else len(line.rstrip())

    def to_json(self) -> dict[str, int | str]:
        """The place as the pictures take it."""
        return asdict(self)

    def __str__(self) -> str:
        if self.file:
            return say("{file}, line {line}", file=self.file, line=self.line)
        return say("line {line}", line=self.line)


@dataclass(frozen=True)
class Fix:
    """Lines to replace and the lines to write instead, both without their common indentation."""

    before: str
    after: str
    line: int = 0

    def apply(self, code: str) -> str:
        """The code with these lines replaced, where they stand at their line number."""
        lines = code.split("\n")
        old = self.before.split("\n")
        end = self.line - 1 + len(old)
        there = "\n".join(lines[self.line - 1 : end])
        if textwrap.dedent(there) != textwrap.dedent(self.before):
            raise ValueError(f"Line {self.line} of this code is not {self.before!r}.")
        indent = there[: len(there.split("\n")[0]) - len(textwrap.dedent(there).split("\n")[0])]
        new = textwrap.indent(self.after, indent).split("\n")
        return "\n".join([*lines[: self.line - 1], *new, *lines[end:]])

    def __str__(self) -> str:
        return self.after


@dataclass(frozen=True)
class Step:
    """One thing that happened on the way to the finding."""

    line: int
    text: str


@dataclass(frozen=True)
class Finding:
    """One reason why a gradient is missing, and the line to write instead.

    Backticks mark code in the texts. `evidence` holds the events of the recording it rests on.
    """

    code: str
    title: str
    message: str
    where: Where | None
    fix: Fix | None
    evidence: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def lesson(self) -> str:
        """The lesson that teaches it; empty for an own finding without one."""
        return declaration_of(self.code).lesson

    @property
    def rank(self) -> Rank:
        """How decisive it is."""
        return declaration_of(self.code).rank

    def to_json(self) -> dict[str, Any]:
        """The finding as the pictures take it."""
        return {
            "code": self.code,
            "title": self.title,
            "message": self.message,
            "where": self.where and self.where.to_json(),
            "fix": self.fix and asdict(self.fix),
            "lesson": self.lesson,
            "evidence": list(self.evidence),
            "steps": [asdict(step) for step in self.steps],
        }

    def to_text(self, recording: Recording | None = None) -> str:
        """The finding for a terminal; with a recording, the culprit is underlined in its line."""
        head = self.title
        if self.where:
            head = say("{title} ({where})", title=self.title, where=self.where)
        said = plain(wrapped(self.message))
        parts = [plain(head), *_underlined(recording, self.where), said]
        if self.fix:
            old = textwrap.indent(self.fix.before, "    - ", predicate=lambda line: True)
            new = textwrap.indent(self.fix.after, "    + ", predicate=lambda line: True)
            parts += [f"  {say('Write instead:')}", old, new]
        return "\n".join(parts)

    def __str__(self) -> str:
        return self.to_text()


def _underlined(recording: Recording | None, where: Where | None) -> list[str]:
    """The culprit's lines for a terminal, with ^ under it as in Python's tracebacks."""
    if recording is None or where is None or not where.text:
        return []
    source, rows = recording.sources[where.source], []
    for number in range(where.line, where.end_line + 1):
        line = source.line(number)
        if not line.strip():
            continue
        start, end = where.columns_in(line, number)
        indent = len(line) - len(line.lstrip())
        under = " " * columns(line[indent:start]) + "^" * max(1, columns(line[start:end]))
        rows += [f"    {line[indent:].rstrip()}", f"    {under}"]
    return rows


PARTIAL: Final = sentence("Part of the gradient of {target} with respect to {source} is missing.")
NONE: Final = sentence("Why the gradient of {target} with respect to {source} is None:")
REMARKABLE: Final = sentence("The gradient of {target} with respect to {source}:")
WHOLE: Final = sentence(
    "A path leads from {target} to {source}. The gradient of {target} with respect to {source} is "
    "complete."
)


@dataclass(frozen=True)
class Explanation(Pictured):
    """Why a gradient is what it is; no findings where nothing is wrong with it.

    `connected` says whether a path leads from the target to the source, `partial` whether other
    paths were cut. The most decisive finding stands first. Asked for several sources, it holds the
    findings of all, and in `parts` an explanation for each. `answer` stands in place of the
    headline where there is no gradient to speak of.
    """

    target: str
    source: str
    connected: bool
    partial: bool
    findings: tuple[Finding, ...]
    recording: Recording | None = field(default=None, repr=False, compare=False)
    parts: tuple[Explanation, ...] = ()
    answer: str = ""

    def to_json(self) -> dict[str, Any]:
        """The explanation as data, in the chosen language; the pictures take it so."""
        return {
            "language": language(),
            "headline": self.headline,
            "target": self.target,
            "source": self.source,
            "connected": self.connected,
            "partial": self.partial,
            "findings": [finding.to_json() for finding in self.findings],
        }

    @property
    def headline(self) -> str:
        """The answer in one line."""
        if self.answer:
            return self.answer
        return say(self._headline(), target=self.target, source=self.source)

    def _headline(self) -> str:
        if self.partial:
            return PARTIAL
        if not self.connected:
            return NONE
        return REMARKABLE if self.findings else WHOLE

    def __str__(self) -> str:
        texts = [finding.to_text(self.recording) for finding in self.findings]
        return "\n\n".join([plain(self.headline), *texts])
