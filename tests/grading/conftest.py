"""What tests of grading may ask for: a gradebook on each of the two databases."""

from __future__ import annotations

import itertools

import pytest

from tapelab.grading.gradebook import Gradebook
from tools import postgresql

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres():
    """Run a server of PostgreSQL for as long as tests do; give the URL to put a database into."""
    programs = postgresql.ensure()
    if programs is None:
        pytest.skip("PostgreSQL is not here and only root on Debian may install it")
    with postgresql.server(programs) as url:
        yield url


@pytest.fixture
def new_database(postgres):
    """Make an empty database on the server; give its URL."""
    import psycopg

    name = f"course{next(_numbers)}"
    with psycopg.connect(postgres.format(database="postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres.format(database=name)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Name a gradebook that is not there yet: a file, and a database on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "course.db")
    return request.getfixturevalue("new_database")


@pytest.fixture
def book(place):
    """Open a new gradebook, in the name of Grace."""
    with Gradebook.open(place, by="grace") as opened:
        yield opened
