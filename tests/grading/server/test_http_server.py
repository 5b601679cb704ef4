"""`tapelab gradebook serve` prints an address, says what is wrong, and ends on request."""

from __future__ import annotations

import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from urllib.request import urlopen

import pytest

from tapelab.grading.gradebook import Gradebook
from tapelab.grading.server.http_server import PortError, listen, open_browser
from tests.fixtures.taught_course import fill

SERVE = (sys.executable, "-m", "tapelab.cli", "gradebook", "serve")


@pytest.fixture
def place(tmp_path):
    with Gradebook.open(tmp_path / "course.db") as book:
        fill(book)
    return str(tmp_path / "course.db")


def test_a_taken_port_is_said_with_what_to_try():
    taken = pytest.raises(PortError, match=r"is taken by another program\. Try --port 0")
    with socket.create_server(("127.0.0.1", 0)) as other, taken:
        listen("127.0.0.1", other.getsockname()[1])
    with pytest.raises(PortError, match="cannot be used"):
        listen("203.0.113.77", 0)


def test_the_browser_is_given_a_file_so_that_no_command_line_shows_the_token(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    open_browser("http://127.0.0.1:1/?token=secret", tmp_path)
    assert opened == [(tmp_path / "gradebook.html").as_uri()]
    assert "url=http://127.0.0.1:1/?token=secret" in (tmp_path / "gradebook.html").read_text()
    assert (tmp_path / "gradebook.html").stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("interruptible")
def test_the_command_serves_the_printed_address_and_ends_by_an_interrupt(place):
    command = [*SERVE, place, "--port", "0", "--no-browser"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **streams, text=True) as run:
        try:
            address = next(line.strip() for line in run.stdout if "http://" in line)
            with urlopen(address, timeout=20) as said:
                assert said.status == 200
        finally:
            run.send_signal(signal.SIGINT)
        rest, complaints = run.communicate(timeout=20)
    assert rest.endswith("Stopped.\n")
    assert (run.returncode, complaints) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "There is no gradebook"), (b"SQLite format 3\0 and then nonsense", "course.db")],
)
def test_a_gradebook_that_is_missing_or_damaged_ends_in_one_sentence(tmp_path, content, why):
    place = tmp_path / "course.db"
    if content is not None:
        place.write_bytes(content)
    ended = subprocess.run([*SERVE, str(place)], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert why in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_gradebook_of_a_newer_tapelab_ends_in_one_sentence(place):
    with closing(sqlite3.connect(place)) as file, file:
        file.execute("UPDATE gradebook_version SET version_num = '9999'")
    ended = subprocess.run([*SERVE, place], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "Upgrade tapelab" in ended.stderr


def test_serving_beyond_this_computer_says_what_that_means(place):
    command = [*SERVE, place, "--host", "0.0.0.0", "--port", "0", "--no-browser"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **streams, text=True) as run:
        data = run.stderr.readline()
        next(line for line in run.stdout if "http://" in line)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=20)
    assert "reached from other computers" in data
    assert "not encrypted" in data
