"""The browser tests rest on these: cells run, complaints are heard, barriers are seen."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations
from tests.ui.browser import Console, pattern_of


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_notebook_runs_and_is_saved(open_notebook, app):
    notebook = open_notebook("x = 20", "print(x + 1)", app=app)
    notebook.run_all()
    expect(notebook.output(1)).to_have_text("21")
    assert notebook.save()["cells"][1]["outputs"][0]["text"] == ["21\n"]


@pytest.fixture
def page(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_an_error_in_the_console_is_heard(page):
    console = Console(page)
    page.evaluate("console.error('lost 3 nodes'); setTimeout(() => { throw Error('broken') })")
    page.wait_for_timeout(100)
    assert console.complaints() == ["error: lost 3 nodes", "uncaught: broken"]
    assert console.complaints(beyond=frozenset({"error: lost # nodes"})) == ["uncaught: broken"]


def test_numbers_and_addresses_do_not_tell_errors_apart():
    told = [f"GET http://localhost:{port}/x failed after {port} ms" for port in (8888, 9999)]
    assert pattern_of(told[0]) == pattern_of(told[1]) == "GET <address> failed after # ms"


def test_axe_sees_a_button_without_a_name(page):
    page.set_content("<main id='here'><button></button></main>")
    assert [text.split(":")[0] for text in violations(page.locator("#here"))] == ["button-name"]
