"""The cards: text for a console, HTML that needs neither JavaScript nor a kernel."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import tapelab as tf
from tapelab.exercises.exercise import Exercise, Hint
from tapelab.exercises.session import SESSION, Hints
from tapelab.views.card import DATA
from tapelab.widgets.verdict_card import hints_html

OVERWRITTEN = "The second contribution replaced the first. They add."
VOID = {"path", "circle", "meta", "br"}


class Balanced(HTMLParser):
    """Checks that every tag is closed in order, and collects the tags."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(autouse=True)
def fresh_session(monkeypatch):
    for memory in ("answers", "verdicts", "opened"):
        monkeypatch.setattr(SESSION, memory, {})
    monkeypatch.setattr(SESSION, "latest", "")
    monkeypatch.setattr(SESSION, "_kept", None)


@pytest.fixture
def half_right():
    @tf.exercise("03.3")
    def answer():
        return {"from sin": 1.0, "from multiply": ..., "at x": 4.0}

    return tf.check("03.3")


def tags_of(html):
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    return parser.tags


def test_a_verdict_reads_as_text(half_right):
    assert repr(half_right).split("\n") == [
        "03.3 Predict the next step: 4 of 10 points",
        "  ✓ What sin brings  3/3",
        "  ◐ What x ends up with  1/4",
        f"      Yours is 4.0000, expected 5.0000. {OVERWRITTEN}",
        "  × What × brings  0/3",
        "      Nothing here yet.",
        "Hint 1 of 3: upstream × local = contribution. The addition passes 1 on to both sides.",
        'tf.hint("03.3") opens the next hint; it costs no points.',
    ]


def test_the_card_carries_both_forms_and_a_verdict_its_points(half_right):
    bundle = half_right._repr_mimebundle_(include=None, exclude=None)
    assert set(bundle) == {"text/plain", "text/html", DATA}
    assert bundle["text/plain"] == repr(half_right)
    verdict = half_right.about
    assert bundle[DATA] == {
        "exercise": verdict.exercise.id,
        "lesson": verdict.exercise.lesson,
        "points": verdict.points,
        "of": verdict.of,
        "hints": 1,
        "spent": 0,
        "checks": [
            {"title": "What sin brings", "points": 3, "of": 3, "grade": "full"},
            {"title": "What x ends up with", "points": 1, "of": 4, "grade": "part"},
            {"title": "What × brings", "points": 0, "of": 3, "grade": "none"},
        ],
    }
    hint = tf.hint("03.3")._repr_mimebundle_()
    assert set(hint) == {"text/plain", "text/html", DATA}
    assert hint[DATA] == {"hinted": "03.3", "hints": 2}


def test_the_page_is_balanced_and_holds_no_script(half_right):
    for card in (half_right, tf.hint("03.3"), tf.progress("03")):
        tags = tags_of(card.html)
        assert "script" not in tags
        assert not re.search(r"\son\w+=|https?://", card.html)


def test_a_hint_that_costs_points_is_not_in_the_card_before_it_is_opened():
    hints = ("first", "second", Hint("priced", cost=2), "fourth")
    exercise = Exercise("9.1", "", "", (), hints, counts_hints=True)
    card = hints_html(Hints(exercise, hints[:1]))
    assert "second" in card
    assert "it costs 2 points" in card
    assert not re.search("priced|fourth", card)
    assert "fourth" in hints_html(Hints(exercise, hints[:3]))
    assert "fourth" in hints_html(Hints(replace(exercise, counts_hints=False), hints[:1]))


def test_hints_open_one_after_the_other_without_a_kernel(half_right):
    assert half_right.html.count("<details>") == 2
    assert tf.hint("03.3").html.count("<details>") == 1
    assert tf.hint("03.3").html.count("<details>") == 0


def test_a_full_answer_shows_no_hints():
    tf.exercise("03.3")(lambda: {"from sin": 1.0, "from multiply": 4.0, "at x": 5.0})
    card = tf.check("03.3")
    assert card.about.passed
    assert "Hint" not in card.text
    assert "<details>" not in card.html
    assert "width:100%" in card.html


def test_what_the_learner_wrote_is_escaped():
    @tf.exercise("02.1")
    def answer(value):
        raise ValueError("<script>alert(1)</script> & `more`")

    html = tf.check("02.1").html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    tags_of(html)


def test_backticks_become_code():
    assert '<code dir="ltr">tf.Variable</code>' in tf.check("02.1").html


def test_progress_names_what_was_not_checked_yet(half_right):
    text = tf.progress().text
    assert "Lesson 03: 4 of 50 points" in text
    assert "03.1 Fill in the gradients: not checked yet" in text
    assert "– / 10" in tf.progress().html


def test_states_differ_by_sign_and_by_word(half_right):
    for word in ("right", "partly right", "not yet"):
        assert f"aria-label='{word}'" in half_right.html
