"""Of several things that are wrong, each lights its own line of the code and its own cut."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tapelab.views import html
from tests.fixtures.record import run_cell
from tests.ui.browser import Console
from tests.ui.explorer import Explorer

THREE_PITFALLS = """\
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    held = tf.stop_gradient(x) * 2.0
    outside = tf.constant(np.square(x.numpy()))
    whole = tf.cast(tf.cast(x, tf.int32), tf.float32)
    z = held + outside + whole
explanation = tf.explain(tape, z, x)"""

WHAT_EACH_LIGHTS = [
    ("x.numpy()", "x, 3.0000 → outside"),
    ("tf.stop_gradient(x)", "x, 3.0000 → tf.stop_gradient(x)"),
    ("tf.cast(x, tf.int32)", "x, 3.0000 → tf.cast(x, tf.int32)"),
]
"""The piece of code and the edge that is cut, in the order of the findings."""

EDGE_WITH_THE_CROSS = """sign => {
  const on = (shape, point) => point.matrixTransform(shape.getScreenCTM());
  const at = on(sign, new DOMPoint(0, 0));
  const distance = path => Math.min(...Array.from({length: 101}, (_, part) => {
    const there = on(path, path.getPointAtLength(path.getTotalLength() * part / 100));
    return Math.hypot(there.x - at.x, there.y - at.y);
  }));
  const edges = [...sign.ownerSVGElement.querySelectorAll('.ed.cut')];
  const [near] = edges.sort((one, other) => distance(one) - distance(other));
  return distance(near) < 3 ? near.parentElement.querySelector('title').textContent : '';
}"""


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """One page for all tests here; its console must stay silent."""
    explanation = run_cell(THREE_PITFALLS)[0]["explanation"]
    file = tmp_path_factory.mktemp("findings") / "three.html"
    file.write_text(html.page(explanation.recording, explanation), "utf-8")
    page = browser.new_context(offline=True, viewport={"width": 1280, "height": 900}).new_page()
    console = Console(page)
    page.goto(file.as_uri())
    yield page
    page.context.close()
    assert console.complaints() == []


@pytest.fixture
def explorer(page):
    """The explorer at its first finding."""
    explorer = Explorer.within(page)
    if explorer.button("Step").is_visible():
        explorer.root.press("w")
    findings(explorer).first.click()
    return explorer


def findings(explorer):
    return explorer.root.get_by_role("list", name="All findings").get_by_role("button")


def lights(explorer, finding):
    """Check that a finding lights its line and the edge that it cuts, and no other."""
    code, edge = WHAT_EACH_LIGHTS[finding]
    expect(explorer.lit).to_have_text(code)
    cross = explorer.root.locator(".cutsign")
    expect(cross).to_have_count(1)
    expect(explorer.root.locator(".ed.cut")).to_have_count(1)
    assert cross.evaluate(EDGE_WITH_THE_CROSS) == edge


@pytest.mark.parametrize("finding", [2, 1, 0])
def test_a_finding_that_is_clicked_lights_its_line_and_its_cut(explorer, finding):
    findings(explorer).nth(finding).click()
    lights(explorer, finding)


def test_the_arrows_above_walk_through_the_findings(explorer):
    for finding in (1, 2):
        explorer.button("Next finding").click()
        lights(explorer, finding)
    expect(explorer.button("Next finding")).to_be_disabled()
    explorer.button("Previous finding").click()
    lights(explorer, 1)


def test_brackets_walk_through_the_findings_and_stop_at_the_ends(explorer, page):
    for key, finding in [("]", 1), ("]", 2), ("]", 2), ("[", 1), ("[", 0), ("[", 0)]:
        page.keyboard.press(key)
        lights(explorer, finding)
        current = explorer.root.locator(".findings [aria-current=true]")
        expect(current).to_contain_text(WHAT_EACH_LIGHTS[finding][0])


def test_w_leads_from_why_to_the_tape_and_back_to_the_same_finding(explorer, page):
    page.keyboard.press("]")
    page.keyboard.press("w")
    expect(explorer.button("Step")).to_be_visible()
    expect(explorer.root.locator(".cutsign")).to_have_count(0)
    page.keyboard.press("w")
    lights(explorer, 1)
