"""Running a case of a corpus in a sandbox, and what must hold afterwards whatever it was."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tapelab.grading.grader import grade
from tapelab.grading.result import CheckResult, Result
from tapelab.grading.sandbox.backends import BACKENDS
from tapelab.grading.sandbox.process_tree import is_running
from tapelab.grading.submission import Submission
from tests.grading.corpora import COURSE, LEFT, SQUARE, TAPE, Case, corpus, course
from tests.grading.generated_cases import attack_cases, honest_cases
from tools import bubblewrap

ATTACK_SECONDS = 1.5
"""An attack that is cut short has earned nothing all the same."""
HONEST_SECONDS = 120.0
"""So long that no busy machine takes a point away."""


@cache
def why_not(backend: str) -> str:
    """Why this host lacks a sandbox; empty where it has it, perhaps since a moment ago."""
    if backend == "bubblewrap":
        bubblewrap.ensure()
    return next(each for each in BACKENDS if each.name == backend).why_not()


def named(case: Case) -> str:
    """What a case is called among tests."""
    return case.name


EVERY = 12
"""One of so many generated cases runs in every run of the tests, THOROUGH=1 runs all."""


def _cases(written: Iterable[Case], generated: Iterable[Case]) -> list[Any]:
    """The cases that are written, and those that are generated, as parameters of a test."""
    return [
        *(pytest.param(case, id=named(case)) for case in written),
        *(pytest.param(case, id=named(case), marks=[pytest.mark.thorough] if at % EVERY else [])
          for at, case in enumerate(generated)),
    ]  # fmt: skip


ATTACKS = _cases(corpus("attacks"), attack_cases())
HONEST = _cases(corpus("honest"), honest_cases())


def attack(case: Case, backend: str, folder: Path, attack_server: Any) -> None:
    """Grade an attack, and assert that it earned no more than its due and called no address."""
    result = attacked(case, backend, folder, attack_server.port)
    assert result.points <= case.due
    assert result.sandbox == backend
    assert attack_server.calls() == 0


def be_honest(case: Case, backend: str, folder: Path) -> None:
    """Grade an honest case, and assert that it lost nothing."""
    assert lost(case, honestly(case, backend, folder)) == []


def attacked(case: Case, backend: str, folder: Path, port: int) -> Result:
    """Grade an attack; afterwards nothing of it runs, and the course is as it was."""
    before, tag = _contents(COURSE), new_tag()
    case = replace(case, cells=(TAGGED.format(tag=tag), *case.cells))
    names = {"COURSE": str(COURSE), "PORT": str(port)}
    result = _graded(case, backend, folder, ATTACK_SECONDS, names)
    assert "did not start" not in result.to_json(), "Nothing was attacked."
    assert _contents(COURSE) == before
    assert not Path("/tmp/owned").exists()
    assert list(tagged(tag)) == []
    return result


def honestly(case: Case, backend: str, folder: Path) -> Result:
    """Grade an honest case, with plain answers to the exercises that it leaves out."""
    other = SQUARE if case.name.startswith("TAPE") else TAPE
    return _graded(
        replace(case, cells=(*case.cells, other, LEFT)), backend, folder, HONEST_SECONDS, {}
    )


def lost(case: Case, result: Result) -> list[CheckResult]:
    """The checks in which an honest case loses points; a secret and a picture are not for all."""
    left_out = {"3"} if case.said else {"3", "5"}
    return [each for exercise in result.exercises for each in exercise.checks
            if each.points < each.of and exercise.exercise not in left_out]  # fmt: skip


def _graded(
    case: Case, backend: str, folder: Path, seconds: float, names: dict[str, str]
) -> Result:
    if why_not(backend):
        pytest.skip(f"This host has no {backend}: {why_not(backend)}")
    assignment = course()
    limits = replace(assignment.limits, seconds=seconds)
    submission = Submission.read(case.written(folder, names))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        return grade(submission, replace(assignment, limits=limits), sandbox=backend)


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {str(path): path.read_bytes() for path in files}


TAGGED = "import ctypes\nctypes.CDLL(None).prctl(15, b'{tag}', 0, 0, 0)"
"""Names a process, and with it all that it forks: the kernel lists them by this name."""


def new_tag() -> str:
    """A name that no process has."""
    return uuid4().hex[:15]


def tagged(tag: str) -> Iterator[int]:
    """The processes of this name that run, wherever their parents are."""
    for path in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError):
            number = int(path.parent.name)
            if path.read_text().strip() == tag and is_running(number):
                yield number
