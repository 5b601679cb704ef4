"""JAX, jit."""

from benchmarks.contenders.jax_style import tasks

TASKS = tasks(compiled=True)
