from __future__ import annotations

import math

import matplotlib.pyplot as plt
import pytest

from tapelab.views.figures import gradient_sizes, plot_gradient_sizes


@pytest.fixture(autouse=True)
def _no_screen():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def test_the_sizes_are_those_of_the_gradients(golden):
    sizes = dict(gradient_sizes(golden("fan_out")))
    assert sizes == {"x": 17.0, "a": 3.0, "b": 1.0, "a + b": 1.0, "loss": 1.0}


def test_where_there_is_no_gradient_there_is_a_gap(golden):
    sizes = gradient_sizes(golden("numpy_detour"))
    assert [name for name, _ in sizes] == ["x", "h"]
    assert all(math.isnan(size) for _, size in sizes)


def test_the_figure_has_a_point_for_each_frame(golden):
    axes = plot_gradient_sizes(golden("fan_out"))
    assert list(axes.lines[0].get_ydata()) == [17.0, 3.0, 1.0, 1.0, 1.0]
    assert [label.get_text() for label in axes.get_xticklabels()] == [
        *("x", "a", "b", "a + b", "loss"),
    ]
