"""Tapes, marks and comments by hand, and the history, which can only be added to."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

APPEND_ONLY_OF_SQLITE = """
CREATE TRIGGER history_no_{verb} BEFORE {verb} ON history
BEGIN SELECT RAISE(ABORT, 'the history can only be added to'); END
"""
APPEND_ONLY_OF_POSTGRES = """
CREATE FUNCTION history_stays() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the history can only be added to'; END $$
"""
GUARD_OF_POSTGRES = """
CREATE TRIGGER history_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON history
FOR EACH STATEMENT EXECUTE FUNCTION history_stays()
"""


def upgrade() -> None:
    """Add what tapes recorded, and what people write."""
    of_a_student("mark", sa.Column("kind", sa.String(20), nullable=False),
                 sa.Column("points", sa.Float, nullable=False),
                 sa.Column("comment", sa.Text, nullable=False),
                 sa.UniqueConstraint("assignment_id", "student_id", "exercise", "kind"),
                 )  # fmt: skip
    of_a_student("comment", sa.Column("text", sa.Text, nullable=False),
                 sa.Column("at", sa.DateTime(timezone=True), nullable=False))  # fmt: skip
    op.create_table(
        "tape",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
        sa.Column("digest", sa.String(128), nullable=False),
        sa.Column("version", sa.String(128), nullable=False),
        sa.Column("exercise", sa.String(200), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("assignment_id", "digest", "version", "exercise"),
    )
    op.create_table(
        "history",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("what", sa.String(40), nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
    )
    op.create_index("history_about", "history", ["about"])
    guard()


def guard() -> None:
    """Let the database itself refuse to change or to delete a line of the history."""
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(APPEND_ONLY_OF_SQLITE.format(verb=verb))
    else:
        op.execute(APPEND_ONLY_OF_POSTGRES)
        op.execute(GUARD_OF_POSTGRES)


def of_a_student(name: str, *columns: sa.Column[object] | sa.UniqueConstraint) -> None:
    """Make a table of what a person gave a student for an exercise."""
    op.create_table(
        name,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
        sa.Column("student_id", sa.Integer, sa.ForeignKey("student.id"), nullable=False),
        sa.Column("exercise", sa.String(200), nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        *columns,
    )
