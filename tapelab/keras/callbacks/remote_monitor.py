"""A callback that sends the logs of each epoch to a server."""

from __future__ import annotations

import json
import warnings
from importlib import import_module
from typing import Any

import numpy as np

from tapelab.keras.callbacks.callback import Callback
from tapelab.keras.class_settings import setting


class RemoteMonitor(Callback):
    """Posts the logs of each epoch as JSON, by the package requests; warns if that fails."""

    root: str = setting("http://localhost:9000")
    path: str = setting("/publish/epoch/end/")
    field: str = setting("data")
    headers: dict[str, str] | None = setting(None)
    send_as_json: bool = setting(False)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Send the logs."""
        try:
            requests = import_module("requests")
        except ImportError as error:
            raise ImportError("RemoteMonitor requires the `requests` library.") from error
        values = {name: np.asarray(value).item() for name, value in (logs or {}).items()}
        sent = {"epoch": epoch, **values}
        content = {"json": sent} if self.send_as_json else {"data": {self.field: json.dumps(sent)}}
        try:
            requests.post(self.root + self.path, headers=self.headers, **content)
        except requests.exceptions.RequestException:
            warnings.warn(f"Could not reach RemoteMonitor root server at {self.root}", stacklevel=2)
