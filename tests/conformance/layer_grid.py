"""Write the table of Keras layers by their options: python tests/conformance/layer_grid.py.

Each program constructs a layer with one combination of options, gives its weights fixed values,
calls it, and returns the outputs, the gradients with respect to inputs and weights, the changed
state, the shapes that it promises for known and unknown sizes, and the mask that it passes on.
record.py asks TensorFlow for the answers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

# It runs from a checkout, beside no package of its own.
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conformance.snippets import TABLES  # noqa: E402  after the path

Case = tuple[str, str, str]
"""The layer, the shape of its input (or a list of shapes), and the other arguments of the call."""

LAYOUTS = ("data_format='channels_first'", "data_format='channels_last'")
IMAGES = {1: "(2, 5, 3)", 2: "(1, 3, 5, 4)", 3: "(1, 3, 4, 3, 4)"}
"""Shapes whose first and last axis can both be channels."""
LARGER = {2: "(1, 4, 5, 3)", 3: "(1, 3, 4, 5, 3)"}
SCORES = ", return_attention_scores=True"
NOTHING = (
    "attention_mask=c([[[True, False, True], [False, False, False], [False, True, True]]])",
    "value_mask=c([[False, False, False], [True, False, True]])",
)
"""Masks that leave a query without any key."""
STEPS = "tf.constant([[True, True, False], [True, False, True]])"


def main() -> None:
    """Write the tables, one for each family of layers."""
    families = {
        "layer_grid_windows": windows(),
        "layer_grid_sizes": sizes(),
        "layer_grid_features": features(),
        "layer_grid_sequences": sequences(),
    }
    for name, cases in families.items():
        entries = {slug(case): entry(*case) for case in cases}
        lines = [f"{key}: {program}" for key, program in entries.items()]
        text = (
            f"# Written by layer_grid.py: Keras layers by their options.\n\n{chr(10).join(lines)}\n"
        )
        (TABLES / f"{name}.txt").write_text(text, encoding="utf-8")
    lines = [f"{slug((program, '', ''))}_{at}: {program}" for at, program in enumerate(heads())]
    text = f"# Written by layer_grid.py: attention of several heads.\n\n{chr(10).join(lines)}\n"
    (TABLES / "layer_grid_heads.txt").write_text(text, encoding="utf-8")


def entry(layer: str, shape: str, settings: str) -> str:
    """The program of a case."""
    return f"by_options(lambda L: L.{layer}, {shape}{settings and ', '}{settings})"


def slug(case: Case) -> str:
    """A name for a case, of letters, digits and underscores."""
    return re.sub(r"\W+", "_", " ".join(case)).strip("_")


def windows() -> Iterator[Case]:
    """Convolutions and pooling."""
    for layout, (rank, shape) in product(LAYOUTS, IMAGES.items()):
        for kind, option in product(("Max", "Average"), ("", "padding='same', ", "strides=1, ")):
            yield f"{kind}Pooling{rank}D(2, {option}{layout})", shape, ""
        for kind, keep in product(("Max", "Average"), ("", "keepdims=True, ")):
            yield f"Global{kind}Pooling{rank}D({keep}{layout})", shape, ""
        for option in (
            *("", "strides=2, ", "padding='same', ", "dilation_rate=2, ", "use_bias=False, "),
            *("activation='relu', ", "padding='same', strides=2, "),
        ):
            yield f"Conv{rank}D(7, 2, {option}{layout})", shape, ""
            yield f"Conv{rank}DTranspose(7, 2, {option}{layout})", shape, ""
            if rank < 3:
                yield f"DepthwiseConv{rank}D(2, depth_multiplier=2, {option}{layout})", shape, ""
                yield f"SeparableConv{rank}D(7, 2, {option}{layout})", shape, ""
        for option in ("", "padding='same', "):
            transposed = (
                f"Conv{rank}DTranspose(7, 3, strides=2, output_padding=1, {option}{layout})"
            )
            yield transposed, shape, ""
    yield "Conv1D(7, 2, padding='causal', dilation_rate=2)", "(2, 5, 3)", ""
    yield "Conv2D(7, 2, groups=2)", "(1, 3, 5, 2)", ""


def sizes() -> Iterator[Case]:
    """Layers that pad, crop, enlarge, resize or reshape."""
    margins = {
        1: ("1", "(1, 0)"), 2: ("1", "((1, 0), (0, 1))"), 3: ("1", "((1, 0), (0, 1), (1, 1))"),
    }  # fmt: skip
    for layout, (rank, shape) in product(LAYOUTS, IMAGES.items()):
        for margin in margins[rank]:
            yield f"ZeroPadding{rank}D({margin}, {layout})", shape, ""
            if rank > 1:
                yield f"Cropping{rank}D({margin}, {layout})", LARGER[rank], ""
        if rank > 1:
            yield f"UpSampling{rank}D(2, {layout})", shape, ""
            yield f"SpatialDropout{rank}D(0.5, {layout})", shape, ""
    for layout in LAYOUTS:
        yield f"Flatten({layout})", "(2, 3, 4)", ""
        for way in ("bilinear", "nearest", "bicubic", "lanczos3", "lanczos5"):
            yield f"UpSampling2D(2, interpolation='{way}', {layout})", "(1, 2, 3, 2)", ""
            yield f"Resizing(5, 4, interpolation='{way}', {layout})", "(1, 3, 3, 2)", ""
        for option in (
            *("crop_to_aspect_ratio=True", "pad_to_aspect_ratio=True", "antialias=True"),
            "pad_to_aspect_ratio=True, fill_value=2.0",
        ):
            yield f"Resizing(3, 5, {option}, {layout})", "(1, 6, 4, 2)", ""
        yield f"CenterCrop(2, 3, {layout})", "(1, 5, 6, 3)", ""
    for layer in (
        *("UpSampling1D(2)", "Cropping1D((1, 0))", "SpatialDropout1D(0.5)", "Permute((2, 1))"),
        *("Reshape((4, 3))", "Reshape((-1,))", "Reshape((2, -1))", "Flatten()"),
    ):
        yield layer, "(2, 3, 4)", ""
    yield "RepeatVector(2)", "(2, 3)", ""


def features() -> Iterator[Case]:
    """Dense layers, activations, normalization, merging, and their masks and dtypes."""
    for axis in (-1, 1, 2):
        for layer in (
            *("LayerNormalization(axis={})", "UnitNormalization(axis={})", "Softmax(axis={})"),
            *("RMSNormalization(axis={})", "GroupNormalization(groups=1, axis={})"),
            "Normalization(axis={}, mean=1.0, variance=4.0)",
        ):
            yield layer.format(axis), "(2, 3, 4)", ""
        for option, call in product(("", ", center=False", ", scale=False"), ("", "training=True")):
            yield f"BatchNormalization(axis={axis}, momentum=0.5{option})", "(2, 3, 4)", call
    for call in (f"mask={STEPS}", f"mask={STEPS}, training=True"):
        yield "BatchNormalization(momentum=0.5)", "(2, 3, 4)", call
    for layer in (
        *("LayerNormalization(axis=(1, 2))", "LayerNormalization(center=False)"),
        *("LayerNormalization(scale=False)",),
        *("UnitNormalization(axis=(1, 2))", "Softmax(axis=(1, 2))"),
        *("GroupNormalization(-1)", "GroupNormalization(2)", "GroupNormalization(3, axis=1)"),
        *("ReLU(max_value=1.0)", "ReLU(negative_slope=0.1)"),
        *("ReLU(threshold=0.5)", "LeakyReLU(0.1)"),
        *("ELU(0.5)", "PReLU()", "PReLU(shared_axes=[1])", "Activation('gelu')", "Identity()"),
        *("Rescaling(2.0, 1.0)", "Rescaling([1.0, 2.0, 3.0, 4.0])"),
        *("Masking(0.5)", "AlphaDropout(0.5)"),
        *("Dropout(0.5)", "GaussianNoise(1.0)"),
        *("GaussianDropout(0.5)", "TimeDistributed(L.Dense(2))"),
        *("Dense(2, activation='relu')",),
        *("Dense(2, use_bias=False)", "Dense(2, kernel_constraint='non_neg')"),
        *("EinsumDense('abc,cd->abd', (None, 2), bias_axes='d')",),
        *("EinsumDense('...b,bc->...c', 3)",),
        *("EinsumDense('ab...,bc->ac...', 2, bias_axes='c')",),
        *("EinsumDense('abc,cde->abde', (None, 2, 2))",),
    ):  # fmt: skip
        yield layer, "(2, 3, 4)", ""
    for layer in (
        "Dense(2)",
        "Dropout(0.5)",
        "Masking()",
        "TimeDistributed(L.Dense(2))",
        "Softmax()",
    ):
        mask = "mask=tf.constant([[[True, False, True, True]]])" if "Soft" in layer else ""
        yield layer, "(2, 3, 4)", mask
    for mask in ("[[False, False], [True, False]]", "[[0.0, 1.0], [0.6, 0.4]]"):
        yield "Softmax()", "(2, 2)", f"mask=tf.constant({mask})"
    for dtype, layer in product(
        ("float16", "float64"),
        (
            *("Dense(2, dtype={})", "Dropout(0.5, dtype={})", "Flatten(dtype={})"),
            *("BatchNormalization(dtype={})", "Softmax(dtype={})", "Rescaling(2.0, dtype={})"),
            *("ReLU(dtype={})", "PReLU(dtype={})", "Activation('tanh', dtype={})"),
            "EinsumDense('ab,bc->ac', 3, dtype={})",
        ),
    ):
        yield layer.format(repr(dtype)), "(2, 3)", ""
    for layer, other in product(
        ("Add()", "Subtract()", "Multiply()", "Average()", "Maximum()", "Minimum()"),
        ("(2, 3, 4)", "(2, 1, 4)", "(2, 4)"),
    ):
        yield layer, f"[(2, 3, 4), {other}]", ""
    for layer in (
        "Concatenate()",
        "Concatenate(axis=1)",
        "Dot(axes=-1)",
        "Dot(axes=2, normalize=True)",
    ):
        yield layer, "[(2, 3, 4), (2, 3, 4)]", ""


def sequences() -> Iterator[Case]:
    """Recurrent layers and attention."""
    masked = f"mask={STEPS}"
    for kind, own in {
        "SimpleRNN": ("activation='relu'",),
        "LSTM": ("unit_forget_bias=False", "recurrent_activation='tanh'"),
        "GRU": ("reset_after=False", "recurrent_activation='tanh'"),
    }.items():
        for option, call in product(
            (
                *("return_sequences=True", "return_state=True", "go_backwards=True", "unroll=True"),
                *("return_sequences=True, return_state=True", "use_bias=False", *own),
                "zero_output_for_mask=True, return_sequences=True",
            ),
            ("", masked),
        ):
            yield f"{kind}(2, {option})", "(2, 3, 4)", call
        for merge, call in product(("'concat'", "'sum'", "'mul'", "'ave'", "None"), ("", masked)):
            inner = f"L.{kind}(2, return_sequences=True)"
            yield f"Bidirectional({inner}, merge_mode={merge})", "(2, 3, 4)", call
        yield f"Bidirectional(L.{kind}(2, return_state=True))", "(2, 3, 4)", ""
        yield f"RNN([L.{kind}Cell(2), L.{kind}Cell(3)], return_sequences=True)", "(2, 3, 4)", ""
    masks = f"mask=[{STEPS}, {STEPS}]"
    none = "mask=[None, tf.constant([[False, False, False], [True, False, True]])]"
    both = f"{none}, use_causal_mask=True, return_attention_scores=True"
    for layer, call in product(
        ("Attention()", "Attention(use_scale=True)", "Attention(score_mode='concat')",
         "AdditiveAttention()", "AdditiveAttention(use_scale=False)"),
        ("", "return_attention_scores=True", "use_causal_mask=True", masks, none, both),
    ):  # fmt: skip
        yield layer, "[(2, 3, 4), (2, 3, 4)]", call


def heads() -> Iterator[str]:
    """Attention of several heads, with masks and options; merged masks of steps."""
    inputs = "c(wave((2, 3, 4))), c(wave((2, 3, 4)) * 2)"
    steps = STEPS.replace("tf.constant", "c")
    calls = (
        *("", "use_causal_mask=True", "return_attention_scores=True"),
        *(f"query_mask={steps}", f"value_mask={steps}", f"key_mask={steps}"),
        f"query_mask={steps}, value_mask={steps}, use_causal_mask=True",
        f"value_mask={steps}, return_attention_scores=True",
        "attention_mask=c([[[True, False, True], [True, True, False], [False, True, True]]])",
        *(f"{nothing}{more}" for nothing, more in product(NOTHING, ("", SCORES))),
    )
    grouped = ("", "use_bias=False", "use_gate=True", "sliding_window=2")
    several = ("", ", use_bias=False", ", value_dim=2", ", output_shape=5", ", use_gate=True",
               ", sliding_window=2", ", dtype='float16'", ", dropout=0.5")  # fmt: skip
    wide = "c(wave((2, 2, 3, 4))), c(wave((2, 2, 3, 4)) * 2)"
    for axes, call in product(("None", "1", "2", "(1, 2)", "(-2,)"), ("", SCORES[2:])):
        layer = f"MultiHeadAttention(2, 3, attention_axes={axes})"
        yield f"learned(tf.keras.layers.{layer}, {wide}{call and ', '}{call})[0]"
    for layer, call in (
        *product((f"MultiHeadAttention(2, 3{o})" for o in several), calls),
        *product((f"GroupQueryAttention(3, 4, 2{o and ', '}{o})" for o in grouped), calls),
        ("GroupQueryAttention(3, 3, 2)", ""),
        ("GroupQueryAttention(3, 4, 2, sliding_window=0)", ""),
    ):  # fmt: skip
        if not ("float16" in layer and "scores" in call):  # a few last digits apart
            yield f"learned(tf.keras.layers.{layer}, {inputs}{call and ', '}{call})[0]"
    table = "tf.keras.layers.Embedding(5, 2, mask_zero=True)"
    pair = f"(lambda e: [e(c([[1, 0, 2]])), e(c([[0, 0, 3]]))])({table})"
    for kind in ("Add", "Average", "Concatenate", "Maximum", "Multiply", "Subtract"):
        masks = "[c([[True, False, True]]), c([[False, False, True]])]"
        layer = f"tf.keras.layers.{kind}()"
        for given in (masks, "[None, c([[False, False, True]])]", "None", "[None]"):
            yield f"{layer}.compute_mask({pair}, {given})"
        yield f"tf.keras.layers.GlobalAveragePooling1D()({layer}({pair})).shape"
    for option in ("", ", tie_weights=False", ", logit_soft_cap=0.5"):
        layer = f"tf.keras.layers.ReversibleEmbedding(5, 2{option})"
        yield f"filled({layer}, c([[1, 2]]))(c([[3, 0]]))"
        yield f"filled({layer}, c([[1, 2]]))(c([[0.5, -1.0]]), reverse=True)"


if __name__ == "__main__":
    main()
