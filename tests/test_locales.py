"""The catalogues: complete, with the same values everywhere, compiled from what is written."""

from __future__ import annotations

import io
import re
from contextvars import copy_context
from gettext import GNUTranslations
from typing import Final

import pytest
from babel.messages.pofile import read_po

import tapelab as tf
from tapelab import locales as said
from tools import words
from tools.lesson_words import file_of, parts

LEAST: Final = 0.95
"""Sentences change; so large a share of them must be translated at any time."""
VALUE = re.compile(r"\{[^}]*\}")

AVOIDED: Final = {
    "zh_CN": "您|带子|[\u4e00-\u9fff][,;:?!]",
    "he": r"\b(?:אתה|אותך|שלך|לך|עליך|הקלדת)\b",
}
"""A reader is 你 and a tape 磁带, in the marks of Chinese; Hebrew speaks to no man alone."""


@pytest.fixture(autouse=True)
def english(monkeypatch):
    """What a test chooses ends with it: a choice holds for the process, not for its context."""
    monkeypatch.setenv(said.ENVIRONMENT, "")


@pytest.fixture(scope="module")
def template():
    return words.gathered()


@pytest.fixture(scope="module", params=words.LANGUAGES)
def language(request):
    return request.param


@pytest.fixture(scope="module")
def catalogue(language):
    with words.po_file(language).open("rb") as opened:
        return read_po(opened, locale=language)


@pytest.fixture(scope="module")
def compiled(language):
    with words.po_file(language).with_suffix(".mo").open("rb") as opened:
        return GNUTranslations(opened)


def messages(catalogue):
    """Each message that is translated, with its English forms and its own."""
    for message in catalogue:
        forms = words._strings(message.string)
        if message.id and all(forms):
            yield words._key(message.id), forms


def code(text):
    """What stands between backticks."""
    return set(text.split("`")[1::2])


def paired(catalogue):
    """Each form of a translation with the English form that it says."""
    for english, forms in messages(catalogue):
        at = english if len(forms) == len(english) else english[-1:]
        yield from zip(at, forms, strict=True)


def within(name, ask):
    return copy_context().run(lambda: (tf.language(name), ask())[1])


def test_what_is_said_is_gathered_from_the_code_and_from_the_ops(template):
    assert "Write instead:" in template
    assert "floor is flat almost everywhere, so its derivative tells the model nothing." in template
    assert any(isinstance(each.id, tuple) for each in template)


def test_nearly_every_sentence_is_translated(template, catalogue):
    wanted = [message.id for message in template if message.id]
    there = {english for english, _ in messages(catalogue)}
    missing = [each for each in wanted if words._key(each) not in there]
    assert len(missing) <= (1 - LEAST) * len(wanted), missing


def test_a_translation_names_the_same_values(catalogue):
    for english, form in paired(catalogue):
        assert set(VALUE.findall(form)) - {"{count}"} == set(VALUE.findall(english)) - {"{count}"}
    for english, forms in messages(catalogue):
        assert ("{count}" in forms[-1]) >= ("{count}" in english[-1]), forms  # one may be a word


def test_a_translation_keeps_the_code_as_it_is(catalogue):
    for english, form in paired(catalogue):
        assert form.count("`") % 2 == 0, form
        assert code(english) <= code(form), english


def test_a_translation_is_in_the_letters_of_its_language(language, catalogue):
    letters = {"zh_CN": "[\u4e00-\u9fff]", "he": "[\u05d0-\u05ea]"}[language]
    for english, forms in messages(catalogue):
        bare = VALUE.sub("", re.sub("`[^`]*`", "", english[0]))
        assert not re.search("[a-z]", bare) or all(re.search(letters, each) for each in forms)


def test_every_text_speaks_to_its_reader_in_the_same_way(language):
    texts = [words.po_file(language), *(file_of(language, part) for part in parts())]
    assert len(texts) > 8
    for path in texts:
        avoided = re.search(AVOIDED[language], path.read_text(encoding="utf-8"))
        assert avoided is None, f"{path.parent.name}/{path.name}: {avoided}"


def test_a_hebrew_label_of_the_explorer_gives_no_orders():
    """A button is called by a noun or an infinitive; orders, in the plural, are for sentences."""
    texts = within("he", said.of_explorer)
    forms = [form for each in texts.values() for form in words._strings(each)]
    labels = [each for each in forms if not each.endswith((".", "?"))]
    assert "השהיה" in labels
    assert [each for each in labels if re.match(r"[\u05d0-\u05ea]{2,}ו\b", each)] == []


def test_a_hebrew_sentence_of_the_explorer_does_not_begin_from_the_left():
    """The first letter decides the direction of a paragraph, unless isolates stand around it."""
    with words.po_file("he").open("rb") as opened:
        catalogue = read_po(opened, locale="he")
    said_there = [
        form
        for message in catalogue
        if message.id and message.locations[0][0].startswith(("tapelab/ops", "extension/"))
        for form in words._strings(message.string)
    ]
    assert len(said_there) > 800
    assert [form for form in said_there if re.match("[A-Za-z].* ", form)] == []


def test_plural_forms_are_those_of_the_language(language, catalogue):
    count = {"zh_CN": 1, "he": 2}[language]
    assert catalogue.num_plurals == count
    plural = [forms for english, forms in messages(catalogue) if len(english) == 2]
    assert plural
    assert {len(forms) for forms in plural} == {count}


def test_the_compiled_catalogue_says_what_is_written(catalogue, compiled):
    for message in catalogue:
        english, forms = words._key(message.id), words._strings(message.string)
        if not message.id or not all(forms) or words.of_explorer_alone(message):
            continue
        if len(english) == 1:
            assert compiled.gettext(english[0]) == forms[0]
        else:
            assert compiled.ngettext(*english, 5) == forms[-1]


def test_what_the_explorer_says_has_a_file_of_its_own(language, catalogue, compiled):
    ours = {
        words._key(message.id)[0]: words._strings(message.string)
        for message in catalogue
        if message.id and words.of_explorer_alone(message) and all(words._strings(message.string))
    }
    texts = within(language, said.of_explorer)
    assert len(ours) > 200
    assert {english: texts[english] for english in ours} == {
        english: forms[0] if len(forms) == 1 else list(forms) for english, forms in ours.items()
    }
    assert compiled.gettext("Step back") == "Step back"


def test_every_word_of_the_explorer_is_translated(language, template):
    texts = within(language, said.of_explorer)
    wanted = {words._key(each)[0] for each, _ in words.front_end()}
    missing = sorted(wanted - set(texts))
    assert len(missing) <= (1 - LEAST) * len(wanted), missing
    assert within("en", said.of_explorer) == {}


def test_compiling_and_writing_again_change_nothing(language):
    po = words.po_file(language).read_bytes()
    assert words.as_mo(po, language) == words.po_file(language).with_suffix(".mo").read_bytes()
    assert words.as_po(read_po(io.BytesIO(po), locale=language)).count(b"msgid") == po.count(
        b"msgid"
    )


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("zh-CN", "为什么 y 对 x 的梯度是 None："),
        ("zh", "为什么 y 对 x 的梯度是 None："),
        ("he", "מדוע הגרדיאנט של \u2068y\u2069 לפי \u2068x\u2069 הוא None:"),
        ("xx", "Why the gradient of y with respect to x is None:"),
    ],
)
def test_an_explanation_is_written_in_the_chosen_language(name, title):
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.round(x)
    lines = within(name, lambda: str(tf.explain(tape, y, x))).split("\n")
    assert lines[0] == title


@pytest.mark.parametrize("name", ["zh-CN", "he"])
def test_the_reason_of_an_op_is_translated(name):
    english = "floor is flat almost everywhere, so its derivative tells the model nothing."
    assert within(name, lambda: said.translated(english)) != english
