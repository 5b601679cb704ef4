"""Alembic loads this to run the steps, on the connection that opening.py holds."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    version_table=context.config.attributes["version_table"],
    transactional_ddl=True,  # all steps or none, on both databases
)
context.run_migrations()
