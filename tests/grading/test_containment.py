"""What a worker may read, use and leave behind, in each sandbox that this host has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.values import Unreadable
from tapelab.grading.assignment import Assignment, Limits
from tapelab.grading.grader import RemoteAnswer
from tapelab.grading.sandbox import backends
from tapelab.grading.sandbox.backends import BACKENDS, LESSONS, hidden_paths, readable_paths
from tapelab.grading.sandbox.namespaces import SCRATCH_ROOT
from tapelab.grading.submission import Cell, Submission
from tapelab.grading.worker_session import WorkerSession
from tests.grading.corpora_run import why_not

pytestmark = pytest.mark.slow
SOLVED = """
import tapelab as tf
@tf.exercise("1")
def answer():
"""


@pytest.fixture(params=["bubblewrap", "landlock"])
def backend(request):
    """Take each sandbox that confines files."""
    if why_not(request.param):
        pytest.skip(f"This host has no {request.param}: {why_not(request.param)}")
    return next(each for each in BACKENDS if each.name == request.param)


def run_in(backend, body, limits=Limits(seconds=20.0)):  # noqa: B008 - frozen
    """Run the body of a function in a worker; its value, or how the request ended."""
    source = SOLVED + "".join(f"    {line}\n" for line in body.strip().splitlines())
    exercise = Exercise("1", "Attack", "", ())
    assignment = Assignment.of("attack", (exercise,), limits=limits)
    submission = Submission("mallory", "", (Cell("1", source, {}),))
    session = WorkerSession(submission, assignment, backend, 0)
    try:
        return RemoteAnswer(exercise, session).result()
    except Unreadable as problem:
        return problem.ending
    finally:
        session.close()


def number(value):
    """The number that a worker sent."""
    return value.array.item()


READ_LESSONS = """
import pathlib, sys
import tapelab
size = 0
folders = [pathlib.Path(tapelab.__file__).parent / "exercises" / "lessons"]
folders += [pathlib.Path(each) / "tapelab" / "exercises" / "lessons" for each in sys.path]
for folder in folders:
    for path in folder.rglob("*"):
        try:
            size += len(path.read_bytes())
        except OSError:
            pass
return size
"""


def test_the_checks_of_shipped_lessons_are_not_readable(backend):
    assert any(path.match(str(LESSONS)) for path in hidden_paths())
    assert number(run_in(backend, READ_LESSONS)) == 0


def test_the_checks_of_shipped_lessons_cannot_be_imported(backend):
    body = "from tapelab.exercises.registry import LESSONS\nreturn len(LESSONS)"
    assert run_in(backend, body) == "raised"


READ_AND_WRITE = """
import pathlib
found = []
for path in map(pathlib.Path, {}):
    try:
        found.append(path.read_text())
        path.write_text("changed")
    except OSError:
        pass
return " ".join(found)
"""


def test_what_is_hidden_in_a_package_below_the_scratch_folder_is_not_readable(backend, monkeypatch):
    """All below the folder for temporary files is the worker's, a package in it is not."""
    with TemporaryDirectory(dir=SCRATCH_ROOT) as folder:
        package = Path(folder, "package")
        hidden = package / "lessons"
        hidden.mkdir(parents=True)
        files = [package / "shown.txt", hidden / "answers.txt"]
        for each in files:
            each.write_text(each.stem)
        for each in (package.parent, package, hidden, *files):
            each.chmod(0o777)
        readable = (*readable_paths(), package)
        monkeypatch.setattr(backends, "readable_paths", lambda: readable)
        monkeypatch.setattr(backends, "hidden_paths", lambda: (*hidden_paths(), hidden))
        assert run_in(backend, READ_AND_WRITE.format(list(map(str, files)))) == "shown"
        assert [each.read_text() for each in files] == ["shown", "answers"]


def test_what_is_hidden_lies_within_what_is_readable():
    """Otherwise hiding it would not be what keeps it out."""
    assert all(any(path in each.parents for path in readable_paths()) for each in hidden_paths())


SHARED_PAGES = """
import mmap, os, time
for _ in range(5):
    if os.fork() == 0:
        pages = mmap.mmap(-1, 300 << 20)
        for at in range(0, len(pages), 4096):
            pages[at] = 1
        time.sleep(60)
        os._exit(0)
time.sleep(60)
"""


def test_shared_pages_count_against_the_memory_limit(backend):
    assert run_in(backend, SHARED_PAGES, Limits(seconds=20.0, memory=1 << 30)) == "memory"


PAGES_OF_ALL = """
import mmap, os, time
pages = mmap.mmap(-1, 300 << 20)
for at in range(0, len(pages), 4096):
    pages[at] = 1
children = [os.fork() for _ in range(4)] if os.getpid() else []
if 0 in children:
    sum(pages[at] for at in range(0, len(pages), 4096))
    time.sleep(0.5)
    os._exit(0)
for child in children:
    os.waitpid(child, 0)
return 1
"""


def test_pages_that_processes_share_count_once(backend):
    assert number(run_in(backend, PAGES_OF_ALL, Limits(seconds=60.0, memory=1 << 30))) == 1


SLOW_BYTES = """
import os, stat, threading, time
def drip():
    for number in range(3, 20):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                os.set_blocking(number, False)
                os.write(number, b"TLW1" + bytes([255, 0, 0, 0]) + bytes([0, 0, 16, 0]))
                while True:
                    os.write(number, b" ")
                    time.sleep(0.04)
        except OSError:
            pass
threading.Thread(target=drip, daemon=True).start()
for _ in range(5):
    if os.fork() == 0:
        time.sleep(1)
        content = bytearray(300 << 20)
        time.sleep(60)
        os._exit(0)
time.sleep(60)
"""


def test_a_worker_that_keeps_sending_is_watched_all_the_same(backend):
    assert run_in(backend, SLOW_BYTES, Limits(seconds=20.0, memory=1 << 30)) == "memory"


WRITE_OUTSIDE = """
import os, pathlib
written = []
for folder in ("/", "/dev", "/etc", "/usr", "/opt", "/var", "/home"):
    try:
        path = pathlib.Path(folder, "written")
        path.write_bytes(bytes(1 << 20))
        written.append(folder)
    except OSError:
        pass
return ", ".join(written)
"""


def test_nothing_but_the_small_folders_is_writable(backend):
    assert run_in(backend, WRITE_OUTSIDE) == ""


FILTERS = """
import pathlib
filters = set()
for path in pathlib.Path("/proc").glob("[0-9]*/status"):
    fields = dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)
    filters.add(fields["Seccomp"].strip())
return ", ".join(sorted(filters))
"""


def test_every_process_that_a_worker_sees_has_the_filter_of_system_calls(backend):
    assert run_in(backend, FILTERS) == "2"


def test_sixty_busy_neighbours_take_no_point(backend):
    """A second of work has a limit of two, on a host that is busy with something else."""
    body = """
import time
start = time.process_time()
while time.process_time() - start < 1.0:
    sum(range(1000))
return 1
"""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(60)]
    try:
        assert number(run_in(backend, body, Limits(seconds=2.0))) == 1
    finally:
        for each in loops:
            each.kill()
            each.wait()


def test_loops_of_its_own_use_up_its_time(backend):
    body = """
import os
for _ in range(8):
    if os.fork() == 0:
        while True:
            pass
while True:
    pass
"""
    assert run_in(backend, body, Limits(seconds=2.0)) == "timeout"


def test_a_worker_that_sleeps_for_ever_is_ended(backend):
    assert run_in(backend, "import time\ntime.sleep(1e6)", Limits(seconds=0.5)) == "timeout"
