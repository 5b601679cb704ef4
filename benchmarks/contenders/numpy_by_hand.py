"""The derivatives written out by hand, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contenders.starting import started
from benchmarks.data import CHAIN, MIDDLE, RATE, SIZES, SMALL, network, normal
from benchmarks.task import Task

ONE = np.float32(1)


def products(x: Any) -> list[Any]:
    found = [x]
    for _ in range(CHAIN):
        found.append(found[-1] * x)
    return found


def recorded(x: Any) -> Task:
    return Task(lambda _: products(x), units=CHAIN)


def back(x: Any) -> Task:
    def run(found: list[Any]) -> Any:
        upstream, total = np.ones_like(x), np.zeros_like(x)
        for before in reversed(found[:-1]):
            total = total + upstream * before
            upstream = upstream * x
        return total + upstream

    return Task(run, lambda: products(x), units=CHAIN)


def mlp(batch: int, widths: tuple[int, ...]) -> Task:
    x, labels, parameters = network(batch, widths)
    rows, scale = np.arange(batch), np.float32(1 / batch)

    def run(_: None) -> Any:
        layers = [x]
        for at in range(0, len(parameters), 2):
            h = layers[-1] @ parameters[at] + parameters[at + 1]
            layers.append(np.maximum(h, 0) if at + 2 < len(parameters) else h)
        powers = np.exp(layers[-1] - layers[-1].max(1, keepdims=True))
        chances = powers / powers.sum(1, keepdims=True)
        loss = -np.log(chances[rows, labels]).mean()
        dy = chances
        dy[rows, labels] -= ONE
        dy *= scale
        for at in range(len(parameters) - 2, -1, -2):
            below = layers[at // 2]
            weights, bias = below.T @ dy, dy.sum(0)
            dy = (dy @ parameters[at].T) * (below > 0) if at else dy
            parameters[at] -= RATE * weights
            parameters[at + 1] -= RATE * bias
        return loss

    return Task(run)


def fused(size: int) -> Task:
    x = normal(size)

    def run(_: None) -> Any:
        t, e = np.tanh(x), np.exp(-x)
        s = ONE / (ONE + e)
        value = np.sum(t * s + x * x * e)
        return value, (ONE - t * t) * s + t * s * (ONE - s) + (2 * x - x * x) * e

    return Task(run)


def softmax() -> Task:
    x, weights = normal(1024, 1024), normal(1024, 1024, seed=2)

    def run(_: None) -> Any:
        y = np.exp(x - x.max(1, keepdims=True))
        y /= y.sum(1, keepdims=True)
        return np.sum(y * weights), y * (weights - (weights * y).sum(1, keepdims=True))

    return Task(run)


def layer_norm() -> Task:
    x, weights = normal(1024, 1024), normal(1024, 1024, seed=2)
    scale, shift = np.ones(1024, np.float32), np.zeros(1024, np.float32)

    def run(_: None) -> Any:
        even, factor = evened(x)
        value, dy = np.sum((even * scale + shift) * weights), weights * scale
        return value, stretch_gradients(dy, even, factor), (weights * even).sum(0), weights.sum(0)

    return Task(run)


def layer_norm_ops() -> Task:
    x, weights = normal(1024, 1024), normal(1024, 1024, seed=2)

    def run(_: None) -> Any:
        even, factor = evened(x)
        return np.sum(even * weights), stretch_gradients(weights, even, factor)

    return Task(run)


def evened(x: Any) -> tuple[Any, Any]:
    away = x - x.mean(1, keepdims=True)
    factor = ONE / np.sqrt((away * away).mean(1, keepdims=True) + np.float32(1e-5))
    return away * factor, factor


def stretch_gradients(upstream: Any, even: Any, factor: Any) -> Any:
    stretched = even * (upstream * even).mean(1, keepdims=True)
    return (upstream - upstream.mean(1, keepdims=True) - stretched) * factor


def copy() -> Task:
    x = normal(SIZES["fused_7"])
    y = np.empty_like(x)
    return Task(lambda _: np.copyto(y, x))


def logsumexp() -> Task:
    x = normal(1024, 1024)

    def run(_: None) -> Any:
        top = x.max(1, keepdims=True)
        powers = np.exp(x - top)
        total = powers.sum(1, keepdims=True)
        return np.sum(np.log(total) + top), powers / total

    return Task(run)


TASKS = {
    "start_import": lambda: started("import numpy"),
    "start_gradient": lambda: started("import numpy\nx = numpy.float32(3)\nx * x, 2 * x"),
    "record_scalar": lambda: recorded(np.float32(1.0001)),
    "record_vector": lambda: recorded(np.full(8, 1.0001, np.float32)),
    "back_scalar": lambda: back(np.float32(1.0001)),
    "back_vector": lambda: back(np.full(8, 1.0001, np.float32)),
    "small_mlp": lambda: mlp(*SMALL),
    "middle_mlp": lambda: mlp(*MIDDLE),
    **{name: lambda size=size: fused(size) for name, size in SIZES.items()},
    "softmax": softmax,
    "layer_norm": layer_norm,
    "layer_norm_ops": layer_norm_ops,
    "copy_7": copy,
    "logsumexp": logsumexp,
}
