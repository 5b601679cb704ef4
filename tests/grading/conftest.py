"""What tests of grading may ask for: a gradebook on each of the two databases."""

from __future__ import annotations

import contextlib
import itertools
import socket

import psycopg
import pytest

from tapelab.grading.gradebook import Gradebook
from tapelab.grading.gradebook.tables import Table
from tools import postgresql

_numbers = itertools.count()


class OpenPort:
    """An open port of this host, which no graded code may call."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self.port = self._server.getsockname()[1]

    def calls(self) -> int:
        """How many have called since the last count."""
        count = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                self._server.accept()[0].close()
                count += 1
        return count

    def close(self) -> None:
        """Give the port back."""
        self._server.close()


@pytest.fixture
def attack_server():
    """Open a port and notice who calls."""
    with contextlib.closing(OpenPort()) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres():
    """Run a server of PostgreSQL for as long as tests do; give the URL to put a database into."""
    programs = postgresql.find()
    if programs is None:
        pytest.skip("PostgreSQL is not here; `make test` installs it on Debian, as root")
    with postgresql.server(programs) as url:
        yield url


@pytest.fixture(scope="session")
def make_database(postgres):
    """Make empty databases on the server, of which each call gives the URL of another one."""

    def make() -> str:
        name = f"course{next(_numbers)}"
        with psycopg.connect(postgres.format(database="postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return postgres.format(database=name)

    return make


@pytest.fixture
def new_database(make_database):
    """Make an empty database on the server; give its URL."""
    return make_database()


@pytest.fixture(scope="session")
def shared_database(postgres):
    """Make a gradebook on the server that tests take in turns, which saves making many."""
    url = postgres.format(database="postgres")
    Gradebook.open(url).close()
    return url


@pytest.fixture
def wiped_database(shared_database):
    """Empty the shared gradebook, its history too, which only the owner of the database can."""
    tables = ", ".join(table.name for table in Table.metadata.sorted_tables)
    with psycopg.connect(shared_database) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(f"TRUNCATE {tables} RESTART IDENTITY")
    return shared_database


@pytest.fixture(params=["sqlite", "postgresql"])
def new_place(request, tmp_path):
    """Name a gradebook that is not there yet: a file, and a database on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "course.db")
    return request.getfixturevalue("new_database")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Name a gradebook in which nothing is."""
    if request.param == "sqlite":
        return str(tmp_path / "course.db")
    return request.getfixturevalue("wiped_database")


@pytest.fixture
def book(place):
    """Open a new gradebook, in the name of Grace."""
    with Gradebook.open(place, by="grace") as opened:
        yield opened
