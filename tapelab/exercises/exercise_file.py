"""Exercises of a teacher's own: the file `exercises.py` in the folder in which a notebook runs."""

from __future__ import annotations

import runpy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from tapelab.exercises.exercise import Exercise

SCRIPT: Final = "exercises.py"


class ExercisesError(ValueError):
    """A file of exercises cannot be read; the message says why and what it should look like."""


def exercises_beside(folder: Path | None = None) -> tuple[Exercise, ...]:
    """The exercises in a folder, by default the one we are in; none where there is no such file."""
    script = (folder or Path.cwd()) / SCRIPT
    if not script.is_file():
        return ()
    state = script.stat()
    return exercises_in(names_in(script, (state.st_mtime_ns, state.st_size)))


@lru_cache(maxsize=8)
def names_in(script: Path, state: tuple[int, int] | None = None) -> dict[str, Any]:
    """What a file of exercises defines; read again when its `state` is another one."""
    del state
    try:
        names = runpy.run_path(str(script))
    except Exception as error:
        raise ExercisesError(
            f"{script} cannot be read: {type(error).__name__}: {error}. It is a Python file that "
            "ends with EXERCISES = (…)."
        ) from error
    exercises = names.get("EXERCISES")
    if not isinstance(exercises, tuple | list) or not all(
        type(each) is Exercise for each in exercises
    ):
        raise ExercisesError(f"{script} does not end with EXERCISES = (…), a tuple of Exercise.")
    return names


def exercises_in(names: dict[str, Any]) -> tuple[Exercise, ...]:
    """The exercises among the names of such a file; COUNT_HINTS holds for all of them."""
    counts = bool(names.get("COUNT_HINTS", False))
    return tuple(replace(each, counts_hints=each.counts_hints or counts)
                 for each in names["EXERCISES"])  # fmt: skip
