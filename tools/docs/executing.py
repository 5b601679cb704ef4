"""Run notebooks in real kernels, each version once: tests and the site share what came out.

What is kept lies in `build/executed`, under a digest of the notebook and of all of tapelab.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import nbformat
from nbclient import NotebookClient

CHECKOUT: Final = Path(__file__).parents[2]
KEPT: Final = CHECKOUT / "build" / "executed"
SECONDS: Final = 120
"""How long a cell may take before it is given up: far beyond what any of them needs."""


def executed(notebook: Path) -> Any:
    """A notebook with the outputs of all its cells; an error in a cell is raised.

    What is kept are those of the checkout alone.
    """
    if not notebook.resolve().is_relative_to(CHECKOUT):
        return _run(notebook)
    kept = KEPT / notebook.parent.name / f"{notebook.stem}-{_digest(notebook)}.ipynb"
    with _alone(kept.with_suffix(".lock")):
        if not kept.exists():
            _keep(_run(notebook), kept)
    return nbformat.read(kept, as_version=4)


def _run(notebook: Path) -> Any:
    content = nbformat.read(notebook, as_version=4)
    return NotebookClient(content, timeout=SECONDS, kernel_name="python3").execute()


def _keep(content: Any, kept: Path) -> None:
    """Write a notebook whole or not at all, and delete its older versions."""
    name = kept.stem.rpartition("-")[0]
    for older in kept.parent.glob(f"{name}-*.ipynb"):
        older.unlink()
    unfinished = kept.with_suffix(".part")
    nbformat.write(content, unfinished)
    unfinished.replace(kept)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Let others who want the same notebook wait, in this process and in others."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _digest(notebook: Path) -> str:
    """Changes with the notebook, and with anything in the package."""
    return hashlib.sha256(notebook.read_bytes() + _package()).hexdigest()[:16]


@cache
def _package() -> bytes:
    """A digest of all files of tapelab that a kernel may read."""
    digest = hashlib.sha256()
    for path in sorted((CHECKOUT / "tapelab").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(CHECKOUT).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.digest()
