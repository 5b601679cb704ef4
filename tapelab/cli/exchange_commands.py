"""`tapelab exercise import/export/collect` and `tapelab gradebook export/import`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tapelab.cli.command_errors import handling_files
from tapelab.cli.options import DEFAULT_BOOK, Book, opened
from tapelab.errors import Complaint
from tapelab.version import __version__

if TYPE_CHECKING:
    from tapelab.grading.formats.imported_assignment import Imported

LISTS: Final = ("csv", "nbgrader", "canvas", "moodle")
BOOK_FORMATS: Final = (*LISTS, "gradescope", "json")
GRADERS: Final = ("nbgrader", "otter")
To = Annotated[Path, typer.Option("--to", "-o", help="Where to write it.")]
GraderFormat = Annotated[str, typer.Option("--format", "-f", help="nbgrader or otter.")]
OfAssignment = Annotated[str, typer.Option(help="Of the course; else its only one.")]
OfNotebook = Annotated[str, typer.Option(help="Of the assignment; else its only one.")]


def register(exercise: typer.Typer, gradebook: typer.Typer) -> None:
    """Add the commands to those for exercises and for the gradebook."""
    exercise.command("import")(import_exercises)
    exercise.command("export")(export_exercises)
    exercise.command("collect")(collect)
    gradebook.command("export")(export_gradebook)
    gradebook.command("import")(import_learners)


def import_exercises(
    source: Annotated[Path, typer.Argument(help="A teacher's notebook, a course, or OK tests.")],
    *,
    form: GraderFormat,
    to: To,
    assignment: OfAssignment = "",
    notebook: OfNotebook = "",
) -> None:
    """Write an assignment of nbgrader or of Otter as a folder of ours, with its tests as checks.

    For nbgrader, SOURCE is a course or a notebook under source/; for Otter, a master notebook, or
    an OK test and a folder of them.
    """
    _known(form, GRADERS)
    with handling_files("grading"):
        read = (
            _of_nbgrader(source, assignment, notebook) if form == "nbgrader" else _of_otter(source)
        )
        for file in read.write(to):
            typer.echo(f"Wrote {file}.")
    checks = sum(len(each.tests) for each in read.exercises)
    typer.echo(f"{len(read.exercises)} exercises with {checks} checks came from {read.grader}.")
    for each in read.manual:
        typer.echo(f"By hand: {each.name}, {each.points:g} points. {each.title}")
    typer.echo(f"\nTo look at it: tapelab exercise preview {to}")


def export_exercises(
    folder: Annotated[str, typer.Argument(help="A teacher's folder; for gradescope also 03.")],
    *,
    form: Annotated[str, typer.Option("--format", "-f", help="nbgrader, otter or gradescope.")],
    to: To,
    assignment: Annotated[str, typer.Option(help="What nbgrader calls it.")] = "",
    wheel: Annotated[
        Path | None, typer.Option(help="A tapelab to install on Gradescope.", dir_okay=False)
    ] = None,
    sandbox: Annotated[str, typer.Option(help="What holds learners' code on Gradescope.")] = "auto",
) -> None:
    """Write a folder of ours as an assignment of nbgrader or Otter, or as Gradescope's autograder.

    For nbgrader, --to is the course; for Otter, a folder; for gradescope, a .zip file.
    """
    _known(form, (*GRADERS, "gradescope"))
    with handling_files("grading"):
        from tapelab.authoring.work import Work

        if form == "gradescope":
            from tapelab.grading.formats import gradescope

            written = [gradescope.export(folder, to, sandbox=sandbox, wheel=wheel)]
        elif form == "nbgrader":
            from tapelab.grading.formats import nbgrader_assignment

            work = Work.read(Path(folder))
            written = [*nbgrader_assignment.export(work, to, assignment=assignment)]
        else:
            from tapelab.grading.formats import otter_assignment

            written = [*otter_assignment.export(Work.read(Path(folder)), to)]
    for file in written:
        typer.echo(f"Wrote {file}.")
    if form == "gradescope" and wheel is None:
        typer.echo(
            f"It installs tapelab {__version__} from a package index. Where none has it, build a "
            "wheel with `make dist`, and add --wheel dist/tapelab-*.whl."
        )


def collect(
    course: Annotated[Path, typer.Argument(help="A course of nbgrader.", file_okay=False)],
    *,
    to: To,
    assignment: OfAssignment = "",
    notebook: OfNotebook = "",
) -> None:
    """Write what students of nbgrader handed in as TO/STUDENT.ipynb, ready for `tapelab grade`.

    Locked cells and tests are put right; the answers are taken where the tests stood.
    """
    with handling_files("grading"):
        from tapelab.grading.formats.nbgrader_course import Course

        exchange = Course(course)
        name = _only(exchange.assignments(), assignment, course)
        written = [exchange.collect(sent, name, to) for sent in exchange.handed_in(name, notebook)]
    typer.echo(f"Wrote {len(written)} notebooks to {to}.")


def export_gradebook(
    assignments: Annotated[list[str] | None, typer.Argument(help="Only these.")] = None,
    *,
    form: Annotated[str, typer.Option("--format", "-f", help=" or ".join(BOOK_FORMATS) + ".")],
    to: To,
    gradebook: Book = DEFAULT_BOOK,
) -> None:
    """Write the grades for nbgrader, Canvas, Moodle, Gradescope or a spreadsheet.

    For gradescope, --to is a folder; there is one file for each student and assignment. For
    nbgrader, --to may be a course: students get autograded/ and feedback/ there.
    """
    _known(form, BOOK_FORMATS)
    with handling_files("grading"), opened(gradebook) as book:
        from tapelab.grading.formats import gradebook_export, nbgrader_course
        from tapelab.grading.formats.csv_tables import write_csv
        from tapelab.grading.formats.grade_lists import WRITERS
        from tapelab.recording.atomic_write import write_parts

        chosen = tuple(assignments or ())
        if form == "gradescope":
            count = gradebook_export.write_gradescope(book, to, chosen)
            typer.echo(f"Wrote {count} results to {to}.")
            return
        if form == "nbgrader" and to.is_dir():
            count = nbgrader_course.give_back(book, nbgrader_course.Course(to), chosen)
            typer.echo(f"Wrote {count} notebooks and their feedback to {to}.")
            return
        if form == "json":
            parts = gradebook_export.json_parts(book, chosen)
            write_parts(to, (each.encode() for each in parts))
        else:
            write_csv(WRITERS[form](gradebook_export.grades_in(book, chosen)), to)
    typer.echo(f"Wrote {to}.")


def import_learners(
    file: Annotated[Path, typer.Argument(help="A list of grades, or nbgrader's gradebook.db.")],
    *,
    form: Annotated[str, typer.Option("--format", "-f", help=" or ".join(LISTS) + ".")],
    gradebook: Book = DEFAULT_BOOK,
) -> None:
    """Add the learners of a platform's list, with the numbers by which it knows them.

    An export for that platform finds them by these. The grades in the list are left alone.
    """
    _known(form, LISTS)
    with handling_files("grading"), opened(gradebook) as book:
        from tapelab.grading.formats import gradebook_export, nbgrader_course
        from tapelab.grading.formats.csv_tables import read_text
        from tapelab.grading.formats.grade_lists import READERS, learners_in

        of_file = file.suffix == ".db"
        grades = nbgrader_course.grades(file) if of_file else READERS[form](read_text(file))
        learners = [gradebook_export.student_of(each) for each in learners_in(grades)]
        added = book.add_students(learners, update=True)
    typer.echo(f"{added} students added, {len(learners) - added} were there.")


def _of_nbgrader(source: Path, assignment: str, notebook: str) -> Imported:
    from tapelab.grading.formats import nbgrader_assignment
    from tapelab.grading.formats.nbgrader_course import Course

    if source.is_dir():
        course = Course(source)
        return course.read(_only(course.assignments(), assignment, source), notebook)
    return nbgrader_assignment.read_notebook(source, name=re.sub(r"[^\w-]+", "-", source.stem))


def _of_otter(source: Path) -> Imported:
    from tapelab.grading.formats import otter_assignment

    if source.suffix == ".ipynb":
        return otter_assignment.read_notebook(source)
    return otter_assignment.read_tests(source)


def _only(there: tuple[str, ...], wanted: str, where: Path) -> str:
    if wanted or len(there) == 1:
        return wanted or there[0]
    raise Complaint(
        f"{where} has {len(there)} assignments under source/. Name one with --assignment: "
        f"{', '.join(there) or 'there is none'}."
    )


def _known(form: str, there: tuple[str, ...]) -> None:
    if form not in there:
        raise Complaint(f"--format is {', '.join(there[:-1])} or {there[-1]}, not {form!r}.")
