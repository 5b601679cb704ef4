"""The layers of tapelab, and the map of them that CONTRIBUTING.md shows: python -m tools.layers.

A module imports from its own layer and from those below, never from one above;
tests/architecture/test_layers.py enforces this table, and that every module of `ls tapelab` is in
it. The command writes the map, docs/explanation/layers.svg.
"""

from __future__ import annotations

import textwrap
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

MAP: Final = Path(__file__).parents[1] / "docs" / "explanation" / "layers.svg"


class Layer(NamedTuple):
    """One layer: what it is for, and the names of its modules and packages."""

    title: str
    purpose: str
    modules: tuple[str, ...]


LAYERS: Final = (
    Layer("Recording", "what happened, as plain immutable data; errors, dtypes, translations",
          ("recording", "errors", "dtypes", "nest", "version", "locales", "namespace",
           "installation")),
    Layer("Kernels", "arrays in, arrays out: NumPy, and Numba for large arrays", ("kernels",)),
    Layer("Core", "tensors, dispatch, the tape, the backward pass, the log", ("core",)),
    Layer("Recorder", "from a tape and the log to a Recording", ("recorder",)),
    Layer("Ops", "one declaration per op: kernel, gradient rules, formulas", ("ops",)),
    Layer("TensorFlow's namespaces", "signatures and conversion; tf.function is in compile",
          ("tapelab", "framework", "config", "debugging", "test", "experimental",
           "array_ops", "strings", "ragged", "sparse", "sets", "queue",
           "math", "linalg", "bitwise", "signal", "image", "audio", "random", "raw_ops",
           "autodiff", "control_flow", "compile", "autograph",
           "nn", "keras",
           "data", "io", "lookup", "train", "compat", "distribute",
           "summary")),
    Layer("Pure functions of a Recording", "findings, figures and text, points and hints",
          ("diagnosis", "views", "exercises")),
    Layer("Places to work in", "notebooks, JupyterLab, graders; what you extend tapelab with",
          ("lab", "widgets", "grading", "authoring", "extend", "foreign")),
    Layer("The command", "tapelab lab, explain, show, grade …", ("cli",)),
)  # fmt: skip
"""From the bottom to the top."""

WIDTH: Final = 900
MARGIN: Final = 12
LINE: Final = 20
COLUMN: Final = 342
IN_A_LINE: Final = 68
STYLE: Final = """
    .page { fill: #ffffff } .layer { fill: #f3f6f9; stroke: #8a96a3 }
    text { fill: #1b2733 } .purpose { fill: #46535f }
    .title { font-weight: 600 } .names { font-family: ui-monospace, monospace; font-size: 13px }
    .arrow { stroke: #075a99; fill: none; stroke-width: 2 } .head { fill: #075a99 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #14191f } .layer { fill: #1f2730; stroke: #7d8a97 }
      text { fill: #e8edf2 } .purpose { fill: #b6c1cc }
      .arrow { stroke: #8cc8f7 } .head { fill: #8cc8f7 }
    }"""


def names_of(layer: Layer) -> list[str]:
    """The names of a layer's modules, in lines that fit into the map."""
    shown = [name if name != "tapelab" else "__init__" for name in layer.modules]
    return textwrap.wrap("  ".join(shown), IN_A_LINE, break_long_words=False)


def text(content: str, kind: str, x: int, y: int) -> str:
    """A line of text as SVG; its kind is a class of STYLE."""
    return f'  <text class="{kind}" xml:space="preserve" x="{x}" y="{y}">{escape(content)}</text>'


def drawn(layer: Layer, number: int, top: int) -> tuple[str, int]:
    """A layer as SVG, and its height in pixels."""
    names = names_of(layer)
    height = LINE * (1 + len(names)) + 18
    left, width, first = MARGIN + 28, WIDTH - 2 * MARGIN - 28, top + 24
    box = f'<rect class="layer" x="{left}" y="{top}" width="{width}" height="{height}" rx="6"/>'
    parts = [
        f"  {box}",
        text(f"{number}  {layer.title}", "title", left + 14, first),
        text(layer.purpose, "purpose", COLUMN, first),
    ]
    parts += [text(line, "names", COLUMN, first + LINE * at) for at, line in enumerate(names, 1)]
    return "\n".join(parts), height


def svg(layers: tuple[Layer, ...] = LAYERS) -> str:
    """The map: the highest layer at the top, and an arrow for the direction of imports."""
    top, bands = MARGIN, []
    for number, layer in reversed(list(enumerate(layers))):
        band, height = drawn(layer, number, top)
        bands.append(band)
        top += height + 8
    body, foot = "\n".join(bands), top - 8
    described = "; ".join(f"{layer.title}: {', '.join(layer.modules)}" for layer in layers[::-1])
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {foot + MARGIN}" \
role="img" aria-labelledby="title description" font-family="system-ui, sans-serif" font-size="14">
  <title id="title">The layers of tapelab; imports point down</title>
  <desc id="description">From top to bottom. {escape(described)}.</desc>
  <style>{STYLE}
  </style>
  <rect class="page" width="{WIDTH}" height="{foot + MARGIN}"/>
{body}
  <path class="arrow" d="M{MARGIN + 10} {MARGIN + 4}V{foot - 10}"/>
  <path class="head" d="M{MARGIN + 3} {foot - 12}h14l-7 12z"/>
</svg>
"""


if __name__ == "__main__":
    MAP.write_text(svg(), encoding="utf-8")
    print(f"Wrote {MAP}.")
