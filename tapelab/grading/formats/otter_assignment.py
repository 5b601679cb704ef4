"""Assignments of Otter, imported as exercises, and exercises exported as an Otter Assign notebook.

Import: each case of a question's tests becomes a check; hidden cases become private checks, because
Otter never gives them to students. Export: the tests of the master notebook run our checks. Otter
has no partial credit within a test: a check that is passed in part earns nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tapelab.authoring.percent_script import BEGIN, END, INSTEAD, parts
from tapelab.authoring.release import beside, write_all
from tapelab.authoring.work import Work
from tapelab.exercises.check import Check, Visibility
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.exercise_file import SCRIPT
from tapelab.grading.formats.csv_tables import UnreadableFormat, format_points
from tapelab.grading.formats.external_tests import defining_examples
from tapelab.grading.formats.imported_assignment import (
    Imported,
    ImportedExercise,
    Manual,
    Tested,
    answer_cell,
    plain_name,
    unique,
)
from tapelab.grading.formats.notebook_format import (
    CODE,
    MARKDOWN,
    RAW,
    Cell,
    Place,
    code,
    load,
    markdown,
    places,
    raw,
    save,
)
from tapelab.grading.formats.ok_tests import Question, read_test
from tapelab.grading.formats.otter_cells import (
    PROMPT,
    SOLUTION,
    TESTS,
    Block,
    blocks_in,
    case_of,
    config_in,
)

_SOLUTION_LINE: Final = re.compile(r"(\s*)(.*?)\s*# ?SOLUTION(?: NO PROMPT)?\s*$")
_ASSIGNED: Final = re.compile(r"\s*[\w.]+(?:\[[^\]]*\])*(?:,\s*[\w.]+)*\s*=(?!=)")
_PROMPTS: Final = ("# BEGIN PROMPT", "# END PROMPT")
_LEFT_OUT: Final = ("# SOLUTION NO PROMPT", "# SEED", *_PROMPTS)


def read_notebook(path: Path, *, name: str = "") -> Imported:
    """The assignment in a master notebook of Otter Assign; UnreadableFormat says what is wrong."""
    cells = load(path)
    config = config_in(cells)
    title = str(config.get("name") or name or path.stem)
    called = plain_name(name or path.stem)
    parsed = tuple(blocks_in(cells))
    blocks = [each for each in parsed if isinstance(each, Block)]
    if not blocks:
        raise UnreadableFormat(
            f"{path.name} has no # BEGIN QUESTION. Read the master notebook of Otter Assign, not "
            "one that it made."
        )
    names = [each.name for each in blocks]
    twice = {each for each in names if names.count(each) > 1}
    if twice:
        raise UnreadableFormat(f"{path.name} has two questions called {min(twice)!r}.")
    tests = config.get("tests") or {}
    functions = isinstance(tests, Mapping) and tests.get("ok_format") is False
    exercises = tuple(
        _exercise(each, question_in(each, functions=functions), called)
        for each in blocks
        if each.cells_of(TESTS)
    )
    manual = tuple(_manual(each) for each in blocks if each.config.get("manual"))
    return Imported(called, title, "Otter Assign", exercises,
                    tuple(_notebook_cells(parsed, called)), manual)  # fmt: skip


def read_tests(path: Path) -> Imported:
    """OK tests in a file or a folder, without a notebook: a place to write one around them."""
    files = sorted(path.glob("*.py")) if path.is_dir() else [path]
    questions = [read_test(each) for each in files if each.name != "__init__.py"]
    if not questions:
        raise UnreadableFormat(f"{path} has no OK tests, which are files such as q1.py.")
    called = plain_name(path.resolve().stem)
    exercises = tuple(exercise_of(each, called) for each in questions)
    cells = [cell for each in exercises
             for cell in (markdown(f"## {each.title}"), answer_cell(each.id))]  # fmt: skip
    return Imported(called, called, "OK tests", exercises, tuple(cells))


def question_in(block: Block, *, functions: bool = False) -> Question:
    """The test of a question, as Otter writes it into a test file."""
    cases = tuple(case_of(cell, block.name, functions=functions) for cell in block.cells_of(TESTS))
    points = block.config.get("points")
    if isinstance(points, Mapping):
        points = points.get("each", 1) * len(cases)
    as_number: Any = tuple(points) if isinstance(points, list) else points
    question = Question(block.name, cases, as_number, block.config.get("all_or_nothing") is True)
    question.resolved()
    return question


def exercise_of(
    question: Question, name: str, *, title: str = "", prompt: str = ""
) -> ImportedExercise:  # fmt: skip
    """The exercise that an OK test comes to; in all-or-nothing ones, one check has all cases."""
    tests = (_single_test(question),) if question.all_or_nothing else tuple(_tests_of(question))
    return ImportedExercise(
        f"{name}.{question.name}", title or question.name, prompt or question.name, tests
    )


def _tests_of(question: Question) -> Iterator[Tested]:
    """A check for each case that is worth something, with the names that those before it give."""
    earlier = ""
    cases = question.resolved()
    titles = unique(case.name or f"{question.name} {at}" for at, case in enumerate(cases, 1))
    for title, case in zip(titles, cases, strict=True):
        if case.points:
            more = (("failure", case.failure_message),) if case.failure_message else ()
            examples = earlier + case.code
            yield Tested("doctested", title, case.points, examples, _visibility(case.hidden), more)
        earlier += defining_examples(case.code)


def _single_test(question: Question) -> Tested:
    cases = question.resolved()
    points = sum(case.points or 0 for case in cases)
    code = "\n".join(case.code for case in cases)
    seen = _visibility(any(case.hidden for case in cases))
    return Tested("doctested", f"{question.name} as a whole", points, code, seen)


def _visibility(hidden: bool) -> Visibility:
    return Visibility.PRIVATE if hidden else Visibility.PUBLIC


def _exercise(block: Block, question: Question, name: str) -> ImportedExercise:
    texts = [cell.source for part, cell in block.cells if not part and cell.kind == MARKDOWN]
    prompt = "\n\n".join(texts) or block.name
    first = next((line.strip("# *") for line in prompt.split("\n") if line.strip("# *")), "")
    return exercise_of(question, name, title=first[:80] or block.name, prompt=prompt)


def _manual(block: Block) -> Manual:
    points = block.config.get("points") or 0
    if type(points) not in {int, float} or points < 0:
        raise UnreadableFormat(f"The question {block.name!r} has {points!r} for its points.")
    return Manual(block.name, block.name, float(points))


def _notebook_cells(parsed: Sequence[Cell | Block], name: str) -> Iterator[Cell]:
    """The teacher's notebook as ours: solutions marked, answers checked below them."""
    for each in parsed:
        if isinstance(each, Cell):
            yield from [Cell(each.kind, each.source)] if each.kind != RAW else []
            continue
        for part, cell in each.cells:
            if part != TESTS and not (part == SOLUTION and cell.kind == MARKDOWN):
                yield Cell(
                    cell.kind, _marked_cell(part, cell, prompted=bool(each.cells_of(PROMPT)))
                )
        if each.cells_of(TESTS):
            yield answer_cell(f"{name}.{each.name}")


def _marked_cell(part: str, cell: Cell, *, prompted: bool) -> str:
    if part != SOLUTION or cell.kind != CODE:
        return cell.source
    shown = "" if prompted else without_solution(cell.source)
    marked = [BEGIN, with_solution(cell.source), INSTEAD, shown or "...", END]
    return "\n".join(marked)


def with_solution(source: str) -> str:
    """A solution without the signs that Otter tells it by, and without what stands instead."""
    lines = []
    prompt = False
    for line in source.split("\n"):
        mark = line.strip()
        if mark.endswith(_PROMPTS):
            prompt = mark.endswith(_PROMPTS[0])
        elif not prompt and mark != "# END SOLUTION" and not _is_begin(mark):
            parsed = _SOLUTION_LINE.fullmatch(line)
            lines.append(f"{parsed[1]}{parsed[2]}" if parsed else line)
    return "\n".join(lines)


def without_solution(source: str) -> str:
    """What a learner finds in place of a solution: `...` where Otter puts it."""
    lines: list[str] = []
    inside = False
    for line in source.split("\n"):
        mark = line.strip()
        if _is_begin(mark):
            if inside:
                raise UnreadableFormat("BEGIN SOLUTION comes twice without END SOLUTION.")
            inside = True
            lines += [] if mark.endswith("NO PROMPT") else [f"{_indentation(line)}..."]
        elif mark == "# END SOLUTION":
            inside = False
        elif not inside and not mark.endswith(_LEFT_OUT):
            lines.append(_prompt(line))
    if inside:
        raise UnreadableFormat("There is a # BEGIN SOLUTION without # END SOLUTION.")
    return "\n".join(lines)


def _is_begin(mark: str) -> bool:
    return mark in {"# BEGIN SOLUTION", "# BEGIN SOLUTION NO PROMPT"}


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _prompt(line: str) -> str:
    """A line that ends in `# SOLUTION`, as a learner finds it: the name, and `...`."""
    if not _SOLUTION_LINE.fullmatch(line):
        return line
    assigned = _ASSIGNED.match(line)
    return f"{assigned[0]} ..." if assigned else f"{_indentation(line)}..."


TEACHERS: Final = "teachers_exercises.py"
"""What the autograder alone gets: the exercises with all of their checks."""
_TEST: Final = (
    '""" # BEGIN TEST CONFIG\npoints: {points}\nhidden: {hidden}\n""" # END TEST CONFIG\n'
    "from tapelab.grading.formats.embedded_checks import passed{more}\n"
)


def export(work: Work, folder: Path) -> tuple[Path, ...]:
    """Write a master notebook and what it needs into a folder; the files that were written."""
    folder.mkdir(parents=True, exist_ok=True)
    files = beside(work)
    if work.script:
        files[TEACHERS] = work.script.encode()
    return save(folder / f"{work.name}.ipynb", cells(work)), *write_all(files, folder)


def cells(work: Work) -> tuple[Cell, ...]:
    """The cells of the master notebook."""
    by_id = {each.id: each for each in work.exercises}
    checked = {place.checks for place in places(work)}
    parsed = [raw(_config(work))]
    for place in places(work):
        if place.answers in checked & by_id.keys():
            exercise = by_id[place.answers]
            parsed += _question(exercise, place, hidden=bool(work.script))
        elif place.checks not in by_id:
            parsed.append(_other(place.cell))
    return tuple(parsed)


def name_of(number: str) -> str:
    """What the question of an exercise is called; a dot would end the name of its file."""
    return number.replace(".", "-")


def _config(work: Work) -> str:
    files = [*work.files, *([SCRIPT] if work.script else [])]
    lines_of_config = ["# ASSIGNMENT CONFIG", f"name: {work.name}", "export_cell:", "  pdf: false"]
    lines_of_config += ["generate:", "  pdf: false"]
    lines_of_config += ["files:", *(f"  - {each}" for each in files)] if files else []
    lines_of_config += ["autograder_files:", f"  - {TEACHERS}"] if work.script else []
    return "\n".join(lines_of_config)


def _question(exercise: Exercise, place: Place, *, hidden: bool) -> Iterator[Cell]:
    points = format_points(exercise.points)
    yield raw(f"# BEGIN QUESTION\nname: {name_of(exercise.id)}\npoints: {points}")
    yield raw("# BEGIN SOLUTION")
    yield code(_solution(place.cell.source))
    yield raw("# END SOLUTION")
    yield raw("# BEGIN TESTS")
    for check in exercise.checks:
        yield code(_test(exercise, check, teachers=hidden))
    yield raw("# END TESTS")
    yield raw("# END QUESTION")


def _test(exercise: Exercise, check: Check, *, teachers: bool) -> str:
    private = check.visibility is not Visibility.PUBLIC
    head = _TEST.format(
        points=format_points(check.points), hidden=str(private).lower(),
        more=", use_file" if private and teachers else "",
    )  # fmt: skip
    brought = f"use_file({TEACHERS!r})\n" if private and teachers else ""
    return f"{head}{brought}assert passed({exercise.id!r}, {check.title!r})"


def _solution(source: str) -> str:
    """A solution as Otter marks one, with what learners find instead in a text that it uncovers."""
    lines: list[str] = []
    before = ""
    for part, line in [*parts(source, strict=False), ("", "")]:
        space = _indentation(line)
        if part != before:
            lines += [f"{space}{mark}" for mark in (_ENDS.get(before), _BEGINS.get(part)) if mark]
        lines.append(line)
        before = part
    return "\n".join(lines).rstrip("\n")


_BEGINS: Final = {BEGIN: "# BEGIN SOLUTION NO PROMPT", INSTEAD: '""" # BEGIN PROMPT'}
_ENDS: Final = {BEGIN: "# END SOLUTION", INSTEAD: '"""; # END PROMPT'}


def _other(cell: Cell) -> Cell:
    if cell.kind != CODE:
        return cell
    lines = parts(cell.source, strict=False)
    return code("\n".join(line for part, line in lines if part != BEGIN))
