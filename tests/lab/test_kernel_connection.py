"""Messages between a kernel and the page do not wait for each other."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from jupyter_client.session import Session
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

from tapelab.lab import kernel_connection as connections
from tapelab.lab import launcher
from tapelab.lab.kernel_connection import PromptConnection


def test_jupyterlab_gets_the_prompt_connection(tmp_path):
    command = launcher.jupyterlab_command(tmp_path, "a.ipynb", port=None, browser=False)
    name = f"{PromptConnection.__module__}.{PromptConnection.__name__}"
    assert f"--ServerApp.kernel_websocket_connection_class={name}" in command


def test_no_message_waits_for_the_one_before_to_be_confirmed(monkeypatch):
    happened = []
    connected = ZMQChannelsWebsocketConnection.connect.__name__
    monkeypatch.setattr(ZMQChannelsWebsocketConnection, connected, lambda _: happened.append("up"))
    connection = PromptConnection.__new__(PromptConnection)
    page = SimpleNamespace(set_nodelay=happened.append)
    monkeypatch.setattr(PromptConnection, "websocket_handler", page)
    connection.connect()
    assert happened == [True, "up"]


@pytest.fixture
def states_sent(monkeypatch):
    """The states of the kernel that reach the page, out of `(kind of request, state)`, in turn."""
    session, sent = Session(key=b""), []
    passed = ZMQChannelsWebsocketConnection.handle_outgoing_message.__name__
    monkeypatch.setattr(ZMQChannelsWebsocketConnection, passed,
                        lambda _, stream, message: sent.append(message[-1]))  # fmt: skip
    monkeypatch.setattr(PromptConnection, "session", session)

    def send(*states, rest=0.0):
        connection = PromptConnection.__new__(PromptConnection)
        connection._held = {}
        requests = {kind: session.msg(kind) for kind, _ in states}

        async def run():
            for kind, state in states:
                message = session.msg("status", {"execution_state": state}, parent=requests[kind])
                connection.handle_outgoing_message("iopub", session.serialize(message))
            await asyncio.sleep(rest)

        # In a thread of its own: that of the tests may have a browser's loop running.
        with ThreadPoolExecutor() as threads:
            threads.submit(asyncio.run, run()).result()
        return [session.unpack(content)["execution_state"] for content in sent]

    return send


def test_a_kernel_that_has_a_widgets_message_in_hand_for_a_moment_is_not_called_busy(states_sent):
    assert states_sent(("comm_msg", "busy"), ("comm_msg", "idle"), rest=0.2) == ["idle"]


def test_a_kernel_that_works_on_for_a_widget_is_called_busy_after_a_while(states_sent, monkeypatch):
    monkeypatch.setattr(connections, "BRIEF", 0)
    assert states_sent(("comm_msg", "busy"), rest=0.2) == ["busy"]


def test_a_kernel_that_runs_a_cell_is_called_busy_at_once(states_sent):
    states = ("execute_request", "busy"), ("comm_msg", "busy"), ("execute_request", "idle")
    assert states_sent(*states) == ["busy", "idle"]
