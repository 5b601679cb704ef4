"""Every public thing has a page in the reference, a docstring, and a signature one can type."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import tapelab as tf
from tools.docs import describing, names

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
LISTED = re.compile(r"```\{names\}\n(.*?)\n```", re.DOTALL)


@pytest.mark.slow
def test_every_part_of_the_namespace_stands_on_one_page():
    pages = [page.read_text("utf-8") for page in REFERENCE.glob("*.md")]
    listed = Counter(
        part for page in pages for text in LISTED.findall(page) for part in text.split()
    )
    there = {entry.part for entry in names.entries()}
    assert there - set(listed) == set()
    assert [part for part, times in listed.items() if times > 1] == []


def test_everything_public_says_what_it_is():
    assert [entry.names[0] for entry in names.entries() if not entry.said] == []


@pytest.mark.parametrize(
    ("thing", "signature"),
    [
        (tf.sin, "(x, name=None)"),
        (tf.zeros, "(shape, dtype=tf.float32, name=None)"),
        (tf.what_if, "(f, /, **inputs)"),
        (tf.get_logger, "()"),
        (tf.GradientTape.watch, "(tensor)"),
    ],
)
def test_a_signature_is_what_a_learner_types(thing, signature):
    assert names.signature(thing) == signature


def test_a_default_of_an_enumeration_is_written_out():
    signature = names.signature(tf.GradientTape.gradient)
    assert "unconnected_gradients=tf.UnconnectedGradients.NONE)" in signature


def test_one_thing_is_listed_once_under_its_shortest_name():
    (sine,) = [entry for entry in names.entries() if entry.thing is tf.sin]
    assert sine.names == ("tf.sin", "tf.math.sin")
    assert sine.part == "tf.math"


def test_a_formula_is_mathematics_and_a_difference_from_tensorflow_is_described():
    text = describing.described(["tf.math"])
    assert "```{math}\ny = \\sin x\n```" in text
    assert "*Not as in TensorFlow:*" in text


def test_a_part_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"Nothing of the namespace stands in tf\.maths"):
        names.of("tf.maths")
