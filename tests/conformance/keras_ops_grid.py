"""Write the tables of keras.ops by their options: python tests/conformance/keras_ops_grid.py.

Each program calls a function with one combination of arguments and dtypes. record.py asks
TensorFlow for the answers.
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

K = "tf.keras.ops"
FLOATS = "c([[1.5, -2.25, 0.5], [0.0, 3.0, -0.75]])"
DOUBLES = "c([[1.5, -2.25, 0.5], [0.0, 3.0, -0.75]], 'float64')"
INTEGERS = "c([[3, -2, 5], [0, 4, -7]])"
LONG = "c([[3, -2, 5], [0, 4, -7]], 'int64')"
BYTES = "c([[3, 2, 5], [0, 4, 7]], 'uint8')"
HOLES = "c([[1.5, np.nan, 0.5], [np.nan, 3.0, -0.75]])"
SQUARE = "c([[4.0, 1.0], [1.0, 3.0]])"
BATCH = "c([[[4.0, 1.0], [1.0, 3.0]], [[2.0, 0.5], [0.5, 1.0]]])"


def main() -> None:
    """Write the tables, one for each kind of function."""
    for name, calls in {
        "keras_ops_grid_elements": elements(),
        "keras_ops_grid_arrays": arrays(),
        "keras_ops_grid_statistics": statistics(),
        "keras_ops_grid_matrices": matrices(),
        "keras_ops_grid_networks": networks(),
    }.items():
        entries = {slug(call): call for call in calls}
        lines = [f"{key}: {call}" for key, call in entries.items()]
        text = f"# Written by keras_ops_grid.py.\n\n{chr(10).join(lines)}\n"
        (TABLES / f"{name}.txt").write_text(text, encoding="utf-8")


def slug(call: str) -> str:
    """A name for a call, of letters, digits and underscores."""
    words = call.replace(f"{K}.", "").replace("-", "minus").replace(".", "p")
    return re.sub(r"\W+", "_", words).strip("_")


def elements() -> Iterator[str]:
    """Functions of each element by itself."""
    for name, x in product(
        ("angle", "cbrt", "deg2rad", "exp2", "fabs", "isneginf", "isposinf", "isreal", "rad2deg",
         "sinc", "trunc", "nan_to_num", "signbit"),
        (FLOATS, DOUBLES, INTEGERS, LONG, "c([np.inf, -np.inf, np.nan, -0.0])"),
    ):  # fmt: skip
        yield f"{K}.{name}({x})"
    for name, x in product(("log2", "log10", "erfc", "i0"), ("c([0.5, 2.0, 8.0])", "c([1, 2])")):
        if name != "erfc" or "." in x:
            yield f"{K}.{name}({x})"
    pairs = (
        (FLOATS, "c([1.0, -2.0, 0.5])"), (INTEGERS, "c([1, -2, 3])"), (FLOATS, "2"),
        (INTEGERS, "c([1.0, -2.0, 0.5])"), (HOLES, FLOATS),
    )  # fmt: skip
    for name, (x, y) in product(
        ("logaddexp", "logaddexp2", "hypot", "heaviside", "fmax", "fmin", "fmod"), pairs
    ):
        yield f"{K}.{name}({x}, {y})"
    whole = "c([12, 18, 7])", "c([5, 27, 14])"
    for name in (
        *("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"),
        *("bitwise_left_shift", "bitwise_right_shift", "left_shift", "right_shift"),
    ):
        other = "c([1, 2, 3])" if "shift" in name else whole[1]
        yield f"{K}.{name}({whole[0]}, {other})"
        yield f"{K}.{name}(tf.cast({whole[0]}, 'int64'), {other})"
    for name in ("bitwise_invert", "bitwise_not"):
        yield f"{K}.{name}({whole[0]})"
    yield f"{K}.ldexp({FLOATS}, c([1, 2, 3]))"
    yield f"{K}.nextafter(c([1.0, 2.0]), c([2.0, 1.0]))"
    yield f"{K}.nan_to_num({HOLES}, nan=7.0, posinf=1.0)"
    yield f"{K}.polar(c([1.0, 2.0]), c([0.5, -1.0]))"
    yield f"{K}.view_as_complex({SQUARE})"
    yield f"{K}.view_as_real(c([1 + 2j, 3 - 1j]))"
    yield f"{K}.saturate_cast(c([-5.0, 300.0]), 'uint8')"
    for name in ("sparse_plus", "sparse_sigmoid", "sparsemax"):
        yield f"{K}.{name}({FLOATS})"
        if name != "sparsemax":
            yield f"grad(lambda v: {K}.{name}(v) ** 2, [[0.5, -0.25, 0.75]])"
    yield f"{K}.sparsemax({FLOATS}, axis=0)"
    for name in ("exp2", "cbrt", "sinc", "deg2rad", "logaddexp", "hypot"):
        second = ", c([0.25, 1.0])" if name in {"logaddexp", "hypot"} else ""
        yield f"grad(lambda v: {K}.{name}(v{second}), [0.5, 1.5])"


def arrays() -> Iterator[str]:
    """Functions that join, cut, move, select and count."""
    for axis in ("", ", axis=0", ", axis=1", ", axis=-1"):
        yield f"{K}.append({FLOATS}, {FLOATS}{axis})"
        for name in ("diff", "argpartition"):
            kth = ", 1" if name == "argpartition" else ""
            if name == "diff" or axis == ", axis=0":
                yield f"{K}.{name}({INTEGERS}{kth}{axis})"
    for n in (1, 2):
        yield f"{K}.diff({FLOATS}, {n})"
    for x in (FLOATS, INTEGERS):
        for name in ("flipud", "fliplr", "diagflat", "copy", "empty_like", "dstack"):
            given = f"[{x}, {x}]" if name == "dstack" else x
            result = f"{K}.{name}({given})"
            yield f"{K}.shape({result})" if name == "empty_like" else result
        for k in (-1, 0, 1, 5):
            yield f"{K}.rot90({x}, k={k})"
        for k in (-1, 0, 1):
            yield f"{K}.diag({x}, k={k})"
            yield f"{K}.diag(c([1, 2, 3]), k={k})"
            yield f"{K}.diagonal({x}, offset={k})"
            yield f"{K}.trace({x}, offset={k})"
        for cut in ("3", "[1, 2]"):
            yield f"{K}.hsplit({x}, {cut})"
            if cut == "3":
                yield f"{K}.array_split({x}, {cut}, axis=1)"
        yield f"{K}.vsplit({x}, 2)"
        yield f"{K}.array_split({x}, 2, axis=1)"
        for axis in ("0", "1", "-1"):
            yield (
                f"{K}.take_along_axis({x}, c([[1, 0, 1]]), axis={axis})"
                if axis == "0"
                else (f"{K}.take_along_axis({x}, c([[2, 0], [1, 1]]), axis={axis})")
            )
        yield f"{K}.take_along_axis({x}, c([5, 0, -1]))"
        yield f"{K}.isin({x}, [3, 5])"
        yield f"{K}.isin({x}, [3, 5], invert=True)"
        yield f"{K}.get_item({x}, 1)"
        yield f"{K}.slice({x}, (0, 1), (2, 2))"
    for name in ("inner", "vdot", "kron"):
        yield f"{K}.{name}(c([1.0, 2.0]), c([3.0, -1.0]))"
        yield f"{K}.{name}(c([1, 2]), c([3.0, -1.0]))"
    yield f"{K}.kron({SQUARE}, c([[1.0, 2.0, 3.0]]))"
    yield f"{K}.inner({SQUARE}, {SQUARE})"
    for a, b in (("[1.0, 2.0, 3.0]", "[4.0, 5.0, 6.0]"), ("[1.0, 2.0]", "[4.0, 5.0]"),
                 ("[1, 2]", "[4.0, 5.0, 6.0]")):  # fmt: skip
        yield f"{K}.cross(c({a}), c({b}))"
    for flags in ("", ", increasing=True", ", N=2"):
        yield f"{K}.vander(c([1.0, 2.0, 3.0]){flags})"
    for option in ("", ", dx=2.0", ", x=c([0.0, 1.0, 3.0])", ", axis=0"):
        yield f"{K}.trapezoid({FLOATS}{option})"
    for indexing in ("xy", "ij"):
        yield f"{K}.meshgrid(c([1, 2, 3]), c([4, 5]), indexing='{indexing}')"
    for size, name in product((1, 4, 5), ("bartlett", "blackman", "hamming", "hanning")):
        yield f"{K}.{name}({size})"
    yield f"{K}.kaiser(5, 14.0)"
    for option in ("", ", endpoint=False", ", num=3"):
        yield (
            f"{K}.logspace(0.0, 2.0, 5{option})"
            if "num" not in option
            else (f"{K}.logspace(0, 2{option}, base=2)")
        )
        yield (
            f"{K}.geomspace(1.0, 16.0, 5{option})"
            if "num" not in option
            else (f"{K}.geomspace(1, 1000{option})")
        )
    for side in ("left", "right"):
        yield f"{K}.searchsorted(c([1.0, 2.0, 2.0, 5.0]), c([2.0, 0.0, 6.0]), side='{side}')"
    yield f"{K}.digitize({FLOATS}, c([-1.0, 0.0, 2.0]))"
    for option in ("", ", minlength=7", ", weights=c([1.0, 0.5, 2.0, 1.0])"):
        yield f"{K}.bincount(c([0, 3, 3, 1]){option})"
    for option in ("", ", bins=3", ", bins=4, range=(-1.0, 2.0)"):
        yield f"list({K}.histogram(c([1.5, -2.25, 0.5, 0.0, 3.0, -0.75]){option}))"
    yield f"{K}.select([c([True, False]), c([True, True])], [c([1, 2]), c([3, 4])], 9)"
    yield f"{K}.select([c([True, False])], [c([1.5, 2.5])])"
    yield f"{K}.slice_update(tf.zeros([3, 3]), (1, 0), tf.ones([2, 2]))"
    yield f"{K}.scatter([[0], [2], [0]], c([1.0, 2.0, 3.0]), (4,))"
    for how in ("None", "'add'", "'max'", "'min'", "'mul'"):
        yield f"{K}.scatter_update(c([1.0, 2.0, 3.0]), [[0], [2]], c([5.0, 2.0]), reduction={how})"
    yield f"list({K}.unravel_index(c([5, 2, 0]), (2, 3)))"
    for option in ("", ", return_index=True", ", return_counts=True", ", return_inverse=True",
                   ", size=2", ", size=5, fill_value=9"):  # fmt: skip
        call = f"{K}.unique(c([3, 1, 3, 2]){option})"
        yield f"list({call})" if "return" in option else call
    yield f"{K}.cdist({SQUARE}, c([[0.0, 1.0]]))"
    yield f"{K}.in_top_k(c([1, 0]), c([[0.1, 0.9, 0.5], [0.2, 0.3, 0.4]]), k=2)"
    yield f"{K}.extract_sequences(c([1.0, 2.0, 3.0, 4.0, 5.0]), 3, 2)"
    yield f"{K}.rearrange({BATCH}, 'b h w -> (b h) w')"
    yield f"{K}.rearrange({FLOATS}, '(a b) c -> a c b', a=1)"
    yield f"{K}.tri(3)"
    yield f"{K}.tri(2, 4, k=1, dtype='int32')"
    for dtype in ("int32", "int8", "int64"):
        yield f"{K}.view({SQUARE}, dtype='{dtype}')"
    yield f"{K}.select([False], [c(1)], 2) if False else {K}.array([[1, 2]])"


def statistics() -> Iterator[str]:
    """Functions that summarise elements."""
    shapes = ("", ", axis=0", ", axis=1", ", axis=-1, keepdims=True", ", keepdims=True")
    for name, option, x in product(
        ("amax", "amin", "ptp", "median", "nansum", "nanprod", "nanmax", "nanmin", "nanmean",
         "nanvar", "nanstd", "nanmedian"),
        shapes, (FLOATS, INTEGERS, HOLES),
    ):  # fmt: skip
        if not (x == HOLES and name == "ptp") and not (x == INTEGERS and "nanmed" in name):
            yield f"{K}.{name}({x}{option})"
    for name, option in product(("nanargmax", "nanargmin"), shapes[:4]):
        yield f"{K}.{name}({HOLES}{option})"
    for name, option in product(("nancumsum", "nancumprod"), shapes[:3]):
        yield f"{K}.{name}({HOLES}{option})"
    for option in ("", ", axis=0", ", axis=1", ", weights=c([[1.0, 2.0, 1.0], [0.5, 1.0, 3.0]])",
                   ", axis=1, weights=c([1.0, 2.0, 1.0])"):  # fmt: skip
        yield f"{K}.average({FLOATS}{option})"
    for name, scale in (("quantile", 1), ("percentile", 100), ("nanquantile", 1),
                        ("nanpercentile", 100)):  # fmt: skip
        x = HOLES if "nan" in name else FLOATS
        for share, option in product((0.3, 0.5, 1.0), shapes):
            yield f"{K}.{name}({x}, {share * scale}{option})"
        for method in ("linear", "lower", "higher", "midpoint", "nearest"):
            yield f"{K}.{name}({x}, c([{0.25 * scale}, {0.7 * scale}]), method='{method}')"
    for mode in ("valid", "same", "full"):
        yield f"{K}.correlate(c([1.0, 2.0, 3.0, -1.0]), c([0.5, 1.0, 2.0]), mode='{mode}')"
        yield f"{K}.correlate(c([1, 2, 3]), c([4, 5]), mode='{mode}')"
    yield f"{K}.corrcoef({FLOATS})"
    for name in ("median", "nanmean", "nanvar", "average", "ptp"):
        yield f"grad(lambda v: {K}.{name}(v, axis=1), [[1.0, 4.0, 2.0], [0.5, -1.0, 3.0]])"


def matrices() -> Iterator[str]:
    """Functions of matrices, and transforms of signals."""
    for x, name in product(
        (SQUARE, BATCH), ("cholesky", "det", "inv", "logdet", "cholesky_inverse")
    ):
        yield f"{K}.{name}({x})"
        yield f"grad(lambda v: {K}.{name}(v + 0.0), {x[2:-1]})"
    for x in (SQUARE, BATCH):
        yield f"{K}.cholesky({x}, upper=True)"
        yield f"list({K}.slogdet({x}))"
        yield f"{K}.eigh({x})[0]"
        yield f"{K}.svd({x}, compute_uv=False)"
        yield f"{K}.matrix_rank({x})"
        yield f"{K}.pinv({x})"
        yield f"{K}.solve({x}, {SQUARE})" if x == SQUARE else f"{K}.solve({x}, {x})"
    yield f"list({K}.lu_factor({SQUARE}))"
    yield f"{K}.solve({SQUARE}, c([1.0, 2.0]))"
    for lower in ("True", "False"):
        yield f"{K}.solve_triangular({SQUARE}, {SQUARE}, lower={lower})"
        yield f"{K}.solve_triangular({SQUARE}, c([1.0, 2.0]), lower={lower})"
    yield f"{K}.lstsq(c([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]), c([1.0, 2.0, 2.0]))"
    yield f"[{K}.shape(x) for x in {K}.qr(c([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]))]"
    tall = "c([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])"
    yield f"[{K}.shape(x) for x in {K}.qr({tall}, mode='complete')]"
    yield f"[{K}.shape(x) for x in {K}.svd(c([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]))]"
    pair = "(c([[1.0, 2.0, 0.5, -1.0]]), c([[0.0, 1.0, -1.0, 2.0]]))"
    for name in ("fft", "irfft"):
        result = f"{K}.{name}({pair})"
        yield f"list({result})" if name == "fft" else result
    for name in ("fft2", "ifft2"):
        yield f"list({K}.{name}(({SQUARE}, {SQUARE})))"
    row = "c([1.0, 2.0, 0.5, -1.0, 3.0, 2.0, 1.0, 0.0])"
    yield f"list({K}.rfft({row}))"
    yield f"list({K}.rfft({row}, fft_length=6))"
    for window, center in product(("'hann'", "'hamming'", "None"), ("True", "False")):
        options = f"4, 2, 4, window={window}, center={center}"
        yield f"list({K}.stft({row}, {options}))"
        yield f"{K}.istft({K}.stft({row}, {options}), {options})"
    for x in ("c([1.0, 2.0])", "tf.ones([2, 3])"):
        for name in ("inv", "det", "cholesky"):
            yield f"{K}.{name}({x})"
    yield f"list({K}.jvp(lambda x: x ** 2, (c([1.0, 2.0]),), (c([0.5, 1.0]),)))"


def networks() -> Iterator[str]:
    """Functions that layers are made of."""
    shapes = {1: ("(2, 6, 3)", "(2, 3, 2)"), 2: ("(1, 5, 6, 3)", "(2, 2, 3, 2)"),
              3: ("(1, 3, 4, 3, 2)", "(2, 2, 2, 2, 2)")}  # fmt: skip
    for rank, (x, w) in shapes.items():
        for option in ("", ", strides=2", ", padding='same'", ", padding='same', strides=2"):
            yield f"{K}.conv(wave({x}), wave({w}){option})"
            for kind in ("max", "average"):
                yield f"{K}.{kind}_pool(wave({x}), 2{option})"
        yield f"{K}.conv(wave({x}), wave({w}), dilation_rate=2)"
        for kind in ("max", "average"):
            yield f"{K}.adaptive_{kind}_pool(c(wave({x})), 2)"
        if rank < 3:
            for option in ("", ", strides=2", ", padding='same'", ", padding='same', strides=2"):
                kernel = w.replace("3, 2)", "2, 3)")
                yield f"{K}.conv_transpose(wave({x}), wave({kernel}){option})"
                yield f"{K}.depthwise_conv(wave({x}), wave({w}){option})"
            point = "(1, 6, 4)" if rank == 1 else "(1, 1, 6, 4)"
            yield f"{K}.separable_conv(wave({x}), wave({w}), wave({point}))"
    x = "wave((2, 3, 4))"
    for axis in (1, 2, -1):
        size = {1: 3, 2: 4, -1: 4}[axis]
        stats = f"tf.ones([{size}]) / 2, tf.ones([{size}]) * 3"
        yield f"{K}.batch_normalization({x}, {stats}, {axis})"
        yield f"{K}.batch_normalization({x}, {stats}, {axis}, tf.ones([{size}]), tf.ones([{size}]))"
        yield f"{K}.layer_normalization({x}, axis={axis})"
        yield f"{K}.layer_normalization({x}, tf.ones([{size}]) * 2, tf.ones([{size}]), axis={axis})"
        yield f"{K}.rms_normalization({x}, axis={axis})"
        yield f"{K}.rms_normalization({x}, c(2.0), axis={axis})"
        for order in (1, 2, 3):
            yield f"{K}.normalize({x}, axis={axis}, order={order})"
    labels, shares = "c([[0.0, 1.0], [1.0, 0.0]])", "c([[0.3, 0.7], [0.6, 0.4]])"
    for name, target, logits in product(
        ("binary_crossentropy", "categorical_crossentropy", "sparse_categorical_crossentropy"),
        (labels, "c([1, 0])"), ("True", "False"),
    ):  # fmt: skip
        if ("sparse" in name) == ("[1, 0]" in target and "[[" not in target):
            yield f"{K}.{name}({target}, {shares}, from_logits={logits})"
    for option in ("", ", axis=0", ", dtype='int32'"):
        yield f"{K}.multi_hot(c([0, 2]), 4{option})"
    yield f"{K}.multi_hot(c([[0, 2], [1, 1]]), 4)"
    query = "wave((1, 3, 2, 4))"
    for option in ("", ", is_causal=True", ", scale=0.3", ", bias=tf.ones([1, 2, 3, 3])",
                   ", mask=tf.constant([[[[True, False, True]]]])"):  # fmt: skip
        yield f"{K}.dot_product_attention({query}, {query}, {query}{option})"
    yield f"{K}.space_to_depth(wave((1, 4, 4, 1)), 2)"
    yield f"{K}.depth_to_space(wave((1, 2, 2, 4)), 2)"
    yield f"{K}.psnr(c([1.0, 2.0]), c([1.5, 2.0]), 3.0)"
    for option in ("", ", stride=2", ", dilation=2", ", padding=1"):
        yield f"{K}.unfold(wave((1, 2, 4, 4)), 2{option})"
    yield f"{K}.fold({K}.unfold(wave((1, 2, 4, 4)), 2), (4, 4), 2)"
    for loop in (
        "while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (0, 0))[1]",
        "fori_loop(0, 4, lambda i, s: s + i, 0)",
        "cond(c(True), lambda: c(1), lambda: c(2))",
        "switch(1, [lambda x: x, lambda x: x * 2], c(3.0))",
        "map(lambda x: x * 2, c([1, 2, 3]))",
        "vectorized_map(lambda x: x * 2, c([1, 2, 3]))",
        "scan(lambda s, x: (s + x, s * x), c(1), c([1, 2, 3]))[1]",
        "scan(lambda s, x: (s + x, s * x), c(1), c([1, 2, 3]), reverse=True)[1]",
        "associative_scan(lambda a, b: a + b, c([1, 2, 3, 4]))",
        "associative_scan(lambda a, b: a + b, c([1, 2, 3, 4]), reverse=True)",
    ):
        yield f"{K}.{loop}"


if __name__ == "__main__":
    main()
