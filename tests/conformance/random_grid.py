"""Write tables of random numbers: python tests/conformance/random_grid.py.

Every function that draws is asked for each dtype and kind of seed: eagerly, in functions, without
a state, by generators; and so are pipelines, pictures, initializers, layers and training. record.py
asks TensorFlow for the answers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

# It runs from a checkout, beside no package of its own.
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conformance.snippets import TABLES  # noqa: E402  after the path

Program = tuple[str, str]
"""A name and an expression, or a program in several lines."""

FLOATS: Final = ("float16", "bfloat16", "float32", "float64")
LOGITS: Final = "[[0.0, 1.0, 2.0], [3.0, 0.0, 0.5]]"
DRAWS: Final = {
    **{f"uniform {d}": f"uniform([5], dtype='{d}'%s)" for d in FLOATS},
    **{f"uniform limits {d}": f"uniform([2, 3], -1.0, 2.5, '{d}'%s)" for d in FLOATS},
    **{f"uniform {d}": f"uniform([7], -3, 12, '{d}'%s)" for d in ("int32", "int64")},
    **{f"normal {d}": f"normal([5], dtype='{d}'%s)" for d in FLOATS},
    "normal scaled": "normal([3, 2], 1.0, [0.5, 2.0]%s)",
    **{f"truncated_normal {d}": f"truncated_normal([9], dtype='{d}'%s)" for d in FLOATS},
    "truncated_normal scaled": "truncated_normal([11], 1.0, 3.0%s)",
    **{f"gamma {d}": f"gamma([4], [0.5, 1.0, 2.5], dtype='{d}'%s)"
       for d in ("float16", "float32", "float64")},
    "gamma beta": "gamma([3], [[0.7], [4.0]], [1.0, 2.0, 5.0]%s)",
    "gamma many": "gamma([30], 0.2%s)",
    **{f"poisson {d}": f"poisson([4], [0.5, 6.0, 25.0], '{d}'%s)"
       for d in ("float16", "float32", "float64", "int32", "int64")},
    "poisson many": "poisson([40], 11.0%s)",
    "categorical": f"categorical({LOGITS}, 6%s)",
    "categorical int32": f"categorical({LOGITS}, 3, 'int32'%s)",
    "categorical float64": f"categorical(c({LOGITS}, 'float64'), 5%s)",
    "shuffle": "shuffle(tf.range(9)%s)",
    "shuffle rows": "shuffle([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]%s)",
    "shuffle text": "shuffle(['a', 'b', 'c', 'd']%s)",
}  # fmt: skip
"""Functions of tf.random that have a seed of an op."""
SEEDS: Final = (
    (7, None),
    (None, 3),
    (7, 3),
    (0, 0),
    (-5, None),
    (2**31 - 1, -1),
    (2**40 + 5, 2**33),
)
STATELESS: Final = {
    **{f"uniform {d}": f"stateless_uniform([5], %s, dtype='{d}')" for d in FLOATS},
    **{f"uniform {d}": f"stateless_uniform([5], %s, -3, 9, '{d}')" for d in ("int32", "int64")},
    **{f"uniform whole {d}": f"stateless_uniform([5], %s, None, None, '{d}')"
       for d in ("int32", "int64", "uint32", "uint64")},
    **{f"normal {d}": f"stateless_normal([3, 2], %s, 1.0, 2.0, '{d}')" for d in FLOATS},
    **{f"truncated_normal {d}": f"stateless_truncated_normal([6], %s, dtype='{d}')"
       for d in FLOATS},
    **{f"gamma {d}": f"stateless_gamma([4, 3], %s, [0.5, 1.0, 2.5], dtype='{d}')"
       for d in ("float16", "float32", "float64")},
    "gamma beta": "stateless_gamma([5, 2, 3], %s, [[0.7], [4.0]], [1.0, 2.0, 5.0])",
    "gamma many": "stateless_gamma([40], %s, 1.1)",
    **{f"poisson {d}": f"stateless_poisson([4, 3], %s, [0.5, 6.0, 25.0], '{d}')"
       for d in ("float16", "float32", "int32", "int64")},
    "binomial small": "stateless_binomial([12], %s, 9.0, 0.3)",
    "binomial large": "stateless_binomial([12], %s, 80.0, 0.4)",
    "binomial mirrored": "stateless_binomial([12], %s, [80.0], [0.85], 'float32')",
    "binomial broadcast":
        "stateless_binomial([3, 2, 3], %s, [[5.0], [70.0]], [0.1, 0.5, 0.9], 'int64')",
    "binomial float64": "stateless_binomial([6], %s, c(60.0, 'float64'), c(0.3, 'float64'))",
    "binomial corners": "stateless_binomial([4], %s, [0.0, 5.0, 5.0, 3.0], [0.5, 1.0, 0.0, 0.5])",
    "categorical": f"stateless_categorical({LOGITS}, 7, %s)",
    "split": "split(%s, 3)", "fold_in": "fold_in(%s, 5)",
    "shuffle": "experimental.stateless_shuffle(tf.range(9), %s)",
    "shuffle rows": "experimental.stateless_shuffle([[1, 2], [3, 4], [5, 6]], %s)",
}  # fmt: skip
STATELESS_SEEDS: Final = ("[1, 2]", "[-7, 2**31 - 1]", "c([3, -2**62], 'int64')")
GENERATORS: Final = (
    "from_seed(5)", "from_seed(-3)", "from_seed(2**70 + 1)", "from_seed([1, 2, 3])",
    "from_state([4, 5, 6], 'philox')", "from_key_counter(9, [2**63 - 1, -1], 'philox')",
)  # fmt: skip
OF_GENERATORS: Final = {
    **{f"normal {d}": f"normal([4], 1.0, 2.0, '{d}')" for d in FLOATS},
    **{f"uniform {d}": f"uniform([4], dtype='{d}')" for d in FLOATS},
    **{f"uniform {d}": f"uniform([4], -2, 9, '{d}')" for d in ("int32", "int64")},
    **{f"uniform_full_int {d}": f"uniform_full_int([3], '{d}')"
       for d in ("int32", "int64", "uint32", "uint64")},
    "truncated_normal": "truncated_normal([5])", "make_seeds": "make_seeds(2)",
    "binomial": "binomial([5], 60.0, 0.3)", "skip": "skip(3)",
}  # fmt: skip
INITIALIZERS: Final = (
    "RandomNormal(%s)", "RandomNormal(1.0, 2.0, %s)", "TruncatedNormal(%s)",
    "RandomUniform(%s)", "RandomUniform(-1.0, 3.0, %s)", "GlorotUniform(%s)", "GlorotNormal(%s)",
    "HeUniform(%s)", "HeNormal(%s)", "LecunUniform(%s)", "LecunNormal(%s)", "Orthogonal(%s)",
    "Orthogonal(2.0, %s)", "VarianceScaling(%s)",
    "VarianceScaling(2.0, 'fan_out', 'uniform', %s)",
    "VarianceScaling(0.5, 'fan_avg', 'untruncated_normal', %s)",
)  # fmt: skip
NOISE: Final = (
    "Dropout(0.4, %s)", "Dropout(0.4, (None, 1), %s)", "AlphaDropout(0.3, %s)",
    "GaussianNoise(0.5, %s)", "GaussianDropout(0.3, %s)",
)  # fmt: skip
SPATIAL: Final = {1: "[2, 3, 4]", 2: "[2, 3, 2, 4]", 3: "[2, 2, 2, 2, 4]"}
KERAS: Final = (
    "normal([3, 2], 1.0, 2.0%s)", "normal([4], dtype='float16'%s)", "uniform([3, 2], -1.0, 4.0%s)",
    "uniform([4], dtype='float64'%s)", "randint([6], -2, 9%s)", "randint([6], 0, 200, 'uint8'%s)",
    "randint([4], 0, 2**40, 'int64'%s)", "truncated_normal([6], 1.0%s)",
    f"categorical({LOGITS}, 5%s)", f"categorical({LOGITS}, 5, 'int64'%s)", "gamma([5], 0.4%s)",
    "gamma([4, 2], [1.0, 3.0]%s)", "gamma([3], 2.0, 'bfloat16'%s)",
    "binomial([5], 30.0, 0.4%s)", "binomial([5], 5.0, 0.4, 'float64'%s)",
    "beta([5], 2.0, 0.5%s)", "beta([2, 3], [[1.0], [2.0]], 3.0%s)", "shuffle(tf.range(8)%s)",
    "shuffle(tf.reshape(tf.range(8), [2, 4]), 1%s)", "dropout(tf.ones([8]), 0.4%s)",
    "dropout(tf.ones([3, 4]), 0.5, (3, 1)%s)",
)  # fmt: skip
PICTURE: Final = "tf.reshape(tf.range(60.0) / 60.0, [4, 5, 3])"
CHANGES: Final = (
    "flip_left_right(x%s)", "flip_up_down(x%s)", "brightness(x, 0.4%s)", "contrast(x, 0.2, 1.8%s)",
    "hue(x, 0.3%s)", "saturation(x, 0.2, 1.8%s)", "crop(x, [2, 3, 3]%s)",
)  # fmt: skip
PIPELINES: Final = (
    "range(9).shuffle(4%s)", "range(9).shuffle(9%s)", "range(9).shuffle(100%s)",
    "range(9).shuffle(1%s)", "range(7).shuffle(4, reshuffle_each_iteration=False%s)",
    "range(9).shuffle(4%s).batch(2)", "range(9).batch(2).shuffle(3%s)",
    "range(5).shuffle(5%s).shuffle(3%s)", "range(5).shuffle(5%s).repeat(2)",
    "range(5).repeat(2).shuffle(5%s)", "range(5).shuffle(3%s).repeat(3).batch(4)",
    "range(5).shuffle(3, reshuffle_each_iteration=False%s).repeat(2)",
    "range(6).shuffle(6%s).take(3)", "range(6).shuffle(6%s).cache().repeat(2)",
    "range(6).shuffle(6%s).prefetch(2)", "range(6).shuffle(6%s).map(lambda x: x * 2)",
    "from_tensor_slices([[1, 2], [3, 4], [5, 6], [7, 8]]).shuffle(3%s)",
    "from_tensor_slices({'a': [1, 2, 3], 'b': ['x', 'y', 'z']}).shuffle(3%s)",
    "random(rerandomize_each_iteration=False%s).take(5)",
    "random(rerandomize_each_iteration=True%s).take(5)",
    "zip((R(4).shuffle(4%s), R(4).shuffle(4%s)))",
    "sample_from_datasets([R(6), R(10, 16)]%s)",
    "sample_from_datasets([R(6), R(10, 16)], [0.2, 0.8]%s)",
    "sample_from_datasets([R(6), R(10, 16), R(20, 26)], [0.5, 0.0, 0.5]%s)",
    "sample_from_datasets([R(6), R(10, 16)], [0.5, 0.5], stop_on_empty_dataset=True%s)",
    "sample_from_datasets([R(4), R(9)], c([0.4, 0.6]), rerandomize_each_iteration=True%s)",
    "range(3).map(lambda x: tf.random.uniform([2]%s))",
    "range(3).map(lambda x: (tf.random.normal([]%s), tf.random.uniform([], 0, 9, 'int32'%s)))",
    "range(3).map(lambda x: tf.image.random_flip_left_right(tf.ones([1, 2, 1]) * [[0.], [1.]]%s))",
    "range(3).map(lambda x: tf.random.stateless_uniform([2], [x, 1]))",
    "range(8).map(lambda x: tf.random.experimental.index_shuffle(x, [5, 8], 7))",
    "range(3).map(lambda x: tf.random.shuffle(tf.range(5)%s))",
)  # fmt: skip


def main() -> None:
    """Write the tables."""
    families = {
        "eager": eager, "functions": functions, "stateless": stateless, "generators": generators,
        "pipelines": pipelines, "pictures": pictures, "keras": keras_functions,
        "initializers": initializers, "layers": layers, "training": training,
        "recurrent": recurrent,
    }  # fmt: skip
    for kind, written in families.items():
        lines = [entry(name, program) for name, program in dict(written()).items()]
        head = f"# Written by random_grid.py: random numbers of {kind} after seeds.\n\n"
        text = head + "\n".join(lines) + "\n"
        (TABLES / f"random_grid_{kind}.txt").write_text(text, encoding="utf-8")


def entry(name: str, program: str) -> str:
    """One entry of a table."""
    if "\n" not in program:
        return f"{name}: {program}"
    return f"{name}:\n" + "\n".join(f"    {line}" for line in program.split("\n"))


def named(*parts: object) -> str:
    """A name of letters, digits and underscores."""
    text = " ".join(map(str, parts)).replace("-", "minus ")
    return re.sub(r"\W+", "_", text).strip("_")


def seed_argument(seed: object) -> str:
    """The last argument of a call."""
    return "" if seed is None else f", seed={seed}"


def eager() -> Iterator[Program]:
    """Two draws of each function, after each kind of seeds."""
    for (name, call), (start, seed) in product(DRAWS.items(), SEEDS):
        if (start, seed) in SEEDS[:3] or name in ("uniform float32", "gamma beta", "shuffle"):
            drawn = f"lambda: tf.random.{call % seed_argument(seed)}"
            yield named(name, start, seed), f"seeded({start}, {drawn})"
    mixed = ", ".join(
        f"lambda: tf.random.{DRAWS[name] % ''}"
        for name in ("uniform float32", "shuffle", "normal float32", "gamma many", "uniform int32")
    )
    yield "one_after_the_other", f"seeded(3, {mixed})"


def functions() -> Iterator[Program]:
    """The same in tf.function, where the graph counts the ops."""
    for (name, call), (start, seed) in product(DRAWS.items(), SEEDS[:3]):
        drawn = f"lambda: tf.random.{call % seed_argument(seed)}"
        yield named(name, start, seed), f"graphed({start}, {drawn})"
    one, other = "tf.random.uniform([2])", "tf.random.normal([2])"
    twice = "[f(), f()]"
    for name, lines in {
        "two_functions": (f"f = tf.function(lambda: ({one}, {other}))",
                          f"g = tf.function(lambda: {one})", "[f(), g(), f(), g()]"),
        "eager_between": (f"f = tf.function(lambda: {one})", f"[f(), {one}, f(), {one}]"),
        "seeded_again": (f"f = tf.function(lambda: {one})", "first = f()", "tf.random.set_seed(7)",
                         "second = f()", "tf.random.set_seed(8)", "[first, second, f(), f()]"),
        "retraced": (f"f = tf.function(lambda x: x + {one})",
                     "[f(tf.zeros([2])), f(tf.zeros([1])), f(tf.zeros([2]))]"),
        "inner_function": (f"g = tf.function(lambda: {one})",
                           f"f = tf.function(lambda: ({one}, g(), {one}))", twice),
        "branch": ("@tf.function", "def f(p):", f"    a = {one}", "    if p:",
                   f"        b = {one}", "    else:", f"        b = {other}",
                   f"    return a, b, {one}",
                   "[f(c(True)), f(c(False)), f(c(True))]"),
        "loop": ("@tf.function", "def f():", "    s = tf.zeros([2])", "    for i in tf.range(3):",
                 f"        s = s * 10.0 + {one}", f"    return s, {one}", twice),
        "unrolled_loop": ("@tf.function", "def f():", f"    return [{one} for _ in range(3)]",
                          twice),
        "dropout": ("f = tf.function(lambda: tf.nn.dropout(tf.ones([8]), 0.5))", twice),
        "dropout_seed": ("f = tf.function(lambda: tf.nn.dropout(tf.ones([8]), 0.5, seed=2))",
                         twice),
        "dropout_eager": ("f = lambda: tf.nn.dropout(tf.ones([8]), 0.5)", twice),
        "parameters": ("f = tf.function(lambda m: tf.random.normal([3], m, 2.0))",
                       "[f(1.0), f(c(2.0)), f(c(3.0)), f(c(4.0))]"),
        "gamma_parameters": ("f = tf.function(lambda a: tf.random.gamma([3], a))",
                             "[f(c(0.5)), f(c(2.0)), f(c(3.0)), f(c(4.0))]"),
        "open_shape": ("f = tf.function(lambda n: tf.random.uniform(n))",
                       "[f(c([2])), f(c([3])), f(c([1]))]"),
        "gradient": ("@tf.function", "def f(x):", "    with tf.GradientTape() as t:",
                     "        t.watch(x)", "        y = tf.reduce_sum(x * tf.random.normal([2]))",
                     "    return t.gradient(y, x)", "[f(c([1.0, 2.0])), f(c([1.0, 2.0]))]"),
        "generator": ("g = tf.random.Generator.from_seed(3)",
                      "f = tf.function(lambda: (g.normal([2]), g.uniform([2])))",
                      "[f(), f(), f(), g.state]"),
        "stateless": ("f = tf.function(lambda s: tf.random.stateless_normal([2], s))",
                      "[f(c([1, 2])), f(c([3, 4])), f(c([1, 2]))]"),
    }.items():  # fmt: skip
        yield name, "\n".join(["tf.random.set_seed(7)", *lines])


def stateless() -> Iterator[Program]:
    """Functions whose numbers follow from two numbers alone."""
    for (name, call), seed in product(STATELESS.items(), STATELESS_SEEDS):
        yield named(name, seed), f"tf.random.{call % seed}"
    for name, algorithm in product(
        ("uniform([3], [1, 2], ", "normal([3], [1, 2], ", "truncated_normal([3], [1, 2], "),
        ("'philox'", "'auto_select'", "'threefry'", "1", "tf.random.Algorithm.PHILOX"),
    ):
        call = f"tf.random.stateless_{name}alg={algorithm})"
        yield named(name, algorithm), call
    for last in (0, 1, 9, 300, 70_000):
        at = f"tf.range(0, {last + 1}, {last // 12 + 1})"
        yield (
            f"index_shuffle_{last}",
            f"tf.random.experimental.index_shuffle({at}, [3, -8], {last})",
        )
    yield "sobol", "tf.math.sobol_sample(3, 5)"


def generators() -> Iterator[Program]:
    """Draws of generators, and the states that they leave."""
    for (name, call), made in product(OF_GENERATORS.items(), GENERATORS):
        if made == GENERATORS[0] or name in ("normal float32", "uniform int64", "make_seeds"):
            lines = f"g = tf.random.Generator.{made}", f"[g.{call}, g.{call}, g.state]"
            yield named(name, made), "\n".join(lines)
    yield "split", "[g.normal([2]) for g in tf.random.Generator.from_seed(5).split(3)]"
    for made in ("from_seed(5, 'threefry')", "from_state([4, 5], 'threefry')"):
        lines = f"g = tf.random.Generator.{made}", "[g.uniform([3]), g.normal([3]), g.state]"
        yield named(made), "\n".join(lines)


def pipelines() -> Iterator[Program]:
    """Two iterations of pipelines that draw."""
    for call, (start, seed) in product(PIPELINES, ((7, None), (7, 3), (None, 3))):
        made = call.replace("%s", seed_argument(seed))
        made = made.replace("R(", "tf.data.Dataset.range(")
        if "%s" in call or (start, seed) == (7, None):
            name = named(call.replace("%s", ""), start, seed)
            yield name, f"listed_twice({start}, lambda: tf.data.Dataset.{made})"


def pictures() -> Iterator[Program]:
    """Random changes of pictures."""
    for call, (start, seed) in product(CHANGES, ((7, None), (7, 3), (None, 3))):
        change = call.replace("x", PICTURE, 1) % seed_argument(seed)
        drawn = f"lambda: tf.image.random_{change}"
        yield named(call % "", start, seed), f"seeded({start}, {drawn})"
        yield named(call % "", start, seed, "graph"), f"graphed({start}, {drawn})"
    for call, seed in product(CHANGES, ((1, 2), (5, -6))):
        change = call.replace("x", PICTURE, 1) % f", seed={seed}"
        yield named(call % "", seed), f"tf.image.stateless_random_{change}"


def keras_functions() -> Iterator[Program]:
    """Functions of keras.random: seeds that are numbers, generators, or the shared one."""
    for call in KERAS:
        for seed in ("5", "-3", "2**33"):
            yield named(call % "", seed), f"tf.keras.random.{call % f', seed={seed}'}"
        run = f"tf.keras.random.{call % ', seed=g'}"
        lines = (
            "g = tf.keras.random.SeedGenerator(4)",
            f"[{run}, {run}, tf.convert_to_tensor(g.state)]",
        )
        yield named(call % "", "generator"), "\n".join(lines)
        shared = f"tf.keras.random.{call % ''}"
        yield named(call % "", "shared"), f"tf.keras.utils.set_random_seed(9)\n[{shared}, {shared}]"


def initializers() -> Iterator[Program]:
    """Weights from seeds, by shape and dtype."""
    for call, shape in product(INITIALIZERS, ("(3, 4)", "(5, 2)", "(2, 2, 3, 2)")):
        made = f"tf.keras.initializers.{call % 'seed=3'}"
        yield named(call % "", shape), f"[{made}({shape}), {made}({shape}, 'float16')]"
    for call in INITIALIZERS:
        made = f"i = tf.keras.initializers.{call % 'seed=tf.keras.random.SeedGenerator(3)'}"
        yield named(call % "", "generator"), f"{made}\n[i((2, 3)), i((2, 3))]"
        again = f"i = tf.keras.initializers.{call % ''}".replace(", )", ")")
        lines = "tf.keras.utils.set_random_seed(4)", again, "[i((2, 3)), i((2, 3))]"
        yield named(call % "", "global"), "\n".join(lines)


def layers() -> Iterator[Program]:
    """Layers of noise in training, with seeds and after a global one, eagerly and in functions."""
    spatial = {f"SpatialDropout{rank}D(0.5, %s)": shape for rank, shape in SPATIAL.items()}
    for call, shape in {**dict.fromkeys(NOISE, "[3, 4]"), **spatial}.items():
        run = f"layer(tf.ones({shape}), training=True)"
        made = f"layer = tf.keras.layers.{call % 'seed=6'}"
        yield named(call % "", "seed"), f"{made}\n[{run}, {run}]"
        graph = f"f = tf.function(lambda: {run})"
        yield named(call % "", "graph"), f"{made}\n{graph}\n[f(), f(), f(), {run}]"
        again = f"layer = tf.keras.layers.{call % ''}".replace(", )", ")")
        lines = "tf.keras.utils.set_random_seed(4)", again, f"[{run}, {run}]"
        yield named(call % "", "global"), "\n".join(lines)
        half = made.replace("seed=6", "seed=6, dtype='float16'")
        yield named(call % "", "float16"), f"{half}\n[{run}, {run}]"
    for made, shape in {
        "Dense(3)": "[2, 4]", "Conv2D(2, 2)": "[1, 3, 3, 2]", "LSTM(2)": "[1, 2, 3]",
        "GRU(2)": "[1, 2, 3]", "Embedding(4, 3)": "[1, 2]", "SimpleRNN(2)": "[1, 2, 3]",
        "MultiHeadAttention(2, 3)": "[1, 2, 3]",
        "MultiHeadAttention(2, 3, dropout=0.5)": "[1, 2, 3]",
        "Bidirectional(tf.keras.layers.LSTM(2))": "[1, 2, 3]",
        "SeparableConv1D(2, 2)": "[1, 4, 3]", "EinsumDense('ab,bc->ac', 3)": "[2, 4]",
        "EinsumDense('abc,cde->abde', (None, 2, 3))": "[1, 2, 4]",
    }.items():  # fmt: skip
        given = f"tf.ones({shape})" + (f", tf.ones({shape})" if "Multi" in made else "")
        training = ", training=True" if "dropout" in made else ""
        lines = (
            "tf.keras.utils.set_random_seed(4)", f"layer = tf.keras.layers.{made}",
            f"y = layer({given}{training})", "[y, layer.get_weights()]",
        )  # fmt: skip
        yield named(made, "weights"), "\n".join(lines)


def recurrent() -> Iterator[Program]:
    """Recurrent layers with dropout: one mask a call, drawn at each call, in training or not."""
    rates = ("dropout=0.5", "recurrent_dropout=0.4", "dropout=0.3, recurrent_dropout=0.5",
             "dropout=1.0, recurrent_dropout=0.5")  # fmt: skip
    kinds = ("SimpleRNN(3%s)", "LSTM(3%s)", "GRU(3%s)", "GRU(3, reset_after=False%s)")
    x = "c(wave((2, 4, 3)))"
    for kind, rate in product(kinds, rates):
        for more, call in (
            *((", seed=6", f"{x}, training=True"), (", seed=6", x)),
            (", seed=6, return_sequences=True, go_backwards=True", f"{x}, training=True"),
            (", seed=6", f"{x}, mask={MASKS}, training=True"),
            ("", f"{x}, training=True"),
        ):
            options = f", {rate}{more}"
            start = "" if "seed" in more else "tf.keras.utils.set_random_seed(4)\n"
            made = f"{start}layer = filled(tf.keras.layers.{kind % options}, {x})"
            y = f"layer({call})"
            yield named(kind % options, call), f"{made}\n[{y}, {y}, layer({x}), {y}]"
        options = f", {rate}, seed=6"
        made = f"layer = filled(tf.keras.layers.{kind % options}, {x})"
        lines = made, f"f = tf.function(lambda: layer({x}, training=True))", "[f(), f()]"
        yield named(kind % options, "graph"), "\n".join(lines)
        cell = (kind % options).replace("(", "Cell(", 1)
        step = f"layer({x}[:, 0], layer.get_initial_state(2), training=True)"
        made = f"layer = tf.keras.layers.{cell}\nlayer.build((2, 3))"
        weights = "layer.set_weights([wave(w.shape) for w in layer.get_weights()])"
        yield named(cell), f"{made}\n{weights}\n[{step}, {step}]"
        pair = f"L.{cell}, L.{cell.replace('(3', '(2')}"
        made = f"L = tf.keras.layers\nlayer = filled(L.RNN([{pair}]), {x})"
        y = f"layer({x}, training=True)"
        yield named("stack", cell), f"{made}\n[{y}, {y}]"


MASKS: Final = "c([[True, True, False, True], [True, False, True, True]])"


def training() -> Iterator[Program]:
    """Losses and weights of models that were built and trained after a global seed."""
    stack = {
        "dense": "L.Dense(3, activation='tanh'), L.Dense(1)",
        "dropout": "L.Dense(4, activation='relu'), L.Dropout(0.3), L.Dense(1)",
        "noise": "L.GaussianNoise(0.1), L.Dense(3), L.BatchNormalization(), L.Dense(1)",
        "two_dropouts": "L.Dropout(0.2, seed=3), L.Dense(3), L.Dropout(0.5), L.Dense(1)",
    }
    fits = {
        "shuffled": "fit(x, y, epochs=3, batch_size=4, verbose=0)",
        "one_batch": "fit(x, y, epochs=2, batch_size=64, verbose=0)",
        "not_shuffled": "fit(x, y, epochs=2, batch_size=4, shuffle=False, verbose=0)",
        "split": "fit(x, y, epochs=2, batch_size=3, validation_split=0.25, verbose=0)",
        "dataset": "fit(tf.data.Dataset.from_tensor_slices((x, y)).shuffle(6).batch(3), "
                   "epochs=2, verbose=0)",
        "eager": None,
    }  # fmt: skip
    for (name, made), (kind, fit) in product(stack.items(), fits.items()):
        eagerly = ", run_eagerly=True" if fit is None else ""
        lines = (
            "tf.keras.utils.set_random_seed(11)", "L = tf.keras.layers",
            "x = np.linspace(-1, 1, 20, dtype='float32').reshape(10, 2)",
            "y = x.sum(1, keepdims=True) ** 2",
            f"model = tf.keras.Sequential([{made}])",
            f"model.compile('sgd', 'mse'{eagerly})",
            f"history = model.{fit or fits['shuffled']}",
            "[history.history['loss'], model.predict(x, verbose=0)]",
        )  # fmt: skip
        yield f"{name}_{kind}", "\n".join(lines)


if __name__ == "__main__":
    main()
