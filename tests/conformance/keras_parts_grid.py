"""Write the table of Keras's parts: python tests/conformance/keras_parts_grid.py.

Callbacks, optimizers, initializers, metrics and losses with options that few programs use.
record.py asks TensorFlow for the answers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

# It runs from a checkout, beside no package of its own.
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conformance.snippets import TABLES  # noqa: E402  after the path

HEAD: Final = "# Written by keras_parts_grid.py: callbacks, optimizers, initializers, metrics.\n\n"
KERAS: Final = "tf.keras"
OPTIMIZERS: Final = (
    "SGD", "SGD(momentum=0.5)", "Adam", "AdamW", "Adagrad", "RMSprop", "Adadelta", "Adamax",
    "Lion", "Nadam", "Ftrl", "Adafactor", "Lamb",
)  # fmt: skip
MODEL: Final = """\
  tf.keras.utils.set_random_seed(3)
  layers = [tf.keras.Input((3,)), tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)]
  model = tf.keras.Sequential(layers)
  x, y = wave((12, 3)), wave((12, 1))
"""


def programs() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each program."""
    groups = {
        "optimizers": optimizers(), "callbacks": callbacks(), "initializers": initializers(),
        "metrics": metrics(), "saving": saving(),
    }  # fmt: skip
    for group, texts in groups.items():
        for at, text in enumerate(texts):
            yield f"{group}_{at}", text


def optimizers() -> Iterator[str]:
    """Steps of optimizers with options that all share."""
    options = (
        "loss_scale_factor=8.0", "use_ema=True, ema_momentum=0.5",
        "use_ema=True, ema_overwrite_frequency=2", "gradient_accumulation_steps=2",
        "weight_decay=0.1, clipnorm=0.5", "global_clipnorm=0.5", "clipvalue=0.2",
    )  # fmt: skip
    for kind, option in product(OPTIMIZERS, options):
        name, _, own = kind.rstrip(")").partition("(")
        arguments = ", ".join(filter(None, (own, option)))
        yield f"stepped({KERAS}.optimizers.{name}({arguments}))"
    for kind in OPTIMIZERS:
        name, _, own = kind.rstrip(")").partition("(")
        for steps in ("None", "2"):
            yield (
                f"\n  optimizer = {KERAS}.optimizers.{name}("
                f"{own}{', ' * bool(own)}gradient_accumulation_steps={steps})\n"
                "  kept, moved = tf.keras.Variable([1.0, 2.0]), tf.keras.Variable([1.0, 2.0])\n"
                "  kept.overwrite_with_gradient = True\n"
                "  for step in range(3):\n"
                "      rows = tf.constant([0.5, 1.5 - step])\n"
                "      optimizer.apply_gradients([(rows, kept), (rows, moved)])\n"
                "  [tf.convert_to_tensor(kept), tf.convert_to_tensor(moved)]"
            )
    several = "tf.keras.optimizers.OptimizerMap(tf.keras.optimizers.SGD(0.1)"
    for own in (
        "{'.*matrix': tf.keras.optimizers.Adam(0.2)}",
        "{'vector': tf.keras.optimizers.Lion(0.1)}",
        "None",
    ):
        for scale in ("None", "4.0"):
            yield f"stepped(tf.keras.optimizers.MultiOptimizer({several}, {own}), {scale}))"
    for wrong in ("'a'", "tf.keras.optimizers.SGD(), 3"):
        yield f"tf.keras.optimizers.OptimizerMap({wrong})"
    yield "tf.keras.optimizers.MultiOptimizer(" + several + ")).learning_rate"


def callbacks() -> Iterator[str]:
    """The history of a training with a callback."""
    kinds = (
        "SwapEMAWeights()", "SwapEMAWeights(True)", "TerminateOnNaN(raise_error=True)",
        "EarlyStopping(monitor='mae', patience=1)", "EarlyStopping(monitor='val_mae', mode='max')",
        "EarlyStopping(monitor='val_cosine_similarity', patience=1)",
        "EarlyStopping(monitor='unknown')", "ReduceLROnPlateau(monitor='mae', patience=1)",
        "ReduceLROnPlateau(monitor='cosine_similarity', patience=1, min_delta=9.0)",
        "EarlyStopping(monitor='loss', baseline=0.01)",
    )  # fmt: skip
    for kind, ema in product(kinds, (True, False)):
        yield (
            f"\n{MODEL}"
            f"  model.compile(tf.keras.optimizers.SGD(0.1, use_ema={ema}, ema_momentum=0.5),\n"
            "                'mse', metrics=['mae', 'cosine_similarity'])\n"
            f"  called = [tf.keras.callbacks.{kind}]\n"
            "  history = model.fit(x, y, epochs=4, verbose=0, callbacks=called,\n"
            "                      validation_data=(x + 1, y))\n"
            "  [history.history, model.get_weights()]"
        )
    for frequency in (1, 2):
        yield (
            f"\n{MODEL}"
            "  import os, tempfile\n"
            "  model.compile('sgd', 'mse')\n"
            "  with tempfile.TemporaryDirectory() as folder:\n"
            "      path = os.path.join(folder, 'log.csv')\n"
            "      model.fit(x, y, epochs=3, verbose=0, validation_data=(x, y),\n"
            f"                validation_freq={frequency},\n"
            "                callbacks=[tf.keras.callbacks.CSVLogger(path)])\n"
            "      rows = [line.split(',') for line in open(path).read().splitlines()]\n"
            "  [[cell[:6] for cell in row] for row in rows]"
        )


def initializers() -> Iterator[str]:
    """Values of initializers."""
    start = f"{KERAS}.initializers"
    for side, window, scaling, periodic in product(
        ("real", "imag"), ("'hann'", "'hamming'", "None", "[1.0, 2.0, 3.0, 4.0]"),
        ("density", "spectrum", None), (True, False),
    ):  # fmt: skip
        yield f"{start}.STFT({side!r}, {window}, {scaling!r}, {periodic})((4, 1, 5))"
    for mode, axes in product(("fan_in", "fan_out", "fan_avg"), ("[0], [1, 2]", "[0, 1], [2]")):
        inputs, outputs = axes.split(", ", 1) if axes[2] == "]" else axes.rsplit(", ", 1)
        arguments = f"mode={mode!r}, seed=3, input_axes={inputs}, output_axes={outputs}"
        yield f"{start}.VarianceScaling({arguments})((3, 2, 4))"
    for value in ("wave((2, 3))", "c(wave((2, 3)))"):
        yield f"{start}.get({value})((2, 3))"
        yield f"{start}.get({value})((3, 2))"
        yield f"{start}.get({value})((2, 3), 'float16')"
    for kind in ("Constant(np.arange(4.0))", "GlorotUniform(3)", "Orthogonal(seed=3)", "STFT()",
                 "VarianceScaling(seed=1)"):  # fmt: skip
        yield f"sorted(map(str, {start}.{kind}.get_config().items()))"


def metrics() -> Iterator[str]:
    """Metrics and activations with options that few programs use."""
    batch = "[c([0.0, 1.0, 1.0, 0.0, 1.0]), c([0.1, 0.4, 0.35, 0.8, 0.9])]"
    for method, count in product(("interpolation", "majoring", "minoring"), (3, 5, 200)):
        arguments = f"num_thresholds={count}, curve='PRGAIN', summation_method={method!r}"
        yield f"measured({KERAS}.metrics.AUC({arguments}), {batch})"
    tied = "[c([[0.0, 1.0, 1.0, 0.0, 1.0]]), c([[0.2, 0.1, 0.2, 0.0, 0.2]])]"
    for kind, top in product(("Precision", "Recall"), (1, 2, 3, 4)):
        yield f"measured({KERAS}.metrics.{kind}(top_k={top}), {tied})"
    for kind in ("FalsePositives(thresholds=[-1, 0.5, 2])", "FBetaScore(beta=1)",
                 "Recall(thresholds=[None])", "FBetaScore(beta=-1.0)"):  # fmt: skip
        yield f"{KERAS}.metrics.{kind}"
    for name, axis in product(("softmax", "log_softmax"), (0, (0, 1), (1, 2), (0, 1, 2))):
        yield f"{KERAS}.activations.{name}(c(wave((2, 3, 4))), axis={axis})"
    labels = {
        "(4, 1)": ("c([[1.0], [0], [1], [1]])",),
        "(4, 3)": ("c([0, 2, 1, 1])", "tf.one_hot([0, 2, 1, 1], 3)"),
    }
    for loss, (shape, several) in product(("crossentropy", "ce"), labels.items()):
        for label in several:
            yield (
                "\n  model = tf.keras.Sequential([tf.keras.layers.Activation('sigmoid')])\n"
                f"  model.compile('sgd', {loss!r})\n"
                f"  model.evaluate(wave({shape}), {label}, verbose=0)"
            )
    for name in ("sum", "prod"):
        for dtype in ("bool", "int8", "int16", "uint8", "uint16", "int32"):
            yield f"{KERAS}.ops.{name}(tf.cast([[1, 0], [1, 1]], {dtype!r}), axis=0)"


def saving() -> Iterator[str]:
    """Weights of half precision in files, also skipped ones."""
    for dtype, options in product(
        ("bfloat16", "float16"),
        ("", ", objects_to_skip=[second.layers[0]]", ", skip_mismatch=True"),
    ):
        yield (
            "\n  import os, tempfile\n"
            "  def made(seed):\n"
            "      tf.keras.utils.set_random_seed(seed)\n"
            f"      layers = [tf.keras.Input((3,)), *(tf.keras.layers.Dense(2, dtype={dtype!r})\n"
            "                                        for _ in range(2))]\n"
            "      return tf.keras.Sequential(layers)\n"
            "  first, second = made(1), made(2)\n"
            "  with tempfile.TemporaryDirectory() as folder:\n"
            "      path = os.path.join(folder, 'x.weights.h5')\n"
            "      first.save_weights(path)\n"
            f"      second.load_weights(path{options})\n"
            "  [each.astype('float64') for each in second.get_weights()]"
        )


def main() -> None:
    """Write the table."""
    lines = [f"{name}:{'' if text[0] == chr(10) else ' '}{text}" for name, text in programs()]
    (TABLES / "keras_parts_grid.txt").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
