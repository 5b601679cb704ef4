"""Who is measured, and which package each needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Contender:
    """One way to compute; `name` is its file in `contenders`, `alike` all files that need one."""

    name: str
    title: str
    needs: str


CONTENDERS: Final = tuple(
    Contender(*each)
    for each in (
        ("tapelab", "tapelab eager", "tapelab"),
        ("tapelab_function", "tapelab function", "tapelab"),
        ("tensorflow", "TensorFlow eager", "tensorflow"),
        ("tensorflow_function", "tf.function", "tensorflow"),
        ("tensorflow_xla", "tf.function XLA", "tensorflow"),
        ("pytorch", "PyTorch", "torch"),
        ("jax_eager", "JAX eager", "jax"),
        ("jax_jit", "JAX jit", "jax"),
        ("hips_autograd", "autograd", "autograd"),
        ("numpy_by_hand", "NumPy by hand", "numpy"),
    )
)
TITLES: Final = {each.name: each.title for each in CONTENDERS}
OURS: Final = ("tapelab", "tapelab_function")
