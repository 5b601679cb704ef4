"""What a student handed in, as data: files, cells, predictions, opened hints. Nothing of it runs.

A submission is a notebook, a .py file, or the folder or zip archive that holds one. Reading it is
safe whoever wrote it: links are never followed, an archive is unpacked in memory, sizes and numbers
of files are limited, and whatever cannot be read raises UnreadableSubmission with the reason and
with what the student can do about it.

`digest` identifies a submission: the same files have the same digest in any order of reading.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import os
import re
import stat
import tarfile
import tokenize
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, Final, Self

from tapelab.errors import Complaint
from tapelab.exercises.predictions import predictions
from tapelab.exercises.progress_file import file_name
from tapelab.exercises.values import Prediction
from tapelab.views.card import DATA

__all__ = ["Cell", "Submission", "UnreadableSubmission"]


LARGEST: Final = 64 << 20
"""Bytes that a submission may have, unpacked."""
MOST_FILES: Final = 1000
MOST_ENTRIES: Final = 10_000
"""Files and folders that are looked at below a folder."""
DEEPEST: Final = 32
"""Folders within one another."""
MOST_ARCHIVED: Final = 100_000
"""Marks of an entry in an archive, before it is opened: each takes memory, also without a file."""
_ENTRY_MARK: Final = b"PK\x01\x02"
_PACKINGS: Final = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""Ways of packing whose unpacking takes little memory, whatever the archive says."""
_LEFT_OUT: Final = {"__MACOSX", "__pycache__", ".DS_Store", ".git", ".venv", ".ipynb_checkpoints"}
"""Files that systems create in folders, which are not part of a submission."""

Files = dict[str, bytes]
"""The content of each file by its name within the submission, parts parted by `/`."""


NOTEBOOKS: Final = (".ipynb", ".ipynb.txt", ".ipynb.json")
SCRIPTS: Final = (".py", ".py.txt")
"""Browsers and mail programs append an ending to what they take for text."""
_TAR: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_UNREAD: Final = (".7z", ".rar")
"""Archives that no library here reads; they are submissions all the same, and listed as such."""
ENDINGS: Final = (*NOTEBOOKS, *SCRIPTS, ".zip", *_TAR, *_UNREAD)
"""What a submission may be, beside a folder."""


def ending_of(name: str) -> str:
    """The ending that makes a file a submission, as it is written there; empty if it is none."""
    lower = name.lower()
    size = max((len(each) for each in ENDINGS if lower.endswith(each)), default=0)
    return name[len(name) - size :]


class UnreadableSubmission(Complaint, ValueError):  # noqa: N818 - a name that other modules and people use
    """What was handed in cannot be read; the message says why, and what to try."""


def read_files(path: Path) -> Files:
    """The files at a path: one file, all of a folder, or all of a zip archive."""
    try:
        kind = path.lstat().st_mode
        if stat.S_ISDIR(kind):
            return _collect_files(_files_in_folder(path))
        content = _read_regular_file(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise UnreadableSubmission(
            f"{path.name} cannot be read: {why}. Try the path of a notebook, a .py file, a folder "
            "or a zip archive."
        ) from error
    ending = ending_of(path.name).lower()
    if ending in _UNREAD:
        raise UnreadableSubmission(
            f"{path.name} is an archive of a kind that is not read. Pack it as a zip archive."
        )
    if ending == ".zip":
        return _collect_files(_files_in_archive(path.name, content))
    if ending in _TAR:
        return _collect_files(_files_in_tar(path.name, content))
    return {path.name: content}


def _read_regular_file(path: Path) -> bytes:
    """A regular file; a link or a pipe is refused, whatever it was when it was looked at."""
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if path.is_symlink():
        raise UnreadableSubmission(_link_message(path.name))
    descriptor = os.open(path, os.O_RDONLY | flags | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnreadableSubmission(f"{path.name} is no file. Hand in the notebook itself.")
        content = file.read(LARGEST + 1)
    return _check_size(path.name, content)


def _check_size(name: str, content: bytes) -> bytes:
    if len(content) > LARGEST:
        raise UnreadableSubmission(
            f"{name} has more than {LARGEST >> 20} MiB. Clear its outputs or leave data out, and "
            "hand it in again."
        )
    return content


def _link_message(name: str) -> str:
    return f"{name} is a link to another file. Hand in the file itself."


def _files_in_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in files_below(folder):
        yield path.relative_to(folder).as_posix(), _read_regular_file(path)


def files_below(folder: Path) -> Iterator[Path]:
    """The paths of all files below a folder; links and pipes among them, none of them opened.

    OSError where a folder cannot be read; UnreadableSubmission where it holds a link to another
    folder, too many entries, or folders too deep.
    """
    pending = [(folder, 0)]
    entries = 0
    while pending:
        place, depth = pending.pop()
        with os.scandir(place) as scan:
            for entry in scan:
                entries += 1
                if entries > MOST_ENTRIES or depth > DEEPEST:
                    raise UnreadableSubmission(
                        f"{folder.name} has more than {MOST_ENTRIES} entries or folders within "
                        f"{DEEPEST} others. Hand in the notebook and its data alone."
                    )
                if entry.name in _LEFT_OUT:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append((Path(entry.path), depth + 1))
                else:
                    yield Path(entry.path)


def _files_in_archive(title: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Unpacked in memory, so that no entry can be written anywhere."""
    if content.count(_ENTRY_MARK) > MOST_ARCHIVED:
        raise UnreadableSubmission(
            f"{title} has too many entries. Hand in the notebook and its data alone."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist()[: MOST_FILES + 1]:
                if not entry.is_dir() and not _LEFT_OUT & set(entry.filename.split("/")):
                    yield _entry_name(title, entry), _unpack(archive, entry)
    except UnreadableSubmission:
        raise
    except Exception as error:  # zipfile meets damaged archives with many kinds of errors
        raise UnreadableSubmission(
            f"{title} cannot be unpacked: {error}. Pack the files again, as a plain zip archive."
        ) from error


def _files_in_tar(title: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Unpacked in memory, entry by entry, as far as a submission may go."""
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for entry in islice(archive, MOST_ENTRIES):
                name = entry.name.removeprefix("./")
                if entry.isdir() or _LEFT_OUT & set(name.split("/")) or _is_fork(name):
                    continue
                yield name, _untar(title, archive, entry, name)
    except UnreadableSubmission:
        raise
    except Exception as error:  # tarfile and what unpacks for it meet damage with many kinds
        raise UnreadableSubmission(
            f"{title} cannot be unpacked: {error}. Pack the files again, as a plain zip archive."
        ) from error


def _untar(title: str, archive: tarfile.TarFile, entry: tarfile.TarInfo, name: str) -> bytes:
    unpacked = archive.extractfile(entry) if entry.isreg() else None
    if unpacked is None:
        raise UnreadableSubmission(f"In {title}: {_link_message(name)}")
    if not is_inside(name):
        raise _leads_out(title, name)
    return _check_size(name, unpacked.read(LARGEST + 1))


def _is_fork(name: str) -> bool:
    """Whether macOS keeps the attributes of another file in it."""
    return PurePosixPath(name).name.startswith("._")


def _leads_out(title: str, name: str) -> UnreadableSubmission:
    return UnreadableSubmission(
        f"In {title}: {name!r} leads out of the archive. Pack the files again."
    )


def _entry_name(title: str, entry: zipfile.ZipInfo) -> str:
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise UnreadableSubmission(f"In {title}: {_link_message(entry.filename)}")
    if not is_inside(entry.filename):
        raise _leads_out(title, entry.filename)
    return entry.filename


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.compress_type not in _PACKINGS:
        raise UnreadableSubmission(
            f"{entry.filename} is packed in an unusual way. Pack the files again, as a plain zip "
            "archive."
        )
    with archive.open(entry) as file:
        return _check_size(entry.filename, file.read(LARGEST + 1))


def is_inside(name: str) -> bool:
    """Whether a name of a file stays within its folder, on any system."""
    parts = PurePosixPath(name).parts
    return bool(parts) and not (
        name.startswith("/") or ".." in parts or "\\" in name or ":" in parts[0] or "\0" in name
    )


def _collect_files(files_found: Iterator[tuple[str, bytes]]) -> Files:
    files: Files = {}
    size = 0
    for name, content in files_found:
        if name in files:
            raise UnreadableSubmission(f"There are two files {name}. Leave one out.")
        files[name] = content
        size += len(content)
        if size > LARGEST:
            _check_size("The submission", bytes(LARGEST + 1))
        if len(files) > MOST_FILES:
            raise UnreadableSubmission(
                f"There are more than {MOST_FILES} files. Hand in the notebook and its data alone."
            )
    return files


NEWEST: Final = 4
MOST_CELLS: Final = 10_000
LONGEST_PREDICTION: Final = 4000
MOST_PREDICTIONS: Final = 10_000
_MARKER: Final = re.compile(r"^# ?%%(.*)$", re.MULTILINE)
"""The line above a cell in a .py file."""
_NO_CODE: Final = re.compile(r"\[(markdown|md|raw)\]")


@dataclass(frozen=True)
class Cell:
    """A cell of code as the learner wrote it, line ends aside."""

    id: str
    source: str
    metadata: Mapping[str, Any]


def parse_notebook(name: str, content: bytes) -> dict[str, Any]:
    """The notebook in some bytes; UnreadableSubmission says what is wrong with it."""
    cure = "Open it in Jupyter, save it, and hand it in again."
    try:
        notebook: Any = json.loads(_decode_json(content))
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        empty = "it is empty" if not content.strip() else why
        raise UnreadableSubmission(f"{name} is no notebook: {empty}. {cure}") from error
    version = notebook.get("nbformat") if isinstance(notebook, dict) else None
    if type(version) is not int or version < 3:
        raise UnreadableSubmission(
            f"{name} is no notebook that can be read: it has no nbformat from 3 to {NEWEST}. {cure}"
        )
    if version > NEWEST:
        raise UnreadableSubmission(
            f"{name} has the format {version}, newer than {NEWEST}. Save it as format {NEWEST}."
        )
    return dict(notebook)


def code_cells(name: str, notebook: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The cells of code in order; UnreadableSubmission where they are damaged."""
    try:
        cells = tuple(_iterate_cells(notebook))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnreadableSubmission(
            f"{name} is damaged: its cells cannot be read ({type(error).__name__}: {error}). "
            "Open it in Jupyter, save it, and hand it in again."
        ) from error
    if len(cells) > MOST_CELLS:
        raise UnreadableSubmission(f"{name} has more than {MOST_CELLS} cells. Leave some out.")
    return cells


def _iterate_cells(notebook: Mapping[str, Any]) -> Iterator[Cell]:
    sheets = notebook["worksheets"] if notebook["nbformat"] == 3 else [notebook]
    every = [cell for sheet in sheets for cell in sheet["cells"]]
    for descriptor, cell in enumerate(every, 1):
        if cell["cell_type"] == "code":
            source = cell["input"] if "input" in cell else cell["source"]
            metadata = cell.get("metadata") or {}
            own = cell.get("id")
            named = own if isinstance(own, str) else f"cell-{descriptor}"
            yield Cell(named, _join_source(source), dict(metadata))


def _join_source(source: str | list[str]) -> str:
    return _normalize_newlines(source if isinstance(source, str) else "".join(source))


def _normalize_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def answer_pattern(exercise: str) -> re.Pattern[str]:
    """Matches in a cell that holds the answer to an exercise."""
    return re.compile(rf"""exercise\(\s*["']{re.escape(exercise)}["']""")


def script_cells(name: str, content: bytes) -> tuple[Cell, ...]:
    """The cells of a .py file, which `# %%` parts; one cell where nothing does."""
    try:
        text = _normalize_newlines(_decode_script(content))
    except (SyntaxError, ValueError, LookupError) as error:
        raise UnreadableSubmission(
            f"{name} is no text that can be read: {error}. Save it as UTF-8."
        ) from error
    markers = list(_MARKER.finditer(text))
    starts = [0, *(marker.end() for marker in markers)]
    ends = [*(marker.start() for marker in markers), len(text)]
    heads = ["", *(marker[1] for marker in markers)]
    return tuple(
        Cell(f"cell-{descriptor}", text[start:end].strip("\n"), {})
        for descriptor, (start, end, head) in enumerate(zip(starts, ends, heads, strict=True))
        if text[start:end].strip() and not _NO_CODE.search(head)
    )


def _decode_json(content: bytes) -> str:
    """JSON is UTF-8; some editors put a mark before it or save two bytes a letter."""
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    return content.decode("utf-16" if wide else "utf-8-sig")


def _decode_script(content: bytes) -> str:
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    codec = codecs.lookup(encoding).name
    if not _ENCODINGS.fullmatch(codec):
        raise LookupError(f"the encoding {codec!r} is not one of text")
    return content.decode(codec)


_ENCODINGS: Final = re.compile(
    r"utf-(?:8|8-sig|16|32)(?:-[bl]e)?|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|gb\w+|big5\w*|"
    r"shift_jis\w*|euc_\w+"
)
"""Encodings that editors write and that are decoded in linear time: not `punycode`, for one."""


_NONE: Final[Mapping[str, bytes]] = MappingProxyType({})


@dataclass(frozen=True)
class Submission:
    """The cells of a notebook and who handed it in; `digest` is the SHA-256 of the files."""

    student: str
    digest: str
    cells: tuple[Cell, ...]
    predictions: tuple[Prediction, ...] = ()
    path: Path = Path()
    files: Mapping[str, bytes] = field(default_factory=lambda: _NONE, repr=False)
    """What was handed in beside the notebook, such as a module of helpers or data."""
    hints: Mapping[str, int] = field(default_factory=dict)
    """How many hints of an exercise were opened, as far as the notebook and its progress tell."""
    is_script: bool = False
    """Whether the cells are those of a .py file, which no Jupyter kernel ran."""
    folder: str = "."
    """The folder of the notebook among the files; its code runs there."""

    @classmethod
    def read(cls, path: str | PathLike[str], student: str = "") -> Self:
        """A notebook, a .py file, or the folder or zip archive that holds one.

        UnreadableSubmission says why it cannot be read, and what to try.
        """
        path = Path(path)
        files = read_files(path)
        name = _main_file(path, files)
        other_files = {each: content for each, content in files.items() if each != name}
        displayed: tuple[Mapping[str, Any], ...] = ()
        is_script = ending_of(name).lower() in SCRIPTS
        if is_script:
            cells = script_cells(name, files[name])
        else:
            notebook = parse_notebook(name, files[name])
            cells, displayed = code_cells(name, notebook), tuple(_displayed_data(notebook))
        who = student or path.stem
        folder = PurePosixPath(name).parent
        own_name = str(folder / ending_of(name))
        digest = _digest({**other_files, own_name: files[name]})
        progress = other_files.get(str(folder / file_name(PurePosixPath(name))), b"")
        hints, guesses = opened_hints(displayed, progress), _predictions(displayed)
        return cls(who, digest, cells, guesses, path, MappingProxyType(other_files), hints,
                   is_script, str(folder))  # fmt: skip


def _main_file(path: Path, files: Files) -> str:
    """The one notebook among the files, or else the one .py file."""
    for ending, endings in ((".ipynb", NOTEBOOKS), (".py", SCRIPTS)):
        names = [name for name in files if ending_of(name).lower() in endings]
        if len(names) == 1:
            return names[0]
        if names:
            some = ", ".join(sorted(names)[:5])
            raise UnreadableSubmission(
                f"{path.name} holds more than one {ending} file: {some}. Hand in one of them."
            )
    raise UnreadableSubmission(f"{path.name} holds no notebook. Hand in an .ipynb or a .py file.")


def _digest(files: Files) -> str:
    """The same for the same files, each with its name: lengths keep what is joined apart."""
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        for part in (name.encode("utf-8", "surrogatepass"), content):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()


def _predictions(displayed: Iterable[Mapping[str, Any]]) -> tuple[Prediction, ...]:
    """What was predicted in the pictures of a notebook; what is damaged there was not."""
    readable: list[Prediction] = []
    for record in displayed:
        given = record.get("predictions")
        for each in given if isinstance(given, list) else ():
            with suppress(TypeError):
                [prediction] = predictions([each])
                if len(str(prediction.said)) <= LONGEST_PREDICTION:
                    readable.append(prediction)
    return tuple(readable[:MOST_PREDICTIONS])


def _displayed_data(notebook: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What the outputs of a notebook hold for programs."""
    for cell in notebook.get("cells", ()):
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        for output in outputs if isinstance(outputs, list) else ():
            data = output.get("data") if isinstance(output, dict) else None
            record = data.get(DATA) if isinstance(data, dict) else None
            if isinstance(record, dict):
                yield record


def opened_hints(displayed: Iterable[Mapping[str, Any]], progress: bytes) -> dict[str, int]:
    """By the id of an exercise how many hints were opened, the free ones included.

    The outputs of `tf.hint` and `tf.check` say it, and so does the `progress` file beside the
    notebook; the larger number counts. Both belong to the student: who deletes both has, as far as
    anybody can know, opened none.
    """
    opened: dict[str, int] = {}
    outputs = [(each.get("exercise", each.get("hinted")), each.get("hints")) for each in displayed]
    for descriptor, count in (*outputs, *_hints_in_progress(progress)):
        if type(descriptor) is str and type(count) is int:
            opened[descriptor] = max(count, opened.get(descriptor, 0))
    return opened


def _hints_in_progress(content: bytes) -> list[tuple[Any, Any]]:
    try:
        exercises = json.loads(content)["exercises"].items()
        return [(descriptor, each.get("hints")) for descriptor, each in exercises]
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return []  # there is none, or it is damaged
