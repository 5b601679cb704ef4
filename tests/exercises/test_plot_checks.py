"""Plots are judged by what they show: numbers, words and scales, never by how they were made."""

from __future__ import annotations

import numpy as np
import pytest

from tapelab.exercises.plot_checks import draws, labelled, legend, scaled
from tapelab.exercises.value_conversion import value_of

H = np.array([1e-1, 1e-3, 1e-5])
ERROR = np.array([2e-2, 3e-4, 5e-2])
LINE = draws("line", 4, H, ERROR, tolerance=1e-6)
NAMED = draws("line", 4, H, ERROR, label="central")
WORDS = labelled("words", 4, x="step", y="error")
LOG = scaled("scale", 4, x="log", y="log")
KEY = legend("legend", 4, "central", "forward")


@pytest.fixture
def figure():
    from matplotlib.figure import Figure

    return Figure()


@pytest.fixture
def axes(figure):
    return figure.subplots()


def test_a_figure_its_axes_and_its_lines_are_the_same_plot(returned, figure, axes):
    lines = axes.plot(H, ERROR)
    for given in (figure, axes, lines, (figure, axes)):
        assert returned(LINE, given).points == 4


@pytest.mark.parametrize("how", ["scatter", "plot", "semilogx", "bar"])
def test_lines_points_and_bars_draw_the_same_numbers(returned, axes, how):
    order = [2, 0, 1]
    if how == "bar":
        axes.bar(H[order], ERROR[order], width=1e-7)
    else:
        getattr(axes, how)(H[order], ERROR[order])
    assert returned(LINE, axes).points == 4


def test_slips_of_a_line_are_reported(returned, axes, figure):
    assert returned(LINE, figure).text == "Nothing is drawn yet."
    axes.plot(ERROR, H)
    swapped = returned(LINE, figure)
    assert (swapped.points, swapped.text) == (2, "x and y are swapped.")


def test_a_line_too_short_and_one_of_another_name_are_reported(returned, axes):
    axes.plot(H[:2], ERROR[:2], label="forward")
    assert returned(LINE, axes).text == "It has 2 points, 3 are expected."
    assert returned(NAMED, axes).text == "Nothing is labelled `central`."
    axes.plot(H, ERROR, label="Central difference")
    assert returned(NAMED, axes).points == 4


def test_words_on_the_axes_each_earn_their_part(returned, axes):
    assert "plt.xlabel" in returned(WORDS, axes).text
    axes.set_xlabel("Step size h")
    assert returned(WORDS, axes).points == 2
    axes.set_ylabel("Relative error")
    assert returned(WORDS, axes).points == 4


def test_swapped_words_are_reported(returned, axes):
    axes.set(xlabel="error", ylabel="step")
    assert returned(WORDS, axes).text == "The labels of x and y are swapped."


def test_scales_are_compared(returned, axes):
    axes.semilogx(H, ERROR)
    message = returned(LOG, axes)
    assert (message.points, message.expected, message.got) == (0, "log and log", "log and linear")
    axes.set_yscale("log")
    assert returned(LOG, axes).points == 4


def test_a_legend_must_be_shown(returned, axes):
    axes.plot(H, ERROR, label="central")
    assert "plt.legend" in returned(KEY, axes).text
    axes.legend()
    assert returned(KEY, axes).text == "Still missing: `forward`."
    axes.plot(H, ERROR, label="forward")
    axes.legend()
    assert returned(KEY, axes).points == 4


def test_what_is_no_figure_and_axes_that_are_not_there_are_reported(returned, axes):
    assert returned(LINE, 3.0).text.endswith("this is a float.")
    second = draws("second", 4, H, ERROR, axes=1)
    assert returned(second, axes).text == "There are too few axes."


def test_a_plot_is_plain_data(axes):
    axes.imshow(np.eye(2))
    plot = value_of(axes)
    assert plot.axes[0].images[0].tolist() == [[1.0, 0.0], [0.0, 1.0]]
