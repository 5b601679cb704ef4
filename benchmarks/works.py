"""What is measured: one row of the table for each work, with its unit and its goals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from benchmarks.goals import Goal


@dataclass(frozen=True)
class Work:
    """One row: what is done, in which unit it is reported, and what tapelab should reach."""

    name: str
    title: str
    unit: str
    per_second: float
    goals: tuple[Goal, ...] = ()
    wall: bool = False
    fresh: bool = False
    """Whether it takes a process of its own, in which nothing ran before."""
    task: str = ""
    """The task that gives this number among others, if it is not named like the work."""


def eager(times: float, of: str, plus: float = 0.0) -> Goal:
    """What tapelab should reach op by op."""
    return Goal("tapelab", times, of, plus=plus)


def function(times: float, of: str, work: str = "") -> Goal:
    """What tapelab should reach as a compiled function."""
    return Goal("tapelab_function", times, of, work)


def _us(name: str, title: str, *goals: Goal) -> Work:
    return Work(name, title, "µs", 1e6, goals)


def _ms(name: str, title: str, *goals: Goal, wall: bool = False) -> Work:
    return Work(name, title, "ms", 1e3, goals, wall)


def _tape(name: str, title: str, unit: str, most: float) -> Work:
    return Work(name, title, unit, 1.0, (Goal("tapelab", plus=most),), fresh=True, task="tape")


def _first(name: str, title: str, most: float) -> Work:
    goal = Goal("tapelab_function", plus=most)
    return Work(name, title, "s", 1.0, (goal,), wall=True, fresh=True)


WORKS: Final = (
    _ms("start_import", "import", eager(1, "numpy_by_hand", 0.030), wall=True),
    _ms("start_gradient", "process start to first gradient", Goal("tapelab", plus=0.150),
        wall=True),
    _us("record_scalar", "recorded op, shape ()", eager(0.7, "pytorch")),
    _us("record_vector", "recorded op, shape (8,)", eager(0.9, "pytorch")),
    _us("record_helper", "recorded op in a helper of its own, shape ()", eager(0.7, "pytorch")),
    _us("back_scalar", "backward per op, shape ()", eager(0.4, "pytorch")),
    _us("back_vector", "backward per op, shape (8,)", eager(0.4, "pytorch")),
    Work("chain", "1000-op chain compiled, per op", "ns", 1e9, (function(0.8, "jax_jit"),)),
    _first("chain_first", "1000-op chain, first call", 0.2),
    _first("chain_long", "compiling 10 000 ops", 0.5),
    _us("small_mlp", "small MLP step 32×64-128-10", eager(0.8, "pytorch"),
        function(1.2, "jax_jit")),
    _us("middle_mlp", "middle MLP step 256×784-512-256-10", eager(1.1, "numpy_by_hand"),
        function(1.15, "jax_jit")),
    _ms("fused_4", "sum(tanh·sigmoid + x²·exp(−x)), value and gradient, N = 1e4",
        function(1 / 3, "jax_jit")),
    _ms("fused_6", "the same, N = 1e6", function(1 / 3, "jax_jit")),
    _ms("fused_7", "the same, N = 1e7", function(1 / 4, "tensorflow_xla"),
        function(2.5, "numpy_by_hand", "copy_7")),
    _ms("copy_7", "copying 1e7 numbers in memory"),
    _ms("softmax", "softmax (1024²), value and gradient", eager(1, "pytorch")),
    _ms("layer_norm", "layer norm (1024²), the layer of each, value and gradients",
        eager(1, "pytorch")),
    _ms("layer_norm_ops", "layer norm (1024²) written out in ops", eager(1, "pytorch")),
    _ms("logsumexp", "logsumexp (1024²), value and gradient", eager(1, "tensorflow_function")),
    _us("third", "third derivative of a scalar", eager(1, "tensorflow_function")),
    _us("jacobian", "Jacobian 100×100", eager(1, "tensorflow_function")),
    _us("hessian", "Hessian 50×50", eager(1, "tensorflow_function")),
    _tape("tape_bytes", "1e6-op tape, bytes per op", "B", 300),
    _tape("tape_seconds", "1e6-op tape, forward and backward", "s", 2),
    _tape("tape_growth", "1e6-op tape, time per op over that of 1e5 ops", "×", 1.25),
    Work("start_fused", "cached fused kernel, process start to result", "ms", 1e3,
         (Goal("tapelab_function", plus=0.250),), wall=True),
)  # fmt: skip
BY_NAME: Final = {work.name: work for work in WORKS}
