"""The Tape panel and the outline of a lesson in the dark, in forced colours, and right to left."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.ui.axe import violations
from tests.ui.conftest import Host
from tests.ui.jupyter import served
from tests.ui.tape_panel import WIDE, TapePanel
from tests.ui.test_lesson_outline import outline_of, write_lesson

LOOKS = {
    "dark": ("JupyterLab Dark", "en", {}),
    "forced colours": ("JupyterLab Light", "en", {"forced_colors": "active"}),
    "right to left": ("JupyterLab Light", "he", {}),
    "dark, right to left": ("JupyterLab Dark", "he", {}),
}


@pytest.fixture(scope="module")
def host(known_complaints, tmp_path_factory) -> Iterator[Host]:
    """A server of these tests alone, for a theme holds for all pages of a server."""
    with served(tmp_path_factory.mktemp("looks")) as started:
        yield Host(started, known_complaints)


@pytest.fixture(scope="module")
def folder(host):
    return host.server.root / "looks"


def wear(host: Host, theme: str, language: str) -> None:
    """Write down a theme and a language, as the settings editor does."""
    settings = host.server.root.parent / "config/lab/user-settings"
    for plugin, chosen in [
        ("@jupyterlab/apputils-extension/themes", {"theme": theme}),
        ("tapelab/plugin", {"language": language}),
    ]:
        file = settings / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(chosen))


@pytest.mark.parametrize(
    "look",
    [
        *("forced colours", "dark, right to left"),
        *(pytest.param(each, marks=pytest.mark.thorough) for each in ("dark", "right to left")),
    ],
)
def test_axe_finds_nothing_in_panel_and_outline(open_notebook, host, folder, look):
    theme, language, context = LOOKS[look]
    wear(host, theme, language)
    file = write_lesson(folder / f"{look.replace(', ', '-').replace(' ', '-')}.ipynb")
    notebook = open_notebook(file=file, **context)
    page, panel, outline = notebook.page, TapePanel(notebook.page), outline_of(notebook)
    dark = str("Dark" not in theme).lower()
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", dark)
    direction = "rtl" if language == "he" else "ltr"
    expect(outline.locator(".tl")).to_have_attribute("dir", direction)
    page.set_viewport_size(WIDE)
    page.locator(".jp-SideBar.jp-mod-right [data-id='tapelab-panel']").click()
    panel.connect(notebook)
    notebook.run_all()
    expect(panel.root.locator(".norms li").first).to_be_visible(timeout=20_000)
    expect(panel.root.locator(".tl")).to_have_attribute("dir", direction)
    expect(outline.locator(".sign.open")).to_have_count(0)
    assert violations(outline) == []
    assert violations(panel.root) == []
    panel.root.locator(".acts button").last.click()
    expect(panel.root.locator(".tapelab-explorer .nd").first).to_be_visible()
    assert violations(panel.root) == []
