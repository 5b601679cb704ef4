# ruff: noqa: E501 - programs are not broken into lines
"""Write the tables of layers that change images: python tests/conformance/image_grid.py.

Each layer is called with a seed, for both layouts, in training and without, on bytes and floats, on
one image and several, and with labels and boxes. record.py asks TensorFlow for the answers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

# It runs from a checkout, beside no package of its own.
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conformance.layer_grid import LAYOUTS, slug  # noqa: E402  after the path
from conformance.snippets import TABLES  # noqa: E402  after the path

BYTES = "np.arange(2 * 4 * 5 * 3).reshape(2, 4, 5, 3) * 37 % 256"
SHARES = f"({BYTES}) / 255.0"
BOX_FORMATS = (
    "xyxy",
    "yxyx",
    "xywh",
    "center_xywh",
    "center_yxhw",
    "rel_xyxy",
    "rel_yxyx",
    "rel_xywh",
)
COLORS = (
    *(
        "RandomBrightness(0.4",
        "RandomBrightness((-0.8, -0.1)",
        "RandomContrast(0.5",
        "RandomContrast((0.1, 0.9)",
    ),
    *("RandomGrayscale(0.5", "RandomInvert(0.7", "RandomInvert((0.2, 0.9)", "RandomSaturation(0.3"),
    *(
        "RandomSaturation((0.5, 0.9)",
        "RandomHue(0.4",
        "RandomHue((0.2, 0.7)",
        "RandomColorDegeneration(0.6",
    ),
    *("RandomSharpness(0.8", "RandomSharpness((0.2, 0.4)", "RandomGaussianBlur(1.0, 3, 0.9"),
    *(
        "RandomGaussianBlur(0.6, (3, 5), (0.3, 0.8)",
        "RandomPosterization(4",
        "RandomPosterization((2, 7)",
    ),
    *("Solarization(0.1, 0.4", "Solarization((0.1, 0.2), (0.3, 0.9)", "RandomErasing(0.8"),
    *(
        "RandomErasing(fill_value=7.0",
        "RandomColorJitter((0, 255), 0.2, 0.3, 0.4, 0.5",
        "MixUp(0.4",
        "CutMix(0.8",
    ),
)
MOVES = (
    *("RandomFlip('horizontal'", "RandomFlip('vertical'", "RandomFlip(", "RandomCrop(3, 2", "RandomCrop(2, 5"),
    *("RandomCrop(6, 7",),
    *(f"{layer}, fill_mode='{mode}', interpolation='{way}'" for layer, mode, way in product(
        ("RandomRotation(0.2", "RandomTranslation(0.4, (-0.9, 0.9)", "RandomZoom(0.5", "RandomZoom((-0.6, 0.3), (0.2, 0.9)", "RandomShear(0.5, 0.3"),
        ("reflect", "wrap", "constant", "nearest"), ("nearest", "bilinear"))),
    "RandomRotation((0.1, 0.2), fill_mode='constant', fill_value=9.0",
)  # fmt: skip
SEEDLESS = ("AutoContrast(", "Equalization(", "Equalization(bins=16")
WRONG = (
    *(
        "RandomBrightness(2.0)",
        "RandomBrightness('a')",
        "RandomBrightness([1])",
        "RandomContrast(-0.5)",
    ),
    *(
        "RandomContrast(1.5)",
        "RandomGrayscale(2.0)",
        "RandomInvert(1.5)",
        "RandomHue(2.0)",
        "RandomSharpness(1.5)",
    ),
    *(
        "RandomPosterization(9)",
        "RandomPosterization(0)",
        "Solarization(2.0)",
        "Solarization(0.1, 'a')",
    ),
    *(
        "RandomGaussianBlur(kernel_size=2)",
        "RandomRotation(0.1, fill_mode='mirror')",
        "RandomZoom(2.0)",
    ),
    *("RandomZoom(0.1, interpolation='cubic')", "RandomTranslation(2.0, 0.1)", "RandomShear(1.5)"),
    *(
        "RandomBrightness(0.1, value_range=(1,))",
        "RandomFlip(data_format='last')",
        "RandomErasing(scale=2.0)",
    ),
)


def main() -> None:
    """Write the tables."""
    tables = {
        "image_grid_colors": called(COLORS),
        "image_grid_moves": called(MOVES),
        "image_grid_parts": parts(),
    }
    for name, programs in tables.items():
        written = {slug((each, "", ""))[:90] + f"_{at}": each for at, each in enumerate(programs)}
        lines = "\n".join(f"{key}: {program}" for key, program in written.items())
        head = "# Written by image_grid.py: layers that change images.\n\n"
        (TABLES / f"{name}.txt").write_text(f"{head}{lines}\n", encoding="utf-8")


def layer(settings: str, more: str = "") -> str:
    """The call that constructs a layer."""
    return f"tf.keras.layers.{settings}{'' if settings.endswith('(') else ', '}{more})".replace(
        ", )", ")"
    )


def called(layers: tuple[str, ...]) -> Iterator[str]:
    """Calls of layers with seeds, twice, since each call draws again."""
    for settings in layers:
        for layout in LAYOUTS:
            images = f"tf.constant({BYTES}, tf.float32)"
            if "first" in layout:
                images = f"tf.transpose({images}, (0, 3, 1, 2))"
            hsv = "Saturation" in settings or "Hue" in settings  # sums in another order
            call = "tf.cast(l(x, training=True), tf.float16)" if hsv else "l(x, training=True)"
            yield f"(lambda l, x: [{call}, {call}])({layer(settings, f'seed=3, {layout}')}, {images})"
        dtype = (
            "float32"
            if any(each in settings for each in ("Contrast", "Saturation", "Hue"))
            else "int32"
        )
        single = f"tf.constant({BYTES}, tf.{dtype})[0]"
        if "Hue" not in settings and "Saturation" not in settings:
            yield f"(lambda l, x: [l(x), l(x, training=False)])({layer(settings, 'seed=4')}, {single})"
        config = f"sorted((k, v) for k, v in {layer(settings, 'seed=4')}.get_config().items() if k not in ('dtype', 'name', 'seed'))"
        yield f"repr([(k, list(v) if isinstance(v, (tuple, list)) else v) for k, v in {config}])"
        yield f"{layer(settings, 'seed=3')}.compute_output_shape((None, 4, 5, 3))"


def parts() -> Iterator[str]:
    """Layers that draw nothing, what else is in a dict, boxes, and wrong arguments."""
    for settings, layout in product(SEEDLESS, LAYOUTS):
        for images in (BYTES, SHARES):
            span = "(0, 255)" if images == BYTES else "(0, 1)"
            x = f"tf.constant({images}, tf.float32)"
            x = f"tf.transpose({x}, (0, 3, 1, 2))" if "first" in layout else x
            yield f"{layer(settings, f'value_range={span}, {layout}')}({x})"
    for settings in (
        "RandomBrightness(0.4",
        "RandomFlip(",
        "MixUp(0.4",
        "CutMix(0.8",
        "RandomRotation(0.1",
        "RandomCrop(3, 3",
    ):
        data = f"{{'images': tf.constant({SHARES}, tf.float32), 'labels': tf.constant([[1.0, 0.0], [0.0, 1.0]])}}"
        yield f"(lambda y: [y['images'], y['labels']])({layer(settings, 'seed=5')}({data}))"
        data = f"{{'images': tf.constant({SHARES}, tf.float32), 'segmentation_masks': tf.constant({BYTES}, tf.float32)[..., :1]}}"
        yield (
            f"(lambda y: [y['images'], y['segmentation_masks']])({layer(settings, 'seed=5')}({data}))"
            if "Mix" not in settings
            else "1"
        )
    boxes = "tf.constant([[[1.0, 1.0, 3.0, 3.0], [0.0, 1.0, 4.0, 2.0]], [[2.0, 0.0, 5.0, 4.0], [1.0, 2.0, 3.0, 3.0]]])"
    for settings in (
        "RandomFlip(",
        "RandomFlip('vertical'",
        "RandomTranslation(0.3, 0.2",
        "RandomRotation(0.1",
    ):
        data = f"{{'images': tf.constant({SHARES}, tf.float32), 'bounding_boxes': {{'boxes': {boxes}, 'labels': tf.constant([[1, 2], [3, 4]])}}}}"
        yield f"(lambda y: [y['bounding_boxes']['boxes'], y['bounding_boxes']['labels']])({layer(settings, 'seed=5, bounding_box_format=' + repr('xyxy'))}({data}))"
    tools = "tf.keras.utils.bounding_boxes"
    for source, target in product(BOX_FORMATS, BOX_FORMATS):
        yield f"{tools}.convert_format({boxes}, {source!r}, {target!r}, 4, 5)"
    for given in (
        "{'boxes': b, 'labels': tf.constant([[1, 2], [3, 4]])}, 2, 3",
        "{'boxes': b / 3.0, 'labels': tf.constant([[1, 2], [3, 4]])}, bounding_box_format='rel_xyxy'",
    ):
        yield f"(lambda b: (lambda y: [y['boxes'], y['labels']])({tools}.clip_to_image_size({given})))({boxes})"
    for call in ("crop(b, 1, 1, 2, 3)", "pad(b, 1, 2)", "compute_iou(b, b[0], 'xyxy')", "compute_iou(b[0], b[1], 'xywh')", "compute_iou(b, b, 'yxyx')",
                 "compute_iou(b / 5.0, b / 5.0, 'rel_xyxy', image_shape=(4, 5, 3))", "compute_iou(b, b, 'rel_xyxy')", "compute_iou(b[0, 0], b, 'xyxy')",
                 "compute_iou(b - 4.0, b, 'xyxy', use_masking=True)", "compute_ciou(b[0], b[1], 'xyxy')", "compute_ciou(b, b + 1.0, 'xywh')",
                 "convert_format(b, 'xyxy', 'wrong')", "convert_format(b, 'xyxy', 'rel_xyxy')", "convert_format(b[..., :3], 'xyxy', 'yxyx')",
                 "affine_transform(b, tf.constant([30.0, -10.0]), tf.constant([0.1, 0.0]), tf.constant([0.0, 0.2]), tf.constant([1.0, 1.5]), tf.constant([5.0, 0.0]), tf.constant([0.0, 3.0]), 4, 5)"):  # fmt: skip
        yield f"(lambda b: {tools}.{call})({boxes})"
    for wrong in WRONG:
        yield f"tf.keras.layers.{wrong}.factor"
    yield "tf.keras.layers.RandomFlip()(tf.zeros((2, 2)))"
    yield "[x.shape for x in tf.data.Dataset.from_tensor_slices(tf.zeros((4, 6, 5, 3))).batch(2).map(tf.keras.layers.RandomCrop(3, 2, seed=1))]"
    yield "list(tf.data.Dataset.from_tensor_slices(tf.range(4 * 12, delta=1.0) if False else tf.reshape(tf.range(48.0), (4, 2, 2, 3))).batch(2).map(tf.keras.layers.RandomFlip(seed=1)))"
    yield "(lambda m: [m.output_shape, m(tf.ones((1, 4, 5, 3)), training=False)])(tf.keras.Sequential([tf.keras.Input((4, 5, 3)), tf.keras.layers.RandomFlip(), tf.keras.layers.RandomRotation(0.1), tf.keras.layers.RandomZoom(0.1), tf.keras.layers.Rescaling(0.5)]))"


if __name__ == "__main__":
    main()
