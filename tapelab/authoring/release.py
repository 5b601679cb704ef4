"""Building what learners get, and proving that it gives nothing away.

A work may be released if it has no problems and no leaks, if the notebook as released earns no
points, and if the solved one earns all. Each notebook is run for that in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tapelab.authoring.lint import problems
from tapelab.authoring.percent_script import notebook, solution_lines
from tapelab.authoring.redaction import secrets, stripped
from tapelab.authoring.work import Work, WorkError
from tapelab.exercises.check import WAITING, Visibility, waiting
from tapelab.exercises.exercise_file import SCRIPT, ExercisesError, names_in
from tapelab.exercises.progress_file import JUPYTER
from tapelab.exercises.verdict_text import short
from tapelab.installation import extra_command
from tapelab.recording.atomic_write import write

SECONDS: Final = 120
"""A cell that takes longer is taken for one without an end."""

_REPORT_CELL: Final = """
import json
from tapelab.exercises.session import SESSION
print(json.dumps([
    [exercise.id, verdict and [[each.title, each.outcome.points, each.of, each.outcome.ending]
                               for each in verdict.judged]]
    for exercise, verdict in SESSION.progress({lesson!r}).verdicts]))
"""


@dataclass(frozen=True)
class Checked:
    """What one check gave in the run."""

    exercise: str
    title: str
    points: float
    of: float
    ending: str


@dataclass(frozen=True)
class Run:
    """A notebook that was run: its verdicts, the exercises without one, and what stopped it."""

    checks: tuple[Checked, ...] = ()
    unchecked: tuple[str, ...] = ()
    error: str = ""


def run(files: Mapping[str, bytes], notebook: str, lesson: str) -> Run:
    """Run a notebook among some files, from top to bottom, in a new kernel and a new folder."""
    with tempfile.TemporaryDirectory(prefix="tapelab-") as name:
        folder = Path(name)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        return _executed(folder, notebook, lesson)


def _executed(folder: Path, notebook: str, lesson: str) -> Run:
    try:
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    except ImportError:
        raise WorkError(
            f"A kernel to run the notebook in is not installed. Try: {extra_command('lab')}"
        ) from None
    read = nbformat.reads(notebook, as_version=4)
    report_cell = nbformat.v4.new_code_cell(_REPORT_CELL.format(lesson=lesson))
    read.cells.append(report_cell)
    client = NotebookClient(read, timeout=SECONDS, kernel_name="python3",
                            resources={"metadata": {"path": os.fspath(folder)}})  # fmt: skip
    try:
        own = {name: value for name, value in os.environ.items() if name != JUPYTER}
        client.execute(stderr=subprocess.DEVNULL, env=own)  # errors of the kernel, not of its cells
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        return Run(error=str(error).strip().splitlines()[-1])
    # A busy kernel sends one line in several parts.
    output = "".join(each.get("text", "") for each in read.cells[-1].outputs)
    return _run_of(json.loads(output))


def _run_of(verdicts: list[tuple[str, list[tuple[str, float, float, str]] | None]]) -> Run:
    return Run(
        tuple(Checked(number, *each) for number, checks in verdicts for each in checks or ()),
        tuple(number for number, checks in verdicts if checks is None),
    )


Files = Mapping[str, bytes]


def released(work: Work) -> dict[str, bytes]:
    """The files that learners get, by their names."""
    files = {f"{work.name}.ipynb": notebook(work, solved=False).encode()}
    if work.script:
        files[SCRIPT] = stripped(work.script).encode()
    return files | dict(work.files)


def beside(work: Work) -> dict[str, bytes]:
    """What learners get beside the notebook; WorkError also where only that cannot be released."""
    files = released(work)
    return {name: files[name] for name in files if name == SCRIPT or name in work.files}


def solved(work: Work) -> dict[str, bytes]:
    """The solved notebook among all that the teacher has."""
    files = {f"{work.name}.ipynb": notebook(work, solved=True).encode()}
    if work.script:
        files[SCRIPT] = work.script.encode()
    return files | dict(work.files)


def write_all(files: Files, folder: Path) -> tuple[Path, ...]:
    """Write files into a folder, each whole or not at all; where they are now."""
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    return tuple(write(folder / name, content) for name, content in files.items())


def doubts(work: Work) -> Iterator[str]:
    """All that speaks against releasing a work, sentence by sentence; what runs comes last."""
    objections = [*problems(work), *leaks(work)]
    yield from objections
    if work.script and not objections:
        objections = list(_unstripped(work))
        yield from objections
    if not objections:
        yield from _doubts_of_starter(_run(work, released(work)))
        yield from _doubts_of_solution(_run(work, solved(work)))


def leaks(work: Work) -> Iterator[str]:
    """Released files in which a solution or a check stands that learners must not see."""
    spoken = "\n".join(_spoken(work))
    lines = (each for each in solution_lines(work.text) if each not in spoken)
    hidden = dict.fromkeys(lines, "a line of a solution")
    if work.script:
        hidden |= dict.fromkeys(secrets(work.script), "a text of a check that is not public")
    for name, content in released(work).items():
        text = _read(name, content)
        for secret, what in hidden.items():
            if len(secret) > len("return x") and secret in text:
                yield f"{name} holds {what}: {secret!r}."


def _spoken(work: Work) -> Iterator[str]:
    """Texts that learners may read; the last hint may well be a line of the solution."""
    for exercise in work.exercises:
        yield from (exercise.prompt, *exercise.hints)
        for check in exercise.checks:
            yield from (*check.advice.values(), *(slip.text for slip in check.slips))


def _read(name: str, content: bytes) -> str:
    """What a file says; a notebook without the signs that JSON needs."""
    text = content.decode("utf-8", "replace")
    if not name.endswith(".ipynb"):
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


def _unstripped(work: Work) -> Iterator[str]:
    """Checks that are not public and are in the released file all the same."""
    with tempfile.TemporaryDirectory(prefix="tapelab-") as folder:
        write_all(released(work), Path(folder))
        try:
            left = names_in(Path(folder) / SCRIPT)["EXERCISES"]
        except ExercisesError as error:
            yield f"As learners would get it: {error}"
            return
    kept = [(exercise, check) for exercise in left for check in exercise.checks]
    for exercise, check in kept:
        promise = check.visibility is Visibility.HIDDEN and check.judge is waiting
        if check.visibility is not Visibility.PUBLIC and not promise:
            yield (
                f"The {check.visibility} check {check.title!r} of {exercise.id} cannot be taken "
                f"out of {SCRIPT}. Write it in the list of checks, with .{check.visibility}() "
                "behind it."
            )
    public = [(each.id, check.title) for each in work.exercises for check in each.checks
              if check.visibility is Visibility.PUBLIC]  # fmt: skip
    missing = set(public) - {(exercise.id, check.title) for exercise, check in kept}
    for number, title in sorted(missing):
        yield f"The public check {title!r} of {number} would be lost."


def _run(work: Work, files: Files) -> Run:
    return run(files, files[f"{work.name}.ipynb"].decode(), work.lesson)


def _doubts_of_starter(starter: Run) -> Iterator[str]:
    yield from _of_run(starter, "The learner's notebook")
    for each in starter.checks:
        if each.points:
            yield (
                f"The check {each.title!r} of {each.exercise} gives {short(each.points)} of "
                f"{short(each.of)} to the learner's notebook as it is released."
            )


def _doubts_of_solution(solution: Run) -> Iterator[str]:
    yield from _of_run(solution, "The solved notebook")
    for each in solution.checks:
        if each.points != each.of and each.ending != WAITING:
            yield (
                f"The check {each.title!r} of {each.exercise} gives {short(each.points)} of "
                f"{short(each.of)} to the solution."
            )


def _of_run(run: Run, what: str) -> Iterator[str]:
    if run.error:
        yield f"{what} stops: {run.error}"
    for number in run.unchecked:
        yield f"{what} never checks {number}."
