"""The code of submissions, which the teacher's page shows."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add a table of cells; grading the same folder again fills it for earlier submissions."""
    op.create_table(
        "code",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
        sa.Column("digest", sa.String(128), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("assignment_id", "digest"),
    )
