"""A recording as HTML that needs no kernel and no network: a page, or a notebook's output."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab.locales import language, of_explorer
from tapelab.recording import Recording, compression
from tapelab.recording.codec import to_packed
from tapelab.recording.events import KIND_OF, Ran
from tapelab.views import text_view
from tapelab.views.card import direction

STATIC: Final = Path(__file__).parent.parent / "static"
_STYLE: Final = (
    "html{color-scheme:light dark}html[data-theme=light]{color-scheme:light}"
    "html[data-theme=dark]{color-scheme:dark}html{scroll-padding-bottom:190px}"
    "body{margin:0}noscript pre{padding:12px}"
)
HEIGHT: Final = 640
"""Of the picture in a notebook's output, in pixels, until it tells how high it is."""

TRUST: Final = "To step through this tape, trust the notebook (command “Trust Notebook”)."
_FIT: Final = """{
const frame = document.currentScript.previousElementSibling, {body} = document;
const follow = () => {
  const dark = body.matches("[data-jp-theme-light='false'], .vscode-dark");
  if (!dark && !body.matches("[data-jp-theme-light], .vscode-light")) return;
  const theme = frame.style.colorScheme = dark ? "dark" : "light";
  frame.contentWindow?.postMessage({type: "tapelab-theme", theme}, "*");
};
let tall = frame.offsetHeight;
const fit = (most) => frame.style.height = Math.min(tall, most) + "px";
const onScreen = () => fit(Math.max(480, innerHeight - 160));
addEventListener("message", ({source, data}) => {
  if (source !== frame.contentWindow || data?.type !== "tapelab-height") return;
  if (data.height > 50) tall = data.height;
  onScreen();
  follow();
});
addEventListener("resize", onScreen);
addEventListener("beforeprint", () => fit(Infinity));
addEventListener("afterprint", onScreen);
const attributeFilter = ["data-jp-theme-light", "class"];
new MutationObserver(follow).observe(body, {attributes: true, attributeFilter});
document.dispatchEvent(new CustomEvent("tapelab-page", {detail: frame}));
}"""
"""Lets the frame grow to its picture, as far as the window goes, follow the notebook from light to
dark, and be found.

A live widget that finds its page takes its place; see `extension/src/widget`.
"""


def page(
    recording: Recording,
    explanation: Any = None,
    *,
    step: int | None = None,
    predict: bool = False,
) -> str:
    """One self-contained HTML document; without JavaScript it shows the picture as text."""
    without = escape(text_view.picture(recording, step=step, explanation=explanation), quote=False)
    fallback = f"<noscript><pre>{without}</pre></noscript>"
    return _document(
        recording, container(recording, explanation, step=step, predict=predict) + fallback
    )


def _document(recording: Recording, body: str) -> str:
    return document(recording.tape.name or "tape", body)


def document(title: str, body: str, *, alive: bool = True) -> str:
    """A page in the chosen language; one that is alive fills in the containers of its body."""
    script = f"\n<script>{bundle()}</script>" if alive else ""
    return (
        f'<!doctype html>\n<html lang="{escape(language())}" dir="{direction()}"><head>'
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>{body}"
        f"{script}</body></html>\n"
    )


def container(
    recording: Recording,
    explanation: Any = None,
    *,
    step: int | None = None,
    predict: bool = False,
) -> str:
    """The element that the standalone bundle fills in, with the words of the chosen language."""
    at = "" if step is None else f' data-step="{int(step)}"'
    at += " data-predict" if predict else ""
    ops = np.count_nonzero(recording.columns["event.kind"] == KIND_OF[Ran])
    content = _script("recording", to_packed(recording), f'{at} data-ops="{ops}"')
    if explanation is not None:
        content += as_json("explanation", plain(explanation))
    return wrapped(content, recording)


def wrapped(content: str, recording: Recording) -> str:
    """Data in an element of the chosen language, to be filled in by the standalone bundle."""
    words = of_explorer(recording.said)
    if words:
        content += as_json("words", words)
    return f'<div class="tapelab" lang="{escape(language())}">{content}</div>'


def packed(kind: str, data: bytes, at: str = "") -> str:
    """Bytes for the bundle, compressed where they are many."""
    return _script(kind, compression.packed(data), at)


def _script(kind: str, data: bytes, at: str) -> str:
    at += ' data-packed="planes"' if compression.is_packed(data) else ""
    return (
        f'<script type="application/octet-stream;base64" class="tapelab-{kind}"{at}>'
        f"{b64encode(data).decode('ascii')}</script>"
    )


def as_json(kind: str, value: Any) -> str:
    """Values for the bundle; nothing in them can end the script that holds them."""
    content = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" class="tapelab-{kind}">{content}</script>'


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
            "Build it with `npm ci && npm run build` in extension/, or reinstall tapelab."
        )
    return file


def frame(
    recording: Recording,
    explanation: Any = None,
    *,
    step: int | None = None,
    predict: bool = False,
    identity: str = "",
) -> str:
    """The page inside a notebook's output: a frame that runs its script and reaches nothing.

    A live widget finds the page it stands for by its `identity`.
    """
    content = text_view.picture(recording, step=step, explanation=explanation)
    name = recording.tape.name or "tape"
    body = container(recording, explanation, step=step, predict=predict)
    return framed(name, _document(recording, body), content, identity)


def framed(name: str, document: str, fallback: str, identity: str = "") -> str:
    """A document in a sandboxed frame, with text where a notebook's trust takes frames out."""
    known = f' id="{escape(identity)}"' if identity else ""
    return (
        f'<iframe{known} title="{escape(f"tapelab: {name}")}" sandbox="allow-scripts" '
        f'srcdoc="{escape(document)}" style="width:100%;height:{HEIGHT}px;border:0">'
        f"<pre>{escape(fallback, quote=False)}\n\n{TRUST}</pre></iframe><script>{_FIT}</script>"
    )
