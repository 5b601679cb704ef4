"""Run every work with every contender, interleaved, and write the table: python -m benchmarks.run.

Each measurement is a process of its own on one thread; the contenders take turns, and the order
changes from round to round. What is not installed is left out by name.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.report import Results, write
from benchmarks.works import WORKS, Work

CONTENDERS: Final = {
    "tapelab": "tapelab",
    "tapelab_function": "tapelab",
    "tensorflow": "tensorflow",
    "tensorflow_function": "tensorflow",
    "pytorch": "torch",
    "jax_eager": "jax",
    "jax_jit": "jax",
    "hips_autograd": "autograd",
    "numpy_by_hand": "numpy",
}
"""The contenders, and the package that each needs."""
ONE_THREAD: Final = {
    **dict.fromkeys(
        (
            *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"),
            *("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"),
        ),
        "1",
    ),
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
    "CUDA_VISIBLE_DEVICES": "",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}
TIMEOUT: Final = 600


def main(arguments: list[str] | None = None) -> None:
    """Measure what is asked for, and write Markdown, JSON and a plot."""
    asked = _parser().parse_args(arguments)
    here = [name for name, needs in CONTENDERS.items() if importlib.util.find_spec(needs)]
    absent = sorted(set(CONTENDERS) - set(here))
    chosen = [name for name in here if name in (asked.contenders or here)]
    works = [work for work in WORKS if not asked.works or work.name in asked.works]
    results: Results = {work.name: {name: [] for name in chosen} for work in works}
    total = asked.rounds * len(works) * len(chosen)
    for count, (turn, work, name) in enumerate(_schedule(asked.rounds, works, chosen), start=1):
        print(
            f"\r{count}/{total} round {turn + 1} {work.name} {name}".ljust(78), end="", flush=True
        )
        seconds = measured(name, work.name)
        if seconds is not None:
            results[work.name][name].append(seconds)
    _tell("")
    write(Path(asked.output), results, absent)


def _tell(line: str) -> None:
    """Show how far it is, in place, where somebody looks."""
    if sys.stderr.isatty():
        print(f"\r{line:78}", end="" if line else "\r", file=sys.stderr, flush=True)


def _schedule(rounds: int, works: list[Work], names: list[str]) -> Iterator[tuple[int, Work, str]]:
    for turn in range(rounds):
        for work in works:
            shift = turn % len(names)
            for name in names[shift:] + names[:shift]:
                yield turn, work, name


def measured(contender: str, work: str) -> float | None:
    """Seconds per unit in a fresh process; None where it has no such work or fails."""
    command = [sys.executable, "-m", "benchmarks.measure", contender, work]
    environment = {**os.environ, **ONE_THREAD}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=TIMEOUT, check=True
        )
    except subprocess.SubprocessError as error:
        lines = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
        print(f"\n{contender} failed at {work}: {lines[-1] if lines else error}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("works", nargs="*", help="works; all by default")
    parser.add_argument("--contenders", nargs="+", choices=list(CONTENDERS), help="only these")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    parser.add_argument("--output", default="benchmarks/results", help="a folder for the results")
    return parser


if __name__ == "__main__":
    main()
