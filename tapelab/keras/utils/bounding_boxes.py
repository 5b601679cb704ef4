"""`tf.keras.utils.bounding_boxes`: boxes around objects in images, and how much they overlap.

A box is four numbers, which its format names: `xyxy` is left, top, right and bottom in pixels,
`rel_xyxy` the same as parts of the width and the height.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any, Final

from tapelab import math
from tapelab.array_ops import shape_ops, value_ops
from tapelab.keras import backend
from tapelab.namespace.missing_names import in_module

_FORMATS: Final = (
    *("xyxy", "yxyx", "xywh", "center_xywh", "center_yxhw"),
    *("rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh"),
)
Corners = tuple[Any, Any, Any, Any]


def convert_format(
    boxes: Any, source: str, target: str, height: Any = None, width: Any = None,
    dtype: str = "float32",
) -> Any:  # fmt: skip
    """Return boxes of one format in another; a dict of boxes and labels keeps its labels."""
    if isinstance(boxes, dict):
        parts = {key: backend.convert_to_tensor(each) for key, each in boxes.items()}
        changed = convert_format(boxes["boxes"], source, target, height, width, dtype)
        return {**parts, "boxes": changed}
    source, target = source.lower(), target.lower()
    x: Any = backend.convert_to_tensor(boxes, dtype)
    if x.shape[-1] != 4:
        raise ValueError(
            "`boxes` must be a tensor with the last dimension of 4. Received: boxes.shape="
            f"{tuple(x.shape)}"
        )
    if source not in _FORMATS or target not in _FORMATS:
        raise ValueError(f"Invalid source or target format. Supported formats: {_FORMATS}")
    relative = [each.startswith("rel_") for each in (source, target)]
    if any(relative) and (width is None or height is None):
        raise ValueError(
            "convert_format() must receive `height` and `width` transforming between relative and "
            f"absolute formats.convert_format() received source=`{source}`, target=`{target}, but "
            f"height={height} and width={width}."
        )
    if source == target:
        return x
    read, write = (_ORDERS[each.removeprefix("rel_")] for each in (source, target))
    corners = read[0](_parts(x))
    if relative[0] != relative[1]:
        sizes = [backend.convert_to_tensor(each, dtype) for each in (width, height)] * 2
        pairs = zip(corners, sizes, strict=True)
        corners = tuple(c / size if relative[1] else c * size for c, size in pairs)
    return shape_ops.concat(list(write[1](corners)), -1)


def _parts(boxes: Any) -> Corners:
    left, top, right, bottom = shape_ops.split(boxes, 4, axis=-1)
    return left, top, right, bottom


def _center(box: Corners) -> Corners:
    x1, y1, x2, y2 = box
    return (x1 + x2) / 2.0, (y1 + y2) / 2.0, x2 - x1, y2 - y1


def _around(box: Corners) -> Corners:
    x, y, width, height = box
    return x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0


def _swapped(box: Corners) -> Corners:
    return box[1], box[0], box[3], box[2]


_ORDERS: Final[dict[str, tuple[Callable[[Corners], Corners], Callable[[Corners], Corners]]]] = {
    "xyxy": (lambda box: box, lambda box: box),
    "yxyx": (_swapped, _swapped),
    "xywh": (
        lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3]),
        lambda box: (box[0], box[1], box[2] - box[0], box[3] - box[1]),
    ),
    "center_xywh": (_around, _center),
    "center_yxhw": (lambda box: _around(_swapped(box)), lambda box: _swapped(_center(box))),
}
"""How the corners of a box are read from a format, and written in it."""


def clip_to_image_size(
    bounding_boxes: Any, height: Any = None, width: Any = None, bounding_box_format: str = "xyxy"
) -> Any:
    """Return boxes without what lies outside the image; those of no area get the label -1."""
    if bounding_box_format not in {"xyxy", "rel_xyxy"}:
        raise NotImplementedError
    if bounding_box_format == "xyxy" and (height is None or width is None):
        raise ValueError("`height` and `width` must be set if `format='xyxy'`.")
    x: Any = backend.convert_to_tensor(bounding_boxes["boxes"])
    relative = bounding_box_format == "rel_xyxy"
    clipped = _clipped(x, 1.0 if relative else height, 1.0 if relative else width)
    result = {**bounding_boxes, "boxes": clipped}
    labels = bounding_boxes.get("labels")
    if labels is not None:
        x1, y1, x2, y2 = _parts(clipped)
        area: Any = shape_ops.squeeze((x2 - x1) * (y2 - y1), -1)
        numbers: Any = backend.convert_to_tensor(labels)
        outside = value_ops.cast(-1, numbers.dtype)
        result["labels"] = value_ops.where(area > 0.0, numbers, outside)
    return result


def _clipped(boxes: Any, height: Any, width: Any) -> Any:
    """Boxes whose corners are inside an image."""
    parts = [
        math.minimum(math.maximum(part, 0), backend.convert_to_tensor(size, boxes.dtype))
        for part, size in zip(_parts(boxes), (width, height) * 2, strict=True)
    ]
    return shape_ops.concat(parts, -1)


def _shifted(boxes: Any, top: Any, left: Any) -> Any:
    x: Any = backend.convert_to_tensor(boxes)
    moves = [backend.convert_to_tensor(each, x.dtype) for each in (left, top)] * 2
    pairs = zip(_parts(x), moves, strict=True)
    return shape_ops.concat([part + move for part, move in pairs], -1)


def crop(
    boxes: Any, top: Any, left: Any, height: Any, width: Any, bounding_box_format: str = "xyxy"
) -> Any:
    """Return boxes in a part of the image."""
    _check_corners(bounding_box_format)
    return _clipped(_shifted(boxes, -top, -left), height, width)


def pad(
    boxes: Any, top: Any, left: Any, height: Any = None, width: Any = None,
    bounding_box_format: str = "xyxy",
) -> Any:  # fmt: skip
    """Return boxes in an image with margins."""
    del height, width
    _check_corners(bounding_box_format)
    return _shifted(boxes, top, left)


def _check_corners(bounding_box_format: str) -> None:
    if bounding_box_format != "xyxy":
        raise NotImplementedError


def affine_transform(
    boxes: Any, angle: Any, translate_x: Any, translate_y: Any, scale: Any, shear_x: Any,
    shear_y: Any, height: Any, width: Any, center_x: Any = None, center_y: Any = None,
    bounding_box_format: str = "xyxy",
) -> Any:  # fmt: skip
    """Return the boxes around boxes, shape (batch, boxes, 4), whose images are transformed."""
    _check_corners(bounding_box_format)
    numbers = (angle, shear_x, shear_y, translate_x, translate_y, scale)
    columns: list[Any] = [
        shape_ops.reshape(backend.convert_to_tensor(each, "float32"), (-1, 1, 1))
        for each in numbers
    ]
    turn, lean, tilt, right, below, zoom = (-each for each in columns)
    turn, lean, tilt = (each * (pi / 180.0) for each in (turn, lean, tilt))
    cx = (0.5 if center_x is None else center_x) * (width - 1)
    cy = (0.5 if center_y is None else center_y) * (height - 1)
    a = math.cos(turn - tilt) / math.cos(tilt)
    c = -math.sin(turn - tilt) / math.cos(tilt)
    b = a * math.tan(lean) + math.sin(turn)
    d = math.cos(turn) - c * math.tan(lean)
    corners: Any = backend.convert_to_tensor(boxes, "float32")
    x1, y1, x2, y2 = _parts(corners)
    x = shape_ops.concat([x1, x2, x2, x1], -1) - cx - right * float(width - 1)
    y = shape_ops.concat([y1, y1, y2, y2], -1) - cy - below * float(height - 1)
    across: Any = cx - (d * x - b * y) * zoom
    down: Any = cy - (a * y - c * x) * zoom
    ends = [find(places, -1) for find in (math.reduce_min, math.reduce_max)
            for places in (across, down)]  # fmt: skip
    return shape_ops.stack(ends, -1)


def compute_iou(
    boxes1: Any, boxes2: Any, bounding_box_format: str, use_masking: bool = False,
    mask_val: float = -1, image_shape: Any = None,
) -> Any:  # fmt: skip
    """Return the share of each pair of boxes that is in both: their intersection over their union.

    Shape (boxes1, boxes2), with a batch in front if one has it.
    """
    for name, boxes in (("boxes1", boxes1), ("boxes2", boxes2)):
        if len(boxes.shape) not in {2, 3}:
            raise ValueError(
                f"compute_iou() expects {name} to be batched, or to be unbatched. Received "
                f"len(boxes1.shape)={len(boxes1.shape)}, len(boxes2.shape)={len(boxes2.shape)}. "
                f"Expected either len({name}.shape)=2 AND or len({name}.shape)=3."
            )
    first, second = _in_pixels((boxes1, boxes2), bounding_box_format, image_shape)
    left = _parts(shape_ops.expand_dims(first, -2))
    right = _parts(shape_ops.expand_dims(second, -3))
    both: Any = shape_ops.squeeze(_intersection(left, right), -1)
    areas: list[Any] = [shape_ops.squeeze((b[2] - b[0]) * (b[3] - b[1]), -1) for b in (left, right)]
    shares: Any = both / (areas[0] + areas[1] - both + backend.epsilon())
    if not use_masking:
        return shares
    absent = [math.reduce_max(each, -1) < 0.0 for each in (first, second)]
    hidden = math.logical_or(
        shape_ops.expand_dims(absent[0], -1), shape_ops.expand_dims(absent[1], -2)
    )
    return value_ops.where(hidden, value_ops.cast(mask_val, shares.dtype), shares)


def compute_ciou(
    boxes1: Any, boxes2: Any, bounding_box_format: str, image_shape: Any = None
) -> Any:
    """Return intersection over union, less for distant centres and other ratios of the sides."""
    if "rel" in bounding_box_format:
        image_shape = None
    first, second = _in_pixels((boxes1, boxes2), bounding_box_format, image_shape)
    left, right = _parts(first), _parts(second)
    epsilon = backend.epsilon()
    (w1, h1), (w2, h2) = ((box[2] - box[0], box[3] - box[1] + epsilon) for box in (left, right))
    both = _intersection(left, right)
    iou: Any = both / (w1 * h1 + w2 * h2 - both + 2 * epsilon)
    around = [
        math.maximum(left[at + 2], right[at + 2]) - math.minimum(left[at], right[at])
        for at in (0, 1)
    ]
    away = [(left[at] + left[at + 2]) / 2 - (right[at] + right[at + 2]) / 2 for at in (0, 1)]
    distance: Any = math.square(away[0]) + math.square(away[1])
    diagonal = math.square(around[0]) + math.square(around[1]) + epsilon
    ratio: Any = 4 / pi**2 * math.square(math.atan(w2 / h2) - math.atan(w1 / h1))
    weight = ratio / (ratio - iou + (1 + epsilon))
    return shape_ops.squeeze(iou - (distance / diagonal + ratio * weight), -1)


def _in_pixels(boxes: Any, source: str, image_shape: Any) -> list[Any]:
    """Boxes as corners in pixels; ValueError for relative ones without the shape of the image."""
    if "rel" in source and image_shape is None:
        raise ValueError(
            "When using relative bounding box formats (e.g. `rel_yxyx`) the `image_shape` argument "
            f"must be provided.Received `image_shape`: {image_shape}"
        )
    height, width, _ = image_shape or (None, None, None)
    return [convert_format(each, source, "xyxy", height, width) for each in boxes]


def _intersection(left: Corners, right: Corners) -> Any:
    """The area that is in both of two boxes."""
    sides: list[Any] = []
    for at in (0, 1):
        end: Any = math.minimum(left[at + 2], right[at + 2])
        sides.append(math.maximum(end - math.maximum(left[at], right[at]), 0.0))
    return sides[0] * sides[1]


__getattr__, __dir__ = in_module(__name__)
