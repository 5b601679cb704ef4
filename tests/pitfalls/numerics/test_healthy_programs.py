"""Programs as one finds them in courses: a false alarm is as bad as a miss."""

import pytest

import tapelab
from tests.pitfalls.numerics.healthy_models import MODELS
from tests.pitfalls.numerics.healthy_numbers import NUMBERS
from tests.pitfalls.snippets import run

HEALTHY = {**MODELS, **NUMBERS}


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_found(name):
    names = run(HEALTHY[name])
    assert names["sources"]
    for source in names["sources"]:
        explanation = tapelab.explain(names["tape"], names["y"], source)
        assert explanation.findings == (), source.name
        assert explanation.connected


def test_a_false_alarm_would_be_noticed():
    non_finite = HEALTHY["a perceptron"].replace("normal((4, 8)) * 0.5", "normal((4, 8)) / 0.0")
    names = run(non_finite)
    found = tapelab.explain(names["tape"], names["y"], names["sources"][0]).findings
    assert [each.code for each in found] == ["INF_LOCAL"]
