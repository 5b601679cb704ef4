"""At both ends of the versions that are promised, a lesson runs and its picture is alive.

The newest JupyterLab runs lessons in test_lessons.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tapelab.lab.lesson_folder import copy_lessons, lessons, shipped_folder
from tests.ui.conftest import Complaints, opener
from tests.ui.explorer import Explorer
from tests.ui.jupyter import Server, served
from tests.ui.notebook import Notebook, write_notebook
from tools.environment import CHECKOUT, lower_bounds, python_of

LIVE = """import tapelab as tf
x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    z = x * tf.sin(x)
live = tf.show(tape, z).widget()
live"""
OLDEST = python_of(CHECKOUT / ".venv-oldest")


@dataclass(frozen=True)
class Host:
    """A Jupyter of some age: its interpreter, its server, and what it complains of by itself."""

    python: str
    server: Server
    known: Complaints


@pytest.fixture(scope="module")
def host(request, browser, tmp_path_factory) -> Iterator[Host]:
    if request.param == "newest":
        server = request.getfixturevalue("server")
        yield Host(sys.executable, server, request.getfixturevalue("known_complaints"))
        return
    if not Path(OLDEST).exists():
        pytest.fail("Make it first: python tools/environment.py .venv-oldest lab oldest")
    with served(tmp_path_factory.mktemp("oldest"), OLDEST) as server:
        yield Host(OLDEST, server, Complaints(browser, server))


@pytest.fixture
def opened(host, browser, request):
    """Open notebooks on that host."""
    place = host.server.root / request.node.name.replace("[", "-").rstrip("]")
    with opener(browser, host.server, place, host.known) as open_one:
        yield open_one


def turn_the_wheel_until(seen: Locator, notebook: Notebook) -> None:
    """Scroll down from the top: JupyterLab 4.2 hides the cells that are not in sight."""
    notebook.cells.last.scroll_into_view_if_needed()
    notebook.panel.locator(".jp-WindowedPanel-outer").first.hover()
    notebook.page.mouse.wheel(0, -100_000)
    for _ in range(200):
        if seen.is_visible():
            break
        notebook.page.mouse.wheel(0, 200)
        notebook.page.wait_for_timeout(50)
    seen.scroll_into_view_if_needed()


def lesson_with(place: Path, *code: str) -> Path:
    """The first lesson, with cells of ours after its last one."""
    copy_lessons(place)
    file = place / lessons(shipped_folder())[0].name
    more = json.loads(write_notebook(place / "more.ipynb", *code).read_bytes())
    whole = json.loads(file.read_bytes())
    whole["cells"] += more["cells"]
    file.write_text(json.dumps(whole), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("host", "app"),
    [
        ("oldest", "lab"),
        pytest.param("oldest", "notebook", marks=pytest.mark.thorough),
        ("newest", "notebook"),
    ],
    indirect=["host"],
)
def test_a_lesson_runs_its_picture_steps_and_a_live_one_sends_python_its_step(opened, host, app):
    notebook = opened(file=lesson_with(host.server.root / app, LIVE, "print(live.step)"), app=app)
    notebook.run_all()
    outputs = [out for cell in notebook.save()["cells"] for out in cell.get("outputs", [])]
    assert [out["evalue"] for out in outputs if out["output_type"] == "error"] == []
    frame = notebook.panel.locator("iframe[title^='tapelab']").first
    turn_the_wheel_until(frame, notebook)
    Explorer.within(frame.content_frame).click_to_the_end_and_back()

    live, last = notebook.cells.nth(-2), notebook.cells.last
    explorer = Explorer.within(live)
    turn_the_wheel_until(explorer.root, notebook)
    explorer.come_into_view()
    explorer.button("Last step").click()
    of = explorer.steps()
    explorer.stands_at(of, of)
    notebook.page.wait_for_timeout(300)  # steps reach Python at a pace
    last.locator(".jp-InputArea-editor").click()
    notebook.page.keyboard.press("Control+Enter")
    expect(last.locator(".jp-OutputArea-output")).to_have_text(str(of))


@pytest.mark.parametrize("host", ["oldest"], indirect=True)
def test_the_command_works_there(host):
    command = [host.python, "-m", "tapelab.cli"]
    completed = subprocess.run([*command, "doctor", "--json"], capture_output=True, check=True)
    assert {each["state"] for each in json.loads(completed.stdout)["checks"]} <= {"good", "poor"}
    for help_of in ("show", "export", "explain", "lab", "lessons", "warmup"):
        subprocess.run([*command, help_of, "--help"], capture_output=True, check=True)


def test_the_oldest_releases_are_what_the_metadata_promise():
    completed = subprocess.run(
        [OLDEST, "-m", "pip", "list", "--format=json"], capture_output=True, check=True
    )
    versions = {each["name"].lower().replace("_", "-"): each["version"]
                for each in json.loads(completed.stdout)}  # fmt: skip
    for bound in lower_bounds("lab"):
        name, _, version = bound.partition("==")
        assert (versions[name] + ".").startswith(f"{version}."), name
