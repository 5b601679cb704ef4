from __future__ import annotations

from xml.etree import ElementTree as ET

import matplotlib.pyplot as plt
import pytest

import tapelab as tf
from tapelab.views.dot import digraph
from tapelab.views.figures import figure
from tapelab.views.static_figure import HEIGHT, MOST, PASS, WIDTH, layered, static_figure
from tapelab.views.svg import WIDEST, strips, svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _no_screen():
    plt.switch_backend("agg")


@pytest.fixture(scope="module")
def crowd():
    """A tape of many different things, which no fold makes few."""
    sources = [tf.Variable(float(at), name=f"v{at}") for at in range(80)]
    with tf.GradientTape() as tape:
        total = tf.add_n(sources)
    return tape.recording(total, sources)


def words(drawn):
    return [each.text for each in ET.fromstring(drawn).iter(f"{SVG}text")]


def test_every_value_and_every_gradient_stands_in_the_svg(golden):
    shown = words(svg(golden("scene_a")))
    assert {"x", "z", "12.1411", "3.0100", "tf.sin(x)"} <= set(shown)
    assert shown.count("−0.9900") == 1


def test_the_contributions_come_back_on_the_edges_they_took(golden):
    shown = static_figure(golden("scene_a"))
    back = {
        (shown.nodes[edge.start].name, shown.nodes[edge.end].name): edge.gradient_text
        for edge in shown.edges
    }
    assert back["x", "tf.sin(x)"] == "−0.9900"
    assert back["x", "x * y"] == "4.0000"


def test_no_number_covers_a_card_or_another_number():
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * x
    drawn = ET.fromstring(svg(tape.recording(y)))
    cards = [
        tuple(map(float, each.get("transform")[10:-1].split())) for each in drawn.iter(f"{SVG}g")
    ]
    places = [(float(each.get("x")), float(each.get("y"))) for each in drawn.iter(f"{SVG}text")
            if each.get("class") == "g knock"]  # fmt: skip
    assert len(places) == len(set(places)) == 2
    for x_at, y_at in places:
        assert not any(x < x_at < x + WIDTH and y < y_at < y + HEIGHT for x, y in cards)


def test_no_edge_runs_behind_a_card_that_it_passes():
    x, w = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        z = tf.sin(tf.exp(x * w) + x) * x + w
    shown = static_figure(tape.recording(z))
    passed = {top for way in shown.routes.values() for top in way}
    assert len(passed) >= 4
    for left, top in passed:
        column = [y for x_at, y in shown.places if x_at == left]
        assert column
        assert all(y + HEIGHT <= top or top + PASS <= y for y in column)


def test_what_is_beside_the_tape_has_no_gradient_and_the_cut_is_drawn(golden):
    drawn = svg(golden("numpy_detour"))
    assert words(drawn).count("not recorded") == 2
    assert drawn.count('class="ed cut"') == 1


def test_no_two_cards_stand_in_one_place(golden):
    for name in ("scene_a", "composite", "matmul", "fan_out"):
        places = static_figure(golden(name)).places
        assert len(set(places)) == len(places)


def test_a_long_chain_is_folded_and_says_so(golden):
    shown = static_figure(golden("chain"))
    assert [card.size for card in shown.nodes] == [0, 2000]
    assert shown.note == "1 group of ops folded."
    assert shown.note in svg(golden("chain"))
    assert shown.note in digraph(golden("chain")).source


def test_a_crowd_is_cut_to_its_end_and_says_so(crowd):
    shown = static_figure(crowd)
    assert len(shown.nodes) <= MOST
    assert f"The last {MOST} of" in shown.note
    assert shown.note in words(svg(crowd))


def test_a_wide_graph_stands_in_strips_that_hold_every_card_once(golden):
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.tanh(tf.exp(tf.sin(tf.cos(tf.sqrt(tf.square(tf.abs(x)))))))
        y = tf.sigmoid(tf.nn.relu(tf.nn.softplus(tf.atan(tf.sinh(y)))))
    recording = tape.recording(y, x)
    shown = static_figure(recording)
    parts = strips(shown)
    assert len(parts) > 1
    for left, top in shown.places:
        around = [part for part in parts if part[0] <= left < part[0] + part[2]]
        ((start, above, wide, high),) = around
        assert left + WIDTH <= start + wide
        assert above <= top <= top + HEIGHT <= above + high
    drawn = ET.fromstring(svg(recording))
    assert float(drawn.get("width")) <= WIDEST < shown.size[0]
    rows = [each for each in drawn.iter(f"{SVG}svg") if each is not drawn]
    tops = [float(row.get("y")) for row in rows]
    ends = [top + float(row.get("height")) for top, row in zip(tops, rows, strict=True)]
    assert all(end <= top for end, top in zip(ends, tops[1:], strict=False))
    assert "whole-" not in svg(golden("scene_a"))


def test_the_figure_says_what_the_svg_says(golden):
    drawn = figure(golden("scene_a"))
    texts = {text.get_text() for text in drawn.axes[0].texts}
    assert {"12.1411", "3.0100", "sin  tf.sin(x)"} <= texts


def test_an_empty_tape_draws_an_empty_picture(golden):
    assert words(svg(golden("empty"))) == []
    assert figure(golden("empty")).axes


def test_a_card_stands_behind_all_that_it_is_made_from():
    laid = layered(5, [(0, 1), (1, 2), (0, 3), (3, 4), (2, 4)])
    at = {card: place for place, column in enumerate(laid.columns) for card in column if card < 5}
    assert at == {0: 0, 1: 1, 2: 2, 3: 1, 4: 3}


def test_an_edge_has_a_waypoint_in_each_column_that_it_passes_and_shares_it_with_its_like():
    laid = layered(5, [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (0, 4)])
    assert laid.through[0, 3] == laid.through[0, 4][:2]
    for column, waypoint in enumerate(laid.through[0, 4], start=1):
        assert waypoint in laid.columns[column]
    assert laid.through[0, 1] == ()


def test_what_is_given_stands_right_before_its_first_use():
    columns = layered(4, [(0, 1), (1, 3), (2, 3)]).columns
    assert columns == [[0], [1, 2], [3]]


def test_edges_that_would_cross_are_put_in_order():
    columns = layered(4, [(0, 3), (1, 2)]).columns
    assert columns[0].index(0) == columns[1].index(3)
