"""Lessons in other languages: every text is translated, and nothing but texts is another."""

from __future__ import annotations

import json

import pytest

from tapelab import locales
from tapelab.authoring.lesson_works import lesson_work
from tapelab.authoring.percent_script import notebook
from tapelab.exercises.registry import find
from tapelab.exercises.session import Hints
from tapelab.exercises.verdict import judge
from tapelab.exercises.verdict_text import verdict_text
from tests.lessons.conftest import finish
from tools import lesson_words
from tools.build_lessons import NOTEBOOKS, built
from tools.lesson_languages import _words, in_language
from tools.lesson_words import TRANSLATED, doubts, files, main, parts
from tools.marks import changed
from tools.words import LANGUAGES, as_po, blank

LESSONS = [path for path in built() if path.parent.name in LANGUAGES]


def cells(path, kind):
    return [
        (each["id"], "".join(each["source"]))
        for each in json.loads(built()[path])["cells"]
        if each["cell_type"] == kind
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated_and_keeps_its_code_formulas_links_and_numbers(language):
    assert [each for part in parts() for each in doubts(language, part)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogues_are_those_of_todays_lessons(language):
    made = files([language])
    stale = [path.name for path, held in made.items() if path.read_bytes() != held]
    assert stale == [], "Run python -m tools.lesson_words."


def test_there_is_every_translated_lesson_in_every_language():
    there = {(path.parent.name, path.name[:2]) for path in LESSONS}
    assert there == {(language, number) for language in LANGUAGES for number in TRANSLATED}


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_translated_lesson_has_the_same_cells_and_the_same_code(path):
    english, spoken = NOTEBOOKS / path.name, f'\n\ntf.language("{path.parent.name}");'
    own = cells(path, "code")
    assert sum(spoken in source for _, source in own) == 1
    assert [(each, source.replace(spoken, "")) for each, source in own] == cells(english, "code")
    texts = cells(path, "markdown")
    assert [each for each, _ in texts] == [each for each, _ in cells(english, "markdown")]
    assert not {text for _, text in texts} & {text for _, text in cells(english, "markdown")}


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_translated_lesson_is_worth_the_same(path):
    own, english = (
        json.loads(built()[each])["metadata"]["tapelab"] for each in (path, NOTEBOOKS / path.name)
    )
    exercises, others = own.pop("exercises"), english.pop("exercises")
    assert own == english | {"language": path.parent.name}
    assert [(each["id"], each["points"]) for each in exercises] == [
        (each["id"], each["points"]) for each in others
    ]


@pytest.mark.slow
def test_a_translated_lesson_solved_earns_all_its_points_and_says_so(tmp_path):
    (source,) = (NOTEBOOKS / "src").glob("02-*.py")
    solved = tmp_path / "02.ipynb"
    solved.write_text(in_language(notebook(lesson_work(source), solved=True), "zh_CN"))
    finished = finish(solved)
    assert len(finished.points) >= 3
    assert all(earned == of for earned, of in finished.points.values())
    printed = [each["data"]["text/plain"] for each in finished.outputs() if "data" in each]
    assert any("02.1 任意处的 x²" in text for text in printed)
    assert not any(text == "'zh_CN'" for text in printed)


def test_a_verdict_its_reasons_and_its_hints_speak_the_chosen_language(monkeypatch):
    monkeypatch.setenv(locales.ENVIRONMENT, "zh-CN")
    exercise = find("00.3")
    verdict = judge(exercise, lambda start, speed: (start, True))
    shown = verdict_text(verdict, Hints(exercise, exercise.hints[:1]))
    for said in ("下坡三步", "盒子里的值", "盒子没有移动", "第一轮之后"):
        assert said in shown
    unsolved = judge(exercise, lambda start, speed: ...)
    assert unsolved.judged[0].outcome.text == "这里还什么都没有。"
    assert verdict.to_json()["checks"][0]["title"] == "What is in the box"


def test_text_from_right_to_left_keeps_code_and_formulas_from_left_to_right():
    path = NOTEBOOKS / "he" / "01-slopes-three-ways.ipynb"
    texts = dict(cells(path, "markdown"))
    assert all(text.startswith('<div dir="rtl">\n\n') for text in texts.values())
    assert "\u2066(f(x + h) − f(x − h)) / 2h\u2069".replace(" ", "\u00a0") in texts["01-08"]
    assert "\u2066`bendy(x + h)`\u2069" in texts["01-08"]
    assert "\u2066−13\u2069" in texts["01-10"]
    (links,) = (text for text in texts.values() if "#dual-number" in text)
    assert "(glossary.ipynb#dual-number)" in links
    block = dict(cells(path.with_name("02-the-first-tape.ipynb"), "markdown"))["02-18"]
    assert '<div dir="ltr">\n\n```python\nx = tf.Variable(3.0)\n' in block


def test_a_translation_whose_english_has_changed_is_stale_and_not_shown(tmp_path, monkeypatch):
    catalogues = []
    for english, own in (("A value, like 7", "ערך, כמו 7"), ("A value, as 7", "")):
        catalogues.append(blank("he"))
        catalogues[-1].add(english, own, locations=[("00-02", 0)])
    file = tmp_path / "00.po"
    file.write_bytes(as_po(catalogues[0]))
    monkeypatch.setattr(lesson_words, "file_of", lambda language, part: file)
    monkeypatch.setattr(lesson_words, "template", lambda part: catalogues[1])
    doubt = "he 00-02, 'A value, as 7': stale, the English has changed"
    assert list(doubts("he", "00")) == [doubt]
    assert _words("he", "00") == {}


def test_a_language_that_is_none_of_ours_learns_where_to_name_it():
    assert main(["xx"]).startswith("xx is none of our languages. Name it in LANGUAGES")


@pytest.mark.parametrize(
    ("translation", "lost"),
    [
        ("## T\n\n`a`: 2 × 3, [b](c.md#d)\n\n- e", []),
        ("T\n\n`a`: 2 × 3, [b](c.md#d)\n\n- e", ["heading 1 of level 2 is missing"]),
        ("## T\n\n`b`: 2 × 3, [b](c.md#d)\n\n- e",
         ["code `a` is missing", "code `b` is not in the original"]),
        ("## T\n\n`a`: 4 × 3, [b](c.md#d)\n\n- e", ["number 2 is missing"]),
        ("## T\n\n`a`: 2, 3, [b](c.md#d)\n\n- e", ["sign × is missing"]),
        ("## T\n\n`a`: 2 × 3, [b](d.md#d)\n\n- e",
         ["link c.md#d is missing", "link d.md#d is not in the original"]),
        ("## T\n\n`a`: 2 × 3, [b](c.md#d)", ["item of a list 1 is missing"]),
    ],
)  # fmt: skip
def test_what_a_translation_has_lost_is_named(translation, lost):
    assert changed("## T\n\n`a`: 2 × 3, [B](c.md#d)\n\n- E", translation) == lost
