"""The forms in which a picture travels in a notebook: HTML that needs no kernel, and plain text."""

from __future__ import annotations

from typing import Any

from tapelab.recording import Recording
from tapelab.views import html, text


def mimebundle(
    recording: Recording, explanation: Any = None, *, step: int | None = None
) -> dict[str, str]:
    """The picture as text/html and text/plain, for `_repr_mimebundle_`."""
    return {
        "text/html": html.frame(recording, explanation, step=step),
        "text/plain": text.picture(recording, step=step, explanation=explanation),
    }
