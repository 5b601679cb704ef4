"""Sentences about a place: the shared fields, values of a site, and the finding at it."""

import pytest

from tapelab.diagnosis.case import Analysis, Case
from tapelab.diagnosis.finding import Step
from tapelab.diagnosis.site import site_at, site_of
from tapelab.recording import events as e
from tests.pitfalls.snippets import run

PROGRAM = """
x = tf.Variable(2.0)
with tf.GradientTape() as recorder:
    y = tf.exp(x)
    z = y * 3.0
why = tf.explain(recorder, z, x)
"""


@pytest.fixture
def case():
    return Case.of_call(Analysis(run(PROGRAM)["why"].recording), 0)


@pytest.fixture
def event(case):
    return case.recording.placed(e.Ran)[0].index


def test_a_sentence_gets_the_fields_that_all_findings_share(case, event):
    said = site_of(case, event).say("`{text}`, {line}: {source}, {target}, {tape}")
    assert said == "`tf.exp(x)`, 3: x, z, recorder"


def test_a_value_of_the_site_fills_every_sentence_and_one_of_the_call_wins(case, event):
    site = site_of(case, event, name="a", line=7)
    assert site.say("{name} {line}") == "a 7"
    assert site.say("{name} {line}", name="b") == "b 7"


def test_a_count_chooses_the_form(case, event):
    site = site_of(case, event)
    assert site.say_many("{count} op on {tape}", "{count} ops on {tape}", 1) == "1 op on recorder"
    assert site.say_many("{count} op on {tape}", "{count} ops on {tape}", 2) == "2 ops on recorder"


def test_a_step_stands_in_the_line_of_the_site(case, event):
    assert site_of(case, event).step("`{text}` ran") == Step(3, "`tf.exp(x)` ran")


def test_a_finding_has_its_place_and_its_event_and_leaves_empty_sentences_out(case, event):
    finding = site_of(case, event).finding("OVERFLOW", "A title", "One.", "", "Two.")
    assert finding.message == "One. Two."
    assert (finding.where.line, finding.where.text) == (3, "tf.exp(x)")
    assert finding.evidence == (event,)
    assert finding.fix is None


def test_given_evidence_replaces_the_event_and_a_span_alone_has_none(case, event):
    assert site_of(case, event).finding("OVERFLOW", "", evidence=()).evidence == ()
    span = case.recording.event_spans[event]
    assert site_at(case, span).finding("OVERFLOW", "").evidence == ()


def test_an_unknown_place_says_the_alternative(case):
    site = site_at(case, -1, "the op")
    assert (site.text, site.line) == ("the op", 0)
    assert site.finding("OVERFLOW", "").where is None
