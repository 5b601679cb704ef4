"""The first thing that runs in a worker's process: it gives away what it may, then works."""

from __future__ import annotations

import json
import os
import resource
import sys
from typing import Any


def main() -> None:
    """Confine this process as the last argument says, then answer the judge."""
    settings: dict[str, Any] = json.loads(sys.argv[-1])
    if settings["confine"]:
        from tapelab.grading.sandbox.confining import confine  # which only Linux can load

        confine(settings)
    limit(settings["limits"])
    os.chdir(settings["scratch"])
    from tapelab.grading.worker import main as work

    work()


def limit(limits: dict[str, Any]) -> None:
    """Set what the kernel counts for each process by itself."""
    for kind, most in (
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_FSIZE, limits["disk"]),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
