"""Layer 0: what happened, as plain immutable data, in the form of docs/reference/recording.md."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tapelab.recording.codec import to_bytes
    from tapelab.recording.recording import Recording, from_bytes
    from tapelab.recording.schema import TapeFacts

__all__ = ["Recording", "TapeFacts", "from_bytes", "to_bytes"]
_HOMES: Final = {
    "to_bytes": "tapelab.recording.codec",
    "TapeFacts": "tapelab.recording.schema",
    **dict.fromkeys(("Recording", "from_bytes"), "tapelab.recording.recording"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
