"""What a diagnosis says: an explanation with its findings, as plain data."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from tapelab.views import rich

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

    def to_json(self) -> dict[str, int]:
        """The place as the pictures take it."""
        names = ("source", "line", "column", "end_line", "end_column")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}" if self.file else f"line {self.line}"


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
    lesson: str
    evidence: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The finding as the pictures take it."""
        fix = self.fix and {"before": self.fix.before, "after": self.fix.after}
        return {
            "code": self.code,
            "title": self.title,
            "message": self.message,
            "where": self.where and self.where.to_json(),
            "fix": fix,
            "lesson": self.lesson,
            "evidence": list(self.evidence),
            "steps": [asdict(step) for step in self.steps],
        }

    def __str__(self) -> str:
        head = f"{self.title} ({self.where})" if self.where else self.title
        parts = [head, textwrap.fill(self.message, 88, initial_indent="  ", subsequent_indent="  ")]
        if self.fix:
            old = textwrap.indent(self.fix.before, "    - ", predicate=lambda line: True)
            new = textwrap.indent(self.fix.after, "    + ", predicate=lambda line: True)
            parts += ["  Write instead:", old, new]
        return "\n".join(part.replace("`", "") for part in parts[:2]) + "".join(
            f"\n{part}" for part in parts[2:]
        )


@dataclass(frozen=True)
class Explanation:
    """Why a gradient is what it is; no findings where nothing is wrong with it.

    `connected` says whether a path leads from the target to the source, `partial` whether other
    paths were cut. The most decisive finding stands first.
    """

    target: str
    source: str
    connected: bool
    partial: bool
    findings: tuple[Finding, ...]
    recording: Recording | None = field(default=None, repr=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """The explanation as the pictures take it."""
        return {
            "target": self.target,
            "source": self.source,
            "connected": self.connected,
            "partial": self.partial,
            "findings": [finding.to_json() for finding in self.findings],
        }

    @property
    def headline(self) -> str:
        """The answer in one line."""
        asked = f"the gradient of {self.target} with respect to {self.source}"
        if self.partial:
            return f"Part of {asked} is missing."
        if self.connected:
            return f"A path leads from {self.target} to {self.source}; nothing cuts {asked}."
        return f"Why {asked} is None:"

    def __str__(self) -> str:
        return "\n\n".join([self.headline, *map(str, self.findings)])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        if self.recording is None or not self.findings:
            return {"text/plain": str(self)}
        return {**rich.mimebundle(self.recording, self), "text/plain": str(self)}
