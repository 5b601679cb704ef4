"""Claims on submissions, so that several graders share a gradebook and none does another's work.

A grader claims a submission before it grades it. The claim is a lease: it ends by itself unless it
is renewed, so the submissions of a grader that died are free for others, at once on the machine
where it ran. The clock of leases is that of the database. Results do not depend on claims: should
a lease end too early, two graders compute the same result, and it is kept once.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sqlalchemy import ColumnElement, Float, delete, literal_column, or_, select, update
from sqlalchemy.orm import Session

from tapelab.grading.gradebook.gradebook_errors import GradebookError
from tapelab.grading.gradebook.roster import Roster
from tapelab.grading.gradebook.tables import ClaimRow, FailureRow, ResultRow
from tapelab.grading.gradebook.transactions import INSERTS, assignment_row

LEASE_SECONDS: Final = 60.0
"""How long a claim holds that is not renewed."""
RENEWALS: Final = 4
"""How often a claim is renewed while it would hold."""
_CLOCKS: Final[dict[str, ColumnElement[float]]] = {
    "sqlite": literal_column("(julianday('now') - 2440587.5) * 86400.0", Float),
    "postgresql": literal_column("extract(epoch FROM clock_timestamp())", Float),
}
"""Seconds since 1970, by the clock of the database."""


class Claim(StrEnum):
    """What became of the wish to grade a submission."""

    GRANTED = "granted"
    GRADED = "graded"
    """It has a result."""
    FAILED = "failed"
    """Another grader tried meanwhile."""
    TAKEN = "taken"
    """Another grader works on it."""


class Claims(Roster):
    """Who grades what at the moment."""

    def claim(
        self, assignment: str, digest: str, version: str, holder: str, *, since: datetime,
        again: bool = False,
    ) -> Claim:  # fmt: skip
        """Claim a submission that has no result, or `again`, and that did not fail since then."""

        def write(session: Session) -> Claim:
            known = assignment_row(session, assignment)
            key = {"assignment_id": known.id, "digest": digest, "version": version}
            if not self._insert_claim(session, key, holder):
                return Claim.TAKEN
            # Only now: until here another grader may have been writing its result.
            failed = select(FailureRow.id).filter_by(**key).where(FailureRow.at >= since)
            done = select(ResultRow.id).filter_by(**key)
            outcome = Claim.GRANTED
            if not again and session.scalar(done) is not None:
                outcome = Claim.GRADED
            elif session.scalar(failed) is not None:
                outcome = Claim.FAILED
            if outcome is not Claim.GRANTED:
                end_claim(session, key)
            return outcome

        return self._lasting(write)

    def _insert_claim(self, session: Session, key: dict[str, Any], holder: str) -> bool:
        """Insert a claim, or take over one that has ended, in one statement; whether it is ours."""
        clock = _CLOCKS[self._engine.dialect.name]
        other = session.scalar(select(ClaimRow.holder).filter_by(**key))
        gone = other if other is not None and is_abandoned(other) else holder
        values = {"holder": holder, "until": clock + LEASE_SECONDS}
        free = or_(ClaimRow.until < clock, ClaimRow.holder == holder, ClaimRow.holder == gone)
        insert = INSERTS[self._engine.dialect.name](ClaimRow).values(**key, **values)
        upsert = insert.on_conflict_do_update(index_elements=list(key), set_=values, where=free)
        return session.execute(upsert.returning(ClaimRow.id)).first() is not None

    def renew_claims(self, holder: str) -> None:
        """Extend all claims of a grader."""
        until = _CLOCKS[self._engine.dialect.name] + LEASE_SECONDS
        ours = update(ClaimRow).where(ClaimRow.holder == holder).values(until=until)
        self._lasting(lambda session: session.execute(ours))

    def release_claims(self, holder: str) -> None:
        """End all claims of a grader."""
        ours = delete(ClaimRow).where(ClaimRow.holder == holder)
        self._lasting(lambda session: session.execute(ours))

    @contextmanager
    def holding_claims(self) -> Iterator[str]:
        """The name of a new holder, whose claims are renewed within the block and end with it."""
        holder, left = new_holder(), threading.Event()
        thread = threading.Thread(
            target=_renew_until, args=(left, lambda: self.renew_claims(holder)), daemon=True
        )
        thread.start()
        try:
            yield holder
        finally:
            left.set()
            thread.join()
            with suppress(GradebookError):  # the leases end by themselves
                self.release_claims(holder)


def _renew_until(left: threading.Event, renew: Callable[[], None]) -> None:
    while not left.wait(LEASE_SECONDS / RENEWALS):
        with suppress(GradebookError):  # where a database is away for long, leases end
            renew()


def end_claim(session: Session, key: dict[str, Any]) -> None:
    """End the claim on a submission, in the transaction that writes what came of it."""
    session.execute(delete(ClaimRow).filter_by(**key))


def new_holder() -> str:
    """A name for a grader of this process that other processes of this machine recognise."""
    return f"{_machine()} {os.getpid()} {_start_time(os.getpid())} {secrets.token_hex(8)}"


def is_abandoned(holder: str) -> bool:
    """Whether a holder is a process of this machine that has ended; False where that is unknown."""
    machine, pid, started, _ = holder.rsplit(" ", 3)
    return machine == _machine() and bool(started) and _start_time(int(pid)) != started


def _machine() -> str:
    """The machine, and on Linux the namespace in which its processes have their numbers."""
    with suppress(OSError):
        return f"{socket.gethostname()} {Path('/proc/self/ns/pid').readlink()}"
    return socket.gethostname()


def _start_time(pid: int) -> str:
    """When a process started, in ticks since the machine did; "-" where it does not run."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "-" if Path("/proc/self/stat").exists() else ""
    return "-" if state in "ZX" else fields[18]
