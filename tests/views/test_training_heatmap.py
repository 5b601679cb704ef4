"""The film of a training as Python draws it; the golden films hold the front-end to the same."""

from __future__ import annotations

import json
import math
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tapelab.recording.training_series import (
    Row,
    SeriesVariable,
    TrainingSeries,
    json_number,
    state_of,
    thinned,
)
from tapelab.views import training_heatmap
from tapelab.views.training_heatmap import heatmap

FILMS = json.loads((Path(__file__).parents[1] / "fixtures" / "films.json").read_text("utf-8"))


def series_of(*columns, epochs=(), names=None):
    """A series with a column of norms for each variable."""
    names = names or [f"v{at}" for at in range(len(columns))]
    rows = [Row(step, 1.0, norms) for step, norms in enumerate(zip(*columns, strict=True), 1)]
    variables = tuple(SeriesVariable(name, 1) for name in names)
    return TrainingSeries("loss", variables, tuple(rows), tuple(epochs))


@pytest.mark.parametrize("golden", FILMS)
def test_the_film_is_the_one_of_the_golden_file(golden):
    film = heatmap(TrainingSeries.from_json(golden["series"]), golden["columns"])
    wanted = golden["film"]
    assert (list(film.columns), film.low, film.high) == (
        wanted["columns"],
        wanted["low"],
        wanted["high"],
    )
    for line, expected in zip(film.lines, wanted["lines"], strict=True):
        assert (line.name, line.size, list(line.cells)) == (
            expected["name"],
            expected["size"],
            expected["cells"],
        )
        assert [json_number(norm) for norm in line.norms] == pytest.approx(expected["norms"])


def test_a_series_comes_back_from_json():
    series = series_of((1.0, math.inf), ("none", None), epochs=(1,))
    carried = json.loads(json.dumps(series.to_json(), allow_nan=False))
    assert TrainingSeries.from_json(carried) == series


def test_levels_follow_the_logarithm_of_the_norm():
    film = heatmap(series_of((1e-6, 1e-3, 1.0)))
    assert (film.low, film.high) == (-6, 0)
    assert film.lines[0].cells == (0, 4, 8)


def test_a_nan_in_any_step_of_a_column_is_shown():
    norms = [1.0] * 40
    norms[17] = math.nan
    film = heatmap(series_of(tuple(norms)), 4)
    assert film.columns == (10, 20, 30, 40)
    assert [cell == "nan" for cell in film.lines[0].cells] == [False, True, False, False]


def test_the_oldest_column_is_the_one_that_may_be_smaller():
    assert heatmap(series_of((1.0,) * 7), 3).columns == (1, 4, 7)


def test_many_variables_share_the_line_of_their_layer():
    names = [f"m/dense_{at}/{part}" for at in range(13) for part in ("kernel", "bias")]
    film = heatmap(series_of(*[(3.0,), (4.0,)] * 13, names=names))
    assert [line.name for line in film.lines][:2] == ["dense_0", "dense_1"]
    assert {line.norms for line in film.lines} == {(5.0,)}


@pytest.mark.parametrize(
    ("norm", "state"),
    [
        (None, "unknown"),
        ("none", "none"),
        (math.inf, "nan"),
        (0.0, "zero"),
        (0.9e-6, "vanished"),
        (1.1e-6, "gradient"),
    ],
)
def test_the_state_of_a_gradient_of_a_hundred_elements(norm, state):
    assert state_of(norm, 100) == state


def test_thinning_keeps_the_newest_row_and_wanted_ones():
    rows = [Row(step, None, ()) for step in range(1, 11)]
    assert [row.step for row in thinned(rows, {3})] == [2, 3, 4, 6, 8, 10]


def test_the_svg_draws_every_look_once_and_names_what_occurs():
    series = series_of((1.0, math.nan), ("none", "none"), (0.0, 2.0), epochs=(1, 2))
    root = ET.fromstring(training_heatmap.svg(series))
    texts = [each.text for each in root.iter() if each.tag.endswith("text")]
    assert {"v0", "v1", "v2", "NaN, ∞", "None", "0", "1e1", "1e−2"} <= set(texts)
    paths = [each for each in root.iter() if each.tag.endswith("path") and each.get("class")]
    assert [each.get("class") for each in paths].count("nan") == 2  # cells, and legend


def test_names_cannot_break_out_of_the_svg():
    series = series_of((1.0,), names=["<script>&"])
    assert "<script>" not in training_heatmap.svg(series)


def test_in_a_terminal_each_variable_has_a_row_of_blocks():
    lines = training_heatmap.text(series_of((1e-6, 1e-3, 1.0, math.nan))).splitlines()
    assert lines[0] == "v0  ▁▅█N"
    assert "from 1e−6 ▁ to 1e0 █ in steps 1 to 4" in lines[-1]
