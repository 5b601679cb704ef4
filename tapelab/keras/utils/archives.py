"""Files of Keras's cache: local ones are copied, checked and unpacked; nothing is downloaded."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tarfile
import warnings
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname


def get_file(
    fname: Any = None, origin: str | None = None, untar: bool = False,
    md5_hash: str | None = None, file_hash: str | None = None, cache_subdir: Any = "datasets",
    hash_algorithm: str = "auto", extract: bool = False, archive_format: Any = "auto",
    cache_dir: Any = None, force_download: bool = False,
) -> str:  # fmt: skip
    """Return the path of a file in Keras's cache, or of the folder that it was unpacked into.

    A file that is not in the cache is copied from a local `origin` (file://). tapelab downloads
    nothing: OSError says where to put a file from elsewhere.
    """
    if origin is None:
        raise ValueError('Please specify the "origin" argument (URL of the file to download).')
    name = os.fspath(fname or "") or Path(urlsplit(origin).path).name
    if not name:
        raise ValueError(
            f"Can't parse the file name from the origin provided: '{origin}'.Please specify the "
            "`fname` argument."
        )
    if os.sep in name:
        raise ValueError(
            "Paths are no longer accepted as the `fname` argument. To specify the file's parent "
            f"directory, use the `cache_dir` argument. Received: fname={name}"
        )
    folder = _cache(cache_dir) / os.fspath(cache_subdir)
    folder.mkdir(parents=True, exist_ok=True)
    unpacked = extract or untar
    plain = unpacked and (not fname or "." not in name)
    target = folder / (f"{name}_archive" if plain else name)
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    if force_download or not _is_in_cache(target, file_hash, hash_algorithm):
        _copy(origin, target)
        if file_hash is not None and _hash(target, file_hash, hash_algorithm) != file_hash:
            raise ValueError(
                f"Incomplete or corrupted file detected. The {hash_algorithm} file hash does not "
                f"match the provided value of {file_hash}."
            )
    if not unpacked:
        return str(target)
    result = folder / (name if plain else f"{name.partition('.')[0]}_extracted")
    if not _unpack(target, result, "tar" if untar else archive_format):
        warnings.warn("Could not extract archive.", stacklevel=2)
    return str(result)


def _cache(given: Any) -> Path:
    home = given or os.environ.get("KERAS_HOME") or Path.home() / ".keras"
    return Path(home).expanduser()


def _is_in_cache(target: Path, file_hash: str | None, algorithm: str) -> bool:
    if not target.exists():
        return False
    if file_hash is None or _hash(target, file_hash, algorithm) == file_hash:
        return True
    sys.stdout.write(
        "A local file was found, but it seems to be incomplete or outdated because the "
        f"{algorithm} file hash does not match the original value of {file_hash} so we will "
        "re-download the data.\n"
    )
    return False


def _hash(path: Path, wanted: str, algorithm: str) -> str:
    long = algorithm == "sha256" or (algorithm == "auto" and len(wanted) == 64)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256" if long else "md5").hexdigest()


def _copy(origin: str, target: Path) -> None:
    parts = urlsplit(origin)
    if parts.scheme not in {"file", ""}:
        raise OSError(
            f"tapelab does not download files, and {target} does not exist. Download {origin} "
            "yourself, and save it there."
        )
    shutil.copyfile(url2pathname(parts.path), target)


def _unpack(archive: Path, folder: Path, formats: Any) -> bool:
    """Unpack an archive of one of the formats; whether it is one."""
    kinds = ("tar", "zip") if formats == "auto" else formats
    for kind in (kinds,) if isinstance(kinds, str) else kinds or ():
        if kind == "tar" and tarfile.is_tarfile(archive):
            with tarfile.open(archive) as tar:
                tar.extractall(folder, filter="data")
            return True
        if kind == "zip" and zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as zipped:
                zipped.extractall(folder)  # noqa: S202 - it leaves out what points outside
            return True
        if kind not in {"tar", "zip"}:
            raise NotImplementedError(kind)
    return False
