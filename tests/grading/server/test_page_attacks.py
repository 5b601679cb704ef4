"""Attacks on the teacher's pages: whatever arrives, nothing runs, leaks or changes.

Each attack is the bytes of a request, by somebody with a session unless it says otherwise.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from http.client import HTTPException, HTTPResponse
from itertools import product
from urllib.parse import quote, urlencode

import pytest

from tapelab.grading.gradebook import Gradebook
from tapelab.grading.server.access import AccessControl
from tests.fixtures.taught_course import fill, serving

MARKUP = {
    "script": "<script>alert(1)</script>", "image": "<img src=x onerror=alert(1)>",
    "attribute": '" autofocus onfocus=alert(1) x="', "quote": "' onmouseover='alert(1)",
    "svg": "<svg/onload=alert(1)>", "template": "{{ handler.settings }}", "block": "{% raw 1 %}",
    "comment": "--><script>alert(1)</script>", "title": "</title><script>alert(1)</script>",
    "javascript": "javascript:alert(1)", "frame": "<iframe srcdoc='<script>alert(1)</script>'>",
}  # fmt: skip
ODD = {
    "nul": "a\0b", "terminal": "\x1b]0;owned\x07\x1b[2J", "backspace": "ab\x08\x08",
    "c1": "\x9b31m", "bidi": "\u202egnp.exe", "isolate": "\u2066\u2066a",
    "zero width": "0\u200b3", "fullwidth": "\uff10\uff13", "combining": "a" + "\u0301" * 5000,
    "line separator": "a\u2028b", "noncharacter": "\uffff",
    "homoglyph": "\u0430da", "long": "x" * 20_000, "crlf": "x\r\nX-Injected: 1\r\n\r\n<b>",
    "newline": "x\nSet-Cookie: y=z", "sql": "'; DROP TABLE student; --", "like": "%_%",
    "number": "9" * 400, "negative": "-1", "float": "1e999", "nan": "nan",
    "format": "{0.__class__}", "percent": "%s%n%s", "path": "../../../etc/passwd",
    "bytes": "\ud800",
}  # fmt: skip
PAGES = {
    "/": "token", "/roster": "number", "/assignment": "name", "/submission": "student",
    "/feedback": "attempt", "/report": "name", "/explorer": "exercise", "/grades": "name",
    "/export": "as", "/rules": "name", "/publish": "name",
}  # fmt: skip
KNOWN = {"name": "03", "assignment": "03", "student": "ada"}
PATHS = (
    "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/etc/passwd",
    "/style.css/../handler.py", "/style.css%00.html", "//evil.example/", "/\\evil.example",
    "/%c0%ae%c0%ae/etc/passwd", "/%ff%fe", "/static/../course.db", "/course.db", "/.git/config",
    "/%252e%252e/etc/passwd", "/" + "a/" * 4000, "/mark/../roster/..%5c", "/;/roster", "/roster;x",
)  # fmt: skip
FORMS = ("/mark", "/unmark", "/comment", "/rules", "/grading", "/stop", "/publish",
         "/stop-publishing")  # fmt: skip
FIELDS = {
    "assignment": "03", "name": "03", "student": "bob", "exercise": "", "kind": "points",
    "points": "9", "comment": "x", "text": "x", "folder": ".", "due": "2020-01-01",
    "per_day": "100",
}  # fmt: skip


@dataclass(frozen=True)
class Attack:
    """A request; in its parts, HERE and FORM stand for the server's address and a form token."""

    name: str
    method: str
    path: str
    headers: tuple[str, ...] = ()
    body: bytes = b""
    session: bool = True

    def request(self, host: str, cookie: str, form_token: str) -> bytes:
        """The bytes of it."""
        headers = [each.replace("HERE", host) for each in self.headers]
        named = {each.partition(":")[0].lower() for each in headers}
        headers += [f"Host: {host}"] * ("host" not in named) + ["Connection: close"]
        headers += [f"Cookie: {cookie}"] * (self.session and "cookie" not in named)
        body = self.body.replace(b"FORM", form_token.encode())
        if self.method == "POST" and not {"content-length", "transfer-encoding"} & named:
            headers.append(f"Content-Length: {len(body)}")
        if self.method == "POST" and "content-type" not in named:
            headers.append("Content-Type: application/x-www-form-urlencoded")
        head = "\r\n".join([f"{self.method} {self.path} HTTP/1.1", *headers])
        return head.encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


def coded(text):
    """A text in an address; half a letter stays the bytes that it would be."""
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def in_addresses():
    """What a link that somebody sent may hold: markup, odd letters, and paths."""
    for (kind, text), (page, name) in product((MARKUP | ODD).items(), PAGES.items()):
        known = "&".join(f"{k}={v}" for k, v in KNOWN.items() if k != name)
        yield Attack(f"{kind} in {name} of {page}", "GET", f"{page}?{known}&{name}={coded(text)}")
    for path in PATHS:
        yield Attack(f"path {path[:40]}", "GET", path)
    for page in PAGES:
        yield Attack(f"{page} a thousand times", "GET", f"{page}?{'&'.join(['name=03'] * 1000)}")


def by_forms():
    """What pages of others, or programs, may send where only our own forms may."""
    foreign = AccessControl.for_host("127.0.0.1")
    tokens = {
        "no token": "", "a wrong token": "x", "a token of another run": foreign.form_token("x.y"),
        "two tokens": "FORM&form=x", "half a token": "FORM"[:2], "a token in no letters": "%ff",
    }  # fmt: skip
    fields = urlencode(FIELDS)
    for (kind, token), page in product(tokens.items(), FORMS):
        yield Attack(f"{kind} to {page}", "POST", page, (), f"{fields}&form={token}".encode())
    body = f"{fields}&form=FORM".encode()
    origins = ("http://evil.example", "null", "http://HERE.evil.example", "https://evil@HERE:1")
    for origin, page in product(origins, FORMS):
        yield Attack(f"{origin} to {page}", "POST", page, (f"Origin: {origin}",), body)
    kinds = ("application/json", "text/plain", "multipart/form-data; boundary=x", "x" * 5000)
    for kind, page in product(kinds, FORMS):
        yield Attack(f"{kind[:20]} to {page}", "POST", page, (f"Content-Type: {kind}",), body)
    for page in FORMS:
        yield Attack(f"{page} without a session", "POST", page, (), body, session=False)
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "get", "X"):
        yield Attack(f"{method} of a form", method, f"/mark?{fields}")
    for page in ("/mark", "/unmark", "/comment", "/stop"):
        yield Attack(f"{page} by address", "GET", f"{page}?{fields}&form=FORM")


def by_headers():
    """What a server may be sent around a request."""
    for host in ("evil.example", "HERE.evil.example", "evil@127.0.0.2", "", "[::1", "2130706433",
                 "127.0.0.1.nip.io", "0x7f.1"):  # fmt: skip
        yield Attack(f"host {host}", "GET", "/roster", (f"Host: {host}",))
    for cookie in ("", "x", "=", "tapelab-gradebook=x.y", "a" * 60_000, "\udcff", "; ; ;"):
        sent = (f"Cookie: {cookie}",)
        yield Attack(f"cookie {cookie[:20]}", "GET", "/roster", sent, session=False)
    for name in ("Forwarded-Host", "Original-URL", "HTTP-Method-Override", "Forwarded-For"):
        yield Attack(f"X-{name}", "GET", "/mark", (f"X-{name}: evil.example",), session=False)
    for language in ("<script>", "../../etc", "he" * 9000, "*;q=\udcff", ",".join(["a"] * 9000)):
        yield Attack(f"language {language[:9]}", "GET", "/", (f"Accept-Language: {language}",))
    yield Attack("many headers", "GET", "/", tuple(f"X-{n}: y" for n in range(5000)))
    yield Attack("two hosts", "GET", "/", ("Host: HERE", "Host: evil.example"))


def in_size():
    """Forms that are larger than any of ours, or not as large as they say."""
    yield Attack("a form of 2 MB", "POST", "/mark", (), b"comment=" + b"x" * 2_000_000)
    yield Attack("a form of all memory", "POST", "/mark", ("Content-Length: 99999999999999",))
    yield Attack("a form of less than nothing", "POST", "/mark", ("Content-Length: -1",))
    yield Attack("two lengths", "POST", "/mark", ("Content-Length: 1", "Content-Length: 2"), b"x")
    yield Attack("many fields", "POST", "/mark", (), b"&".join(b"a=b" for _ in range(50_000)))
    parts = b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" * 4000 + b"--x--\r\n"
    kind = ("Content-Type: multipart/form-data; boundary=x",)
    yield Attack("many parts", "POST", "/mark", kind, parts)
    chunked = ("Transfer-Encoding: chunked",)
    yield Attack("an endless chunk", "POST", "/mark", chunked, b"fffffffffff\r\nx")
    yield Attack("no chunk", "POST", "/mark", chunked, b"zz\r\nx\r\n0\r\n\r\n")
    yield Attack("smuggled", "POST", "/mark", (*chunked, "Content-Length: 5"), b"0\r\n\r\nGET /")


ATTACKS = [*in_addresses(), *by_forms(), *by_headers(), *in_size()]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course with its server, a cookie of a session and its form token."""
    with Gradebook.open(tmp_path_factory.mktemp("course") / "course.db", by="grace") as book:
        fill(book)
        with serving(book) as at:
            session = at.access.new_session()
            cookie = f"tapelab-gradebook-{at.port}={session}"
            yield book, at, cookie, at.access.form_token(session)


def reply_to(at, request, method="POST"):
    """The status, headers and text of the reply; None where the server hung up."""
    with socket.create_connection(("127.0.0.1", at.port), timeout=20) as connection:
        try:
            connection.sendall(request)
            with HTTPResponse(connection, method=method) as response:
                response.begin()
                return response.status, response.headers, response.read().decode("utf-8", "replace")
        except (HTTPException, ConnectionError):
            return None


class _Scripts(HTMLParser):
    """What would run in a page that allowed it; our own frames show pages of ours."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            runs = name.startswith("on") or name == "srcdoc"
            if runs or str(value).lower().lstrip().startswith("javascript:"):
                self.scripts.append(f"{tag} {name}={value}")
        foreign = tag == "img" and not dict(attrs).get("src", "").startswith("data:image/")
        if foreign or tag in {"script", "object", "embed", "base"}:
            self.scripts.append(tag)


def scripts_in(html):
    """All that would run in a page, and images that are not in it."""
    parser = _Scripts()
    parser.feed(html)
    return parser.scripts


@pytest.mark.parametrize("name", ["script", "image", "svg", "comment", "title", "frame"])
def test_markup_that_ran_would_be_noticed(name):
    assert scripts_in(f"<p>{MARKUP[name]}</p>")
    assert not scripts_in(f"<p>{escape(MARKUP[name])}</p>")


def test_there_are_attacks_of_every_kind():
    assert len({each.name for each in ATTACKS}) == len(ATTACKS) >= 400


@pytest.mark.slow
@pytest.mark.parametrize("group", [in_addresses, by_forms, by_headers, in_size])
def test_no_attack_runs_leaks_or_changes_anything(course, group):
    book, at, cookie, form_token = course
    before, answered = book.history(""), 0
    for each in group():
        request = each.request(f"127.0.0.1:{at.port}", cookie, form_token)
        reply = reply_to(at, request, each.method)
        assert book.history("") == before, each.name
        if reply is None:
            continue  # it hung up
        answered += 1
        status, headers, text = reply
        assert status < 500, each.name
        assert status != 303, each.name  # as after a form that was applied
        assert "X-Injected" not in headers, each.name
        assert "Set-Cookie" not in headers, each.name
        for leaked in (at.access.token, "root:", "Traceback", *[form_token] * (not each.session)):
            assert leaked not in text, each.name
        if "text/html" in headers.get("Content-Type", "") and text:
            assert "default-src 'none'" in headers.get("Content-Security-Policy", ""), each.name
            assert scripts_in(text) == [], each.name
    assert answered > len(list(group())) / 2


def test_what_the_attacks_do_would_be_noticed(course):
    """Otherwise nothing would follow from noticing nothing."""
    book, at, cookie, form_token = course
    before = len(book.history(""))
    body = f"{urlencode(FIELDS)}&form=FORM".encode()
    request = Attack("ours", "POST", "/mark", (), body).request(
        f"127.0.0.1:{at.port}", cookie, form_token
    )
    assert reply_to(at, request)[0] == 303
    assert len(book.history("")) == before + 1


STORED = [*MARKUP.items(), *((name, text) for name, text in ODD.items() if name != "bytes")]


@pytest.mark.parametrize("place", ["comment", "mark"])
def test_what_a_form_stores_stands_on_every_page_as_text(course, place):
    _, at, cookie, form_token = course
    host = f"127.0.0.1:{at.port}"
    for name, text in STORED:
        sent = {"text": text} if place == "comment" else {"comment": text[:2000]}
        body = f"{urlencode(FIELDS | {'student': 'ada'} | sent)}&form=FORM".encode()
        attack = Attack(name, "POST", f"/{place}", (), body)
        assert reply_to(at, attack.request(host, cookie, form_token))[0] in {303, 400}
    for page in ("submission", "feedback"):
        shown = Attack(page, "GET", f"/{page}?assignment=03&student=ada")
        status, _, html = reply_to(at, shown.request(host, cookie, form_token))
        assert status == 200
        assert scripts_in(html) == []
        if place == "comment" or page == "submission":
            assert escape(MARKUP["image"]) in html
