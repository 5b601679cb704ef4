"""Places where nothing can be written, for real and as processes: clear words, and nothing lost."""

from __future__ import annotations

import socket
import sys

import pytest

pytestmark = [
    pytest.mark.slow,  # a process each
    pytest.mark.skipif(sys.platform != "linux", reason="/proc is read-only to everybody there"),
]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["show", "z.tape", "-o", "/proc/z.html"], "/proc/z.html cannot be written: "),
        (["export", "z.tape", "-o", "/proc/z.svg"], "/proc/z.svg cannot be written: "),
        (["lessons", "--copy", "/proc/mine"], "The lessons cannot be copied to /proc/mine: "),
        (["lab", "/proc/mine", "--no-browser"], "The lessons cannot be copied to /proc/mine: "),
    ],
)
def test_a_folder_that_nobody_may_write_ends_in_one_sentence(
    tapelab, tape, tmp_path, command, said
):
    before = tape.read_bytes()
    output = tapelab(*command, code=2)
    assert output.stderr.startswith(f"tapelab: {said}")
    assert len(output.stderr.splitlines()) == 1
    assert tape.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} <= {"z.tape", ".cache"}


def test_without_a_place_for_compiled_code_a_script_runs_all_the_same(tapelab, tmp_path):
    (tmp_path / "a.py").write_text(
        "import tapelab as tf\nx = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n"
        "    y = x * x\nprint(tape.gradient(y, x).numpy())\n"
    )
    places = {"TAPELAB_CACHE_DIR": "/proc/cache", "NUMBA_CACHE_DIR": "/proc/cache"}
    assert tapelab("explain", "a.py", **places).stdout.startswith("6.0\n")
    output = tapelab("doctor", **places).stdout
    cure = "Try: Set TAPELAB_CACHE_DIR"
    assert f"cannot be written; each process compiles again\n    {cure}" in output


def test_where_port_8888_is_taken_doctor_names_the_next_free_one(tapelab):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 8888))
            taken.listen()
        except OSError:
            pass  # somebody else has it, which is as good
        (line,) = [each for each in tapelab("doctor").stdout.splitlines() if " port: " in each]
    assert line.startswith("✓ port: ")
    assert int(line.rpartition(" ")[2]) > 8888
