"""Each pitfall is found, at its columns, and the line to write instead mends the gradient."""

import textwrap

import pytest

from tapelab.diagnosis import explain_recording
from tapelab.recording import events as e
from tapelab.recording import from_bytes, to_bytes
from tests.pitfalls.catalogue import PITFALLS
from tests.pitfalls.snippets import explanation_of, repaired, run
from tests.pitfalls.symptoms import CURES, SYMPTOMS


@pytest.fixture(scope="module", params=PITFALLS, ids=str)
def pitfall(request):
    return request.param


@pytest.fixture(params=[each for each in PITFALLS if each.fix], ids=str)
def mendable(request):
    return request.param


@pytest.fixture(scope="module")
def explanation(pitfall):
    return explanation_of(pitfall.snippet, pitfall.ask)


def test_its_symptom_is_there(pitfall):
    assert SYMPTOMS[pitfall.symptom](run(pitfall.snippet))


def test_its_cause_is_the_first_finding_at_its_columns(pitfall, explanation):
    first = explanation.findings[0]
    assert first.code == pitfall.code
    where = first.where and (
        first.where.line, first.where.column, first.where.end_line, first.where.end_column,
    )  # fmt: skip
    assert where == pitfall.culprit
    assert (first.fix and textwrap.dedent(first.fix.after)) == pitfall.instead


def test_a_none_is_explained_as_one(pitfall, explanation):
    if pitfall.symptom == "None":
        assert not explanation.connected
        assert not explanation.partial
        assert len(explanation.findings) == 1


def test_it_rests_on_events_and_names_a_lesson(explanation):
    for finding in explanation.findings:
        assert finding.evidence or finding.code == "UNUSED_SOURCE"
        if explanation.recording is not None:
            assert all(0 <= event < len(explanation.recording) for event in finding.evidence)
        assert len(finding.lesson) == 2


def test_a_recording_loaded_from_bytes_gives_the_same_explanation(explanation):
    if explanation.recording is None:  # of an error
        return
    loaded = from_bytes(to_bytes(explanation.recording))
    questions = [p.event for p in loaded.located if isinstance(p.event, e.Asked)]
    again = [
        explain_recording(loaded, question.targets, source)
        for question in questions
        for source in (*question.sources, question.sources)
    ]
    assert explanation in again


def test_the_line_to_write_instead_mends_it(mendable):
    text = repaired(mendable.snippet, mendable.ask)
    if mendable.symptom == "error":
        assert "error" not in run(text)
        return
    explanation = explanation_of(text, mendable.ask)
    assert mendable.code not in [finding.code for finding in explanation.findings]
    assert CURES[mendable.cured](run(text))
