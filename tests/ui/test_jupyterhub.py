"""A real JupyterHub: login, a server for each person, and a kernel from another environment.

The server's environment has of tapelab only what JupyterLab loads, the kernel's has no JupyterLab.
"""

from __future__ import annotations

import json
import re
import shlex
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from tests.ui.browser import Console
from tests.ui.explorer import Explorer
from tests.ui.jupyter import running
from tests.ui.notebook import Notebook, write_notebook
from tests.ui.tape_panel import TapePanel, run_cell
from tools import hosts

pytestmark = pytest.mark.thorough

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "hub.md").read_text("utf-8")
PATIENCE = 60_000
WHOLE, BARE = "whole", "bare"
"""A person whose server has the extension, and one whose server has it not."""
CONFIG = """
import os
from pathlib import Path

c = get_config()
here = Path({folder!r})
c.JupyterHub.bind_url = "http://127.0.0.1:{ports[0]}"
c.JupyterHub.hub_port = {ports[1]}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{ports[2]}"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(here / "{{username}}")
c.Spawner.default_url = "/lab"
c.Spawner.args = ["--allow-root"] * (os.geteuid() == 0)


def settings_of(spawner):
    home = here / spawner.user.name
    spawner.environment = {{
        "JUPYTER_PATH": str(here / "kernels" / "share" / "jupyter"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
    }}


c.Spawner.pre_spawn_hook = settings_of
"""
CELLS = (
    "import sys, importlib.util\nprint(sys.prefix, importlib.util.find_spec('jupyterlab'))",
    (
        "import tapelab as tf\nx = tf.Variable(3.0, name='x')\nwith tf.GradientTape() as tape:\n"
        "    z = x * tf.sin(x)\ntf.show(tape, z)"
    ),
    "tf.show(tape, z).widget()",
    (
        "for _ in range(20):\n    with tf.GradientTape() as tape:\n        z = x * x\n"
        "    x.assign_sub(0.1 * tape.gradient(z, x))"
    ),
)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def installed_kernel(prefix):
    """Run the command of the page that tells Jupyter of the kernel's environment; its name."""
    (line,) = re.findall(r"^python -m ipykernel install .*$", PAGE, re.MULTILINE)
    _, *command = shlex.split(line.replace("--sys-prefix", f"--prefix {shlex.quote(str(prefix))}"))
    python = hosts.ensure(hosts.MARIMO) / "bin" / "python"
    subprocess.run([python, *command], check=True, capture_output=True)
    return command[command.index("--name") + 1]


def notebook_of(home, kernel):
    file = write_notebook(home / "lesson.ipynb", *CELLS)
    text = json.loads(file.read_bytes())
    text["metadata"]["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
    file.write_text(json.dumps(text), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """The address of a hub, and the notebooks of its two people."""
    place, folder = hosts.ensure(hosts.HUB), tmp_path_factory.mktemp("hub")
    ports = free_ports(3)
    (folder / "config.py").write_text(CONFIG.format(folder=str(folder), ports=ports))
    kernel = installed_kernel(folder / "kernels")
    files = {name: notebook_of(folder / name, kernel) for name in (WHOLE, BARE)}
    without = folder / BARE / "config" / "labconfig" / "page_config.json"
    without.parent.mkdir(parents=True)
    without.write_text(json.dumps({"disabledExtensions": {"tapelab": True}}))
    command = [str(place / "bin" / "jupyterhub"), "--config", str(folder / "config.py")]
    files_of_hub = [f"--JupyterHub.db_url=sqlite:///{folder / 'hub.sqlite'}",
                    f"--JupyterHub.cookie_secret_file={folder / 'secret'}",
                    f"--ConfigurableHTTPProxy.pid_file={folder / 'proxy.pid'}"]  # fmt: skip
    path = hosts.path_of(place)
    with running([*command, *files_of_hub], folder, PATH=path) as (process, _):
        url = f"http://127.0.0.1:{ports[0]}/"
        until = time.monotonic() + PATIENCE / 1_000
        while time.monotonic() < until:
            assert process.poll() is None, (folder / "server.log").read_text()
            with suppress(OSError, HTTPError), urlopen(f"{url}hub/api/"):
                break
            time.sleep(0.2)
        yield url, files


@pytest.fixture
def logged_in(hub, browser):
    """Log in as somebody and open their notebook."""
    url, files = hub
    contexts = []

    def log_in(name):
        context = browser.new_context(viewport={"width": 1600, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{url}hub/login?next=/hub/spawn")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill("anything")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{url}user/{name}/lab*", timeout=PATIENCE)
        console = Console(page)
        page.goto(f"{url}user/{name}/lab/tree/lesson.ipynb")
        expect(page.locator(".jp-NotebookPanel:visible .jp-Cell").first).to_be_visible(
            timeout=PATIENCE
        )
        return Notebook(page, console, files[name])

    yield log_in
    for context in contexts:
        context.close()


def shows_pictures(notebook):
    notebook.wait_for_kernel()
    for number in range(3):
        run_cell(notebook, number)
    kernel = str(hosts.ensure(hosts.MARIMO))
    expect(notebook.output(0)).to_have_text(f"{kernel} None\n", timeout=PATIENCE)
    Explorer.in_frame(notebook.output(1)).click_to_the_end_and_back()
    live = Explorer.within(notebook.cells.nth(2))
    live.come_into_view()
    live.button("Last step").click()
    live.stands_at(live.steps(), live.steps())


def test_the_panel_and_pictures_work_where_the_kernel_has_no_jupyterlab(logged_in):
    notebook = logged_in(WHOLE)
    shows_pictures(notebook)
    panel = TapePanel.beside(notebook)
    expect(panel.root).to_have_attribute("data-link", "open", timeout=PATIENCE)
    run_cell(notebook, 3)
    expect(panel.step).to_have_text("step 20", timeout=PATIENCE)


def test_pictures_need_nothing_of_ours_on_the_server(logged_in):
    notebook = logged_in(BARE)
    shows_pictures(notebook)
    expect(TapePanel(notebook.page).tab).to_have_count(0)
    assert [text for text in notebook.console.complaints() if "tapelab" in text] == []
