"""`tapelab warmup` compiles ahead, or says why it cannot."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tapelab.installation import pip_command


@pytest.mark.slow
def test_warmup_says_how_many_kernels_are_compiled(tapelab):
    output = tapelab("warmup", HOME=str(Path.home())).stdout  # where the compiled code is
    assert re.search(r"^\d\d kernels are compiled\.$", output, re.MULTILINE)
    assert output.endswith("What tf.function needs is compiled.\n")


def test_without_numba_it_is_reported_that_numpy_does_the_work(main, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    for name in [each for each in sys.modules if each.startswith("tapelab.kernels.compiled")]:
        monkeypatch.delitem(sys.modules, name)
    output = main("warmup", code=2).stderr
    assert output.endswith(f"and NumPy does its work. Try: {pip_command('numba')}\n")
