"""A process for each contender, which measures the works that it is asked for."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
from typing import Any, Final, Self

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
"""Seconds after which a work is given up."""


class FailedError(Exception):
    """A contender ended, or took too long, instead of giving an answer."""


class Process:
    """A contender in a process of its own, on one thread."""

    def __init__(self, contender: str) -> None:
        command = [sys.executable, "-m", "benchmarks.measure", contender]
        self._said = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - see close
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, text=True,
            env={**os.environ, **ONE_THREAD},
        )  # fmt: skip
        try:
            self._answer()
        except FailedError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def ask(self, work: str) -> Any:
        """What the contender measures of a work."""
        assert self._process.stdin is not None
        try:
            print(work, file=self._process.stdin, flush=True)
        except BrokenPipeError:
            raise FailedError(self._last_words()) from None
        return self._answer()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._said.close()

    def _answer(self) -> Any:
        answers = self._process.stdout
        assert answers is not None
        with selectors.DefaultSelector() as selector:
            selector.register(answers, selectors.EVENT_READ)
            if not selector.select(TIMEOUT):
                raise FailedError(f"no answer within {TIMEOUT} seconds")
        line = answers.readline()
        if not line:
            raise FailedError(self._last_words())
        return json.loads(line)

    def _last_words(self) -> str:
        code = self._process.wait()
        self._said.seek(0)
        lines = self._said.read().strip().splitlines()
        return lines[-1] if lines and code > 0 else f"its process ended with {code}"
