"""Layer 0: what happened, as plain immutable data, in the form of docs/reference/recording.md."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tapelab.recording.codec import from_bytes, to_bytes
    from tapelab.recording.recording import Recording, TapeFacts

__all__ = ["Recording", "TapeFacts", "from_bytes", "to_bytes"]
_HOMES: Final = {
    **dict.fromkeys(("from_bytes", "to_bytes"), "tapelab.recording.codec"),
    **dict.fromkeys(("Recording", "TapeFacts"), "tapelab.recording.recording"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
