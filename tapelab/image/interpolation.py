"""Images of another size: each new row and column is a weighted sum of old ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.array_ops.gather_ops import gather
from tapelab.core.dispatch import public
from tapelab.core.op import op
from tapelab.core.tensor import Tensor
from tapelab.image.geometry import pad_to_bounding_box, picture
from tapelab.linalg import einsum
from tapelab.ops import samples
from tapelab.ops.casts import cast
from tapelab.ops.integer_arguments import lengths, number

Weights = Any
"""An array of shape [new, old]."""
TABLE: Final = 1024
"""TensorFlow looks the weights of its bicubic method up in a table with this many steps."""


class ResizeMethod:
    """The names of the ways to resize."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def cubic(x: Any) -> Any:
    """Keys' cubic convolution with a = -1/2; IEEE Trans. ASSP 29 (1981)."""
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def mitchell(x: Any) -> Any:
    """The cubic of Mitchell & Netravali with B = C = 1/3; SIGGRAPH 1988."""
    near = ((7 * x - 12) * x * x + 16 / 3) / 6
    far = (((-7 / 3 * x + 12) * x - 20) * x + 32 / 3) / 6
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def lanczos(radius: int) -> Callable[[Any], Any]:
    """A sinc under the first lobe of a wider sinc; Duchon, J. Appl. Meteorology 18 (1979)."""
    return lambda x: np.where(x < radius, np.sinc(x) * np.sinc(x / radius), 0)


def gauss(x: Any) -> Any:
    """A bell of standard deviation 1/2, cut off at 3/2."""
    return np.where(x < 1.5, np.exp(-2 * x * x), 0)


KERNELS: Final[dict[str, tuple[float, Callable[[Any], Any]]]] = {
    "bilinear": (1.0, lambda x: np.maximum(1 - x, 0)),
    "bicubic": (2.0, cubic),
    "lanczos3": (3.0, lanczos(3)),
    "lanczos5": (5.0, lanczos(5)),
    "gaussian": (1.5, gauss),
    "mitchellcubic": (2.0, mitchell),
}
"""How far each way to resize looks, and how much an entry counts by its distance."""


@public(group=True)
def resize(
    images: Any, size: Any, method: Any = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False, antialias: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Pictures of another height and width; the result is float32, but for the nearest entries."""
    x = picture(images)
    new = _size(x, size, preserve_aspect_ratio)
    if method == ResizeMethod.NEAREST_NEIGHBOR:
        return _nearest(x, new)
    if method != ResizeMethod.AREA and method not in KERNELS:
        raise ValueError(f"Resize method is not implemented: {method}")
    floats = x if x.dtype.is_floating else cast(x, dtype=np.dtype(np.float32))
    if method == ResizeMethod.AREA:
        return resize_area(floats, size=new)
    rows, columns = (
        weights_of(method, old, wanted, antialias=antialias)
        for old, wanted in zip(x._array.shape[-3:-1], new, strict=True)
    )
    return _weighted(floats, rows, columns)


@public(group=True)
def resize_with_pad(
    image: Any, target_height: Any, target_width: Any, method: Any = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Any:  # fmt: skip
    """Pictures as large as fit into a frame without being distorted, with zeros around."""
    x = picture(image)
    height, width = number(target_height, "Pad"), number(target_width, "Pad")
    rows, columns = x._array.shape[-3:-1]
    ratio = max(columns / width, rows / height)
    new = math.floor(rows / ratio), math.floor(columns / ratio)
    small = resize(x, new, method, antialias=antialias)
    above, before = (
        math.floor((height - rows / ratio) / 2),
        math.floor((width - columns / ratio) / 2),
    )
    return pad_to_bounding_box(small, max(above, 0), max(before, 0), height, width)


def weights_of(method: str, old: int, new: int, *, antialias: bool) -> Weights:
    """How much each of the old rows counts for each of the new ones."""
    if antialias or method not in {"bilinear", "bicubic"}:
        return _spanned(method, old, new, antialias=antialias)
    places = (np.arange(new) + 0.5) * (old / new) - 0.5
    lower = np.floor(places)
    part = places - lower
    weights = np.zeros((new, old))
    if method == "bilinear":
        for shift, share in ((0, 1 - part), (1, part)):
            np.add.at(weights, (range(new), np.clip(lower + shift, 0, old - 1).astype(int)), share)
        return weights
    part = np.rint(part * TABLE) / TABLE
    for shift in (-1, 0, 1, 2):
        at = (lower + shift).astype(int)
        inside = (at >= 0) & (at < old)
        weights[np.arange(new)[inside], at[inside]] = cubic(abs(shift - part))[inside]
    return weights / weights.sum(1, keepdims=True)


def _spanned(method: str, old: int, new: int, *, antialias: bool) -> Weights:
    """Weights by distance, over wider spans where pictures shrink and no jags are wanted."""
    _, kernel = KERNELS[method]
    ratio = old / new
    wide = max(ratio, 1.0) if antialias else 1.0
    centres = (np.arange(new) + 0.5) * ratio
    distances = abs((np.arange(old) + 0.5)[None, :] - centres[:, None]) / wide
    weights = kernel(distances)
    return weights / weights.sum(1, keepdims=True)


def _weighted(x: Any, rows: Weights, columns: Weights) -> Any:
    dtype = np.dtype(np.float32)
    floats = x if x._array.dtype == dtype else cast(x, dtype=dtype)
    down = einsum("ih,...hwc->...iwc", rows.astype(dtype), floats)
    return einsum("jw,...iwc->...ijc", columns.astype(dtype), down)


def _nearest(x: Tensor, new: tuple[int, int]) -> Any:
    for axis, (old, wanted) in enumerate(
        zip(x._array.shape[-3:-1], new, strict=True), start=x.ndim - 3
    ):
        places = np.floor((np.arange(wanted) + 0.5) * (old / wanted)).astype(np.int64)
        x = gather(x, np.clip(places, 0, old - 1), axis=axis)
    return x


def _size(x: Tensor, size: Any, keep: bool) -> tuple[int, int]:
    given = lengths(size, "ResizeBilinear")
    if len(given) != 2:
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if not keep:
        return given[0], given[1]
    rows, columns = x._array.shape[-3:-1]
    scale = min(given[0] / rows, given[1] / columns)
    return round(scale * rows), round(scale * columns)


def shrunk(rng: np.random.Generator) -> list[samples.Sample]:
    """A picture with the size it should have."""
    return [((rng.normal(size=(1, 4, 3, 2)),), {"size": (2, 3)})]


@op(formula=r"y = \operatorname{mean}_{\text{area}}(x)", samples=shrunk, glyph="area",
    raw="ResizeArea", pattern="not implemented")  # fmt: skip
def resize_area(x: Any, *, size: tuple[int, int]) -> Any:
    """Each new place is the mean of the area it covers; TensorFlow has no gradient for it."""
    for axis, new in ((-3, size[0]), (-2, size[1])):
        x = np.moveaxis(np.tensordot(_areas(x.shape[axis], new), x, (1, axis)), 0, axis)
    return x.astype(np.float32)


def _areas(old: int, new: int) -> Weights:
    """The share that each old row has in each new one."""
    edges = np.arange(new + 1) * (old / new)
    starts, ends = edges[:-1, None], edges[1:, None]
    places = np.arange(old)[None, :]
    covered = np.clip(np.minimum(ends, places + 1) - np.maximum(starts, places), 0, None)
    return covered / (ends - starts)
