"""A kernel connection of JupyterLab's server that sends every message at once.

JupyterLab itself imports this module, by the name that `launch` gives it.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Final

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from tornado.ioloop import IOLoop

BRIEF: Final = 0.1
"""A kernel that has a widget's message in hand for less than so many seconds is not called busy."""


class PromptConnection(ZMQChannelsWebsocketConnection):
    """A kernel's messages on their way to the page, each sent as soon as it is there.

    Without this, a system holds a message back until the browser has confirmed the one before,
    which it does late, in the hope of something to say: the answer to a slider, which follows
    “busy”, then lies about for 40 ms.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._held: dict[str, Any] = {}

    def connect(self) -> Any:
        """Open the connection without delaying small messages."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()

    def disconnect(self) -> Any:
        """Close the connection and drop the messages held back."""
        for held in self._held.values():
            IOLoop.current().remove_timeout(held)
        self._held.clear()
        return super().disconnect()  # type: ignore[no-untyped-call]  # the server's has no types

    def handle_outgoing_message(self, stream: Any, outgoing_msg: list[Any]) -> None:
        """Pass a message on to the page; a kernel that is busy for a moment need not say so.

        JupyterLab measures its toolbar again whenever the kernel's state changes, twice for every
        move of a slider, before it looks at the answer.
        """
        state, message_id = self._of_a_widget(outgoing_msg)
        if state == "busy":
            send = partial(self._send_late, message_id, super().handle_outgoing_message)
            self._held[message_id] = IOLoop.current().call_later(BRIEF, send, stream, outgoing_msg)
            return
        if state == "idle" and message_id in self._held:
            IOLoop.current().remove_timeout(self._held.pop(message_id))
        super().handle_outgoing_message(stream, outgoing_msg)

    def _send_late(self, message_id: str, send: Any, stream: Any, outgoing_msg: list[Any]) -> None:
        del self._held[message_id]
        send(stream, outgoing_msg)

    def _of_a_widget(self, outgoing_msg: list[Any]) -> tuple[str, str]:
        """The kernel's state, and the number of the widget's message that it is about, if it is."""
        parts: list[Any] = self.session.feed_identities(outgoing_msg)[1]
        header, parent, content = (bytes(parts[at]) for at in (1, 2, 4))
        if b'"status"' not in header or b'"comm_msg"' not in parent:
            return "", ""
        return json.loads(content)["execution_state"], json.loads(parent)["msg_id"]
