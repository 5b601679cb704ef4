"""Layer 0: what happened, as plain immutable data. See docs/recording.md for the format."""

from tapelab.recording.codec import from_bytes, to_bytes
from tapelab.recording.recording import Recording, TapeFacts

__all__ = ["Recording", "TapeFacts", "from_bytes", "to_bytes"]
