"""What a browser test may ask for: a server, a browser, and notebooks opened in either."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.ui.browser import Console, lasting_page, launched
from tests.ui.jupyter import Server, served
from tests.ui.notebook import PATHS, Notebook, write_notebook
from tests.ui.views import Show, showing
from tools.environment import CHECKOUT, python_of

Opener = Callable[..., Notebook]

NEWEST_FIRST = pytest.mark.parametrize(
    "end", ["newest", pytest.param("oldest", marks=pytest.mark.thorough)], indirect=True
)
"""Marks a test that a thorough run repeats in the oldest versions that are promised.

Every run meets those in test_hosts.py.
"""


def pytest_collection_modifyitems(items):
    """Everything in this folder drives a browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.ui)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with launched() as started:
        yield started


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Server]:
    """One server for the tests of a worker; each test has a folder, a workspace, a kernel."""
    with served(tmp_path_factory.mktemp("jupyter")) as started:
        yield started


def open_in(browser: Browser, server: Server, file: Path, app: str, **emulated) -> Notebook:
    """Open a notebook below the server's root in a fresh page, and wait until it stands there."""
    page = lasting_page(browser, {"width": 1280, "height": 900}, **emulated)
    console = Console(page)
    path = file.relative_to(server.root).as_posix()
    page.goto(server.address(PATHS[app].format(name=re.sub(r"\W", "-", path), path=path)))
    expect(page.locator(".jp-NotebookPanel:visible .jp-Cell").first).to_be_visible(timeout=30_000)
    return Notebook(page, console, file)


class Complaints(dict[str, frozenset[str]]):
    """What front-ends complain about by themselves: each is opened when it is first asked for."""

    def __init__(self, browser: Browser, server: Server) -> None:
        super().__init__()
        self._browser, self._server = browser, server

    def __missing__(self, app: str) -> frozenset[str]:
        file = write_notebook(self._server.root / "stock" / f"{app}.ipynb", "print(1 + 1)")
        stock = open_in(self._browser, self._server, file, app)
        stock.run_all()
        stock.save()
        stock.close()
        found = self[app] = stock.console.patterns()
        return found


@pytest.fixture(scope="session")
def known_complaints(browser, server) -> Complaints:
    """What each front-end complains about by itself, on a notebook that knows no tapelab."""
    return Complaints(browser, server)


@dataclass(frozen=True)
class Host:
    """A server with JupyterLab and Notebook, and what these complain of by themselves."""

    server: Server
    known: Complaints


@pytest.fixture(scope="session")
def newest(server, known_complaints) -> Host:
    return Host(server, known_complaints)


@pytest.fixture(scope="session")
def oldest(browser, tmp_path_factory) -> Iterator[Host]:
    """The oldest JupyterLab and Notebook that are promised, started where a test asks for them."""
    python = python_of(CHECKOUT / ".venv-oldest")
    with served(tmp_path_factory.mktemp("oldest"), python) as started:
        yield Host(started, Complaints(browser, started))


@pytest.fixture
def end(request) -> str:
    """Which end of the versions that are promised a test is about."""
    return getattr(request, "param", "newest")


@pytest.fixture
def host(end, request) -> Host:
    return request.getfixturevalue(end)


@pytest.fixture
def folder(host, request) -> Path:
    """A folder below the server's root for this test alone."""
    return host.server.root / re.sub(r"\W+", "-", request.node.name)


@contextmanager
def opener(browser, server, folder, known) -> Iterator[Opener]:
    """Open notebooks; when done with them, their consoles must have stayed silent."""
    opened: list[tuple[str, Notebook]] = []

    def open_one(*code: str, app: str = "lab", file: Path | None = None, **emulated) -> Notebook:
        file = file or write_notebook(folder / f"{len(opened)}.ipynb", *code)
        notebook = open_in(browser, server, file, app, **emulated)
        opened.append((app, notebook))
        return notebook

    yield open_one
    for app, notebook in opened:
        notebook.close()
        assert notebook.console.complaints(beyond=known[app]) == []


@pytest.fixture
def open_notebook(browser, host, folder) -> Iterator[Opener]:
    """Open notebooks of one test."""
    with opener(browser, host.server, folder, host.known) as open_one:
        yield open_one


@pytest.fixture(scope="module")
def open_notebooks(browser, server, known_complaints, request) -> Iterator[Opener]:
    """Open notebooks that the tests of a module only look at, one after the other."""
    with opener(browser, server, server.root / request.node.path.stem, known_complaints) as opened:
        yield opened


@pytest.fixture
def show(browser, tmp_path) -> Iterator[Show]:
    """Show a golden recording, or that of a cell, in a page without a network."""
    with showing(browser, tmp_path) as open_one:
        yield open_one
