"""Each pitfall is found, at its line, and the line to write instead mends the gradient."""

import numpy as np
import pytest

from tests.pitfalls.catalogue import PITFALLS, WITHOUT_A_LINE
from tests.pitfalls.snippets import explained, mended, run


@pytest.fixture(params=[*PITFALLS, *WITHOUT_A_LINE], ids=str)
def pitfall(request):
    return request.param


@pytest.fixture(params=PITFALLS, ids=str)
def mendable(request):
    return request.param


def test_its_gradient_is_none(pitfall):
    assert run(pitfall.snippet)["g"] is None


def test_its_cause_is_the_first_finding(pitfall):
    explanation = explained(pitfall.snippet)
    assert explanation.findings[0].code == pitfall.code
    assert not explanation.connected
    assert not explanation.partial


def test_it_is_one_cause(pitfall):
    assert len(explained(pitfall.snippet).findings) == 1


def test_the_line_at_fault_is_underlined(pitfall):
    where = explained(pitfall.snippet).findings[0].where
    assert where.line == pitfall.line
    assert where.text


def test_the_line_to_write_instead_mends_the_gradient(mendable):
    gradient = mended(mendable.snippet)
    assert gradient is not None
    assert np.all(np.isfinite(gradient.numpy()))
    assert np.any(gradient.numpy() != 0)


def test_it_rests_on_events_and_names_a_lesson(pitfall):
    explanation = explained(pitfall.snippet)
    (finding,) = explanation.findings
    assert finding.evidence or finding.code == "UNUSED_SOURCE"
    assert all(0 <= event < len(explanation.recording) for event in finding.evidence)
    assert len(finding.lesson) == 2
