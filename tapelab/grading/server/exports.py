"""Grades and feedback of an assignment as files for other systems; the command's own writers."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tapelab.grading.formats.grade_lists import WRITERS
from tapelab.grading.formats.gradebook_export import (
    grades_in,
    json_parts,
    write_gradescope,
)
from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.gradebook_errors import UnfitError
from tapelab.grading.reports.feedback import file_name, write_pages
from tapelab.grading.server.handler import Handler
from tapelab.locales import say

CHUNK: Final = 1 << 20
"""Bytes that are sent at once."""
Archive = Callable[[Gradebook, str, Path], object]
"""Writes files about an assignment into a folder."""


def _gradescope(book: Gradebook, name: str, folder: Path) -> None:
    write_gradescope(book, folder, (name,))


ARCHIVES: Final[dict[str, Archive]] = {"gradescope": _gradescope, "feedback": write_pages}
EXPORTS: Final = {
    "nbgrader": "nbgrader", "canvas": "Canvas", "moodle": "Moodle", "gradescope": "Gradescope",
    "csv": "CSV", "json": "JSON",
}  # fmt: skip
"""By what the address says, the names of formats, which no language changes."""


class Export(Handler):
    """The grades of an assignment in the format of a system, or its feedback pages."""

    async def get(self) -> None:
        """Send the file, part by part."""
        name, form = self.query("name"), self.query("as")
        parts, ending = await self.from_book(partial(_exported, name=name, form=form))
        first = await asyncio.to_thread(_next_chunk, parts)
        stem = f"{file_name(name)}-{form}".encode("ascii", "replace").decode().replace("?", "_")
        self.set_header("Content-Type", "application/octet-stream")
        self.set_header("Content-Disposition", f'attachment; filename="{stem}.{ending}"')
        chunk = first
        while chunk:
            self.write(chunk)
            await self.flush()
            chunk = await asyncio.to_thread(_next_chunk, parts)
        self.finish()


def _next_chunk(parts: Iterator[str | bytes]) -> bytes:
    """The next parts, at least CHUNK bytes of them; empty at the end."""
    chunk = bytearray()
    for each in parts:
        chunk += each.encode() if isinstance(each, str) else each
        if len(chunk) >= CHUNK:
            break
    return bytes(chunk)


def _exported(book: Gradebook, *, name: str, form: str) -> tuple[Iterator[str | bytes], str]:
    """The parts of the file, and how its name ends."""
    known = book.assignment(name).name
    if form in ARCHIVES:
        with TemporaryDirectory(prefix="tapelab-") as folder:
            ARCHIVES[form](book, known, Path(folder))
            return iter([_zipped(Path(folder))]), "zip"
    if form == "json":
        return json_parts(book, (known,)), "json"
    if form in WRITERS:
        return iter([WRITERS[form](grades_in(book, (known,)))]), "csv"
    raise UnfitError(say("`{text}` is no format of those listed.", text=form))


def _zipped(folder: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    return content.getvalue()
