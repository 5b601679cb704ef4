"""What a large tensor looks like, in few numbers: means of blocks, ends of bins, or small images.

The numbers of large tensors are not kept. Where they are still there when a recording is made, it
holds these previews of them: see the columns `preview.*` in docs/reference/recording.md.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tapelab.recording.schema import RecordingData

SIDE: Final = 32
"""A map or an image has at most so many rows and columns."""
WHOLE: Final = 64
"""A map of at most so many rows and columns shows every entry, if there is room."""
BINS: Final = 64
MAPS: Final = 16
IMAGES: Final = 4
"""Of a tensor that is a stack of maps, or of images, so many are kept: the first ones."""
SMALLEST: Final = 4
"""Smaller pictures than this are tables of numbers with few columns."""
CELLS: Final = 4096
"""Of one tensor."""
ROOM: Final = 131_072
"""Of all tensors together, in bytes."""
SHARE: Final = 16
"""One tensor gets at most this part of the room that is left, so that later ones get some too."""
FEWEST: Final = 64
NONE: Final = 255
"""The level of a block that holds a NaN or an infinity."""
TOP: Final = 254


class Form(IntEnum):
    """How a preview is drawn."""

    MEANS = 0
    ENDS = 1
    COLOURS = 2


class Preview(NamedTuple):
    """A tensor in few numbers: for each slice, row and column one, two ends or a colour.

    A number is (level - zero) x step; `levels` has the shape of slices, rows, columns, depth.
    """

    form: Form
    levels: NDArray[np.uint8]
    zero: int
    step: float

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers that the levels stand for; NaN where a block holds one that is not finite."""
        with np.errstate(invalid="ignore"):  # a file may be damaged
            numbers = (self.levels.astype(np.float64) - self.zero) * self.step
        return np.where(self.levels == NONE, np.nan, numbers)


def shows_image(shape: tuple[int, ...]) -> bool:
    """Whether tensors of a shape may be an image or a stack of them: height, width, colours."""
    return len(shape) in (3, 4) and shape[-1] in (1, 3, 4) and min(shape[-3], shape[-2]) >= SMALLEST


def plane_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """The axes that are drawn as rows and columns; the others count the slices.

    The last two, or where the last one counts channels of square maps or of what may be an image,
    the two before it.
    """
    last = len(shape) - 1
    if shows_image(shape):
        return last - 2, last - 1
    square = len(shape) == 4 and shape[1] == shape[2] >= SMALLEST and shape[3] != shape[2]
    return (1, 2) if square else (last - 1, last)


class PreviewBudget:
    """How much room previews may still take; one array that is met again has one preview.

    So has one buffer, however many arrays are views of it.
    """

    def __init__(self, left: int = ROOM) -> None:
        self.left = left
        self.arrays, self.buffers = Known(), Known()

    def preview(self, value: NDArray[Any], *, image: bool) -> Preview | None:
        """The preview of an array, as fine as there is room for; None if there is none left."""
        cells = min(CELLS, self.left // SHARE)
        preview = preview_of(value, cells, image=image) if cells >= FEWEST else None
        if preview is not None:
            self.left -= preview.levels.size
        return preview


class Known:
    """What was computed of arrays, as long as they are alive."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def once(self, value: NDArray[Any], compute: Callable[[NDArray[Any]], Any]) -> Any:
        """What was computed of this very array before, or what is computed of it now."""
        held, result = self._known.get(id(value), (None, None))
        if held is None or held() is not value:
            result = compute(value)
            self._known[id(value)] = weakref.ref(value), result
        return result


def preview_of(value: NDArray[Any], cells: int = CELLS, *, image: bool = True) -> Preview | None:
    """A preview of an array of numbers, drawn as an `image` if it may be one; None for words."""
    if value.dtype.kind not in "fiubcV" or not value.size:
        return None
    if value.dtype.kind == "V":  # floats that NumPy takes for none
        value = value.astype(np.float32)
    if value.dtype.kind == "c":
        value = np.abs(value)
    with np.errstate(all="ignore"):
        if max(value.shape) == value.size:
            return _levelled(Form.ENDS, _ends(np.ravel(value), min(BINS, cells // 2)))
        if image and is_image(value):
            return _levelled(Form.COLOURS, _image(value, cells))
        return _levelled(Form.MEANS, _maps(value, cells)[..., np.newaxis])


def is_image(value: NDArray[Any]) -> bool:
    """Whether an array looks like an image or a stack of them: bytes, or floats from 0 to 1."""
    if not shows_image(value.shape) or value.dtype.kind not in "fu":
        return False
    if value.dtype.kind == "u":
        return value.dtype.itemsize == 1
    return bool(value.min() >= 0 and value.max() <= 1)


def _cuts(size: int, parts: int) -> NDArray[np.intp]:
    """Where parts of nearly the same length begin."""
    return np.arange(parts) * size // parts


def _ends(row: NDArray[Any], bins: int) -> NDArray[np.float64]:
    cuts = _cuts(len(row), min(bins, len(row)))
    ends = [each.reduceat(row, cuts) for each in (np.minimum, np.maximum)]
    return np.stack(ends, axis=-1).astype(np.float64)[np.newaxis, np.newaxis]


def _means(plane: NDArray[Any], side: int) -> NDArray[np.float64]:
    """A plane as the means of blocks, at most `side` rows and columns of them."""
    high, wide = plane.shape[:2]
    rows, columns = _cuts(high, min(high, side)), _cuts(wide, min(wide, side))
    kind = np.float32 if plane.dtype.itemsize < 4 else None
    sums = _sums(plane, rows, columns, kind)
    if not np.isfinite(sums).all():  # perhaps too much only for numbers as narrow as these
        sums = _sums(plane, rows, columns, np.float64)
    areas = np.diff(rows, append=high)[:, np.newaxis] * np.diff(columns, append=wide)
    means: NDArray[np.float64] = sums / areas.reshape(areas.shape + (1,) * (plane.ndim - 2))
    return means


def _sums(
    plane: NDArray[Any], rows: NDArray[np.intp], columns: NDArray[np.intp], kind: Any
) -> NDArray[np.float64]:
    across = np.add.reduceat(plane, columns, axis=1, dtype=kind)
    sums: NDArray[np.float64] = np.add.reduceat(across, rows, axis=0, dtype=np.float64)
    return sums


def _maps(value: NDArray[Any], cells: int) -> NDArray[np.float64]:
    stack = np.moveaxis(value, plane_of(value.shape), (-2, -1))
    lead = stack.shape[:-2]
    some = min(math.prod(lead), MAPS)
    room, needed = math.isqrt(cells // some), max(stack.shape[-2:])
    side = needed if needed <= min(room, WHOLE) else min(SIDE, room)
    return np.stack([_means(stack[np.unravel_index(at, lead)], side) for at in range(some)])


def _image(value: NDArray[Any], cells: int) -> NDArray[np.float64]:
    stack = value.reshape(-1, *value.shape[-3:])[:IMAGES]
    side = min(SIDE, math.isqrt(cells // len(stack)))
    return np.stack([_means(image, side) for image in stack])


def _levelled(form: Form, numbers: NDArray[np.float64]) -> Preview:
    """Numbers as levels, of which one is exactly 0."""
    finite = np.isfinite(numbers)
    known = np.where(finite, numbers, 0.0)
    least, greatest = float(known.min()), float(known.max())
    zero = 0 if least >= 0 else TOP if greatest <= 0 else TOP // 2
    step = max(greatest, -least) / max(zero, TOP - zero)
    levels = np.rint(known / step) + zero if step else np.full(known.shape, zero)
    return Preview(form, np.where(finite, levels, NONE).astype(np.uint8), zero, step)


def as_columns(previews: dict[int, Preview]) -> dict[str, NDArray[Any]]:
    """The previews of tensors, by index, as columns of the file format."""
    if not previews:
        return {}
    forms = [(each.form, *each.levels.shape) for each in previews.values()]
    scales = [(each.zero, each.step) for each in previews.values()]
    return {
        "preview.tensor": np.array([*previews], "<i4"),
        "preview.form": np.array(forms, "<i4").reshape(-1),
        "preview.scale": np.array(scales, "<f8").reshape(-1),
        "preview.levels": np.concatenate([each.levels.ravel() for each in previews.values()]),
    }


class Previews(dict[int, Preview]):
    """The previews in a recording, by the index of their tensor."""

    def __init__(self, recording: RecordingData) -> None:
        columns = recording.columns
        if "preview.tensor" not in columns:
            return
        forms, scales = columns["preview.form"], columns["preview.scale"]
        super().__init__(
            _read(columns["preview.tensor"].tolist(), forms, scales, columns["preview.levels"])
        )


def _read(
    tensors: list[int], forms: NDArray[Any], scales: NDArray[Any], levels: NDArray[Any]
) -> Iterable[tuple[int, Preview]]:
    at = 0
    rows = zip(forms.reshape(-1, 5).tolist(), scales.reshape(-1, 2).tolist(), strict=True)
    for tensor, ((form, *shape), (zero, step)) in zip(tensors, rows, strict=True):
        size = math.prod(shape)
        if min(shape) < 1 or at + size > len(levels):
            raise ValueError(f"a preview has the form {shape}")
        yield tensor, Preview(Form(form), levels[at : at + size].reshape(shape), int(zero), step)
        at += size
