"""How long a fresh process takes for a few lines, in seconds of wall time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Final

RUNS: Final = 3


def started(program: str) -> float:
    """The shortest of several runs; the first warms the disk, and caches on it."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    seconds = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, env=environment
        )
        seconds.append(time.perf_counter() - begun)
    return min(seconds)
