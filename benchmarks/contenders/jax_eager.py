"""JAX, eager mode."""

from benchmarks.contenders.jax_style import tasks

TASKS = tasks(compiled=False)
