"""Models open as their modules; calls open in place, step as one, and are left by breadcrumbs."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tapelab.views import html
from tests.ui.axe import violations
from tests.ui.browser import Console
from tests.ui.explorer import Explorer
from tests.ui.models import GAN, LSTM, MAML, MODELS, RESNET, SHOWN_FIRST, TRANSFORMER, recorded

SIZE = {"width": 1366, "height": 768}
MOST = 40
SECOND = 1000
"""Milliseconds in which a model is to be seen; what a page takes until its first picture."""
NAMES = "cards => cards.map(card => card.querySelector('title').textContent)"
SETTLED = "() => Promise.all(document.getAnimations({subtree: true}).map(each => each.finished))"


@pytest.fixture(scope="module")
def pages(browser):
    context = browser.new_context(viewport=SIZE, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def shown(pages, tmp_path):
    """Show a model in a page of its own, whose console must stay silent."""
    opened = []

    def show(model, step=None, tape=""):
        file = tmp_path / f"{model.name}.html"
        file.write_text(html.page(recorded(model, tape), step=step), "utf-8")
        page = pages.new_page()
        opened.append((page, Console(page)))
        page.goto(file.as_uri())
        explorer = Explorer.within(page)
        expect(explorer.graph).to_be_visible()
        return page, explorer

    yield show
    for page, console in opened:
        assert console.complaints() == []
        page.close()


def cards(page):
    return page.locator(".stage .nd")


def names(page):
    return cards(page).evaluate_all(NAMES)


def crumbs(explorer):
    path = explorer.root.get_by_role("list", name="Where this is in the model")
    return path.get_by_role("button")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_model_is_seen_at_once_as_at_most_forty_nodes(shown, model):
    page, _ = shown(model)
    assert 3 <= cards(page).count() <= MOST


@pytest.mark.parametrize(
    ("model", "modules"),
    [
        (TRANSFORMER, [f"blocks[{at}]" for at in range(12)]),
        (RESNET, ["stem", "bottleneck", *(f"bottleneck_{at}" for at in range(1, 16))]),
        (GAN, ["generator", "discriminator", "discriminator"]),
    ],
    ids=["transformer", "resnet", "gan"],
)
def test_a_model_opens_as_its_modules(shown, model, modules):
    page, _ = shown(model)
    assert [name for name in names(page) if name in modules] == modules


def test_an_unrolled_lstm_is_one_card_that_counts_its_steps(shown):
    page, _ = shown(LSTM)
    expect(cards(page).get_by_text("×50", exact=True)).to_have_count(1)


def test_a_click_opens_a_module_in_place_and_its_crumb_goes_back(shown):
    page, _ = shown(TRANSFORMER)
    before = names(page)
    page.locator(".nd", has_text="blocks[3]").first.click()
    opened = names(page)
    at = before.index("blocks[3]")
    assert "blocks[3]" not in opened
    assert {"norm1", "attention", "norm2", "feed_forward"} <= set(opened)
    assert before[:at] == opened[:at]
    boxes = page.locator(".call .callname").all_text_contents()
    assert [text for text in boxes if "blocks[3]" in text]
    page.locator(".nd", has_text="attention").first.click()
    assert {"queries", "keys", "values", "out"} <= set(names(page))
    page.locator(".nd", has_text="softmax").first.click()
    page.locator(".callname", has_text="blocks[3]").click()
    assert names(page) == before


def test_breadcrumbs_lead_back_from_the_step_at_hand(shown):
    page, explorer = shown(TRANSFORMER)
    before = names(page)
    explorer.graph.focus()
    page.keyboard.press("Home")
    while "blocks[0]" not in current(page):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(crumbs(explorer)).to_have_text(["tape", "transformer", "blocks[0]"])
    assert "norm1" in names(page)
    page.locator(".nd", has_text="norm1").first.click()
    assert "moments" in names(page)
    crumbs(explorer).nth(2).click()
    assert "moments" not in names(page)
    crumbs(explorer).nth(0).click()
    assert names(page) == before


def current(page):
    return page.locator(".nd:is(.v, .g)").evaluate_all(NAMES)


def test_a_step_is_a_module_and_inside_an_open_one_an_op(shown):
    page, explorer = shown(TRANSFORMER)
    explorer.graph.focus()
    page.keyboard.press("Home")
    visited = []
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        visited += [name for name in current(page) if name.startswith("blocks")]
    blocks = [f"blocks[{at}]" for at in range(12)]
    assert visited[:12] == blocks
    assert visited[12:24] == blocks[::-1]


def test_the_gradient_goes_back_module_by_module(shown):
    page, explorer = shown(SHOWN_FIRST)
    explorer.graph.focus()
    page.keyboard.press("b")
    visited = []
    while not visited or visited[-1] != "blocks[0]":
        page.keyboard.press("ArrowRight")
        visited += [name for name in current(page) if name.startswith("blocks")]
    assert [*dict.fromkeys(visited)] == [f"blocks[{at}]" for at in range(11, -1, -1)]
    labels = page.locator(".elab").all_text_contents()
    assert any(label.startswith("‖∇‖") for label in labels)
    assert "4×12×32" in labels


def test_the_timeline_has_a_frame_for_each_layer_and_its_parts_on_demand(shown):
    page, explorer = shown(TRANSFORMER)
    labels = explorer.timeline.locator(".fr b")
    calls = [name for name in labels.all_text_contents() if name.startswith("blocks")]
    assert calls == [f"blocks[{at}]" for at in range(12)]
    page.locator(".nd", has_text="blocks[3]").first.click()
    opened = labels.all_text_contents()
    at = opened.index("blocks[2]")
    assert opened[at + 1 : at + 3] == ["norm1", "attention"]
    assert "blocks[3]" not in opened


def test_weights_lie_inside_their_layer(shown):
    page, _ = shown(TRANSFORMER)
    assert "gain" not in names(page)
    page.locator(".nd", has_text="norm").last.click()
    assert {"gain", "bias"} <= set(names(page))


def test_the_block_of_an_inner_tape_is_a_box(shown):
    page, _ = shown(MAML)
    tapes = cards(page).filter(has_text="inner_tape")
    cards(page).filter(has_text="72 ops").first.click()
    cards(page).filter(has_text="adapt").first.click()
    tapes.first.click()
    expect(page.locator(".call.tape .callname", has_text="inner_tape").first).to_be_visible()


def test_what_is_opened_stays_where_it_is(shown):
    page, _ = shown(TRANSFORMER)
    card = page.locator(".nd", has_text="blocks[2]").first
    card.scroll_into_view_if_needed()
    before = card.bounding_box()
    card.click()
    box = page.locator(".call", has_text="blocks[2]").bounding_box()
    assert abs(box["x"] - before["x"]) < 40


def test_calls_glide_open_unless_motion_is_reduced(browser, tmp_path):
    file = tmp_path / "moving.html"
    file.write_text(html.page(recorded(TRANSFORMER)), "utf-8")
    moving = []
    for motion in ("no-preference", "reduce"):
        page = browser.new_page(viewport=SIZE, reduced_motion=motion)
        page.goto(file.as_uri())
        page.locator(".nd", has_text="blocks[3]").first.click()
        moving.append(page.evaluate("document.getAnimations().length"))
        page.close()
    assert moving[0] > 20
    assert moving[1] == 0


def test_axe_finds_nothing_in_an_opened_model(shown):
    page, explorer = shown(TRANSFORMER)
    page.locator(".nd", has_text="blocks[3]").first.click()
    assert violations(explorer.root) == []
