"""A recording as HTML that needs no kernel and no network: a page, or a notebook's output."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Final

from tapelab.recording import Recording, to_bytes
from tapelab.views import text

STATIC: Final = Path(__file__).parent.parent / "static"
HEIGHT: Final = 640
"""Of the picture in a notebook's output, in pixels; taller pictures scroll inside it."""


def page(recording: Recording, explanation: Any = None, *, step: int | None = None) -> str:
    """One self-contained HTML document: the recording, what explains it, and the renderer."""
    title = escape(recording.tape.name or "tape")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width">'
        '<style>html{color-scheme:light dark}body{margin:0}'
        "noscript pre{padding:12px}</style></head>\n"
        f"<body>{_container(recording, explanation, step)}\n"
        f"<script>{bundle()}</script></body></html>\n"
    )  # fmt: skip


def _container(recording: Recording, explanation: Any, step: int | None) -> str:
    """The element that the standalone bundle fills in; without JavaScript the plain text shows."""
    data = b64encode(to_bytes(recording)).decode("ascii")
    at = "" if step is None else f' data-step="{int(step)}"'
    why = json.dumps(plain(explanation), ensure_ascii=False).replace("</", "<\\/")
    without = escape(text.picture(recording, step=step, explanation=explanation), quote=False)
    return (
        '<div class="tapelab">'
        f'<script type="application/octet-stream;base64" class="tapelab-recording"{at}>'
        f"{data}</script>"
        + (f'<script type="application/json" class="tapelab-explanation">{why}</script>'
           if explanation is not None else "")
        + f"<noscript><pre>{without}</pre></noscript></div>"
    )  # fmt: skip


def plain(explanation: Any) -> Any:
    """An explanation as JSON values, whether it comes as an object or as JSON already."""
    return explanation.to_json() if hasattr(explanation, "to_json") else explanation


@cache
def bundle() -> str:
    """The renderer as one script."""
    return static_file("standalone.js").read_text("utf-8").replace("</script", "<\\/script")


def static_file(name: str) -> Path:
    """A built part of the front-end; FileNotFoundError in a checkout where it was never built."""
    file = STATIC / name
    if not file.exists():
        raise FileNotFoundError(
            f"The picture cannot be drawn: {name} is missing from tapelab/static. "
            "Build it with `npm ci && npm run build` in extension/, or install tapelab anew."
        )
    return file


def frame(recording: Recording, explanation: Any = None, *, step: int | None = None) -> str:
    """The page inside a notebook's output: a frame that runs its script and reaches nothing."""
    document = escape(page(recording, explanation, step=step))
    title = escape(f"tapelab: {recording.tape.name or 'tape'}")
    return (
        f'<iframe title="{title}" sandbox="allow-scripts" srcdoc="{document}" '
        f'style="width:100%;height:{HEIGHT}px;border:0" loading="lazy"></iframe>'
    )


def export_html(
    path: str | PathLike[str],
    recording: Recording,
    explanation: Any = None,
    *,
    step: int | None = None,
) -> Path:
    """Write one HTML file that shows the recording anywhere, offline."""
    file = Path(path)
    file.write_text(page(recording, explanation, step=step), "utf-8")
    return file
