"""The compile cache: entries are read where they are whole, compiled again where they are not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tapelab.compile.fusion import compile_cache, jit, kernel_runtime

pytestmark = pytest.mark.skipif(not kernel_runtime.available(), reason="nothing is compiled here")
CODE = "define i64 @answer() {\n  ret i64 42\n}\n"
PROGRAM = """
import sys
import tapelab as tf
from tapelab.compile.fusion import kernel_runtime
kernel_runtime.compile_large("at once")
@tf.function
def f(x):
    return tf.reduce_sum(tf.tanh(x) * tf.sigmoid(x))
x = tf.linspace(-1.0, 1.0, 10000)
for _ in range(4):
    y = f(x)
print(float(y), "numba" in sys.modules, kernel_runtime.compiled_here())
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Keep code in a folder of the test's own."""
    monkeypatch.setenv("TAPELAB_CACHE_DIR", str(tmp_path))
    return tmp_path / "code"


def again():
    """Forget in which place of the memory code is."""
    kernel_runtime._addresses.clear()


def kept():
    """Have some code compiled, and return its file."""
    again()
    kernel_runtime.address("answer", "answer", lambda: CODE)
    return compile_cache.entry("answer")


def test_code_is_read_as_it_was_written(place):
    file = kept()
    assert compile_cache.read(file)
    compiled = []
    again()
    kernel_runtime.address("answer", "answer", lambda: compiled.append(1) or CODE)
    assert compiled == []
    file.unlink()
    kernel_runtime.address("answer", "answer", lambda: compiled.append(1) or CODE)
    assert compiled == []  # it is in memory, too


@pytest.mark.parametrize("at", [0, 10, 30, 60, 80, 200, -1])
def test_code_that_was_damaged_anywhere_is_made_anew(at, place):
    file = kept()
    whole = file.read_bytes()
    damaged = bytearray(whole)
    damaged[at] ^= 1
    file.write_bytes(damaged)
    assert compile_cache.read(file) is None
    again()
    assert kernel_runtime.address("answer", "answer", lambda: CODE)
    assert file.read_bytes() == whole


@pytest.mark.parametrize("length", [0, 5, 40, 100])
def test_code_that_was_cut_off_is_made_anew(length, place):
    file = kept()
    whole = file.read_bytes()
    file.write_bytes(whole[:length])
    again()
    assert kernel_runtime.address("answer", "answer", lambda: CODE)
    assert file.read_bytes() == whole


def test_code_without_the_function_is_made_anew(place):
    file = kept()
    whole = file.read_bytes()
    compile_cache.write(file, jit.machine_code(CODE.replace("answer", "question")))
    assert file.read_bytes() != whole
    again()
    assert kernel_runtime.address("answer", "answer", lambda: CODE)
    assert file.read_bytes() == whole


def test_other_sources_and_processors_have_other_entries(place, monkeypatch):
    before = compile_cache.entry("answer")
    monkeypatch.setattr(compile_cache, "_circumstances", lambda: "other ones")
    assert compile_cache.entry("answer") != before


def test_no_temporary_file_is_left(place):
    kept()
    assert [each for each in place.iterdir() if each.name.startswith("new-")] == []


def test_the_oldest_go_when_there_is_too_much(place, monkeypatch):
    kept()
    monkeypatch.setattr(compile_cache, "MOST", 4000)
    for number in range(6):
        file = compile_cache.entry(f"number {number}")
        compile_cache.write(file, bytes(1000))
        os.utime(file, (1e9 + number, 1e9 + number))
    compile_cache.write(compile_cache.entry("last"), bytes(1000))
    names = {each.name for each in place.iterdir()}
    assert compile_cache.entry("last").name in names
    assert compile_cache.entry("number 0").name not in names
    assert sum(each.stat().st_size for each in place.iterdir()) <= 4000


def test_where_nothing_can_be_kept_everything_works(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("TAPELAB_CACHE_DIR", str(tmp_path / "file"))
    assert compile_cache.entry("answer") is None
    assert kernel_runtime.address("answer", "answer", lambda: CODE)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners here")
def test_a_folder_that_others_can_write_to_is_not_used(place):
    kept()
    place.chmod(0o777)
    assert compile_cache.entry("answer") is None


def started(place):
    """A process of its own that compiles, or reads what another one compiled."""
    surroundings = os.environ | {"TAPELAB_CACHE_DIR": str(place)}
    return subprocess.Popen([sys.executable, "-c", PROGRAM], env=surroundings, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            cwd=Path(__file__).parents[3])  # fmt: skip


@pytest.mark.slow
def test_processes_share_code_and_need_no_numba(tmp_path):
    first = [started(tmp_path) for _ in range(2)]
    outputs = [each.communicate() for each in first]
    outputs.append(started(tmp_path).communicate())
    x = np.linspace(-1, 1, 10000)
    for output, errors in outputs:
        assert errors == ""
        value, numba, _ = output.split()
        assert float(value) == pytest.approx(np.sum(np.tanh(x) / (1 + np.exp(-x))), rel=1e-5)
        assert numba == "False"
    assert outputs[0][0].split()[2] != "0"
    assert outputs[2][0].split()[2] == "0"


@pytest.fixture
def elsewhere(monkeypatch):
    """Stand on a machine where compiled code was never tried."""
    monkeypatch.setattr(kernel_runtime.platform, "machine", lambda: "another one")


def test_on_a_new_kind_of_machine_a_process_of_its_own_tries_first(place, elsewhere):
    assert kernel_runtime.proven()
    assert compile_cache.read(compile_cache.entry("proof")) == b"it works"


def test_where_the_trial_fails_nothing_is_compiled(place, elsewhere, monkeypatch):
    monkeypatch.setattr(kernel_runtime, "_PROOF", "import os; os.abort()")
    assert not kernel_runtime.proven()
    monkeypatch.setattr(kernel_runtime, "_PROOF", "this is remembered and not tried again")
    assert not kernel_runtime.proven()
    assert compile_cache.read(compile_cache.entry("proof")) == b"it fails"
