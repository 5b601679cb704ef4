"""Nothing is found in programs whose gradients are whole, whatever else they do."""

import numpy as np
import pytest

import tapelab
from tests.pitfalls.healthy import HEALTHY
from tests.pitfalls.questions import Ran


@pytest.fixture(params=HEALTHY.values(), ids=HEALTHY)
def ran(request):
    return Ran(request.param)


def test_there_are_programs_of_many_kinds():
    assert len(HEALTHY) >= 60


def test_every_gradient_arrives_and_nothing_is_found(ran):
    for gradient, explanation in zip(ran.gradients, ran.explanations(), strict=True):
        assert np.all(np.isfinite(tapelab.convert_to_tensor(gradient).numpy()))
        assert explanation.findings == ()
        assert explanation.connected
        assert not explanation.partial
