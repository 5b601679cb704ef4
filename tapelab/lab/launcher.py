"""Start JupyterLab on a learner's lessons."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
import webbrowser
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from tapelab.errors import Complaint
from tapelab.installation import extra_command
from tapelab.locales import say

_CONNECTION = "tapelab.lab.kernel_connection.PromptConnection"
_SETTINGS = Path(__file__).parent / "settings"


class LaunchError(Complaint, RuntimeError):
    """JupyterLab cannot be started as asked."""


def become_jupyterlab(folder: Path, page: str, *, port: int | None, browser: bool) -> NoReturn:
    """Turn this process into JupyterLab, open on `page` of `folder`; it prints its own address."""
    if importlib.util.find_spec("jupyterlab") is None:
        cure = say("JupyterLab is not installed. Try: {command}", command=extra_command("lab"))
        raise LaunchError(cure)
    if port is not None:
        _require_free(port)
    command = jupyterlab_command(folder, page, port=port, browser=browser and has_browser())
    sys.stdout.flush()
    os.execv(command[0], command)  # noqa: S606 - our own interpreter, and no shell is wanted


def jupyterlab_command(folder: Path, page: str, *, port: int | None, browser: bool) -> list[str]:
    """Spell out the command: the lessons alone, no news, no chatter, no questions on Ctrl+C."""
    options = {
        "Application.log_level": "ERROR",
        "LabApp.app_settings_dir": str(_SETTINGS),
        "LabApp.default_url": f"/lab/tree/{quote(page)}",
        "ServerApp.answer_yes": "True",
        "ServerApp.kernel_websocket_connection_class": _CONNECTION,
        "ServerApp.open_browser": str(browser),
        "ServerApp.root_dir": str(folder),
    }
    if port is not None:
        options |= {"ServerApp.port": str(port), "ServerApp.port_retries": "0"}
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # a container: root is all there is
        options["ServerApp.allow_root"] = "True"
    return [sys.executable, "-m", "jupyterlab", *(f"--{key}={val}" for key, val in options.items())]


def has_browser() -> bool:
    """Tell whether a graphical browser can be opened on this machine."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform.startswith("linux") and not any(map(os.environ.get, displays)):
        return False  # webbrowser would settle for a text browser, which cannot show JupyterLab
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _require_free(port: int) -> None:
    if not 1 <= port <= 65535:
        raise LaunchError(
            say("{port} is no port: ports go from 1 to 65535. Try --port 8888.", port=port)
        )
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise LaunchError(
                say(
                    "Port {port} cannot be used: {error}. "
                    "Leave --port out, and the first free port from 8888 on is taken.",
                    port=port,
                    error=error.strerror,
                )
            ) from error
