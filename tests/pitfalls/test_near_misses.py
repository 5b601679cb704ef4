"""Code that looks like a pitfall and is none: its gradient is whole, so nothing is found."""

import numpy as np
import pytest

import tapelab
from tests.pitfalls.catalogue import NEAR_MISSES
from tests.pitfalls.snippets import explained, run


@pytest.fixture(params=NEAR_MISSES.values(), ids=NEAR_MISSES)
def near_miss(request):
    return request.param


def test_its_gradient_is_there(near_miss):
    gradient = tapelab.convert_to_tensor(run(near_miss)["g"])
    assert np.all(np.isfinite(gradient.numpy()))


def test_nothing_is_found(near_miss):
    explanation = explained(near_miss)
    assert explanation.findings == ()
    assert explanation.connected
    assert not explanation.partial
