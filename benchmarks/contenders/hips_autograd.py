"""HIPS autograd, which records NumPy."""

from __future__ import annotations

import time
from typing import Any

import autograd.numpy as np
from autograd import grad, hessian, jacobian, make_vjp, value_and_grad
from autograd.scipy.special import logsumexp as row_logsumexp

from benchmarks.contenders.starting import started
from benchmarks.contenders.tape_style import as_works, resident
from benchmarks.data import CHAIN, MIDDLE, RATE, SIZES, SMALL, network, normal
from benchmarks.task import Task

GRADIENT = "from autograd import grad\nfloat(grad(lambda x: x * x)(3.0))"


def product(x: Any, length: int = CHAIN) -> Any:
    y = x
    for _ in range(length):
        y = y * x
    return y


def recorded(x: Any) -> Task:
    return Task(lambda _: make_vjp(product)(x), units=CHAIN)


def back(x: Any) -> Task:
    ones = x * 0 + 1
    return Task(lambda vjp: vjp(ones), lambda: make_vjp(product)(x)[0], units=CHAIN)


def mlp(batch: int, widths: tuple[int, ...]) -> Task:
    x, labels, start = network(batch, widths)

    def loss(parameters: Any) -> Any:
        h = x
        for at in range(0, len(parameters), 2):
            h = np.dot(h, parameters[at]) + parameters[at + 1]
            h = np.maximum(h, 0) if at + 2 < len(parameters) else h
        logits = h - row_logsumexp(h, axis=1, keepdims=True)
        return -np.mean(logits[np.arange(batch), labels])

    grad_of_loss, held = grad(loss), [start]

    def run(_: None) -> None:
        gradients = grad_of_loss(held[0])
        held[0] = [p - RATE * g for p, g in zip(held[0], gradients, strict=True)]

    return Task(run)


def value_and_gradient(function: Any, x: Any) -> Task:
    whole = value_and_grad(function)
    return Task(lambda _: whole(x))


def fused(size: int) -> Task:
    return value_and_gradient(
        lambda x: np.sum(np.tanh(x) / (1 + np.exp(-x)) + x * x * np.exp(-x)), normal(size)
    )


def softmax() -> Task:
    weights = normal(1024, 1024, seed=2)

    def function(x: Any) -> Any:
        powers = np.exp(x - np.max(x, 1, keepdims=True))
        return np.sum(powers / np.sum(powers, 1, keepdims=True) * weights)

    return value_and_gradient(function, normal(1024, 1024))


def even(x: Any) -> Any:
    away = x - np.mean(x, 1, keepdims=True)
    return away / np.sqrt(np.mean(away * away, 1, keepdims=True) + 1e-5)


def layer_norm() -> Task:
    """There is no such layer, so that it is written out."""
    weights, x = normal(1024, 1024, seed=2), normal(1024, 1024)
    learned = np.ones(1024, np.float32), np.zeros(1024, np.float32)

    def function(given: Any) -> Any:
        x, scale, shift = given
        return np.sum((even(x) * scale + shift) * weights)

    whole = value_and_grad(function)
    return Task(lambda _: whole((x, *learned)))


def layer_norm_ops() -> Task:
    weights = normal(1024, 1024, seed=2)
    return value_and_gradient(lambda x: np.sum(even(x) * weights), normal(1024, 1024))


def third() -> Task:
    function = grad(grad(grad(lambda x: np.sin(x) * x * x)))
    return Task(lambda _: function(0.7))


def matrix(transform: Any, size: int, end: Any) -> Task:
    weights, x = normal(size, size) * np.float32(0.1), normal(size, seed=3)
    function = transform(lambda x: end(np.tanh(np.dot(weights, x))))
    return Task(lambda _: function(x))


def tape_of(length: int) -> tuple[float, float]:
    before, begun = resident(), time.process_time()
    vjp, _ = make_vjp(lambda x: product(x, length))(1.0000001)
    grown = resident() - before
    vjp(1.0)
    return grown, time.process_time() - begun


TASKS = {
    "start_import": lambda: started("import autograd"),
    "start_gradient": lambda: started(GRADIENT),
    "record_scalar": lambda: recorded(1.0001),
    "record_vector": lambda: recorded(np.full(8, 1.0001, np.float32)),
    "back_scalar": lambda: back(1.0001),
    "back_vector": lambda: back(np.full(8, 1.0001, np.float32)),
    "small_mlp": lambda: mlp(*SMALL),
    "middle_mlp": lambda: mlp(*MIDDLE),
    **{name: lambda size=size: fused(size) for name, size in SIZES.items()},
    "softmax": softmax,
    "layer_norm": layer_norm,
    "layer_norm_ops": layer_norm_ops,
    "logsumexp": lambda: value_and_gradient(
        lambda x: np.sum(row_logsumexp(x, axis=1)), normal(1024, 1024)
    ),
    "third": third,
    "jacobian": lambda: matrix(jacobian, 100, lambda y: y),
    "hessian": lambda: matrix(hessian, 50, lambda y: np.sum(y * y)),
    "tape": lambda: as_works(tape_of),
}
