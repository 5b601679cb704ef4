"""The files of a submission, read without following where they lead: no links, no way out."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

LARGEST: Final = 64 << 20
"""Bytes that a submission may have, unpacked."""
MOST_FILES: Final = 1000
_LEFT_OUT: Final = {"__MACOSX", "__pycache__", ".DS_Store", ".git", ".venv", ".ipynb_checkpoints"}
"""What computers leave in a folder, and nobody hands in."""

Files = dict[str, bytes]
"""The content of each file by its name within the submission, parts parted by `/`."""


class UnreadableSubmission(ValueError):  # noqa: N818 - a name that other modules and people use
    """What was handed in cannot be read; the message says why, and what to try."""


def read_files(path: Path) -> Files:
    """The files at a path: one file, all of a folder, or all of a zip archive."""
    try:
        kind = path.lstat().st_mode
        if stat.S_ISDIR(kind):
            return _checked(_in_folder(path))
        content = _one(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise UnreadableSubmission(
            f"{path.name} cannot be read: {why}. Try the path of a notebook, a .py file, a folder "
            "or a zip archive."
        ) from error
    if path.suffix.lower() == ".zip":
        return _checked(_in_archive(path.name, content))
    return {path.name: content}


def _one(path: Path) -> bytes:
    """A regular file; a link or a pipe is refused, whatever it was when it was looked at."""
    careful = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if path.is_symlink():
        raise UnreadableSubmission(_link(path.name))
    number = os.open(path, os.O_RDONLY | careful | getattr(os, "O_BINARY", 0))
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise UnreadableSubmission(f"{path.name} is no file. Hand in the notebook itself.")
        content = file.read(LARGEST + 1)
    return _within(path.name, content)


def _within(name: str, content: bytes) -> bytes:
    if len(content) > LARGEST:
        raise UnreadableSubmission(
            f"{name} has more than {LARGEST >> 20} MiB. Clear its outputs or leave data out, and "
            "hand it in again."
        )
    return content


def _link(name: str) -> str:
    return f"{name} is a link to another file. Hand in the file itself."


def _in_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    for place, folders, names in os.walk(folder, followlinks=False):
        for name in sorted(folders):
            if (Path(place) / name).is_symlink():
                raise UnreadableSubmission(_link(name))
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        for name in sorted(set(names) - _LEFT_OUT):
            path = Path(place) / name
            yield path.relative_to(folder).as_posix(), _one(path)


def _in_archive(title: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Unpacked in memory, so that no entry can be written anywhere."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist()[: MOST_FILES + 1]:
                if not entry.is_dir() and not _LEFT_OUT & set(entry.filename.split("/")):
                    yield _entry_name(title, entry), _unpacked(archive, entry)
    except UnreadableSubmission:
        raise
    except Exception as error:  # zipfile meets damaged archives with many kinds of errors
        raise UnreadableSubmission(
            f"{title} cannot be unpacked: {error}. Pack the files again, as a plain zip archive."
        ) from error


def _entry_name(title: str, entry: zipfile.ZipInfo) -> str:
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise UnreadableSubmission(f"In {title}: {_link(entry.filename)}")
    if not is_inside(entry.filename):
        raise UnreadableSubmission(
            f"In {title}: {entry.filename!r} leads out of the archive. Pack the files again."
        )
    return entry.filename


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as file:
        return _within(entry.filename, file.read(LARGEST + 1))


def is_inside(name: str) -> bool:
    """Whether a name of a file stays within its folder, on any system."""
    parts = PurePosixPath(name).parts
    return bool(parts) and not (
        name.startswith("/") or ".." in parts or "\\" in name or ":" in parts[0] or "\0" in name
    )


def _checked(found: Iterator[tuple[str, bytes]]) -> Files:
    files: Files = {}
    size = 0
    for name, content in found:
        if name in files:
            raise UnreadableSubmission(f"There are two files {name}. Leave one out.")
        files[name] = content
        size += len(content)
        if size > LARGEST:
            _within("The submission", bytes(LARGEST + 1))
        if len(files) > MOST_FILES:
            raise UnreadableSubmission(
                f"There are more than {MOST_FILES} files. Hand in the notebook and its data alone."
            )
    return files
