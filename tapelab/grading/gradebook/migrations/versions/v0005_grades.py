"""What each student has for each assignment, kept so that no page computes it from all results."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the tables, and note that they have to be filled for the assignments there are."""
    of_a_student(
        "grade",
        sa.Column("points", sa.Float, nullable=False),
        sa.Column("of", sa.Float, nullable=False),
        sa.Column("penalty", sa.Float, nullable=False),
        sa.Column("extra", sa.Float, nullable=False),
        sa.Column("final", sa.Float, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("ungraded", sa.Integer, nullable=False),
        sa.Column("days_late", sa.Float, nullable=False),
        sa.Column("digest", sa.String(128), nullable=False),
        sa.Column("received", sa.DateTime(timezone=True)),
        sa.Column("by_hand", sa.Boolean, nullable=False),
        sa.Column("graded_at", sa.DateTime(timezone=True)),
    )
    op.create_index(
        "grade_counts", "grade",
        ["assignment_id", "attempts", "ungraded", "final", "digest", "by_hand"],
    )  # fmt: skip
    op.create_index("grade_student", "grade", ["student_id"])
    of_a_student(
        "verdicts",
        sa.Column("cells", sa.LargeBinary, nullable=False),
        sa.Column("codes", sa.Text, nullable=False),
    )
    op.create_table(
        "graded_check",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("exercise", sa.String(200), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("visibility", sa.String(20), nullable=False),
        sa.Column("of", sa.Float, nullable=False),
        sa.UniqueConstraint("assignment_id", "position"),
    )
    op.create_table(
        "outdated",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
        sa.UniqueConstraint("assignment_id"),
    )
    op.execute("INSERT INTO outdated (assignment_id) SELECT id FROM assignment")
    op.create_index("submission_digest", "submission", ["assignment_id", "digest"])
    op.create_index("comment_student", "comment", ["assignment_id", "student_id"])
    if op.get_bind().dialect.name == "postgresql":
        # By bytes, so that what begins with a name is a range of it in any language.
        op.execute('CREATE INDEX history_about_bytes ON history (about COLLATE "C")')


def of_a_student(name: str, *columns: sa.Column[object]) -> None:
    """Make a table with one row for a student and an assignment."""
    op.create_table(
        name,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
        sa.Column("student_id", sa.Integer, sa.ForeignKey("student.id"), nullable=False),
        *columns,
        sa.UniqueConstraint("assignment_id", "student_id"),
    )
