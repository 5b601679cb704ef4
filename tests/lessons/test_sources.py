"""The notebooks are built from their sources, and hold what a lesson needs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tapelab.authoring.percent_script import chosen
from tapelab.exercises.registry import LESSONS
from tools.build_lessons import NOTEBOOKS, built

SHIPPED = sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))


def read(path: Path):
    return json.loads(path.read_text(encoding="utf-8"))


def code(notebook):
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]


@pytest.mark.parametrize("path", built(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_notebook_is_what_its_source_says(path):
    assert path.exists(), "Run python -m tools.build_lessons."
    same = path.read_text(encoding="utf-8") == built()[path]
    assert same, "Run python -m tools.build_lessons."


def test_no_notebook_stands_there_without_a_source():
    there = {*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("*/*.ipynb")}
    assert there == set(built())


def test_each_lesson_with_exercises_has_its_notebook():
    assert [path.name[:2] for path in SHIPPED] == sorted(LESSONS)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_notebook_records_what_its_exercises_are_worth(path):
    recorded = read(path)["metadata"]["tapelab"]["exercises"]
    lesson = LESSONS.get(path.name[:2], ())
    assert [(each["id"], each["points"]) for each in recorded] == [(e.id, e.points) for e in lesson]
    assert all(f'tf.check("{each["id"]}")' in "\n".join(code(read(path))) for each in recorded)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_lesson_opens_with_a_question_and_checks_every_exercise(path):
    notebook = read(path)
    opening = "".join(notebook["cells"][0]["source"])
    assert re.match(r"# \d\d · .+\n\n\*.+\?\*\n", opening, re.DOTALL)
    about = notebook["metadata"]["tapelab"]
    assert 20 <= about["minutes"] <= 40
    assert f"About {about['minutes']} minutes" in opening
    checked = re.findall(r'^tf\.check\("(.+)"\)$', "\n".join(code(notebook)), re.MULTILINE)
    answered = re.findall(r'^@tf\.exercise\("(.+)"\)$', "\n".join(code(notebook)), re.MULTILINE)
    assert checked == answered == [each.id for each in LESSONS[about["lesson"]]]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_lesson_is_saved_without_outputs_and_without_solutions(path):
    notebook = read(path)
    assert all(not c.get("outputs") for c in notebook["cells"])
    assert "SOLUTION" not in path.read_text(encoding="utf-8")
    assert code(notebook) != code(read(NOTEBOOKS / "solutions" / path.name))


def test_a_source_holds_the_solution_and_what_stands_in_its_place():
    source = "a\n### BEGIN SOLUTION\nsolved\n### INSTEAD\n...\n### END SOLUTION\nb"
    assert chosen(source, solved=True) == "a\nsolved\nb"
    assert chosen(source, solved=False) == "a\n...\nb"


def test_a_solution_that_is_not_closed_is_noticed():
    with pytest.raises(ValueError, match="never closed"):
        chosen("### BEGIN SOLUTION\nsolved", solved=False)
