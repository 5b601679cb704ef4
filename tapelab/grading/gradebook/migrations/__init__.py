"""The steps from one schema of the gradebook to the next, as Alembic runs them."""
