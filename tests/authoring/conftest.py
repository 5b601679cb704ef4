"""A work in a folder, as `tapelab exercise new` makes it, to be changed by a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapelab.authoring.work import Work, begin


class Folder:
    """A teacher's folder that can be edited."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def edit(self, file: str, before: str, after: str) -> Folder:
        """Replace a text that is there."""
        text = (self.path / file).read_text(encoding="utf-8")
        assert before in text
        (self.path / file).write_text(text.replace(before, after), encoding="utf-8")
        return self

    @property
    def work(self) -> Work:
        return Work.read(self.path)


@pytest.fixture
def folder(tmp_path):
    begin(tmp_path / "cubes")
    return Folder(tmp_path / "cubes")
