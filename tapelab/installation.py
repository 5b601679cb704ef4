"""The commands that install what is missing, for the Python and the tapelab that run.

`pip` on the path may belong to another Python, so commands name the one that runs. No index has to
know tapelab: a checkout is installed from its folder. Of an installed tapelab pip knows the extras.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[1]
"""The folder above the package, which in a checkout has a pyproject.toml."""


def pip_command(*words: str) -> str:
    """The command with which pip installs into the Python that runs."""
    return shlex.join([sys.executable, "-m", "pip", "install", *words])


def extra_command(extra: str) -> str:
    """The command that installs an extra of tapelab."""
    return pip_command(*_requirement(extra))


def repair_command() -> str:
    """The command that installs tapelab once more, and nothing else."""
    return pip_command("--force-reinstall", "--no-deps", *_requirement())


def _requirement(extra: str = "") -> tuple[str, ...]:
    suffix = f"[{extra}]" if extra else ""
    if (CHECKOUT / "pyproject.toml").is_file():
        return "--editable", f"{CHECKOUT}{suffix}"
    return (f"tapelab{suffix}",)
