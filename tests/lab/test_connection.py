"""Messages between a kernel and the page do not wait for each other."""

from __future__ import annotations

from types import SimpleNamespace

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

from tapelab import launch
from tapelab.connection import PromptConnection


def test_jupyterlab_is_told_to_connect_promptly(tmp_path):
    command = launch.jupyterlab_command(tmp_path, "a.ipynb", port=None, browser=False)
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
