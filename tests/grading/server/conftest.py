"""What tests of the teacher's page ask over real HTTP."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection
from urllib.parse import urlencode

import pytest

from tapelab.grading.gradebook import Gradebook
from tapelab.grading.server.http_server import BoundServer
from tests.fixtures.taught_course import fill, serving


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Client:
    """A browser without a screen: it sends what a test requests, and keeps the cookie it got."""

    at: BoundServer
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **headers: str) -> Answer:
        """Ask for a page."""
        return self.ask("GET", path, "", headers)

    def post(self, path: str, _headers=None, **fields: str) -> Answer:
        """Send a form."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", path, urlencode(fields), kind | (_headers or {}))

    def ask(self, method: str, path: str, body: str = "", headers=None) -> Answer:
        """Send anything."""
        with closing(HTTPConnection("127.0.0.1", self.at.port, timeout=20)) as connection:
            connection.request(method, path, body or None, self.headers | (headers or {}))
            said = connection.getresponse()
            return Answer(said.status, dict(said.getheaders()), said.read().decode())

    def come_in(self) -> Client:
        """Take the token to the door, and keep the cookie."""
        cookie = self.get(f"/?token={self.at.access.token}").headers["Set-Cookie"]
        self.headers["Cookie"] = cookie.split(";")[0]
        return self

    def form_token(self) -> str:
        """The token in the forms of our pages."""
        page = self.get("/submission?assignment=03&student=ada").text
        return re.search('name="form" value="(.+?)"', page)[1]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def book(request, tmp_path_factory):
    """A course that a module's tests share; those that change it take a student of their own."""
    place = tmp_path_factory.mktemp("course") / "course.db"
    if request.param == "postgresql":
        place = request.getfixturevalue("make_database")()
    with Gradebook.open(place, by="grace", patience=0.3) as opened:
        fill(opened)
        yield opened


@pytest.fixture(scope="module")
def at(book):
    with serving(book) as server_socket:
        yield server_socket


@pytest.fixture
def stranger(at) -> Client:
    return Client(at)


@pytest.fixture
def teacher(at) -> Client:
    return Client(at).come_in()
