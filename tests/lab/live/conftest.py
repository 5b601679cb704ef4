"""A real kernel with Tape panels at the other end of its comms, shared by the tests of a module."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from queue import Empty

import pytest
from jupyter_client.manager import KernelManager

from tapelab.lab.live import history
from tapelab.lab.live.history import History

PATIENCE = 60.0


class Kernel:
    """Runs cells and plays the front-end; `messages` holds all that panels received, by comm."""

    def __init__(self, folder):
        self.manager = KernelManager(kernel_name="python3")
        self.manager.cache_ports = False
        self.manager.transport = "ipc"
        self.manager.ip = str(folder / "kernel")
        spec = self.manager.kernel_spec
        spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)
        self.messages = {}
        self.printed = ""
        self._idle = ()
        self._known = {}

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def _shell(self, kind, content, **metadata):
        message = self.client.session.msg(kind, content, metadata=metadata)
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def begin(self, code, cell="cell"):
        """Run a cell, and do not wait for it."""
        self.printed = ""
        self._known = {comm: self.live(comm) for comm in self.messages}
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
        return self._shell("execute_request", {**content, "allow_stdin": False}, cellId=cell)

    def finish(self, request):
        """Wait until a cell has ended; its reply."""
        self.until(lambda: request in self._idle)
        while True:
            reply = self.client.get_shell_msg(timeout=PATIENCE)
            if reply["parent_header"].get("msg_id") == request:
                return reply["content"]

    def interrupt(self, request, *, seconds=3, times=8):
        """End a cell as the stop button does, pressed again where Python loses the first signal.

        One that arrives while C code calls Python, such as a finalizer, is only printed.
        """
        for _ in range(times):
            self.manager.interrupt_kernel()
            with suppress(TimeoutError):
                self.until(lambda: request in self._idle, patience=seconds)
                break
        return self.finish(request)

    def run(self, code, cell="cell"):
        """Run a cell to its end; its reply."""
        return self.finish(self.begin(code, cell))

    def open(self, comm="comm", **shown):
        """Open a panel, which is looked at."""
        opened = {"comm_id": comm, "target_name": "tapelab.live", "data": {}}
        self.messages[comm] = []
        self._shell("comm_open", opened)
        self.say({"do": "show", **shown}, comm)
        return self.until(lambda: self.live(comm))

    def say(self, data, comm="comm"):
        self._shell("comm_msg", {"comm_id": comm, "data": data})

    def ask(self, data, *kinds, comm="comm"):
        """Ask for something; the first answer of one of these kinds."""
        before = len(self.messages[comm])
        self.say(data, comm)
        return self.until(
            lambda: next((m for m in self.messages[comm][before:] if m["is"] in kinds), None)
        )

    def close(self, comm="comm"):
        self._shell("comm_close", {"comm_id": comm, "data": {}})
        self.settle()
        del self.messages[comm]

    def until(self, happened, *, patience=PATIENCE):
        """Read what the kernel says until something has happened; what that is."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            found = happened()
            if found:
                return found
            self._read(0.05)
        raise TimeoutError(f"nothing of the kind in {self.messages}")

    def settle(self):
        """Read all that the kernel says until it has nothing to do."""
        request = self._shell("kernel_info_request", {})
        self.until(lambda: request in self._idle)

    def _read(self, timeout):
        try:
            message = self.client.get_iopub_msg(timeout=timeout)
        except Empty:
            return
        kind, content = message["msg_type"], message["content"]
        if kind == "comm_msg" and content["comm_id"] in self.messages:
            received = {**content["data"], "buffers": message["buffers"]}
            self.messages[content["comm_id"]].append(received)
        elif kind == "stream":
            self.printed += content["text"]
        elif kind == "status" and content["execution_state"] == "idle":
            self._idle = (*self._idle, message["parent_header"].get("msg_id"))[-20:]

    def live(self, comm="comm"):
        """The newest frame that a panel received; None before the first."""
        frames = [message for message in self.messages[comm] if message["is"] == "live"]
        return frames[-1] if frames else None

    def rows(self, comm="comm"):
        """The steps of the newest run that a panel received, one after the other."""
        run = self.live(comm)["run"]
        frames = [
            each for each in self.messages[comm] if each["is"] == "live" and each["run"] == run
        ]
        return [row for frame in frames for row in frame["history"]]

    def at_rest(self, step, comm="comm"):
        """The frame after the last cell, in which its run has come to so many steps."""
        return self.until(lambda: self._resting(step, comm))

    def _resting(self, step, comm):
        frame = self.live(comm)
        fresh = frame is not None and frame is not self._known.get(comm)
        return frame if fresh and not frame["running"] and frame["step"] == step else None


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    patch = pytest.MonkeyPatch()
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        patch.setenv(name, str(folder / name.lower()))
    patch.setenv("TAPELAB_LANGUAGE", "")
    made = Kernel(folder)
    made.announced = made.run("import sys\nimport tapelab as tf", "first")["payload"]
    yield made
    made.stop()
    patch.undo()


@pytest.fixture
def kernel(shared):
    """The kernel with one panel that is looked at; all panels are closed after a test."""
    shared.open()
    yield shared
    for comm in tuple(shared.messages):
        shared.close(comm)


@pytest.fixture
def active_history():
    """A history that observes gradient calls."""
    active = History()
    active._last_message = float("inf")  # ignore the calls of other tests
    active.listen(50, 20.0)
    yield active
    active.stop()
    assert history.failures == []
