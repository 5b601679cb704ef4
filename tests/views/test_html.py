from __future__ import annotations

import base64
import gzip
import json
import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

from tapelab.diagnosis.explanation import explain_call
from tapelab.recording import from_bytes
from tapelab.recording.compression import byte_planes
from tapelab.views import explanation_card, html, svg

DATA = re.compile(r'class="tapelab-recording"([^>]*)>([^<]*)</script>')
WHY = re.compile(r'class="tapelab-explanation">([^<]*)</script>')


def woven(packed):
    """The words whose bytes travelled in eight planes, one after the other."""
    planes = np.frombuffer(gzip.decompress(packed), np.uint8)
    return planes.reshape(8, -1).T.tobytes()


def embedded(page):
    """The recording that a page carries."""
    attributes, data = DATA.search(page).groups()
    packed = base64.b64decode(data)
    return from_bytes(woven(packed) if 'data-packed="planes"' in attributes else packed)


class Addresses(HTMLParser):
    """Collects everything in a page that would be fetched from elsewhere."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        names = {"src", "href", "action", "data", "poster"}
        self.found += [(tag, name, value) for name, value in attributes if name in names]


def test_the_page_carries_the_recording_itself(golden):
    recording = golden("scene_a")
    assert embedded(html.page(recording)) == recording


def test_a_long_recording_travels_packed(golden):
    recording = golden("chain")
    page = html.page(recording)
    assert embedded(page) == recording
    columns = sum(each.nbytes for each in recording.columns.values())
    assert len(page) < 95_000 + columns / 10


@pytest.mark.parametrize("length", [0, 1, 4, 7, 8])
def test_byte_planes_take_words_apart_and_fill_up_the_last(length):
    data = bytes(range(1, length + 1))
    restored = np.frombuffer(byte_planes(data), np.uint8).reshape(8, -1).T.tobytes()
    assert restored == data + bytes(-length % 8)


def test_the_page_asks_for_nothing_from_elsewhere(golden):
    page = html.page(golden("scene_a"))
    parser = Addresses()
    parser.feed(page.replace(html.bundle(), ""))
    assert parser.found == []
    assert "import(" not in html.bundle()
    assert "fetch(" not in html.bundle()


@pytest.mark.parametrize("name", ["empty", "scene_a", "iterations"])
def test_the_page_is_little_more_than_its_script_besides_its_data(golden, name):
    page = html.page(golden(name))
    carried = sum(
        map(len, (DATA.search(page)[2], page.split("<noscript>")[1].split("</noscript>")[0]))
    )
    assert len(page.encode()) - carried < len(html.bundle()) + 1_000


@pytest.mark.parametrize(
    ("name", "parts"),
    [("scene_a", ()), ("matmul", ("tensors",)), ("numpy_detour", ("tensors", "why"))],
)
def test_a_page_has_the_parts_of_the_renderer_that_its_recording_needs(golden, name, parts):
    recording = golden(name)
    page = html.page(recording, explain_call(recording, 0) if "why" in parts else None)
    assert f"<script>{html.bundle(*parts)}</script>" in page


def test_code_that_looks_like_the_name_of_a_part_adds_none():
    assert f"<script>{html.bundle()}</script>" in html.document("", '<p> data-needs="no part"</p>')


def test_without_javascript_the_page_shows_a_figure_and_text(golden):
    static = html.page(golden("scene_a")).split("<noscript>")[1]
    assert static.startswith("<svg")
    assert "x * y      12.0000    1.0000" in static.split("<pre>")[1]


def test_beside_the_frame_stands_the_whole_graph_as_an_image(golden):
    data = re.search(r'src="data:image/svg\+xml;base64,([^"]*)"', html.frame(golden("scene_a")))[1]
    assert base64.b64decode(data).decode() == svg.svg(golden("scene_a"))


def test_a_recording_that_is_too_long_has_no_static_figure(golden, monkeypatch):
    monkeypatch.setattr(html, "LONGEST_DRAWN", 3)
    assert "data:image" not in html.frame(golden("scene_a"))
    assert "<noscript><pre>" in html.page(golden("scene_a"))


def test_code_and_explanations_cannot_break_out_of_their_place(golden):
    why = {"target": "</script><!--<script>", "findings": []}
    page = html.page(golden("scene_a"), why)
    assert json.loads(WHY.search(page)[1]) == why
    assert page.count("</script>") == 3
    assert page.count("<!--") == html.bundle().count("<!--")


def test_the_step_to_begin_with_stands_beside_the_recording(golden):
    assert 'data-step="7"' in html.page(golden("scene_a"), step=7)
    assert "data-step" not in DATA.search(html.page(golden("scene_a")))[1]


def test_the_frame_of_a_notebook_is_sandboxed_and_holds_the_same_page(golden):
    frame = html.frame(golden("scene_a"))
    assert 'sandbox="allow-scripts"' in frame
    assert "allow-same-origin" not in frame
    inside = unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert embedded(inside) == golden("scene_a")
    assert html.bundle() in inside


def test_the_frame_leaves_its_text_where_a_notebook_is_not_trusted(golden):
    left = re.search(r'border:0">(.*)</iframe>', html.frame(golden("scene_a")), re.DOTALL)[1]
    assert left.startswith("<pre>")
    assert "backward pass" in left
    assert html.TRUST in left


def test_a_missing_bundle_says_how_to_build_it(monkeypatch, tmp_path):
    monkeypatch.setattr(html, "STATIC", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"standalone\.js is missing.*npm run build"):
        html.static_file("standalone.js")


def test_a_rich_output_is_html_and_text(golden):
    bundle = explanation_card.mimebundle(golden("numpy_detour"), step=2)
    assert bundle.keys() == {"text/html", "text/plain"}
    assert bundle["text/html"].startswith("<iframe")
    assert "step 2 of 5" in bundle["text/plain"]
