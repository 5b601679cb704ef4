"""The database of a gradebook: transactions, the history they leave, and looking rows up."""

from __future__ import annotations

import getpass
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from sqlalchemy import Engine, Select, and_, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from tapelab.grading.gradebook.database import (
    is_lost,
    open_engine,
    reported_plainly,
    signals_deferred,
    to_url,
)
from tapelab.grading.gradebook.entities import Event, Listed, Part, Policy
from tapelab.grading.gradebook.gradebook_errors import UnknownNameError
from tapelab.grading.gradebook.tables import (
    AssignmentRow,
    CommentRow,
    HistoryRow,
    MarkRow,
    Numbered,
    StudentRow,
    SubmissionRow,
)

T = TypeVar("T")
Students = TypeVar("Students", SubmissionRow, MarkRow, CommentRow)
"""What a student has of an assignment."""
PAUSES: Final = (0.1, 0.5, 2.0, 5.0)
"""Seconds before each further try to reach a server that went away."""
Insert = sqlite.Insert | postgresql.Insert
INSERTS: Final[dict[str, Callable[[Any], Insert]]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


class Store:
    """What all parts of a gradebook share."""

    def __init__(self, engine: Engine, by: str) -> None:
        self._engine = engine
        self._writing_engine = engine.execution_options(writes=True)
        self._by = by
        self.place = engine.url.render_as_string(hide_password=True)

    @classmethod
    def open(
        cls, place: str | Path, *, create: bool = True, by: str = "", patience: float = 10.0
    ) -> Self:
        """Open a file of SQLite or the URL of a PostgreSQL database, upgrading an older one.

        `by` is who the history names, `patience` how many seconds to wait for another writer.
        """
        url = to_url(place)
        with reported_plainly(url.render_as_string(hide_password=True)):
            return cls(open_engine(url, patience=patience, create=create), by or _this_user())

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        """Itself; `with` closes it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with signals_deferred(), reported_plainly(self.place), Session(self._engine) as session:
            yield session

    @contextmanager
    def _writing(self) -> Iterator[Session]:
        """All that the block writes is kept together, or nothing is."""
        with (
            signals_deferred(),
            reported_plainly(self.place),
            Session(self._writing_engine) as session,
            session.begin(),
        ):
            yield session

    def _lasting(self, write: Callable[[Session], T]) -> T:
        """Write in a transaction, again if the connection was lost; only what may be repeated."""
        with reported_plainly(self.place):
            for pause in (*PAUSES, None):
                try:
                    with (
                        signals_deferred(),
                        Session(self._writing_engine) as session,
                        session.begin(),
                    ):
                        return write(session)
                except DBAPIError as error:
                    if pause is None or not is_lost(error):
                        raise
                time.sleep(pause)
        raise AssertionError("the last try returned or raised")

    def history(self, about: str = "") -> tuple[Event, ...]:
        """Who changed what, oldest first; of what begins with `about`."""
        rows = select(HistoryRow).where(HistoryRow.about.startswith(about, autoescape=True))
        with self._reading() as session:
            history_rows = session.scalars(rows.order_by(HistoryRow.id))
            return tuple(
                Event(r.at, r.who, r.what, r.about, r.before, r.after) for r in history_rows
            )

    def history_of(self, about: str) -> tuple[Event, ...]:
        """Who changed what, oldest first; of this and of what belongs to it, as `03/ada/03.1`."""
        # All that begins with "03/ada/", as a range, for which there is an index.
        name: Any = HistoryRow.about
        if self._engine.dialect.name == "postgresql":
            name = name.collate("C")
        own = or_(name == about, and_(name >= f"{about}/", name < f"{about}0"))
        with self._reading() as session:
            rows = session.scalars(select(HistoryRow).where(own).order_by(HistoryRow.id))
            return tuple(Event(r.at, r.who, r.what, r.about, r.before, r.after) for r in rows)

    def _note(
        self, session: Session, what: str, about: str, before: Any = "", after: Any = ""
    ) -> None:
        """Add a line to the history, within the transaction that makes the change."""
        session.add(
            HistoryRow(
                at=now(), who=self._by, what=what, about=about,
                before=_plain(before), after=_plain(after),
            )
        )  # fmt: skip

    def _new(self, session: Session, table: type[Numbered], **values: Any) -> bool:
        """Insert a row unless its key is there; whether it was inserted."""
        insert = INSERTS[self._engine.dialect.name](table).values(**values)
        added = session.execute(insert.on_conflict_do_nothing().returning(table.id))
        return added.first() is not None


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def student_row(session: Session, login: str) -> StudentRow:
    """The row of a student; UnknownNameError if there is none."""
    row = session.scalar(select(StudentRow).where(StudentRow.login == login))
    return row if row is not None else _unknown(session, "student", login, StudentRow.login)


def listed(row: AssignmentRow) -> Listed:
    """An assignment as its row has it."""
    parts = tuple(Part(*each) for each in json.loads(row.parts))
    policy = Policy.from_json(row.policy)
    return Listed(row.name, row.title, row.version, parts, row.due, policy)


def assignment_row(session: Session, name: str, *, locked: bool = False) -> AssignmentRow:
    """The row of an assignment; UnknownNameError if there is none.

    Who changes what its grades follow from has it `locked` until the transaction ends.
    """
    query = select(AssignmentRow).where(AssignmentRow.name == name)
    if locked:
        # Not its key: rows that name it are inserted meanwhile. And as it is once it is ours.
        query = query.with_for_update(key_share=True).execution_options(populate_existing=True)
    row = session.scalar(query)
    return row if row is not None else _unknown(session, "assignment", name, AssignmentRow.name)


def by_student(
    kind: type[Students], assignment: str, student: str | None = None
) -> Select[Students, str]:
    """The rows of an assignment with the logins of their students, sorted by these."""
    rows = (
        select(kind, StudentRow.login)
        .join(StudentRow, kind.student_id == StudentRow.id)
        .join(AssignmentRow, kind.assignment_id == AssignmentRow.id)
        .where(AssignmentRow.name == assignment)
        .order_by(StudentRow.login)
    )
    return rows if student is None else rows.where(StudentRow.login == student)


def _unknown(session: Session, what: str, name: str, column: Any) -> Any:
    raise unknown(what, name, list(session.scalars(select(column))))


def unknown(what: str, name: str, known: list[str]) -> UnknownNameError:
    """The error that says which names there are, the likely ones first."""
    close = get_close_matches(name, known, 3) or sorted(known)[:8]
    try_ = f"Did you mean {' or '.join(close)}?" if close else f"It has no {what} yet."
    return UnknownNameError(f"The gradebook has no {what} {name!r}. {try_}")


def _this_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"  # a container may run under a number that has no name


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
