"""The tables of a gradebook, as SQLAlchemy maps them; migrations/ makes them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Moment(TypeDecorator[datetime]):
    """A time in UTC, which SQLite keeps without saying so."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To the database: in UTC."""
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """From the database: with its zone."""
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


class Table(DeclarativeBase):
    """All tables of a gradebook."""

    type_annotation_map = {datetime: Moment, dict[str, str]: JSON}  # noqa: RUF012 - SQLAlchemy's way


class Numbered(Table):
    """A table whose rows have a number."""

    __abstract__ = True

    id: Mapped[int] = mapped_column(primary_key=True)


class StudentRow(Numbered):
    """Somebody of the course."""

    __tablename__ = "student"

    login: Mapped[str] = mapped_column(String(200), unique=True)
    name: Mapped[str] = mapped_column(Text)
    email: Mapped[str] = mapped_column(Text)
    ids: Mapped[dict[str, str]]


class AssignmentRow(Numbered):
    """What is to be handed in; `parts` and `policy` are JSON."""

    __tablename__ = "assignment"

    name: Mapped[str] = mapped_column(String(200), unique=True)
    title: Mapped[str] = mapped_column(Text)
    version: Mapped[str] = mapped_column(String(128))
    parts: Mapped[str] = mapped_column(Text)
    policy: Mapped[str] = mapped_column(Text)
    due: Mapped[datetime | None]


class SubmissionRow(Numbered):
    """The same files of the same student are one submission, however often they are read."""

    __tablename__ = "submission"
    __table_args__ = (
        UniqueConstraint("assignment_id", "student_id", "digest"),
        Index("submission_digest", "assignment_id", "digest"),
    )

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    student_id: Mapped[int] = mapped_column(ForeignKey("student.id"))
    digest: Mapped[str] = mapped_column(String(128))
    received: Mapped[datetime]
    path: Mapped[str] = mapped_column(Text)


class ResultRow(Numbered):
    """Exists once for the files and the version; the same files of two students share it."""

    __tablename__ = "result"
    __table_args__ = (UniqueConstraint("assignment_id", "digest", "version"),)

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    digest: Mapped[str] = mapped_column(String(128))
    version: Mapped[str] = mapped_column(String(128))
    points: Mapped[float]
    of: Mapped[float]
    json: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime]


class FailureRow(Numbered):
    """Why there is no result; it goes when there is one."""

    __tablename__ = "failure"
    __table_args__ = (UniqueConstraint("assignment_id", "digest", "version"),)

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    digest: Mapped[str] = mapped_column(String(128))
    version: Mapped[str] = mapped_column(String(128))
    why: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime]


class ClaimRow(Numbered):
    """A grader works on the files, until a time by the clock of the database."""

    __tablename__ = "claim"
    __table_args__ = (
        UniqueConstraint("assignment_id", "digest", "version"),
        Index("claim_holder", "holder"),
    )

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    digest: Mapped[str] = mapped_column(String(128))
    version: Mapped[str] = mapped_column(String(128))
    holder: Mapped[str] = mapped_column(String(200))
    until: Mapped[float]


class TapeRow(Numbered):
    """What the tape of an exercise recorded, compressed; pictures are drawn from it."""

    __tablename__ = "tape"
    __table_args__ = (UniqueConstraint("assignment_id", "digest", "version", "exercise"),)

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    digest: Mapped[str] = mapped_column(String(128))
    version: Mapped[str] = mapped_column(String(128))
    exercise: Mapped[str] = mapped_column(String(200))
    content: Mapped[bytes]


class CodeRow(Numbered):
    """The cells of a submission, compressed; the same files of two students share them."""

    __tablename__ = "code"
    __table_args__ = (UniqueConstraint("assignment_id", "digest"),)

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    digest: Mapped[str] = mapped_column(String(128))
    content: Mapped[bytes]


class MarkRow(Numbered):
    """Points by hand, one of a kind for each exercise; grading never writes here."""

    __tablename__ = "mark"
    __table_args__ = (UniqueConstraint("assignment_id", "student_id", "exercise", "kind"),)

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    student_id: Mapped[int] = mapped_column(ForeignKey("student.id"))
    exercise: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(20))
    points: Mapped[float]
    comment: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)


class CommentRow(Numbered):
    """What a person wrote for a student."""

    __tablename__ = "comment"
    __table_args__ = (Index("comment_student", "assignment_id", "student_id"),)

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    student_id: Mapped[int] = mapped_column(ForeignKey("student.id"))
    exercise: Mapped[str] = mapped_column(String(200))
    text: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime]


class GradeRow(Numbered):
    """What a student has for an assignment; it follows from other tables (grade_rows.py)."""

    __tablename__ = "grade"
    __table_args__ = (
        UniqueConstraint("assignment_id", "student_id"),
        Index("grade_student", "student_id"),
        Index(
            "grade_counts", "assignment_id", "attempts", "ungraded", "final", "digest", "by_hand"
        ),
    )

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    student_id: Mapped[int] = mapped_column(ForeignKey("student.id"))
    points: Mapped[float]
    of: Mapped[float]
    penalty: Mapped[float]
    extra: Mapped[float]
    final: Mapped[float]
    attempts: Mapped[int]
    ungraded: Mapped[int]
    days_late: Mapped[float]
    digest: Mapped[str] = mapped_column(String(128))
    received: Mapped[datetime | None]
    by_hand: Mapped[bool]
    graded_at: Mapped[datetime | None]


class VerdictsRow(Numbered):
    """The verdicts of the attempt that counts, in a table that only some pages read."""

    __tablename__ = "verdicts"
    __table_args__ = (UniqueConstraint("assignment_id", "student_id"),)

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    student_id: Mapped[int] = mapped_column(ForeignKey("student.id"))
    cells: Mapped[bytes]
    codes: Mapped[str] = mapped_column(Text)


class CheckRow(Numbered):
    """A check that some result has; `position` is its place among the verdicts of a student."""

    __tablename__ = "graded_check"
    __table_args__ = (UniqueConstraint("assignment_id", "position"),)

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    position: Mapped[int]
    exercise: Mapped[str] = mapped_column(String(200))
    key: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
    visibility: Mapped[str] = mapped_column(String(20))
    of: Mapped[float]


class OutdatedRow(Numbered):
    """An assignment of an older gradebook, whose grades are not kept yet."""

    __tablename__ = "outdated"
    __table_args__ = (UniqueConstraint("assignment_id"),)

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))


class HistoryRow(Numbered):
    """Only ever added to; triggers of the database see to it."""

    __tablename__ = "history"
    __table_args__ = (Index("history_about", "about"),)

    at: Mapped[datetime]
    who: Mapped[str] = mapped_column(Text)
    what: Mapped[str] = mapped_column(String(40))
    about: Mapped[str] = mapped_column(Text)
    before: Mapped[str] = mapped_column(Text)
    after: Mapped[str] = mapped_column(Text)
