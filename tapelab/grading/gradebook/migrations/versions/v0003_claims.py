"""Claims: which grader works on which submission, and until when."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table of claims."""
    op.create_table(
        "claim",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
        sa.Column("digest", sa.String(128), nullable=False),
        sa.Column("version", sa.String(128), nullable=False),
        sa.Column("holder", sa.String(200), nullable=False),
        sa.Column("until", sa.Float, nullable=False),
        sa.UniqueConstraint("assignment_id", "digest", "version"),
    )
    op.create_index("claim_holder", "claim", ["holder"])
