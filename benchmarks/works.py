"""What is measured: one row of the table for each work, with its unit and its goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Work:
    """One row: what is done, in which unit it is told, and what tapelab should reach."""

    name: str
    title: str
    unit: str
    per_second: float
    goal: str
    wall: bool = False


def _us(name: str, title: str, goal: str) -> Work:
    return Work(name, title, "µs", 1e6, goal)


def _ms(name: str, title: str, goal: str, *, wall: bool = False) -> Work:
    return Work(name, title, "ms", 1e3, goal, wall)


WORKS: Final = (
    _ms("start_import", "import", "NumPy + 30 ms", wall=True),
    _ms("start_gradient", "process start to first gradient", "≤ 150", wall=True),
    _us("record_scalar", "recorded op, shape ()", "≤ 0.7 × PyTorch"),
    _us("record_vector", "recorded op, shape (8,)", "≤ 0.9 × PyTorch"),
    _us("back_scalar", "backward per op, shape ()", "≤ 0.4 × PyTorch"),
    _us("back_vector", "backward per op, shape (8,)", "≤ 0.4 × PyTorch"),
    Work("chain", "1000-op chain compiled, per op", "ns", 1e9, "≤ 0.8 × JAX jit"),
    Work("chain_first", "1000-op chain, first call", "s", 1.0, "≤ 0.2", wall=True),
    Work("chain_long", "compiling 10 000 ops", "s", 1.0, "≤ 0.5", wall=True),
    _us("small_mlp", "small MLP step 32×64-128-10",
        "eager ≤ 0.8 × PyTorch, function ≤ 1.2 × JAX jit"),
    _us("middle_mlp", "middle MLP step 256×784-512-256-10",
        "eager ≤ 1.1 × NumPy, function ≤ 1.15 × JAX jit"),
    _ms("fused_4", "sum(tanh·sigmoid + x²·exp(−x)), value and gradient, N = 1e4", "≤ ⅓ JAX jit"),
    _ms("fused_6", "the same, N = 1e6", "≤ ⅓ JAX jit"),
    _ms("fused_7", "the same, N = 1e7", "≤ ¼ XLA, ≤ 2.5 × a memory copy"),
    _ms("softmax", "softmax (1024²), value and gradient", "≤ PyTorch"),
    _ms("layer_norm", "layer norm (1024²), value and gradient", "≤ PyTorch"),
    _ms("logsumexp", "logsumexp (1024²), value and gradient", "≤ tf.function"),
    _us("third", "third derivative of a scalar", "≤ tf.function, in eager"),
    _us("jacobian", "Jacobian 100×100", "≤ tf.function, in eager"),
    _us("hessian", "Hessian 50×50", "≤ tf.function, in eager"),
    Work("tape_bytes", "1e6-op tape, bytes per op", "B", 1.0, "≤ 300"),
    Work("tape_seconds", "1e6-op tape, forward and backward", "s", 1.0, "≤ 2"),
    _ms("start_fused", "cached fused kernel, process start to result", "≤ 250", wall=True),
)  # fmt: skip
BY_NAME: Final = {work.name: work for work in WORKS}
