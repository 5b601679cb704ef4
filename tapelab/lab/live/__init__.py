"""The Tape panel of JupyterLab, kernel side; docs/reference/live.md specifies the messages.

In an ipykernel a comm target is registered, and nothing else is imported before a panel opens.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from tapelab.lab.live.comm_target import TARGET, VERSION

if TYPE_CHECKING:
    from comm.base_comm import BaseComm
    from IPython.core.interactiveshell import InteractiveShell

_live: Final[list[Any]] = []
"""The panels of this kernel, once there is one."""


def attach(shell: InteractiveShell) -> None:
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
    shell.payload_manager.write_payload(  # type: ignore[union-attr]  # a kernel's shell has one
        {"source": TARGET, "version": VERSION}
    )


def welcome(comm: BaseComm, message: object) -> None:
    """A front-end has opened a panel."""
    if not _live:
        from tapelab.lab.live.panel import PanelServer

        _live.append(PanelServer())
    _live[0].welcome(comm, message)
