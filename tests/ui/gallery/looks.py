"""How scenes look: small pictures of them, in fonts that are the same on every machine.

Fonts come as data into the page, those that travel with Matplotlib, so that what is left between
two machines is how their browsers smooth an edge. A blur takes that away, and a line that is gone
stays gone.
"""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Final

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter
from playwright.sync_api import Frame, Locator, Page

SHOTS: Final = Path(__file__).parent / "shots"
IN_NOTEBOOKS: Final = SHOTS.with_name("notebook.png")
"""How the output of a notebook looked, in JupyterLab as in Notebook."""
WIDE: Final = 240
"""Of a picture in pixels: enough to see that a line is missing."""
COLOURS: Final = 64
BLUR: Final = 2
OFF: Final = 0.06
"""How far a blurred pixel may be off, of 1."""
TALLER: Final = 2
"""How many rows of pixels a picture may have more or fewer."""
_FACES: Final = {
    ("Sans", 400): "DejaVuSans",
    ("Sans", 700): "DejaVuSans-Bold",
    ("Mono", 400): "DejaVuSansMono",
    ("Mono", 700): "DejaVuSansMono-Bold",
    ("Serif", 400): "DejaVuSerif",
}
STILL: Final = """
* { transition: none !important; animation: none !important; caret-color: transparent !important }
.tl :is(.foot, .reelbar) { position: static !important }
"""
FONTS: Final = """
:root { --jp-ui-font-family: 'Gallery Sans'; --jp-code-font-family: 'Gallery Mono' }
body { font-family: 'Gallery Sans' }
.tl.tl { --math: 'Gallery Serif' }
"""


def hold_still(page: Page | Frame) -> None:
    """Let nothing move, and nothing float above the rest."""
    page.add_style_tag(content=STILL)


def write_alike(page: Page | Frame) -> None:
    """Write everything in the fonts that are the same everywhere."""
    page.add_style_tag(content="".join(map(_face, _FACES)) + FONTS)
    page.evaluate("document.fonts.ready.then(() => true)")


def _face(which: tuple[str, int]) -> str:
    family, weight = which
    file = Path(mpl.get_data_path(), "fonts", "ttf", f"{_FACES[which]}.ttf")
    data = b64encode(file.read_bytes()).decode()
    return (
        f"@font-face {{ font-family: 'Gallery {family}'; font-weight: {weight};"
        f" src: url(data:font/ttf;base64,{data}) }}\n"
    )


def small(page: Page, letter: str) -> Image.Image:
    """A small picture of a scene, without the ring of the focus."""
    page.evaluate("document.activeElement?.blur()")
    return small_of(page.locator(f"#{letter} .views"))


def small_of(place: Locator) -> Image.Image:
    """A small picture of what stands at a place."""
    shot = Image.open(BytesIO(place.screenshot())).convert("RGB")
    size = WIDE, round(shot.height * WIDE / shot.width)
    return shot.resize(size, Image.Resampling.BOX).quantize(COLOURS)


def model(letter: str, theme: str) -> Image.Image:
    """How a scene looked when somebody looked at it."""
    with Image.open(SHOTS / f"{letter}-{theme}.png") as shot:
        return shot.convert("RGB")


def differ(seen: Image.Image, wanted: Image.Image) -> str:
    """What differs between two pictures, in words; nothing if they look alike."""
    if abs(seen.height - wanted.height) > TALLER:
        return f"{seen.height} rows of pixels high, not {wanted.height}"
    off = np.abs(_blurred(seen) - _blurred(wanted.resize(seen.size))).max(axis=2)
    y, x = np.unravel_index(int(off.argmax()), off.shape)
    if off[y, x] <= OFF:
        return ""
    return f"{off[y, x]:.3f} off at {x / seen.width:.0%} from the left, {y / seen.height:.0%} down"


def _blurred(picture: Image.Image) -> NDArray[np.float64]:
    blurred = picture.convert("RGB").filter(ImageFilter.BoxBlur(BLUR))
    return np.asarray(blurred, np.float64) / 255
