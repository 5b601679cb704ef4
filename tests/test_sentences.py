"""Sentences in the chosen language: templates, plural forms, English where there is no other."""

from __future__ import annotations

import ast
import string
from contextvars import copy_context
from gettext import NullTranslations
from pathlib import Path

import pytest

import tapelab as tf
from tapelab import locales

SAID = {"say", "say_many", "sentence"}
DIAGNOSIS = sorted((Path(__file__).parents[1] / "tapelab" / "diagnosis").glob("*.py"))


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv(locales.ENVIRONMENT, "")


def within(name, ask):
    return copy_context().run(lambda: (tf.language(name), ask())[1])


class Backwards(NullTranslations):
    """A language in which all letters stand the other way round, except for names in braces."""

    def gettext(self, message):
        parts = list(string.Formatter().parse(message))
        return "".join(text[::-1] + (f"{{{name}}}" if name else "") for text, name, *_ in parts)

    def ngettext(self, one, many, count):
        return self.gettext(one if count == 1 else many)


def test_english_is_the_default():
    assert tf.language() == "en"
    assert locales.say("`{text}` ends", text="x") == "`x` ends"


def test_the_environment_decides_where_no_language_was_chosen(monkeypatch):
    monkeypatch.setenv(locales.ENVIRONMENT, "he")
    assert within(None, tf.language) == "he"


def test_a_choice_is_that_of_its_context():
    assert within("zh-CN", tf.language) == "zh-CN"


def test_a_language_without_a_catalogue_falls_through_to_english():
    assert within("xx", lambda: locales.say("{count} left", count=2)) == "2 left"


def test_a_catalogue_translates_the_template_and_keeps_the_values(monkeypatch):
    monkeypatch.setattr(locales, "_catalogue", lambda name: Backwards())
    assert locales.say("ends at {text}", text="abc") == " ta sdneabc"
    assert locales.translated("flat") == "talf"


def test_plural_forms_and_thousands():
    def sentence_about(count):
        return locales.say_many("{count} op {how}", "{count} ops {how}", count, how="ran")

    assert sentence_about(1) == "1 op ran"
    assert sentence_about(12345) == "12\u202f345 ops ran"


def test_a_paragraph_leaves_out_what_is_empty():
    assert locales.paragraph("One.", "", "Two.") == "One. Two."


def calls(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in SAID:
            yield node


@pytest.mark.parametrize("path", DIAGNOSIS, ids=lambda path: path.stem)
def test_every_sentence_is_a_template_and_no_formatted_text(path):
    for call in calls(path):
        for given in call.args[: 2 if call.func.id == "say_many" else 1]:
            assert not isinstance(given, (ast.JoinedStr, ast.BinOp)), ast.unparse(call)


@pytest.mark.parametrize("path", DIAGNOSIS, ids=lambda path: path.stem)
def test_the_values_of_a_template_are_those_that_it_names(path):
    for call in calls(path):
        if not isinstance(call.args[0], ast.Constant) or call.func.id == "sentence":
            continue
        named = {name for _, name, *_ in string.Formatter().parse(call.args[0].value) if name}
        given = {each.arg for each in call.keywords}
        counted = {"count"} if call.func.id == "say_many" else set()
        assert None in given or given == named - counted, ast.unparse(call)


@pytest.mark.parametrize("path", DIAGNOSIS, ids=lambda path: path.stem)
def test_no_text_of_a_finding_is_said_without_a_template(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"Finding", "Step"}:
            texts = [each.value for each in node.keywords if each.arg in {"title", "message"}]
            texts += node.args[1:2] if node.func.id == "Step" else []
            assert not any(isinstance(each, (ast.JoinedStr, ast.Constant)) for each in texts)


def test_what_ops_are_called_travels_with_their_recording_in_the_chosen_language(monkeypatch):
    monkeypatch.setenv(locales.ENVIRONMENT, "zh-CN")
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.sin(x)
    recording = tape.recording(y, [x])
    texts = locales.of_explorer(recording.said)
    assert texts["Sine"] == "正弦"
    assert "Cosine" not in texts
    assert [op.title for op in recording.ops] == ["Sine"]


def test_english_needs_no_texts_of_a_recording(monkeypatch):
    monkeypatch.setenv(locales.ENVIRONMENT, "en")
    assert locales.of_explorer(lambda: pytest.fail("called")) == {}
