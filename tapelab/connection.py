"""What lies between a kernel and the page: JupyterLab's server, told not to wait.

JupyterLab itself imports this module, by the name that `launch` gives it.
"""

from __future__ import annotations

from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """A kernel's messages on their way to the page, each sent as soon as it is there.

    Without this, a system holds a message back until the browser has confirmed the one before,
    which it does late, in the hope of something to say: the answer to a slider, which follows
    “busy”, then lies about for 40 ms.
    """

    def connect(self) -> Any:
        """Begin, and let nothing lie about."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()
