"""The sandbox for students' code: the strongest that works on this host, or nothing runs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapelab.grading.sandbox.backends import NAMES, Backend, NoSandboxError, choose_sandbox

__all__ = ["NAMES", "Backend", "NoSandboxError", "choose_sandbox"]


def __getattr__(name: str) -> Any:
    if name not in __all__:  # a worker needs what is beside, and starts sooner without this
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.backends"), name)
