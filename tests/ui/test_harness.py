"""The browser tests rest on these: cells run, complaints are collected, barriers are seen."""

from __future__ import annotations

import sys

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations
from tests.ui.browser import Console, pattern_of
from tests.ui.jupyter import announced, running

LATE_SERVER = """
import json, pathlib, socket, time
door = socket.socket()
door.bind(("127.0.0.1", 0))
facts = {"hostname": "127.0.0.1", "port": door.getsockname()[1], "url": "", "token": "t"}
place = pathlib.Path("runtime")
place.mkdir()
(place / "jpserver-1.json").write_text(json.dumps(facts))
time.sleep(0.3)
(place / "ready").touch()
door.listen()
time.sleep(60)
"""


def test_a_server_is_announced_when_it_accepts_connections_not_when_it_has_written_its_address(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with running([sys.executable, "-c", LATE_SERVER], tmp_path) as (process, runtime):
        server = announced(process, runtime, tmp_path)
        assert server.token == "t"
        assert (runtime / "ready").exists()


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


def test_an_error_in_the_console_is_collected(page):
    console = Console(page)
    page.evaluate("console.error('lost 3 nodes'); setTimeout(() => { throw Error('broken') })")
    page.wait_for_timeout(100)
    assert console.complaints() == ["error: lost 3 nodes", "uncaught: broken"]
    assert console.complaints(beyond=frozenset({"error: lost # nodes"})) == ["uncaught: broken"]


def test_numbers_and_addresses_do_not_distinguish_errors():
    errors = [f"GET http://localhost:{port}/x failed after {port} ms" for port in (8888, 9999)]
    assert pattern_of(errors[0]) == pattern_of(errors[1]) == "GET <address> failed after # ms"


def test_axe_sees_a_button_without_a_name(page):
    page.set_content("<main id='here'><button></button></main>")
    assert [text.split(":")[0] for text in violations(page.locator("#here"))] == ["button-name"]
