"""The database of a gradebook: connecting, migrating, and reporting its errors in plain sentences.

SQLite runs in WAL mode with full synchronisation; a writer takes its turn when it begins, because a
reader that starts writing later would fail. An older gradebook is copied, then migrated; a newer, a
foreign or a damaged one is refused before anything is written. Signals wait until a transaction has
ended: a driver interrupted inside one cannot continue.
"""

from __future__ import annotations

import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from tapelab.grading.gradebook.gradebook_errors import (
    ConnectionLostError,
    DamagedError,
    DiskFullError,
    ForeignError,
    GradebookError,
    LockedError,
    NewerSchemaError,
    ReadOnlyError,
    UnfitError,
    UnknownNameError,
)

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Hold interrupts and requests to end back; they are delivered when the block is left."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread alone
        return
    held: list[int] = []
    before = {each: signal.getsignal(each) for each in SIGNALS}
    for each in SIGNALS:
        signal.signal(each, lambda number, frame: held.append(number))
    try:
        yield
    finally:
        for each, handler in before.items():
            # None: another language than Python handles it, and cannot be put back.
            signal.signal(each, signal.SIG_DFL if handler is None else handler)
        for number in dict.fromkeys(held):
            signal.raise_signal(number)


FULL: Final = (
    DiskFullError,
    (
        "The disk of {place} is full. What was recorded before is kept. Make room, then run the "
        "same command again; it goes on where it stopped."
    ),
)
BUSY: Final = (
    LockedError,
    (
        "{place} is being written by somebody else. Wait until they are done, then run the same "
        "command again; nothing was changed."
    ),
)
DAMAGED: Final = (
    DamagedError,
    (
        "{place} is damaged: {said}. Nothing was written to it. Use a copy of it "
        "(an upgrade leaves one beside it, *.before-*), or rescue what is readable: "
        "sqlite3 OLD .recover"
    ),
)
READ_ONLY: Final = (
    ReadOnlyError,
    "{place} cannot be written: {said}. Look at the permissions of it and of its folder.",
)
UNREADABLE: Final = (
    GradebookError,
    (
        "The disk of {place} does not do its work: {said}. What was recorded before is kept, as "
        "far as the disk keeps it. Copy the file elsewhere, then run the same command there."
    ),
)
LOST: Final = (
    ConnectionLostError,
    (
        "{place} does not answer: {said}. Results recorded before are kept. Look whether the "
        "server runs, then run the same command again; it goes on where it stopped."
    ),
)

Trouble = tuple[type[GradebookError], str]

OF_SQLITE: Final[dict[int, Trouble]] = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: UNREADABLE,
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: READ_ONLY,
}
# The SQLSTATE of PostgreSQL, or the class of it.
OF_POSTGRES: Final[dict[str, Trouble]] = {
    "53100": FULL,
    "55P03": BUSY,
    "40P01": BUSY,
    "XX001": DAMAGED,
    "XX002": DAMAGED,
    "25006": READ_ONLY,
    "42501": READ_ONLY,
}
_EXTENDED = 0xFF


def gradebook_error(error: DBAPIError, place: str) -> GradebookError:
    """The error of the gradebook that an error of its database amounts to."""
    said = " ".join(str(error.orig).split())
    kind, sentence = _trouble(error)
    return kind(sentence.format(place=place, said=said))


def _trouble(error: DBAPIError) -> Trouble:
    number = getattr(error.orig, "sqlite_errorcode", None)
    if number is not None and number & _EXTENDED in OF_SQLITE:
        return OF_SQLITE[number & _EXTENDED]
    state = getattr(error.orig, "sqlstate", None) or ""
    if state in OF_POSTGRES:
        return OF_POSTGRES[state]
    if is_lost(error):
        return LOST
    return GradebookError, "{place} refused: {said}"


def is_lost(error: DBAPIError) -> bool:
    """Whether the connection is gone, so that another one may succeed."""
    state = getattr(error.orig, "sqlstate", None) or ""
    of_server = not isinstance(error.orig, sqlite3.Error)
    # The driver's own complaints, such as a server that cannot be reached, have no SQLSTATE.
    unreached = of_server and not state and isinstance(error, OperationalError)
    return error.connection_invalidated or state.startswith(("08", "57P")) or unreached


@contextmanager
def reported_plainly(place: str) -> Iterator[None]:
    """Let errors of the database leave a block as errors of the gradebook."""
    try:
        yield
    except DBAPIError as error:
        raise gradebook_error(error, place) from error


SCHEMA: Final = "0005"
"""The last step in migrations/versions."""
VERSION_TABLE: Final = "gradebook_version"
MIGRATIONS: Final = Path(__file__).parent / "migrations"
# Any number will do that no other program in the database takes; it spells "tape".
ADVISORY_LOCK: Final = int.from_bytes(b"tape", "big")
DRIVERS: Final = {
    "sqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}


def to_url(place: str | Path) -> URL:
    """The URL that a path of a file, or the URL of a server, stands for."""
    if "://" not in str(place):
        return URL.create("sqlite", database=str(Path(place).expanduser().absolute()))
    try:
        url = make_url(str(place))
    except ArgumentError:
        url = URL.create("")
    if url.drivername not in DRIVERS:
        raise UnfitError(
            f"{place!s} names no gradebook. Give a file, such as course.db, or "
            "postgresql://user:password@server/database"
        )
    return url.set(drivername=DRIVERS[url.drivername])


def open_engine(url: URL, *, patience: float, create: bool) -> Engine:
    """An engine on an up-to-date gradebook, made if there is none and `create` allows it."""
    of_file = url.drivername == "sqlite"
    if of_file and not create and not Path(url.database or "").exists():
        raise UnknownNameError(
            f"There is no gradebook {url.database}. To begin one: tapelab gradebook init "
            f"--gradebook {url.database}"
        )
    engine = _sqlite(url, patience) if of_file else _server(url, patience)
    try:
        _bring_up_to_date(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def check_database(place: str | Path) -> None:
    """Verify that a gradebook answers and can be opened by this version; GradebookError if not."""
    url = to_url(place)
    with reported_plainly(url.render_as_string(hide_password=True)):
        # Without the settings of our connections, which write to the file.
        engine = create_engine(url) if url.drivername == "sqlite" else _server(url, 5.0)
        try:
            with engine.connect() as connection:
                _look_for_damage(connection)
                _refuse_newer(engine, _schema(connection))
        finally:
            engine.dispose()


def _sqlite(url: URL, patience: float) -> Engine:
    arguments = {"timeout": patience, "isolation_level": None}  # transactions are begun below
    engine = create_engine(url, connect_args=arguments)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        # WAL: readers do not wait for the writer. FULL: what is committed outlives a power cut.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # One that writes waits for its turn at once: a reader that turns writer may not.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _server(url: URL, patience: float) -> Engine:
    waiting = max(int(patience * 1000), 1)
    arguments = {
        "options": f"-c lock_timeout={waiting} -c client_encoding=UTF8",
        "connect_timeout": max(int(patience), 1),
    }
    return create_engine(url, connect_args=arguments, pool_pre_ping=True)


def _bring_up_to_date(engine: Engine) -> None:
    with engine.connect() as connection:
        _look_for_damage(connection)
        schema = _schema(connection)
    if schema != SCHEMA:
        _refuse_newer(engine, schema)
        if schema and engine.dialect.name == "sqlite":
            _copy(Path(engine.url.database or ""), schema)
        with engine.execution_options(writes=True).begin() as connection:
            _upgrade(connection)


def _look_for_damage(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        said = connection.execute(text("PRAGMA quick_check(1)")).scalar_one()
        if said != "ok":
            raise DamagedError(
                f"{connection.engine.url.database} is damaged: {said}. Nothing was written to it. "
                "Use a copy of it, or rescue what is readable: sqlite3 OLD .recover"
            )


def _schema(connection: Connection) -> str:
    """The last step that was run on a database; empty for a new one."""
    tables = inspect(connection).get_table_names()
    if VERSION_TABLE in tables:
        query = text(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608 - a constant
        return str(connection.execute(query).scalar_one())
    if tables:
        raise ForeignError(
            f"{connection.engine.url!r} holds something else (a table {tables[0]}), no gradebook. "
            "Give another file or database."
        )
    return ""


def _refuse_newer(engine: Engine, schema: str) -> None:
    if schema > SCHEMA:
        raise NewerSchemaError(
            f"{engine.url!r} was written by a newer tapelab (schema {schema}; this one knows "
            f"{SCHEMA}). Upgrade tapelab to open it."
        )


def _copy(file: Path, schema: str) -> None:
    """Leave a copy of an older gradebook beside it, as it was before the upgrade."""
    target = file.with_name(f"{file.name}.before-{SCHEMA}-from-{schema}")
    number = 1
    while target.exists():
        number += 1
        target = file.with_name(f"{file.name}.before-{SCHEMA}-from-{schema}.{number}")
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


def _upgrade(connection: Connection) -> None:
    """Run the missing steps; who opens it at the same time waits, then finds nothing to do."""
    from alembic import command
    from alembic.config import Config

    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"))
    if _schema(connection) == SCHEMA:
        return
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes.update(connection=connection, version_table=VERSION_TABLE)
    command.upgrade(config, "head")
