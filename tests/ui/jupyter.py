"""A Jupyter server of the test's own: own home, own settings, own folder, own port."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tapelab.lab.launcher import jupyterlab_command
from tapelab.lab.lesson_folder import START_PAGE

START_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A running server: `root` is the folder it shows."""

    root: Path
    url: str
    token: str

    def address(self, page: str) -> str:
        """Complete a path such as `lab/tree/a.ipynb`, with the right to see it."""
        return f"{self.url}{quote(page)}?token={self.token}"


@contextmanager
def served(place: Path, python: str = sys.executable) -> Iterator[Server]:
    """Serve a fresh folder with the very options `tapelab lab` uses, on any free port."""
    root = place / "lessons"
    root.mkdir()
    _, *options = jupyterlab_command(root, START_PAGE, port=0, browser=False)
    path = os.pathsep.join([str(Path(python).parent), os.environ["PATH"]])
    # Killed, it waits for no kernel; each of these sees within a second that it is gone.
    command, end = [python, *options], signal.SIGKILL
    with running(command, place, end=end, PATH=path) as (process, runtime):
        yield announced(process, runtime, root)


@contextmanager
def running(
    command: list[str], place: Path, *, end: signal.Signals = signal.SIGTERM, **more: str
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Run a command whose home is `place`, and end it with everything it started."""
    with (place / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            env=environment(place) | more,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process, place / "runtime"
    finally:
        os.killpg(process.pid, end)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:  # a busy machine; the test has what it came for
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def environment(place: Path) -> dict[str, str]:
    """Keep every setting and file of Jupyter and IPython inside `place`."""
    kept = {key: val for key, val in os.environ.items() if not key.startswith(("JUPYTER", "XDG_"))}
    kept.pop("DISPLAY", None)
    return kept | {
        "HOME": str(place),
        "IPYTHONDIR": str(place / "ipython"),
        "JUPYTER_CONFIG_DIR": str(place / "config"),
        "JUPYTER_DATA_DIR": str(place / "data"),
        "JUPYTER_RUNTIME_DIR": str(place / "runtime"),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }


def announced(
    process: subprocess.Popen[bytes], runtime: Path, root: Path, seconds: int = START_SECONDS
) -> Server:
    """Wait until a server answers at the address that it wrote down in a file."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert process.poll() is None, (runtime.parent / "server.log").read_text()
        for notice in runtime.glob("jpserver-*.json"):
            with suppress(ValueError):  # half written
                facts = json.loads(notice.read_bytes())
                if accepts_connections(facts["hostname"], facts["port"]):
                    return Server(root, facts["url"], facts["token"])
        time.sleep(0.05)
    raise AssertionError(f"No server within {seconds} s.")


def accepts_connections(host: str, port: int) -> bool:
    """Whether a server accepts connections: it writes its address down a moment earlier."""
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True
