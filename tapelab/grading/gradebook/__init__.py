"""The gradebook: who handed in what, what it earned, and who changed what when.

`Gradebook.open("course.db")` is a file of SQLite, `Gradebook.open("postgresql://…")` a server.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tapelab.grading.gradebook.book import Gradebook
    from tapelab.grading.gradebook.entities import Counts, Policy

__all__ = ["Counts", "Gradebook", "Policy"]
_HOMES: Final = {"Gradebook": "book", "Policy": "entities", "Counts": "entities"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
