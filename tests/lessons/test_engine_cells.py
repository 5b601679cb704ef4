"""Every lesson prints what it prints on TensorFlow: `import tapelab as tf` is all that differs."""

from __future__ import annotations

import json

import pytest

from tests.lessons.engine_cells import PRINTED, SOLVED, digest, printed

LESSONS = sorted(SOLVED.glob("[0-9][0-9]-*.ipynb"))


@pytest.fixture(autouse=True)
def _no_window(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")


@pytest.mark.slow
@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_prints_what_it_prints_on_tensorflow(path, tf):
    recorded = json.loads((PRINTED / f"{path.stem}.json").read_text(encoding="utf-8"))
    assert recorded["cells"] == digest(path), "Run `make conformance`: TensorFlow has not seen it."
    assert printed(path, tf) == recorded["printed"]


def test_what_no_lesson_prints_any_more_is_not_kept():
    assert {path.stem for path in PRINTED.iterdir()} == {path.stem for path in LESSONS}
