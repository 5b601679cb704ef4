"""A lesson is as long as a lesson should be, by counting what is to be read and answered."""

from __future__ import annotations

import json

import pytest

from tools.build_lessons import NOTEBOOKS
from tools.docs.timing import Reading, reading

LESSONS = sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_takes_between_15_and_40_minutes(path):
    assert 15 <= reading(path).minutes <= 40


def test_words_lines_pictures_and_points_take_their_time():
    assert Reading(200, 12, 1, 1, 10).minutes == pytest.approx(1 + 1 + 1 + 2)


def test_what_is_counted_is_what_a_learner_reads(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["Two [words](of-an-address.md)"]},
        {"cell_type": "code", "source": ["x = 1\n", "\n", "tf.show(tape)"]},
    ]
    about = {"tapelab": {"exercises": [{"points": 10}]}}
    path = tmp_path / "lesson.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": about}))
    assert reading(path) == Reading(words=2, lines=2, pictures=1, exercises=1, points=10)
