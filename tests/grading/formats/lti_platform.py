"""A learning platform on this computer: keys, tokens, line items and scores, over real HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs, urlsplit

import jwt

from tapelab.grading.formats.lti import OwnKey, Platform

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
AGS = "https://purl.imsglobal.org/spec/lti-ags/"


class TestPlatform:
    """What a platform keeps; `answers` are statuses to give before it does as asked."""

    __test__ = False

    def __init__(self, own: OwnKey, tool: OwnKey) -> None:
        self.own, self.tool = own, tool
        self.keys: list[dict] = own.published()["keys"]
        self.items: list[dict] = []
        self.scores: list[tuple[str, dict]] = []
        self.answers: deque[tuple[int, dict]] = deque()
        self.tokens: dict[str, str] = {}
        self.seen: set[str] = set()
        self.refused: set[str] = set()
        self.requests: list[str] = []
        platform = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                platform.answer(self, b"")

            def do_POST(self):
                platform.answer(self, self.rfile.read(int(self.headers["Content-Length"])))

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.registered = Platform(
            self.url, "tool-1", f"{self.url}/auth", f"{self.url}/token", f"{self.url}/keys",
            frozenset({"d-1"}),
        )  # fmt: skip

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()

    def id_token(self, nonce: str, /, *, key: OwnKey | None = None, **changes) -> str:
        """A proof of who launches; `changes` are claims that differ, None leaves one out."""
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": "tool-1", "sub": "user-7", "iat": now, "exp": now + 300,
            "nonce": nonce, "name": "Emmy Noether", "email": "emmy@math.example",
            f"{CLAIM}message_type": "LtiResourceLinkRequest", f"{CLAIM}version": "1.3.0",
            f"{CLAIM}deployment_id": "d-1", f"{CLAIM}roles": ["Learner"],
            f"{CLAIM}resource_link": {"id": "r-1", "title": "Lesson 03"},
            f"{CLAIM}context": {"id": "c-1"},
            f"{AGS}claim/endpoint": {
                "lineitems": f"{self.url}/items", "lineitem": f"{self.url}/items/1?x=1",
                "scope": [f"{AGS}scope/score", f"{AGS}scope/lineitem"],
            },
        }  # fmt: skip
        message = {
            name: value for name, value in {**claims, **changes}.items() if value is not None
        }
        return (key or self.own).sign(message)

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        path = urlsplit(request.path).path
        self.requests.append(f"{request.command} {request.path}")
        if self.answers:
            status, head = self.answers.popleft()
            self.say(request, status, {"error": "later"}, head)
        elif path == "/keys":
            self.say(request, 200, {"keys": self.keys})
        elif path == "/token":
            self.token(request, parse_qs(body.decode()))
        elif self.scope_of(request) is None:
            self.say(request, 401, {"error": "no token"})
        else:
            self.service(request, path, body)

    def token(self, request: BaseHTTPRequestHandler, form: dict) -> None:
        key = jwt.PyJWK.from_dict(self.tool.published()["keys"][0]).key
        try:
            claims = jwt.decode(form["client_assertion"][0], key, algorithms=["RS256"],
                                audience=f"{self.url}/token", issuer="tool-1")  # fmt: skip
        except jwt.PyJWTError as error:
            self.say(request, 400, {"error": f"invalid_client: {error}"})
            return
        assert claims["sub"] == "tool-1"
        assert claims["jti"] not in self.seen
        self.seen.add(claims["jti"])
        token = f"token-{len(self.tokens)}"
        self.tokens[token] = form["scope"][0]
        self.say(request, 200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600})

    def scope_of(self, request: BaseHTTPRequestHandler) -> str | None:
        return self.tokens.get(request.headers.get("Authorization", "").removeprefix("Bearer "))

    def service(self, request: BaseHTTPRequestHandler, path: str, body: bytes) -> None:
        scope = (self.scope_of(request) or "").rpartition("/")[2]
        wanted = "score" if path.endswith("/scores") else "lineitem"
        if scope != wanted:
            self.say(request, 403, {"error": f"{scope} is not {wanted}"})
        elif path.endswith("/scores"):
            assert request.headers["Content-Type"] == "application/vnd.ims.lis.v1.score+json"
            score = json.loads(body)
            if score["userId"] in self.refused:
                self.say(request, 404, {"error": "nobody"})
                return
            self.scores.append((request.path, score))
            self.say(request, 204, None)
        elif request.command == "POST":
            assert request.headers["Content-Type"] == "application/vnd.ims.lis.v2.lineitem+json"
            item = {**json.loads(body), "id": f"{self.url}/items/{len(self.items) + 1}"}
            self.items.append(item)
            self.say(request, 201, item)
        else:
            self.page(request)

    def page(self, request: BaseHTTPRequestHandler) -> None:
        """Two items a page."""
        at = int(parse_qs(urlsplit(request.path).query).get("at", ["0"])[0])
        more = at + 2 < len(self.items)
        head = {"Link": f'</items?at={at + 2}>; rel="next"'} if more else {}
        self.say(request, 200, self.items[at : at + 2], head)

    def say(self, request: BaseHTTPRequestHandler, status: int, message, head=None) -> None:
        content = b"" if message is None else json.dumps(message).encode()
        request.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(head or {})}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)
