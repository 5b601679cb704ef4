"""JAX, in eager mode or under jit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks.contenders.starting import started
from benchmarks.data import CHAIN, LONG, MIDDLE, RATE, SIZES, SMALL, network, normal
from benchmarks.task import Task

GRADIENT = "import jax\nfloat(jax.grad(lambda x: x * x)(3.0))"
FUSED = """
import jax, jax.numpy as jnp
f = lambda x: jnp.sum(jnp.tanh(x) * jax.nn.sigmoid(x) + x * x * jnp.exp(-x))
jax.jit(jax.grad(f))(jnp.linspace(-1.0, 1.0, 10000)).block_until_ready()
"""


def tasks(*, compiled: bool) -> dict[str, Callable[[], Any]]:
    """All works, in eager mode or under jit."""
    wrap = jax.jit if compiled else lambda function: function
    found: dict[str, Callable[[], Any]] = {
        "small_mlp": lambda: mlp(wrap, *SMALL),
        "middle_mlp": lambda: mlp(wrap, *MIDDLE),
        "softmax": lambda: softmax(wrap),
        "layer_norm": lambda: layer_norm(wrap),
        "layer_norm_ops": lambda: layer_norm_ops(wrap),
        "logsumexp": lambda: value_and_gradient(
            wrap, lambda x: jax.scipy.special.logsumexp(x, 1).sum(), normal(1024, 1024)
        ),
        "third": lambda: third(wrap),
        "jacobian": lambda: matrix(wrap, jax.jacrev, 100, lambda y: y),
        "hessian": lambda: matrix(wrap, jax.hessian, 50, lambda y: jnp.sum(y * y)),
        **{name: lambda size=size: fused(wrap, size) for name, size in SIZES.items()},
    }
    if compiled:
        found["chain"] = chain
        found["chain_first"] = lambda: chain_first(CHAIN)
        found["chain_long"] = lambda: chain_first(LONG)
        found["start_fused"] = lambda: started(FUSED)
        return found
    found["start_import"] = lambda: started("import jax")
    found["start_gradient"] = lambda: started(GRADIENT)
    found["record_scalar"] = lambda: recorded(jnp.float32(1.0001))
    found["record_vector"] = lambda: recorded(jnp.full((8,), 1.0001))
    found["back_scalar"] = lambda: back(jnp.float32(1.0001))
    found["back_vector"] = lambda: back(jnp.full((8,), 1.0001))
    return found


def product(x: Any, length: int = 100) -> Any:
    y = x
    for _ in range(length):
        y = y * x
    return y


def recorded(x: Any) -> Task:
    return Task(lambda _: jax.vjp(product, x), units=100)


def back(x: Any) -> Task:
    ones = jnp.ones_like(x)
    return Task(lambda vjp: vjp(ones), lambda: jax.vjp(product, x)[1], units=100)


def linked(x: Any, length: int) -> Any:
    for _ in range(length // 4):
        x = jnp.tanh(x * 1.01 + 0.01) + x * 0.5
    return x


def chain() -> Task:
    function, x = jax.jit(lambda x: linked(x, CHAIN)), jnp.float32(0.3)
    function(x).block_until_ready()
    return Task(lambda _: function(x).block_until_ready(), units=CHAIN // 4 * 5)


def chain_first(length: int) -> Task:
    x = jnp.float32(0.3)
    return Task(lambda _: jax.jit(lambda x: linked(x, length))(x).block_until_ready(), once=True)


def mlp(wrap: Any, batch: int, widths: tuple[int, ...]) -> Task:
    x, labels, start = network(batch, widths)
    inputs, targets = jnp.asarray(x), jnp.asarray(labels)

    def loss(parameters: Any) -> Any:
        h = inputs
        for at in range(0, len(parameters), 2):
            h = h @ parameters[at] + parameters[at + 1]
            h = jax.nn.relu(h) if at + 2 < len(parameters) else h
        return -jnp.mean(jax.nn.log_softmax(h)[jnp.arange(batch), targets])

    def step(parameters: Any) -> Any:
        gradients = jax.grad(loss)(parameters)
        return [p - RATE * g for p, g in zip(parameters, gradients, strict=True)]

    function, held = wrap(step), [[jnp.asarray(each) for each in start]]

    def run(_: None) -> None:
        held[0] = function(held[0])
        jax.block_until_ready(held[0])

    return Task(run)


def value_and_gradient(wrap: Any, function: Any, x: Any) -> Task:
    given, whole = jnp.asarray(x), wrap(jax.value_and_grad(function))
    return Task(lambda _: jax.block_until_ready(whole(given)))


def fused(wrap: Any, size: int) -> Task:
    return value_and_gradient(
        wrap, lambda x: jnp.sum(jnp.tanh(x) * jax.nn.sigmoid(x) + x * x * jnp.exp(-x)), normal(size)
    )


def softmax(wrap: Any) -> Task:
    weights = jnp.asarray(normal(1024, 1024, seed=2))
    return value_and_gradient(
        wrap, lambda x: jnp.sum(jax.nn.softmax(x) * weights), normal(1024, 1024)
    )


def even(x: Any) -> Any:
    away = x - x.mean(1, keepdims=True)
    return away * jax.lax.rsqrt((away * away).mean(1, keepdims=True) + 1e-5)


def layer_norm(wrap: Any) -> Task:
    """JAX itself has no such layer, so that it is written out."""
    weights, x = (jnp.asarray(normal(1024, 1024, seed=seed)) for seed in (2, 0))
    scale, shift = jnp.ones(1024), jnp.zeros(1024)

    def function(x: Any, scale: Any, shift: Any) -> Any:
        return jnp.sum((even(x) * scale + shift) * weights)

    whole = wrap(jax.value_and_grad(function, (0, 1, 2)))
    return Task(lambda _: jax.block_until_ready(whole(x, scale, shift)))


def layer_norm_ops(wrap: Any) -> Task:
    weights = jnp.asarray(normal(1024, 1024, seed=2))
    return value_and_gradient(wrap, lambda x: jnp.sum(even(x) * weights), normal(1024, 1024))


def third(wrap: Any) -> Task:
    function = wrap(jax.grad(jax.grad(jax.grad(lambda x: jnp.sin(x) * x * x))))
    x = jnp.float32(0.7)
    return Task(lambda _: function(x).block_until_ready())


def matrix(wrap: Any, transform: Any, size: int, end: Any) -> Task:
    weights, x = jnp.asarray(normal(size, size)) * 0.1, jnp.asarray(normal(size, seed=3))
    function = wrap(transform(lambda x: end(jnp.tanh(weights @ x))))
    return Task(lambda _: function(x).block_until_ready())
