"""A recording as HTML that needs no kernel and no network: a page, or a notebook's output."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapelab.locales import language, of_explorer
from tapelab.recording import Recording, compression
from tapelab.recording.codec import to_packed
from tapelab.recording.events import KIND_OF, Ran
from tapelab.views import svg, text_view
from tapelab.views.card import direction

STATIC: Final = Path(__file__).parent.parent / "static"
_STYLE: Final = (
    "html{color-scheme:light dark}html[data-theme=light]{color-scheme:light}"
    "html[data-theme=dark]{color-scheme:dark}body{margin:0}noscript pre{padding:12px}"
    "noscript svg{max-width:100%;height:auto;background:#fff}"
)
_NEEDS: Final = re.compile(r' data-needs="([a-z ]*)"')
"""Names the parts of the renderer that an element of a page needs; see `extension/page.mjs`."""
PARTS: Final = ("film", "tensors", "whatif", "why")
"""All parts of the renderer that not every page needs."""
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
const panel = frame.closest(".jp-WindowedPanel-outer");
const seen = () => panel ? panel.clientHeight - 24 : self === top ? innerHeight - 24 : 600;
const say = (message) => frame.contentWindow?.postMessage(message, "*");
const tell = () => say({type: "tapelab-viewport", height: seen()});
frame.style.height = seen() + "px";
addEventListener("message", ({source, data}) => {
  if (source !== frame.contentWindow || data?.type !== "tapelab-height") return;
  if (data.height > 50) frame.style.height = data.height + "px";
  tell();
  follow();
});
panel ? new ResizeObserver(tell).observe(panel) : addEventListener("resize", tell);
const attributeFilter = ["data-jp-theme-light", "class"];
new MutationObserver(follow).observe(body, {attributes: true, attributeFilter});
document.dispatchEvent(new CustomEvent("tapelab-page", {detail: frame}));
}"""
"""Tells the frame how much of it can be seen at once, makes it as high as its picture, lets it
follow the notebook from light to dark, and be found.

A live widget that finds its page takes its place; see `extension/src/widget`.
"""

_STATIC_STYLE: Final = (
    "<style>iframe~.tapelab-static{display:none}"
    "@media (scripting:none){iframe:has(~.tapelab-static){display:none}"
    "iframe~.tapelab-static{display:block}}</style>"
)
"""Shows the static figure where the frame is not: GitHub, and a notebook that is not trusted, take
out the frame and this rule; without JavaScript the frame would be empty.
"""
LONGEST_DRAWN: Final = 5_000
"""An output of a recording of more events has no static figure, which would take over 0.2 s."""


def static_svg(recording: Recording) -> str:
    """The whole graph as a static SVG; empty for a recording that is too long."""
    return svg.svg(recording) if 0 < len(recording) <= LONGEST_DRAWN else ""


def static_image(recording: Recording) -> str:
    """The whole graph as an image, shown where no frame and no script is."""
    drawn = static_svg(recording)
    return image_beside_frame(drawn, f"tapelab: {recording.tape.name or 'tape'}") if drawn else ""


def image_beside_frame(drawn: str, name: str) -> str:
    """An SVG as an image that shows only where the frame before it does not."""
    data = b64encode(drawn.encode()).decode("ascii")
    return (
        f'{_STATIC_STYLE}<img class="tapelab-static" alt="{escape(name)}" '
        f'src="data:image/svg+xml;base64,{data}" style="max-width:100%;background:#fff">'
    )


def page(
    recording: Recording,
    explanation: Any = None,
    *,
    step: int | None = None,
    predict: bool = False,
) -> str:
    """One self-contained HTML document; without JavaScript it shows a static figure and text."""
    without = escape(text_view.picture(recording, step=step, explanation=explanation), quote=False)
    fallback = f"<noscript>{static_svg(recording)}<pre>{without}</pre></noscript>"
    return _document(
        recording, container(recording, explanation, step=step, predict=predict) + fallback
    )


def _document(recording: Recording, body: str) -> str:
    return document(recording.tape.name or "tape", body)


def document(title: str, body: str, *, alive: bool = True) -> str:
    """A page in the chosen language; one that is alive fills in the containers of its body."""
    needed = {part for needs in _NEEDS.findall(body) for part in needs.split()}
    parts = (part for part in PARTS if part in needed)
    script = f"\n<script>{bundle(*parts)}</script>" if alive else ""
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
    at += f' data-ops="{ops}"{_needs(recording, explanation)}'
    content = _script("recording", to_packed(recording), at)
    if explanation is not None:
        content += as_json("explanation", plain(explanation))
    return with_words(content, recording.said)


def _needs(recording: Recording, explanation: Any) -> str:
    """The attribute that names the parts of the renderer for a recording."""
    parts = ["tensors"] if any(recording.shapes) else []
    if explanation is not None and plain(explanation)["findings"]:
        parts.append("why")
    return f' data-needs="{" ".join(parts)}"'


def with_words(content: str, more: Callable[[], Iterable[str]] = tuple) -> str:
    """Data in an element of the chosen language; `more` names words beside the Explorer's."""
    words = of_explorer(more)
    if words:
        content += as_json("words", words)
    return f'<div class="tapelab" lang="{escape(language())}">{content}</div>'


def tape_of_step(step: int, recording: Recording, explanation: Any) -> str:
    """The tape of a step of a training, which the film opens."""
    at = _needs(recording, explanation)
    tape = _script("tape", to_packed(recording), f'{at} data-step="{step}"')
    return f"<div>{tape}{as_json('explanation', plain(explanation))}</div>"


def experiment(evaluations: bytes, recording: Recording, grid: Any) -> str:
    """The element of a function with sliders: all its evaluations, and one of its recordings."""
    content = _script("recording", compression.packed(evaluations), _needs(recording, None))
    content += as_json("what-if", grid, needs="whatif")
    return with_words(content, recording.said)


def _script(kind: str, data: bytes, at: str) -> str:
    at += ' data-packed="planes"' if compression.is_packed(data) else ""
    return (
        f'<script type="application/octet-stream;base64" class="tapelab-{kind}"{at}>'
        f"{b64encode(data).decode('ascii')}</script>"
    )


def as_json(kind: str, value: Any, *, needs: str = "") -> str:
    """Values for the bundle; nothing in them can end the script that holds them.

    `needs` names the part of the renderer that reads them, if it is not in every page.
    """
    at = f' data-needs="{needs}"' if needs else ""
    content = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" class="tapelab-{kind}"{at}>{content}</script>'


def plain(explanation: Any) -> Any:
    """An explanation as JSON values, whether it comes as an object or as JSON already."""
    return explanation.to_json() if hasattr(explanation, "to_json") else explanation


@cache
def bundle(*parts: str) -> str:
    """The renderer as one script, with some of its parts."""
    files = ("standalone.js", *(f"standalone-{part}.js" for part in parts))
    return "".join(static_file(file).read_text("utf-8") for file in files)


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
    return framed(name, _document(recording, body), content, identity) + static_image(recording)


def framed(name: str, document: str, fallback: str, identity: str = "") -> str:
    """A document in a sandboxed frame, with text where a notebook's trust takes frames out."""
    known = f' id="{escape(identity)}"' if identity else ""
    title = escape(f"tapelab: {name}")
    return (
        f'<iframe{known} title="{title}" sandbox="allow-scripts" allowfullscreen '
        f'srcdoc="{escape(document)}" style="width:100%;height:{HEIGHT}px;border:0">'
        f"<pre>{escape(fallback, quote=False)}\n\n{TRUST}</pre></iframe><script>{_FIT}</script>"
    )
