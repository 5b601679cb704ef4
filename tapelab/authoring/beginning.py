"""A new work: a folder with an example that is sound from the first moment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tapelab.authoring.work import TEXT, WorkError
from tapelab.exercises.beside import SCRIPT
from tapelab.recording.atomic_write import write

_TEMPLATE: Final = Path(__file__).parent / "template"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")


def begin(folder: Path) -> list[Path]:
    """Write the example into a folder, which is new or empty; its name begins all ids."""
    name = folder.resolve().name
    if not _NAME.fullmatch(name):
        raise WorkError(
            f"{name!r} cannot begin the ids of exercises. Use letters, digits, - and _ alone, as "
            "in gradients-1."
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WorkError(f"{folder} is there already. Choose another name, or empty it first.")
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for file in (SCRIPT, TEXT):
        text = (_TEMPLATE / f"{file}.txt").read_text(encoding="utf-8").replace("@NAME@", name)
        made.append(write(folder / file, text.encode()))
    return made
