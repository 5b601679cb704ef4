"""Grades and feedback of an assignment as files for other systems; the command's own writers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tapelab.grading.formats.grade_lists import WRITERS
from tapelab.grading.formats.gradebook_export import (
    grades_in,
    json_text,
    results_in,
    write_gradescope,
)
from tapelab.grading.gradebook.book import Gradebook
from tapelab.grading.gradebook.gradebook_errors import UnfitError
from tapelab.grading.reports.feedback import file_name, write_pages
from tapelab.grading.server.handler import Handler
from tapelab.locales import say

Archive = Callable[[Gradebook, str, Path], object]
"""Writes files about an assignment into a folder."""


def _gradescope(book: Gradebook, name: str, folder: Path) -> None:
    write_gradescope(results_in(book, (name,)), folder)


ARCHIVES: Final[dict[str, Archive]] = {"gradescope": _gradescope, "feedback": write_pages}
EXPORTS: Final = {
    "nbgrader": "nbgrader", "canvas": "Canvas", "moodle": "Moodle", "gradescope": "Gradescope",
    "csv": "CSV", "json": "JSON",
}  # fmt: skip
"""By what the address says, the names of formats, which no language changes."""


class Export(Handler):
    """The grades of an assignment in the format of a system, or its feedback pages."""

    async def get(self) -> None:
        """Send the file."""
        name, form = self.query("name"), self.query("as")
        content, ending = await self.from_book(partial(_exported, name=name, form=form))
        stem = f"{file_name(name)}-{form}".encode("ascii", "replace").decode().replace("?", "_")
        self.set_header("Content-Type", "application/octet-stream")
        self.set_header("Content-Disposition", f'attachment; filename="{stem}.{ending}"')
        self.finish(content)


def _exported(book: Gradebook, *, name: str, form: str) -> tuple[bytes, str]:
    """The file, and how its name ends."""
    known = book.assignment(name).name
    if form in ARCHIVES:
        with TemporaryDirectory(prefix="tapelab-") as folder:
            ARCHIVES[form](book, known, Path(folder))
            return _zipped(Path(folder)), "zip"
    if form == "json":
        return json_text(results_in(book, (known,))).encode(), "json"
    if form in WRITERS:
        return WRITERS[form](grades_in(book, (known,))).encode(), "csv"
    raise UnfitError(say("`{text}` is no format of those listed.", text=form))


def _zipped(folder: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    return content.getvalue()
