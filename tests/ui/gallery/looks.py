"""How scenes look: compared with small pictures, in fonts that are the same on every machine.

A reference picture is a screenshot at a sixth of its size, in all its colours. A new screenshot is
reduced likewise, and both are compared window by window, as the index of structural similarity
does (Wang et al., 2004): where a window of the one has a line, a letter or an edge, so must that of
the other. What counts is the share of the structure that is gone, so that a pale rule on a plain
ground weighs as much as bold text, while text that a browser paints a little darker, or a surface
whose colour is off by a shade, weighs next to nothing. The mean colours of windows are compared as
well, with a tolerance, for a surface has no structure.

Invariants:
- Fonts travel with Matplotlib and are in the page before anything is drawn. They are laid out
  without hinting, which would round the width of every letter to whole pixels on some machines.
- A reference picture keeps every colour that the screenshot has: a palette would send a surface to
  another entry wherever a browser or Pillow computes it differently by one step.
- What moved by one pixel of the screen has not changed.
"""

from __future__ import annotations

import json
from base64 import b64encode
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Final

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Frame, Locator, Page
from scipy.ndimage import uniform_filter

Array = NDArray[np.float64]

SHOTS: Final = Path(__file__).parent / "shots"
NOTEBOOK_SHOT: Final = SHOTS.with_name("notebook.webp")
"""How the output of a notebook looked, in JupyterLab as in Notebook."""
SCALE: Final = 6
"""Pixels of a screenshot to one of a reference picture, down and across."""
WINDOW: Final = 5
"""Width and height of the windows that are compared, in pixels of a reference picture."""
FAINT: Final = 0.01
"""The contrast, of 1, below which a structure in a window hardly counts."""
STRUCTURE_BOUND: Final = 0.15
"""The share of a window's structure that may be lost: 0 if it is alike, 1 if it is gone.

Chromium 150, 153 and 156 differ by 0.00, and 131, which smooths text in another way, by 0.06; one
word that is gone makes at least 0.25, a pale line on a plain ground 0.3, a dark one 1.
"""
COLOUR_BOUND: Final = 0.06
"""How far the mean of a window may be off in any of its three colours, of 1.

The same browsers differ by 0.00 and 0.013.
"""
DRIFTS: Final = sorted(product((-1, 0, 1), repeat=2), key=np.linalg.norm)
"""How many pixels of a screenshot a window may have moved, across and down; unmoved comes first."""

_FACES: Final = (
    ("Sans", 400, "DejaVuSans"),
    ("Sans", 700, "DejaVuSans-Bold"),
    ("Mono", 400, "DejaVuSansMono"),
    ("Mono", 700, "DejaVuSansMono-Bold"),
    ("Serif", 400, "DejaVuSerif"),
)
"""Family and weight on the page, and Matplotlib's file."""
_STILL: Final = """
* { transition: none !important; animation: none !important; caret-color: transparent !important }
.tl :is(.foot, .transport) { position: static !important }
"""
_FONT_RULES: Final = """
:root { --jp-ui-font-family: 'Gallery Sans'; --jp-code-font-family: 'Gallery Mono' }
body { font-family: 'Gallery Sans' }
.tl.tl { --math: 'Gallery Serif' }
* { text-rendering: geometricPrecision !important }
"""
_ADOPT_FONTS: Final = """((faces, rules) => {
  for (const [family, weight, data] of faces) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    document.fonts.add(new FontFace(family, bytes, { weight }));
  }
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets.push(sheet);
})"""


def hold_still(page: Page | Frame) -> None:
    """Stop everything that moves, and whatever floats above the rest."""
    page.add_style_tag(content=_STILL)


def font_script() -> str:
    """The script that has a document drawn in the bundled fonts; best run before it is drawn.

    A font that is made from its bytes can be used at once, where one with an address comes later.
    """
    faces = [(f"Gallery {family}", str(weight), _font(file)) for family, weight, file in _FACES]
    return f"{_ADOPT_FONTS}({json.dumps(faces)}, {json.dumps(_FONT_RULES)})"


def _font(name: str) -> str:
    """The bytes of one of Matplotlib's fonts, in base 64."""
    return b64encode(Path(mpl.get_data_path(), "fonts", "ttf", f"{name}.ttf").read_bytes()).decode()


def screenshot(page: Page, letter: str) -> Image.Image:
    """A scene as it is on the screen, without the ring of the focus."""
    page.evaluate("document.activeElement?.blur()")
    return screenshot_of(page.locator(f"#{letter} .views"))


def screenshot_of(place: Locator) -> Image.Image:
    """A part of a page as it is on the screen."""
    return Image.open(BytesIO(place.screenshot())).convert("RGB")


def reference(letter: str, theme: str) -> Image.Image:
    """How a scene looked when somebody looked at it, at a sixth of its size."""
    return read(SHOTS / f"{letter}-{theme}.webp")


def read(file: Path) -> Image.Image:
    """A reference picture from its file."""
    with Image.open(file) as picture:
        return picture.convert("RGB")


def save(shot: Image.Image, file: Path) -> None:
    """Keep a screenshot as a reference picture, at a sixth of its size and in all its colours."""
    shot.reduce(SCALE).save(file, lossless=True, quality=100, method=6)


def difference(shot: Image.Image, wanted: Image.Image) -> str:
    """Say where a screenshot differs most from a reference picture; nothing if they look alike."""
    width, height = (-(-length // SCALE) for length in shot.size)
    if width != wanted.width or abs(height - wanted.height) > 1:
        return f"{width} × {height} pixels, not {wanted.width} × {wanted.height}"
    excess = visible_excess(shot, wanted)
    y, x = np.unravel_index(int(excess.argmax()), excess.shape)
    if excess[y, x] <= 1:
        return ""
    across, down = (x + WINDOW / 2) / width, (y + WINDOW / 2) / height
    return f"{excess[y, x]:.1f} times the bound at {across:.0%} from the left, {down:.0%} down"


def visible_excess(shot: Image.Image, wanted: Image.Image) -> Array:
    """How visibly each window of a screenshot differs, as a multiple of what is allowed.

    Each window may have moved by a pixel of the screen; further moves are tried only as long as
    some window differs.
    """
    excess: Array = np.array(np.inf)
    for drift in DRIFTS:
        seen = _moved(shot, *drift).reduce(SCALE)
        excess = np.minimum(excess, _excess(_values(seen), _values(wanted)))
        if excess.max() <= 1:
            break
    return excess


def _moved(shot: Image.Image, x: int, y: int) -> Image.Image:
    """A screenshot moved within its frame; what comes in repeats its edge."""
    padded = np.pad(np.asarray(shot), ((1, 1), (1, 1), (0, 0)), mode="edge")
    return Image.fromarray(padded[1 - y :, 1 - x :][: shot.height, : shot.width])


def _values(picture: Image.Image) -> Array:
    return np.asarray(picture, np.float64) / 255


def _excess(seen: Array, wanted: Array) -> Array:
    """How much each window differs, in its worst colour, as a multiple of what is allowed."""
    rows = min(len(seen), len(wanted))
    seen, wanted = seen[:rows], wanted[:rows]
    mean_seen, mean_wanted = _window_means(seen), _window_means(wanted)
    variances = _window_means(seen**2) - mean_seen**2 + _window_means(wanted**2) - mean_wanted**2
    covariance = _window_means(seen * wanted) - mean_seen * mean_wanted
    lost = 1 - (2 * covariance + FAINT**2) / (variances + FAINT**2)
    off = np.abs(mean_seen - mean_wanted)
    return np.maximum(lost / STRUCTURE_BOUND, off / COLOUR_BOUND).max(axis=2)


def _window_means(values: Array) -> Array:
    """The mean of each window that lies within the picture."""
    edge = WINDOW // 2
    means: Array = uniform_filter(values, (WINDOW, WINDOW, 1))
    return means[edge:-edge, edge:-edge]
