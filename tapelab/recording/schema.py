"""What a recording consists of: tables of plain rows, and columns of structure and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from numpy.typing import NDArray

from tapelab.recording.op_facts import OpFacts


@dataclass(frozen=True)
class Nested:
    """Another tape that was open inside: the events from `opened` up to `closed` happened in it.

    -1 says that it was not closed. `watched` has the tensors that it watches, each with the index
    of the first event since then.
    """

    name: str
    opened: int
    closed: int
    watched: tuple[tuple[int, int], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The fields for a header; `watched` is left out where it is empty."""
        return {name: value for name, value in asdict(self).items() if name != "watched" or value}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Nested:
        """The tape whose fields a header holds."""
        watched = tuple((tensor, event) for tensor, event in fields.get("watched", ()))
        return cls(**{**fields, "watched": watched})


SCHEMA: Final = 2
"""The newest form of a file; a recording that needs nothing of it is written as `FIRST_SCHEMA`."""
FIRST_SCHEMA: Final = 1


@dataclass(frozen=True)
class TapeFacts:
    """How the tape was made, and whether it has answered already."""

    name: str = "tape"
    persistent: bool = False
    watch_accessed_variables: bool = True
    consumed: bool = False


class GroupKind(StrEnum):
    """What holds the ops of a group together."""

    COMPOSITE = ""
    MODULE = "module"
    CALL = "call"
    BEFORE = "before"
    AFTER = "after"
    COMPILED = "compiled"


@dataclass(frozen=True)
class Group:
    """Ops that a figure can fold: a composite such as softmax, or a call.

    Calls are those of modules, layers and models, and of the user's functions, the latter with the
    text of their `arguments`. What ran before the tape was opened, or after it was closed, is a
    group as well, and so is a region that a compiler runs as a whole. `path` is where a module
    stands in its model, such as `layers.0`.
    """

    name: str
    parent: int
    span: int
    kind: str = GroupKind.COMPOSITE.value
    arguments: str = ""
    path: str = ""

    @property
    def title(self) -> str:
        """The name, and what was passed to a call."""
        return f"{self.name}({self.arguments})" if self.arguments else self.name

    def to_json(self) -> dict[str, Any]:
        """The fields for a header; texts are left out where they are empty."""
        return {name: value for name, value in asdict(self).items() if value != ""}


@dataclass(frozen=True)
class Source:
    """A cell or a file, or the part of it that matters."""

    title: str
    file: str
    first_line: int
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")

    def line(self, number: int) -> str:
        """One line of the text by its number in the cell or file; empty if it is not here."""
        at = number - self.first_line
        return self.lines[at] if 0 <= at < len(self.lines) else ""


@dataclass(frozen=True)
class VariableFacts:
    """A variable of the learner's.

    `tracked` says that a module or a layer lists it, `frozen` that its layer is not trained though
    tapes watch it, `path` where it stands in its model, such as `layers.0.weight`.
    """

    name: str
    trainable: bool
    span: int
    shape: int
    dtype: int
    tracked: bool = False
    frozen: bool = False
    path: str = ""


@dataclass(frozen=True)
class Span:
    """A stretch of code; lines from 1, columns from 0 in characters, the end exclusive."""

    source: int
    line: int
    column: int
    end_line: int
    end_column: int


class Role:
    """What a tensor of a recording is (`tensor.role`)."""

    RESULT, STATE, CONSTANT, OUTSIDE, GRADIENT = range(5)


@dataclass(frozen=True)
class TensorFacts:
    """One tensor of a recording; `value` is None where the numbers were not kept.

    `words` has words as they are printed, where they are few.
    """

    index: int
    role: int
    shape: tuple[int, ...]
    dtype: str
    name: str
    named: bool
    variable: int
    span: int
    value: NDArray[Any] | None
    words: str = ""


Columns = Mapping[str, NDArray[Any]]
Settings = Mapping[str, Any]
"""What an op was given beside its inputs, such as its axis, as JSON."""


@dataclass(frozen=True, eq=False)
class RecordingData:
    """The tables and columns of a recording, as a `.tape` file holds them."""

    maker: str
    tape: TapeFacts
    strings: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    ops: tuple[OpFacts, ...]
    groups: tuple[Group, ...]
    sources: tuple[Source, ...]
    variables: tuple[VariableFacts, ...]
    columns: Columns = field(repr=False)
    nested: tuple[Nested, ...] = ()
    settings: tuple[Settings, ...] = ()
    framework: str = ""
    """Whose program it is, with its version, such as `PyTorch 2.13.0`; empty for tapelab's own."""
    read_from: bytes = field(default=b"", init=False, repr=False)
    """The bytes that a long recording was read from, so that they need not be encoded again."""
