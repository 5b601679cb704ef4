"""Workers are forks of one server: each begins in the same state, whatever others did before."""

from __future__ import annotations

import fcntl
import os
import select
import threading
from pathlib import Path

import pytest

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.values import Unreadable
from tapelab.grading.assignment import Assignment, Limits
from tapelab.grading.grader import RemoteAnswer
from tapelab.grading.sandbox import backends
from tapelab.grading.sandbox.backends import BACKENDS, LANDLOCK
from tapelab.grading.sandbox.process_tree import descendants
from tapelab.grading.submission import Cell, Submission
from tapelab.grading.worker_session import WorkerSession
from tests.grading.corpora_run import why_not

pytestmark = pytest.mark.slow
AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")


@pytest.fixture(params=["bubblewrap", "landlock"])
def backend(request):
    """Take each sandbox that has a fork server."""
    if why_not(request.param):
        pytest.skip(f"This host has no {request.param}: {why_not(request.param)}")
    return next(each for each in BACKENDS if each.name == request.param)


def run_in(backend, cell, during=lambda: None):
    """Run a cell that defines `answer` in a worker; its value, or how the request ended."""
    source = cell + "\nimport tapelab as tf\ntf.exercise('1')(answer)\n"
    exercise = Exercise("1", "State", "", ())
    assignment = Assignment.of("state", (exercise,), limits=Limits(seconds=20.0))
    session = WorkerSession(Submission("a", "", (Cell("1", source, {}),)), assignment, backend, 0)
    try:
        RemoteAnswer(exercise, session).result()
        during()
        return RemoteAnswer(exercise, session).result()
    except Unreadable as problem:
        return problem.ending
    finally:
        session.close()


LEAVE = """
import builtins, os, pathlib, sys, threading, time
import numpy as np, tapelab
builtins.left = tapelab.left = sys.modules["left"] = tapelab
np.add, np.left = np.subtract, 1
np.random.seed(1)
sys.path.insert(0, "/left")
os.environ["LEFT"] = "1"
places = (".", "/tmp", "/dev/shm", os.environ["HOME"])
written = []
for place in places:
    try:
        pathlib.Path(place, "left").write_text("left")
        written.append(place)
    except OSError:
        pass
assert written
if os.fork() == 0:
    os.setsid()
    time.sleep(600)
threading.Thread(target=time.sleep, args=(600,), name="left", daemon=True).start()
def answer():
    return 1
"""
LOOK = """
import builtins, os, pathlib, sys, threading
import numpy as np, tapelab
left = [hasattr(each, "left") for each in (builtins, tapelab, np)]
left += ["left" in sys.modules, np.add(1, 1) != 2, "/left" in sys.path, "LEFT" in os.environ]
left += [pathlib.Path(place, "left").exists() for place in
         (".", "/tmp", "/dev/shm", os.environ["HOME"])]
processes = {int(each) for each in os.listdir("/proc") if each.isdigit()}
left += [processes != {os.getpid()}, "left" in [each.name for each in threading.enumerate()]]
def answer():
    return np.array(left, float)
"""


def test_nothing_of_one_submission_reaches_the_next(backend):
    assert run_in(backend, LEAVE).array.item() == 1
    assert not run_in(backend, LOOK).array.any()


def test_what_a_submission_leaves_would_be_noticed(backend):
    """Otherwise nothing would follow from finding nothing."""
    both = LEAVE.replace("os.fork()", "1") + LOOK.replace("import builtins", "\nimport builtins")
    left = run_in(backend, both).array
    assert left[:7].all()
    assert left[7:11].any()
    assert left[12]


INVENTORY = """
import os, stat, sys
import numpy as np
def answer():
    kinds = [os.fstat(int(each)).st_mode for each in os.listdir("/proc/self/fd")
             if os.path.exists(f"/proc/self/fd/{each}")]
    sockets = sum(map(stat.S_ISSOCK, kinds))
    names = [each for each in sys.modules if ".lessons" in each or each.endswith(".judge")]
    return np.array([sockets, len(names)], float)
"""


def test_a_worker_has_no_socket_of_the_server_and_no_module_with_answers(backend):
    sockets, names = run_in(backend, INVENTORY).array
    assert sockets <= 2  # the event loop of the shell wakes itself up by a pair
    assert names == 0


GET_PARENT = 0xB702
"""The number of the request for the namespace above one."""


def namespace(process, kind):
    """The number of a namespace of a process."""
    return Path(f"/proc/{process}/ns/{kind}").stat().st_ino


def test_a_worker_has_namespaces_of_its_own_within_those_of_its_server(backend):
    def look():
        server = backends._SERVERS.__dict__[backend.name]._process.pid
        *above, worker = descendants(server)
        server = above[1] if backend.name == "bubblewrap" else server  # below bwrap itself
        if namespace(worker, "net") == namespace(os.getpid(), "net"):
            pytest.skip("This host allows no namespaces.")
        for kind in ("pid", "net", "ipc", "uts", "mnt"):
            assert namespace(worker, kind) != namespace(server, kind)
        own = os.open(f"/proc/{worker}/ns/pid", os.O_RDONLY)
        above = fcntl.ioctl(own, GET_PARENT)
        assert os.fstat(above).st_ino == namespace(server, "pid")
        os.close(own)
        os.close(above)

    run_in(backend, "def answer():\n    return 1", during=look)


SESSIONS = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
def answer():
    return 1
"""


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="This kernel groups no sessions.")
def test_a_submission_is_one_group_of_the_scheduler_however_many_sessions_it_asks_for(backend):
    def look():
        server = backends._SERVERS.__dict__[backend.name]._process.pid
        *_, worker = (each for each in descendants(server) if len(descendants(each)) == 4)
        groups = {Path(f"/proc/{each}/autogroup").read_text() for each in descendants(worker)}
        assert len(groups) == 1
        assert groups != {Path(f"/proc/{server}/autogroup").read_text()}

    assert run_in(backend, SESSIONS, during=look).array.item() == 1


def test_a_server_that_was_killed_is_replaced(backend):
    run_in(backend, "def answer():\n    return 1")
    (server,) = [each for name, each in vars(backends._SERVERS).items() if name == backend.name]
    server._process.kill()
    server._process.wait()
    assert run_in(backend, "def answer():\n    return 2").array.item() == 2


def test_workers_end_with_their_server(backend):
    """And with the grader: the kernel ends a server with the thread that started it."""
    workers, ended, endings = [], [], []

    def grade_and_stop():
        endings.append(run_in(backend, "def answer():\n    return 1", during=look))

    def look():
        (server,) = [each for name, each in vars(backends._SERVERS).items() if name == backend.name]
        workers.extend(map(os.pidfd_open, descendants(server._process.pid)[1:]))
        server._process.kill()
        for descriptor in workers:
            ended.append(bool(select.select([descriptor], [], [], 20)[0]))
            os.close(descriptor)

    thread = threading.Thread(target=grade_and_stop)
    thread.start()
    thread.join()
    assert endings == ["crashed"]
    assert len(workers) >= 2
    assert all(ended)


def test_the_server_of_a_thread_ends_with_it():
    if why_not(LANDLOCK):
        pytest.skip(f"This host has no {LANDLOCK}")
    backend = next(each for each in BACKENDS if each.name == LANDLOCK)
    servers = []

    def grade():
        run_in(backend, "def answer():\n    return 1")
        servers.append(vars(backends._SERVERS)[LANDLOCK]._process)

    thread = threading.Thread(target=grade)
    thread.start()
    thread.join()
    assert servers[0].wait(20) is not None
    assert servers[0].pid not in descendants(os.getpid())
