"""Attacks on the sandbox of this host: one of each kind, tried in a real worker."""

from __future__ import annotations

import socket
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from tapelab.exercises.exercise import Exercise
from tapelab.exercises.values import Unreadable
from tapelab.grading.assignment import Assignment, Limits
from tapelab.grading.grader import RemoteAnswer
from tapelab.grading.sandbox.backends import PACKAGE, Backend
from tapelab.grading.submission import Cell, Submission
from tapelab.grading.worker_session import WorkerSession

_ATTEMPTS: Final = """
import ctypes, os, signal, socket, time
import tapelab as tf

@tf.exercise("network")
def network(port, *_):
    with socket.create_connection(("127.0.0.1", port), 1):
        return "open"

@tf.exercise("files")
def files(_, secret, package):
    try:
        return "open " + open(secret).read()
    except OSError:
        return "open " + str(open(package, "a").close())

@tf.exercise("memory")
def memory(*_):
    return "open" + str(len(bytearray(1 << 33)))[:0]

@tf.exercise("processes")
def processes(*_):
    started = []
    try:
        for _ in range(200):
            child = os.fork()
            if child == 0:
                time.sleep(20)
                os._exit(0)
            started.append(child)
        return "open"
    finally:
        for child in started:
            os.kill(child, signal.SIGKILL)

@tf.exercise("namespaces")
def namespaces(*_):
    if ctypes.CDLL(None).unshare(0x10000000) == 0:
        return "open"
    raise OSError("held")
"""
HAZARDS: Final = ("network", "files", "memory", "processes", "namespaces")


@cache
def contained_attacks(backend: Backend) -> dict[str, bool]:
    """For each kind of attack, whether the sandbox contained it."""
    submission = Submission("probe", "", (Cell("probe", _ATTEMPTS, {}),))
    exercises = tuple(Exercise(hazard, hazard, "", ()) for hazard in HAZARDS)
    assignment = Assignment.of("probe", exercises, limits=Limits(seconds=20.0))
    session = WorkerSession(submission, assignment, backend, 0)
    with tempfile.NamedTemporaryFile("w") as secret, socket.create_server(("127.0.0.1", 0)) as port:
        Path(secret.name).chmod(0o644)
        secret.write("secret")
        secret.flush()
        given = port.getsockname()[1], secret.name, str(PACKAGE / "version.py")
        try:
            return {each.id: is_contained(RemoteAnswer(each, session), given) for each in exercises}
        finally:
            session.close()


def is_contained(answer: RemoteAnswer, given: tuple[object, ...]) -> bool:
    try:
        answer.result(*given)
    except Unreadable as problem:
        return problem.ending in ("raised", "memory", "crashed")
    return False
