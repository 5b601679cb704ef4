"""Write the tables of mixed precision: python tests/conformance/policy_grid.py.

One table calls layers whose weights have another dtype than their computation, one trains with
scaled losses, one names, compares and refuses policies. record.py asks TensorFlow for the answers.
"""

# ruff: noqa: E501 - programs are not broken into lines
from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

# It runs from a checkout, beside no package of its own.
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from conformance.layer_grid import entry, slug  # noqa: E402  after the path
from conformance.snippets import TABLES  # noqa: E402  after the path

STEPS, ROW, IMAGE = "(2, 3, 4)", "(3, 4)", "(1, 4, 4, 2)"
LAYERS = {
    STEPS: (
        *("Dense(3, activation='relu', {})", "Dense(3, kernel_regularizer='l2', {})"),
        *("EinsumDense('abc,cd->abd', (None, 2), bias_axes='d', {})", "BatchNormalization({})"),
        *("LayerNormalization({})", "GroupNormalization(2, {})", "RMSNormalization({})"),
        *("UnitNormalization({})", "Normalization(mean=1.0, variance=4.0, {})", "Conv1D(2, 2, {})"),
        *("Softmax({})", "ReLU({})", "PReLU({})", "LeakyReLU({})", "ELU({})", "SimpleRNN(2, {})"),
        *("LSTM(2, {})", "LSTM(2, return_state=True, {})", "GRU(2, {})", "Masking({})"),
        *("GRU(2, reset_after=False, return_sequences=True, {})", "Rescaling(2.0, 1.0, {})"),
        *("Bidirectional(L.LSTM(2), {})", "Bidirectional(L.GRU(2), merge_mode='sum', {})"),
        *("TimeDistributed(L.Dense(2), {})", "Flatten({})", "Dropout(0.5, {})", "Permute((2, 1), {})"),
        *("Reshape((2, -1), {})", "AveragePooling1D(2, {})", "GlobalAveragePooling1D({})"),
        *("Activation('gelu', {})", "Activation('tanh', {})", "Activation('softplus', {})"),
        *("UpSampling1D(2, {})", "ZeroPadding1D(1, {})", "Identity({})"),
    ),
    ROW: ("Dense(2, use_bias=False, {})", "RepeatVector(2, {})", "Activation('sigmoid', {})"),
    IMAGE: (
        *("Conv2D(2, 2, {})", "Conv2D(2, 2, padding='same', strides=2, {})", "MaxPooling2D(2, {})"),
        *("Conv2DTranspose(2, 2, {})", "DepthwiseConv2D(2, {})", "SeparableConv2D(2, 2, {})"),
        *("AveragePooling2D(2, {})", "GlobalAveragePooling2D({})", "GlobalMaxPooling2D({})"),
        *("UpSampling2D(2, {})", "ZeroPadding2D(1, {})", "Cropping2D(1, {})", "Resizing(3, 3, {})"),
        *("CenterCrop(2, 2, {})", "BatchNormalization({})"),
    ),
    f"[{STEPS}, {STEPS}]": ("Add({})", "Multiply({})", "Concatenate({})", "Dot(axes=2, {})",
                            "Subtract({})", "Maximum({})"),
}  # fmt: skip
OPTIMIZERS = (
    *("SGD(0.1)", "SGD(0.1, momentum=0.9)", "Adam(0.1)", "AdamW(0.1)", "RMSprop(0.1)"),
    *("Adagrad(0.1)", "Lion(0.1)", "Adam(0.1, use_ema=True, ema_momentum=0.5)"),
    *("SGD(0.1, clipnorm=0.5)", "SGD(0.1, global_clipnorm=0.5)", "SGD(0.1, weight_decay=0.1)"),
    "SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5))",
)
STEPPED = """
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.{}, initial_scale=8.0, dynamic_growth_steps=2)
    vector = tf.keras.Variable([1.0, -1.0], name="vector")
    seen = []
    for factor in {}:
        optimizer.apply([tf.constant([8.0, 16.0]) * factor], [vector])
        seen.append([tf.convert_to_tensor(each) for each in (vector, optimizer.dynamic_scale, optimizer.step_counter, optimizer.iterations)])
    [seen, len(optimizer.variables), optimizer.scale_loss(tf.constant(2.0))]"""
FITTED = """
    x = np.sin(np.arange(20)).astype("float32").reshape(10, 2)
    hidden = tf.keras.layers.Dense(3, "relu", kernel_initializer="ones", dtype="{}")
    model = tf.keras.Sequential([tf.keras.Input((2,)), hidden, tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32")])
    optimizer = tf.keras.optimizers.{}
    model.compile(tf.keras.mixed_precision.LossScaleOptimizer(optimizer), "mse", metrics=["mae"])
    history = model.fit(x, x.sum(1, keepdims=True), epochs=2, verbose=0, shuffle=False, batch_size=5).history
    [[round(each, 1) for each in history[name]] for name in sorted(history)]"""
GLOBAL = """
    before = tf.keras.config.dtype_policy()
    tf.keras.mixed_precision.set_global_policy("{}")
    try:
        result = {}
    finally:
        tf.keras.config.set_dtype_policy(before)
    result"""
POLICIES = ("float32", "float16", "float64", "bfloat16", "mixed_float16", "mixed_bfloat16")


def main() -> None:
    """Write the tables."""
    layers = [
        (layer, shape, "training=True" if "Batch" in layer else "")
        for shape, kinds in LAYERS.items()
        for layer in kinds
    ]
    half = [(layer.format("dtype='mixed_float16'"), *rest) for layer, *rest in layers]
    outputs = [(layer.format("dtype='mixed_bfloat16'"), *rest) for layer, *rest in layers]
    tables = {
        "policy_grid_layers": [
            *(f"{slug(case)}: {entry(*case)}" for case in half),
            *(f"{slug(case)}: {entry(*case)}[0]" for case in outputs),  # sums of rounded terms
        ],
        "policy_grid_steps": [f"step_{at}{program}" for at, program in enumerate(steps())],
        "policy_grid_names": [f"policy_{at}{program}" for at, program in enumerate(names())],
    }
    for name, entries in tables.items():
        text = f"# Written by policy_grid.py: mixed precision.\n\n{chr(10).join(entries)}\n"
        (TABLES / f"{name}.txt").write_text(text, encoding="utf-8")


def steps() -> Iterator[str]:
    """Steps with scaled gradients: finite ones, and some that are not."""
    for optimizer in OPTIMIZERS:
        for factors in ("(1.0, 2.0, 1.0, 1.0)", "(1.0, float('inf'), 1.0, float('nan'), 1.0)"):
            yield STEPPED.format(optimizer, factors)
    for optimizer, policy in product(OPTIMIZERS[:5], ("mixed_float16", "mixed_bfloat16")):
        yield FITTED.format(policy, optimizer)


def names() -> Iterator[str]:
    """Policies by name, in layers, as the policy of the session, and wrong ones."""
    policies = "tf.keras.dtype_policies"
    for name in POLICIES:
        described = "[p.name, p.compute_dtype, p.variable_dtype, p.quantization_mode, repr(p), p.get_config()]"
        yield f": (lambda p: {described})({policies}.get('{name}'))"
        yield f": (lambda L: [L.dtype, L.compute_dtype, L.variable_dtype, L.input_dtype, L.get_config()['dtype']])(tf.keras.layers.Dense(2, dtype='{name}'))"
        yield GLOBAL.format(
            name,
            "[tf.keras.layers.Dense(2, name='d').get_config()['dtype'],"
            " tf.keras.layers.Dense(2).compute_dtype, tf.keras.mixed_precision.global_policy().name]",
        )
        yield GLOBAL.format(
            name,
            "filled(tf.keras.layers.Dense(2), tf.constant([[1.0, 2.0]]))(tf.constant([[1.0, 2.0]]))",
        )
        yield GLOBAL.format(
            name,
            "[x.dtype for x in (lambda i: [i, tf.keras.layers.Dense(2)(i), tf.keras.layers.Flatten()(i)])"
            "(tf.keras.Input((3,)))]",
        )
        yield f": {policies}.deserialize({policies}.serialize({policies}.DTypePolicy('{name}'))) == {policies}.DTypePolicy('{name}')"
        yield f": {policies}.DTypePolicy('{name}') == {policies}.FloatDTypePolicy('{name}')"
        for value in ("tf.constant([1.5])", "np.array([1.5])", "tf.constant([1])", "3", "'a'"):
            yield f": {policies}.get('{name}').convert_input({value}, True, {policies}.get('{name}').compute_dtype)"
    for wrong in (
        "'float'",
        "'mixed_float64'",
        "3.5",
        "object()",
        "[]",
        "{'class_name': 'DTypePolicy', 'config': {'name': 'int32'}}",
    ):
        yield f": {policies}.get({wrong}).name"
        yield f": tf.keras.config.set_dtype_policy({wrong})"
    for wrong in ("None", "'float999'", "tf.float32", "1"):
        yield f": {policies}.DTypePolicy({wrong}).name"
    path_policies = "{'a/.*': p.DTypePolicy('float16'), 'a/b/.*': p.DTypePolicy('float64')}"
    for path in ("'a'", "'a/x'", "'a/b/x'", "'b'"):
        yield f": (lambda p: p.DTypePolicyMap(p.DTypePolicy('float32'), {path_policies})[{path}].name)({policies})"
    for attribute in (
        "name",
        "compute_dtype",
        "variable_dtype",
        "default_policy.name",
        "get_config()",
    ):
        yield f": (lambda p: p.DTypePolicyMap(p.DTypePolicy('mixed_float16'), {path_policies}).{attribute})({policies})"
    for setting in (
        "dynamic=False",
        "clipnorm=1.0",
        "weight_decay=0.1",
        "use_ema=True",
        "unknown=1",
        "clipnorm=None",
    ):
        yield f": tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(), {setting}).initial_scale"
    yield ": tf.keras.optimizers.SGD(loss_scale_factor=4.0).scale_loss(tf.constant(2.0))"


if __name__ == "__main__":
    main()
