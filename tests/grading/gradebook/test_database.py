"""Opening a gradebook upgrades an older one and says in words why another cannot be opened.

An interrupt within a transaction waits for its end, and is not forgotten.
"""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from tapelab.grading.gradebook import Gradebook, database
from tapelab.grading.gradebook.database import signals_deferred
from tapelab.grading.gradebook.entities import Listed, Student
from tapelab.grading.gradebook.gradebook_errors import (
    ConnectionLostError,
    DamagedError,
    DiskFullError,
    ForeignError,
    LockedError,
    NewerSchemaError,
    ReadOnlyError,
    UnfitError,
    UnknownNameError,
)
from tapelab.grading.gradebook.tables import Table
from tests.fixtures.cheap_grading import result


@pytest.fixture
def file(tmp_path):
    """A gradebook in a file, with a student in it."""
    file = tmp_path / "course.db"
    with Gradebook.open(file) as book:
        book.add_student(Student("ada"))
        book.put_assignment(Listed("sums", "Sums", "v1"))
    return file


@pytest.fixture
def older(monkeypatch):
    """Make gradebooks as they were after the first step."""

    def make(place):
        upgrade = command.upgrade
        with monkeypatch.context() as earlier:
            earlier.setattr(database, "SCHEMA", "0001")
            earlier.setattr(command, "upgrade", lambda config, to: upgrade(config, "0001"))
            url = database.to_url(place)
            database.open_engine(url, patience=1.0, create=True).dispose()
        engine = database.create_engine(url)
        with engine.begin() as connection:
            row = "INSERT INTO student (login, name, email, ids) VALUES ('ada', 'Ada', '', '{}')"
            connection.execute(text(row))
        engine.dispose()

    return make


def test_the_schema_is_the_last_step_that_there_is():
    config = Config()
    config.set_main_option("script_location", str(database.MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [database.SCHEMA]


def test_the_steps_make_the_tables_that_the_models_describe(book):
    found = inspect(book._engine)
    for table in Table.metadata.sorted_tables:
        made = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
        assert made == {column.name: column.nullable for column in table.columns}
        keys = {tuple(key["column_names"]) for key in found.get_unique_constraints(table.name)}
        meant = (c for c in table.constraints if type(c).__name__ == "UniqueConstraint")
        assert keys == {tuple(column.name for column in key.columns) for key in meant}


def test_an_older_gradebook_is_upgraded_and_keeps_what_is_in_it(older, new_place):
    older(new_place)
    with Gradebook.open(new_place) as book:
        assert book.students() == (Student("ada", "Ada"),)
        book.add_student(Student("bob"))
        assert [event.about for event in book.history()] == ["bob"]


def test_a_copy_stays_of_a_file_that_is_upgraded(older, tmp_path):
    older(tmp_path / "course.db")
    Gradebook.open(tmp_path / "course.db").close()
    copy = tmp_path / f"course.db.before-{database.SCHEMA}-from-0001"
    with closing(sqlite3.connect(copy)) as kept:
        assert kept.execute("SELECT login FROM student").fetchall() == [("ada",)]
        assert kept.execute("SELECT version_num FROM gradebook_version").fetchall() == [("0001",)]


def test_a_new_or_present_gradebook_leaves_no_copy(file):
    Gradebook.open(file).close()
    assert list(file.parent.glob("*before*")) == []


def test_a_newer_gradebook_is_refused_and_left_alone(new_place):
    with Gradebook.open(new_place) as book, book._engine.begin() as connection:
        connection.execute(text("UPDATE gradebook_version SET version_num = '9000'"))
    with pytest.raises(NewerSchemaError, match=r"schema 9000; this one knows.*Upgrade tapelab"):
        Gradebook.open(new_place)


def test_a_database_of_something_else_is_refused(new_place):
    engine = database.create_engine(database.to_url(new_place))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE songs (title TEXT)"))
    engine.dispose()
    with pytest.raises(ForeignError, match="a table songs"):
        Gradebook.open(new_place)


def test_a_file_that_is_no_database_is_called_damaged(tmp_path):
    (tmp_path / "course.db").write_text("To be or not to be. " * 100)
    with pytest.raises(DamagedError, match="file is not a database"):
        Gradebook.open(tmp_path / "course.db")


def test_a_damaged_gradebook_is_refused_before_anything_is_written(file):
    content = bytearray(file.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    file.write_bytes(content)
    with pytest.raises(DamagedError, match="Nothing was written to it"):
        Gradebook.open(file)
    assert file.read_bytes() == bytes(content)


def test_a_missing_file_is_no_empty_gradebook(tmp_path):
    with pytest.raises(UnknownNameError, match="tapelab gradebook init"):
        Gradebook.open(tmp_path / "course.db", create=False)


def test_a_folder_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(ReadOnlyError, match="unable to open database file"):
        Gradebook.open(tmp_path / "nowhere" / "course.db")


@pytest.mark.parametrize("url", ["mysql://a/b", "://", "http://x"])
def test_other_databases_are_refused(url):
    with pytest.raises(UnfitError, match="names no gradebook"):
        Gradebook.open(url)


def test_a_password_is_in_no_message(tmp_path):
    with pytest.raises(ConnectionLostError) as refused:
        Gradebook.open(f"postgresql://me:secret@/course?host={tmp_path}", patience=1)
    assert "secret" not in str(refused.value)
    assert "Look whether the server runs" in str(refused.value)


def test_another_writer_is_waited_for_and_then_reported_of(place):
    with Gradebook.open(place) as first, Gradebook.open(place, patience=0.05) as second:
        first.put_assignment(Listed("sums", "Sums", "v1"))
        with first._writing() as session:
            session.execute(text("UPDATE assignment SET title = 'Mine'"))
            with pytest.raises(LockedError, match="written by somebody else"):
                second.put_assignment(Listed("sums", "Yours", "v1"))
        assert second.assignment("sums").title == "Mine"


def test_a_reader_does_not_wait_for_a_writer(place):
    with (
        Gradebook.open(place) as first,
        Gradebook.open(place, patience=0.05) as second,
        first._writing() as session,
    ):
        session.execute(text("DELETE FROM student"))
        assert second.students() == ()


def test_a_full_disk_is_reported_and_what_was_there_stays(file):
    with Gradebook.open(file) as book:
        book.record(result("d1", "ada", 1.0))
        with book._engine.connect() as connection:
            pages = connection.execute(text("PRAGMA page_count")).scalar_one()
            connection.execute(text(f"PRAGMA max_page_count = {pages}"))
        with pytest.raises(DiskFullError, match="Make room"):
            book.record(result("d2", "ada", 1.0, code="x" * 100_000))
        assert isinstance(DiskFullError(), OSError)
    with Gradebook.open(file) as book:
        assert book.latest("sums", "d1") is not None
        assert book.latest("sums", "d2") is None


def test_a_connection_that_was_ended_by_the_server_costs_nothing(new_database):
    with Gradebook.open(new_database) as book, Gradebook.open(new_database) as other:
        book.put_assignment(Listed("sums", "Sums", "v1"))
        end_all_but(other)
        assert book.record(result("d1", "ada", 1.0))
        assert book.latest("sums", "d1") is not None


def end_all_but(book):
    """Let the server end the connections of all others."""
    ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with book._engine.begin() as connection:
        connection.execute(text(f"{ended} AND datname = current_database()"))


def test_two_that_open_a_new_gradebook_at_once_both_succeed(new_place):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as together:
        books = list(together.map(lambda number: Gradebook.open(new_place), range(4)))
    assert [book.students() for book in books] == [()] * 4
    for book in books:
        book.close()


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_comes_when_the_block_is_left():
    done = []

    def block():
        with signals_deferred():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest of the block")

    for calls in (1, 2):  # the second time shows that the first one left all as it was
        with pytest.raises(KeyboardInterrupt):
            block()
        assert len(done) == calls


@pytest.mark.usefixtures("interruptible")
def test_what_is_written_while_an_interrupt_comes_is_kept(book, monkeypatch):
    add = type(book)._add

    def interrupted(self, session, student):
        signal.raise_signal(signal.SIGINT)
        add(self, session, student)

    monkeypatch.setattr(type(book), "_add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        book.add_student(Student("ada"))
    assert [student.login for student in book.students()] == ["ada"]
