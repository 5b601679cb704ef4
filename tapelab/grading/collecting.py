"""Which submissions a folder holds, whose they are, and when they came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

KINDS: Final = (".ipynb", ".py", ".zip")
"""What a submission may be, beside a folder."""
ANY_LAYOUT: Final = "{student}"
TIMESTAMP: Final = "timestamp.txt"
"""nbgrader writes beside a submission when it came."""


class PatternError(ValueError):
    """A pattern of file names that says nothing of whose they are."""


@dataclass(frozen=True)
class Found:
    """A file or folder that somebody handed in."""

    student: str
    path: Path
    received: datetime


def found(folder: Path, pattern: str = ANY_LAYOUT) -> tuple[Found, ...]:
    """What was handed in below a folder, by student and time.

    A pattern is a path below the folder in which `{student}` stands for the student and `*` for
    anything: `{student}` takes `ada.ipynb` and the folder `ada/`, `{student}/03` nbgrader's
    folders, `*_{student}_*.ipynb` a part of the name. An ending may be left out.
    """
    shape = _shape(pattern)
    depth = "/".join(["*"] * (pattern.strip("/").count("/") + 1))
    every = (_match(path, folder, shape) for path in sorted(folder.glob(depth)))
    return tuple(sorted(filter(None, every), key=lambda each: (each.student, each.received)))


def _shape(pattern: str) -> re.Pattern[str]:
    if pattern.count("{student}") != 1:
        raise PatternError(
            f"The pattern {pattern!r} has to name {{student}} once. Try: '{{student}}' or "
            "'{student}/*.ipynb'"
        )
    pieces = re.split(r"(\{student\}|\*)", pattern.strip("/"))
    meant = {"{student}": r"(?P<student>[^/]+?)", "*": "[^/]*"}
    return re.compile("".join(meant.get(piece, re.escape(piece)) for piece in pieces))


def _match(path: Path, folder: Path, shape: re.Pattern[str]) -> Found | None:
    if path.name.startswith(".") or not (path.suffix.lower() in KINDS or _is_folder(path)):
        return None
    name = path.relative_to(folder)
    bare = name.with_suffix("") if path.suffix.lower() in KINDS else name
    match = shape.fullmatch(bare.as_posix()) or shape.fullmatch(name.as_posix())
    return Found(match["student"].strip(), path, received(path)) if match else None


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith("__")


def received(path: Path) -> datetime:
    """When a submission came: as nbgrader noted it, or else its newest file's time."""
    noted = (path if path.is_dir() else path.parent) / TIMESTAMP
    try:
        told = datetime.fromisoformat(noted.read_text("utf-8").strip().removesuffix(" UTC"))
        return told.replace(tzinfo=told.tzinfo or UTC)
    except (OSError, ValueError):
        return datetime.fromtimestamp(max(_times(path), default=0.0), UTC)


def _times(path: Path) -> Iterator[float]:
    for each in path.rglob("*") if path.is_dir() and not path.is_symlink() else (path,):
        if not each.is_dir():
            yield each.lstat().st_mtime
