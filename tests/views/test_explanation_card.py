"""An explanation as a card and as text: the culprit underlined, the cut drawn, either direction."""

from __future__ import annotations

import re
from contextvars import copy_context
from html import unescape

import numpy as np
import pytest

import tapelab as tf
from tapelab.views import card, explanation_card


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("TAPELAB_LANGUAGE", "")


def within(name, ask):
    return copy_context().run(lambda: (tf.language(name), ask())[1])


@pytest.fixture(scope="module")
def mean_by_numpy():
    x = tf.Variable([1.0, 2.0, 3.0], name="x")
    with tf.GradientTape() as tape:
        h = tf.square(x)
        m = np.mean(h)
        loss = tf.sqrt(m)
    return tf.explain(tape, loss, x)


def drawn(html):
    """The names on the cards of the mini graph."""
    return re.findall(r'font-weight="600">([^<]*)<', html)


def test_the_culprit_is_underlined_in_its_line(mean_by_numpy):
    html = explanation_card.explanation_html(mean_by_numpy)
    assert "m = <u>np.mean(h)</u></span>" in html
    assert html.count("<u>") == 1


def test_the_mini_graph_leads_from_the_source_to_the_target_with_one_cut(mean_by_numpy):
    html = explanation_card.explanation_html(mean_by_numpy)
    assert drawn(html) == ["x", "h", "m", "loss"]
    assert html.count('class="stop"') == 1
    assert "The way from x to loss is cut between h and m." in html


def test_the_fix_is_there_line_by_line(mean_by_numpy):
    html = unescape(explanation_card.explanation_html(mean_by_numpy))
    assert '<div class="del">− m = np.mean(h)</div>' in html
    assert '<div class="ins">+ m = tf.reduce_mean(h)</div>' in html


def test_the_text_underlines_the_culprit_as_python_does(mean_by_numpy):
    assert "\n    m = np.mean(h)\n        ^^^^^^^^^^\n" in str(mean_by_numpy)


def test_wide_signs_take_two_columns_of_a_terminal():
    assert card.columns("温度 = tf") == 9


def test_a_chinese_paragraph_breaks_between_signs_and_never_before_a_stop():
    text = card.wrapped("梯度" * 30 + "。" + "张量" * 30 + " tf.stop_gradient(a)。")
    lines = text.split("\n")
    assert all(line.startswith("  ") and card.columns(line) <= 90 for line in lines)
    assert not any(line.lstrip()[0] in card.CLOSING for line in lines)


def test_a_long_way_is_shortened_to_its_ends_and_the_cut():
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x * x)
        for _ in range(6):
            y = y * 2.0
    html = explanation_card.explanation_html(tf.explain(tape, y, x))
    assert len(drawn(html)) <= 5
    assert "⋯" in html


def test_where_no_way_leads_at_all_both_ends_stand_apart():
    x, w = tf.Variable(3.0, name="x"), tf.Variable(4.0, name="w")
    with tf.GradientTape() as tape:
        y = x * x
    html = explanation_card.explanation_html(tf.explain(tape, y, w))
    assert html.count('class="stop"') == html.count('class="graph"')


def test_where_nothing_is_cut_no_graph_is_drawn():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    html = explanation_card.explanation_html(tf.explain(tape, y, x))
    assert "<svg" not in html
    assert "A path leads from" in html


def test_sources_that_one_line_cuts_off_show_that_line_once():
    x, z = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x * z)
    explanation = tf.explain(tape, y, [x, z])
    html = explanation_card.explanation_html(explanation)
    assert len(explanation.findings) == html.count('<div class="finding"') == 2
    assert html.count("<pre ") == html.count('<div class="diff"') == 1


def test_a_part_bears_no_chip_that_says_none():
    x, z = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x * z) + x
    assert '<span class="chip">' not in explanation_card.explanation_html(
        tf.explain(tape, y, [x, z])
    )


def test_code_and_the_learners_words_are_escaped():
    assert card.prose("`a<b` & c") == '<code dir="ltr">a&lt;b</code> &amp; c'


def test_where_the_language_reads_back_the_card_does_and_code_does_not(mean_by_numpy):
    html = within("he", lambda: explanation_card.explanation_html(mean_by_numpy))
    assert '<section class="tapelab-rich" lang="he" dir="rtl"' in html
    assert '<pre dir="ltr"' in html
    assert '<code dir="ltr">np.mean(h)</code>' in html


def test_in_a_terminal_code_is_isolated_where_the_language_reads_back():
    assert card.plain("to `x`") == "to x"
    assert within("he", lambda: card.plain("אל `x`")) == "אל \u2068x\u2069"


def test_all_three_forms_travel(mean_by_numpy):
    bundle = mean_by_numpy._repr_mimebundle_()
    assert bundle.keys() == {"text/plain", "text/html", card.DATA}
    assert bundle[card.DATA]["language"] == "en"
    assert bundle["text/html"].startswith("<iframe")  # the figure of `tf.show`
