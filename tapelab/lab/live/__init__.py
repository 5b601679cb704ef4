"""The Tape panel of JupyterLab, kernel side; docs/reference/live.md tells what the two ends say.

In an ipykernel a comm target is registered, and nothing else is imported before a panel opens.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from tapelab.lab.live.comm_target import TARGET, VERSION

_live: Final[list[Any]] = []
"""The panels of this kernel, once there is one."""


def attach(shell: Any) -> None:
    """Let front-ends of a kernel open panels, and announce it with the reply to this cell."""
    kernel = getattr(shell, "kernel", None)
    if kernel is None or "ipykernel" not in sys.modules:
        return
    kernel.comm_manager.register_target(TARGET, welcome)
    if TARGET not in kernel.comm_manager.comms:
        from comm import create_comm

        # Pages look for it here: to open a comm in vain is an error in all others of the kernel.
        there = create_comm(comm_id=TARGET, target_name=TARGET, primary=False)
        kernel.comm_manager.register_comm(there)
    shell.payload_manager.write_payload({"source": TARGET, "version": VERSION})


def welcome(comm: Any, message: Any) -> None:
    """A front-end has opened a panel."""
    if not _live:
        from tapelab.lab.live.panel import Live

        _live.append(Live())
    _live[0].welcome(comm, message)
