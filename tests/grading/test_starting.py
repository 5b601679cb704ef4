"""A worker starts for each submission: it loads what it works with, and nothing of the judge's."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {
    "IPython", "asyncio", "matplotlib", "numba", "scipy", "sqlalchemy", "ssl", "subprocess",
    "tapelab.diagnosis", "tapelab.grading.grader", "tapelab.ops.matrix_functions",
}  # fmt: skip
LOADED = (
    "import sys, tapelab.grading.sandbox.confinement, tapelab.grading.sandbox.confinement, "
    "tapelab.grading.worker; print(*sys.modules)"
)


def test_a_worker_starts_without_what_only_judges_and_few_notebooks_need():
    message = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    loaded = set(message.stdout.split())
    assert "tapelab.grading.worker" in loaded
    assert loaded & HEAVY == set()
