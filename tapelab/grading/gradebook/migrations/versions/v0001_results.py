"""Students, assignments, submissions and their results."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "student",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("login", sa.String(200), nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("ids", sa.JSON, nullable=False),
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("version", sa.String(128), nullable=False),
        sa.Column("parts", sa.Text, nullable=False),
        sa.Column("policy", sa.Text, nullable=False),
        sa.Column("due", sa.DateTime(timezone=True)),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
        sa.Column("student_id", sa.Integer, sa.ForeignKey("student.id"), nullable=False),
        sa.Column("digest", sa.String(128), nullable=False),
        sa.Column("received", sa.DateTime(timezone=True), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.UniqueConstraint("assignment_id", "student_id", "digest"),
    )
    outcome("result", sa.Column("points", sa.Float, nullable=False),
            sa.Column("of", sa.Float, nullable=False),
            sa.Column("json", sa.Text, nullable=False))  # fmt: skip
    outcome("failure", sa.Column("why", sa.Text, nullable=False))


def outcome(name: str, *columns: sa.Column[object]) -> None:
    """Make a table of what grading came to, one row for the files and the version."""
    op.create_table(
        name,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
        sa.Column("digest", sa.String(128), nullable=False),
        sa.Column("version", sa.String(128), nullable=False),
        *columns,
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("assignment_id", "digest", "version"),
    )
