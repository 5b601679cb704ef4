"""What tapelab and TensorFlow do in the same words: `tf` is either of them."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contenders.starting import started
from benchmarks.data import CHAIN, LONG, MIDDLE, RATE, SIZES, SMALL, TAPE, network, normal
from benchmarks.task import Task

GRADIENT = """
import {module} as tf
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x).numpy()
"""
FUSED = """
import {module} as tf
@tf.function
def f(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(x) * tf.sigmoid(x) + x * x * tf.exp(-x))
    return tape.gradient(y, x)
x = tf.linspace(-1.0, 1.0, 10000)
f(x); f(x)
"""


def tasks(tf: Any, *, compiled: bool) -> dict[str, Callable[[], Any]]:
    """All works, in eager mode or as functions."""
    module = tf.__name__
    found = steps(tf, tf.function if compiled else lambda function: function)
    if compiled:
        found["chain"] = lambda: chain(tf, CHAIN)
        found["chain_first"] = lambda: chain_first(tf, CHAIN)
        found["chain_long"] = lambda: chain_first(tf, LONG)
        found["start_fused"] = lambda: started(FUSED.format(module=module))
        return found
    found["start_import"] = lambda: started(f"import {module}")
    found["start_gradient"] = lambda: started(GRADIENT.format(module=module))
    found["record_scalar"] = lambda: recorded(tf, tf.constant(1.0001))
    found["record_helper"] = lambda: helped(tf, tf.constant(1.0001))
    found["record_vector"] = lambda: recorded(tf, tf.fill([8], 1.0001))
    found["back_scalar"] = lambda: back(tf, tf.constant(1.0001))
    found["back_vector"] = lambda: back(tf, tf.fill([8], 1.0001))
    found["tape"] = lambda: long_tape(tf)
    return found


def steps(tf: Any, wrap: Any) -> dict[str, Callable[[], Any]]:
    """The works that can be wrapped as a function."""
    return {
        "small_mlp": lambda: mlp(tf, wrap, *SMALL),
        "middle_mlp": lambda: mlp(tf, wrap, *MIDDLE),
        "softmax": lambda: softmax(tf, wrap),
        "layer_norm": lambda: layer_norm(tf, wrap),
        "layer_norm_ops": lambda: layer_norm_ops(tf, wrap),
        "logsumexp": lambda: logsumexp(tf, wrap),
        "third": lambda: third(tf, wrap),
        "jacobian": lambda: jacobian(tf, wrap),
        "hessian": lambda: hessian(tf, wrap),
        **{name: lambda size=size: fused(tf, wrap, size) for name, size in SIZES.items()},
    }


def recorded(tf: Any, x: Any) -> Task:
    def run(_: None) -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(CHAIN):
                y = y * x

    return Task(run, units=CHAIN)


def product(x: Any, y: Any) -> Any:
    return x * y


def helped(tf: Any, x: Any) -> Task:
    def run(_: None) -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(CHAIN):
                y = product(y, x)

    return Task(run, units=CHAIN)


def back(tf: Any, x: Any) -> Task:
    def prepare() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(CHAIN):
                y = y * x
        return tape, y

    return Task(lambda state: state[0].gradient(state[1], x), prepare, units=CHAIN)


def linked(tf: Any, x: Any, length: int) -> Any:
    for _ in range(length // 4):
        x = tf.tanh(x * 1.01 + 0.01) + x * 0.5
    return x


def chain(tf: Any, length: int) -> Task:
    function, x = tf.function(lambda x: linked(tf, x, length)), tf.constant(0.3)
    function(x)
    return Task(lambda _: function(x), units=length // 4 * 5)


def chain_first(tf: Any, length: int) -> Task:
    x = tf.constant(0.3)
    return Task(lambda _: tf.function(lambda x: linked(tf, x, length))(x), once=True)


def mlp(tf: Any, wrap: Any, batch: int, widths: tuple[int, ...]) -> Task:
    x, labels, start = network(batch, widths)
    inputs, targets = tf.constant(x), tf.constant(labels)
    parameters = [tf.Variable(each) for each in start]

    def step() -> None:
        with tf.GradientTape() as tape:
            h = inputs
            for at in range(0, len(parameters), 2):
                h = tf.matmul(h, parameters[at]) + parameters[at + 1]
                h = tf.nn.relu(h) if at + 2 < len(parameters) else h
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(targets, h))
        for variable, gradient in zip(parameters, tape.gradient(loss, parameters), strict=True):
            variable.assign_sub(RATE * gradient)

    function = wrap(step)
    return Task(lambda _: function())


def fused(tf: Any, wrap: Any, size: int) -> Task:
    def function(x: Any) -> Any:
        return tf.reduce_sum(tf.tanh(x) * tf.sigmoid(x) + x * x * tf.exp(-x))

    return _value_and_gradient(tf, wrap, function, normal(size))


def softmax(tf: Any, wrap: Any) -> Task:
    weights = tf.constant(normal(1024, 1024, seed=2))
    return _value_and_gradient(
        tf, wrap, lambda x: tf.reduce_sum(tf.nn.softmax(x) * weights), normal(1024, 1024)
    )


def layer_norm(tf: Any, wrap: Any) -> Task:
    weights, given = (tf.constant(normal(1024, 1024, seed=seed)) for seed in (2, 0))
    layer = tf.keras.layers.LayerNormalization(epsilon=1e-5)
    layer(given)

    def both(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(layer(x) * weights)
        return y, tape.gradient(y, [x, *layer.trainable_variables])

    whole = wrap(both)
    return Task(lambda _: whole(given))


def layer_norm_ops(tf: Any, wrap: Any) -> Task:
    weights = tf.constant(normal(1024, 1024, seed=2))

    def function(x: Any) -> Any:
        mean, variance = tf.nn.moments(x, [1], keepdims=True)
        return tf.reduce_sum((x - mean) * tf.math.rsqrt(variance + 1e-5) * weights)

    return _value_and_gradient(tf, wrap, function, normal(1024, 1024))


def logsumexp(tf: Any, wrap: Any) -> Task:
    return _value_and_gradient(
        tf, wrap, lambda x: tf.reduce_sum(tf.reduce_logsumexp(x, axis=1)), normal(1024, 1024)
    )


def _value_and_gradient(tf: Any, wrap: Any, function: Any, x: Any) -> Task:
    given = tf.constant(x)

    def both(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return y, tape.gradient(y, x)

    whole = wrap(both)
    return Task(lambda _: whole(given))


def third(tf: Any, wrap: Any) -> Task:
    def function(x: Any) -> Any:
        with tf.GradientTape() as a:
            a.watch(x)
            with tf.GradientTape() as b:
                b.watch(x)
                with tf.GradientTape() as c:
                    c.watch(x)
                    y = tf.sin(x) * x * x
                first = c.gradient(y, x)
            second = b.gradient(first, x)
        return a.gradient(second, x)

    whole, x = wrap(function), tf.constant(0.7)
    return Task(lambda _: whole(x))


def jacobian(tf: Any, wrap: Any) -> Task:
    weights = tf.constant(normal(100, 100) * np.float32(0.1))

    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(tf.linalg.matvec(weights, x))
        return tape.jacobian(y, x)

    whole, x = wrap(function), tf.constant(normal(100, seed=3))
    return Task(lambda _: whole(x))


def hessian(tf: Any, wrap: Any) -> Task:
    weights = tf.constant(normal(50, 50) * np.float32(0.1))

    def function(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.tanh(tf.linalg.matvec(weights, x)) ** 2)
            first_gradient = inner.gradient(y, x)
        return outer.jacobian(first_gradient, x)

    whole, x = wrap(function), tf.constant(normal(50, seed=3))
    return Task(lambda _: whole(x))


def long_tape(tf: Any) -> dict[str, float]:
    """Bytes that the process grew by for each op, and seconds forward and back."""
    x = tf.constant(1.0000001)

    def tape_of(length: int) -> tuple[float, float]:
        before, begun = resident(), time.process_time()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(length):
                y = y * x
        grown = resident() - before
        tape.gradient(y, x)
        return grown, time.process_time() - begun

    return as_works(tape_of)


def as_works(tape_of: Callable[[int], tuple[float, float]]) -> dict[str, float]:
    """What a long tape takes for each op, and how that compares with a shorter one."""
    grown, seconds = tape_of(TAPE)
    _, shorter = tape_of(TAPE // 10)
    return {"tape_bytes": grown / TAPE, "tape_seconds": seconds,
            "tape_growth": seconds / (10 * shorter)}  # fmt: skip


def resident() -> float:
    """Bytes of memory that this process holds."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()
