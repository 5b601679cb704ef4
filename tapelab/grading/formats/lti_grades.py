"""Scores to a platform by LTI's Assignment and Grade Services: line items, and scores in them."""

from __future__ import annotations

import json
import secrets
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

from tapelab.errors import Complaint
from tapelab.grading.formats.lti import LtiError, OwnKey, Platform, checked, send

if TYPE_CHECKING:
    from tapelab.grading.gradebook import Gradebook
    from tapelab.grading.gradebook.entities import Listed

SCORE: Final = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
LINEITEM: Final = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem"
_ASSERTION: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_ITEM: Final = "application/vnd.ims.lis.v2.lineitem+json"
_ITEMS: Final = "application/vnd.ims.lis.v2.lineitemcontainer+json"
_SCORE: Final = "application/vnd.ims.lis.v1.score+json"
AGAIN: Final = frozenset({429, 500, 502, 503, 504})
"""Answers that may be another one a moment later."""
TRIES: Final = 5
LONGEST_WAIT: Final = 60.0
_MARGIN: Final = 60
_LIFETIME: Final = 300


@dataclass(frozen=True)
class LineItem:
    """A column of the platform's gradebook."""

    url: str
    label: str
    maximum: float
    resource: str = ""
    tag: str = ""


@dataclass
class GradeService:
    """A platform's gradebook, asked with tokens that we sign for; `sleep` waits between tries."""

    platform: Platform
    key: OwnKey
    sleep: Callable[[float], object] = time.sleep
    clock: Callable[[], float] = time.time
    _tokens: dict[str, tuple[str, float]] = field(default_factory=dict, repr=False)

    def line_items(self, lineitems: str) -> Iterator[LineItem]:
        """All columns of a course, page by page."""
        url = lineitems
        while url:
            headers, body = self._request_with_token("GET", url, LINEITEM, accept=_ITEMS)
            yield from map(_line_item, _json(body, list))
            url = _next_page(headers, url)

    def line_item(self, lineitems: str, label: str, maximum: float, *, resource: str = "",
                  tag: str = "tapelab") -> LineItem:  # fmt: skip
        """The column of a resource; it is made where it is not there."""
        for each in self.line_items(lineitems):
            if each.label == label and (each.resource, each.tag) == (resource, tag):
                return each
        item = {"label": label, "scoreMaximum": maximum, "resourceId": resource, "tag": tag}
        _, body = self._request_with_token(
            "POST", lineitems, LINEITEM, item, kind=_ITEM, accept=_ITEM
        )
        return _line_item(_json(body, dict))

    def publish(self, lineitem: str, user: str, points: float, of: float, *,
                comment: str = "", when: datetime | None = None) -> None:  # fmt: skip
        """Put a learner's score into a column; a later one replaces it, an older one is refused."""
        if of <= 0:
            raise LtiError(f"A score is out of something, not out of {of}.")
        body = {
            "userId": user, "scoreGiven": points, "scoreMaximum": of,
            "activityProgress": "Completed", "gradingProgress": "FullyGraded",
            "timestamp": (when or datetime.now(UTC)).isoformat(timespec="microseconds"),
        }  # fmt: skip
        body |= {"comment": comment} if comment else {}
        self._request_with_token("POST", _scores(lineitem), SCORE, body, kind=_SCORE)

    def _request_with_token(
        self, method: str, url: str, scope: str, body: Mapping[str, Any] | None = None, *,
        kind: str = "", accept: str = "",
    ) -> tuple[Mapping[str, str], bytes]:  # fmt: skip
        """An answer of the platform; a token that it no longer accepts is fetched again, once."""
        for fresh in (False, True):
            token = self._token(scope, fresh=fresh)
            headers = {"Authorization": f"Bearer {token}"}
            headers |= {"Content-Type": kind} if kind else {}
            headers |= {"Accept": accept} if accept else {}
            data = json.dumps(body).encode() if body is not None else None
            request = urllib.request.Request(checked(url), data, headers, method=method)  # noqa: S310 - the scheme was checked
            try:
                return self._send_with_retries(request)
            except HTTPError as error:
                if error.code != 401 or fresh:
                    raise LtiError(_refusal_message(error)) from None
        raise AssertionError

    def _token(self, scope: str, *, fresh: bool) -> str:
        token, until = self._tokens.get(scope, ("", 0.0))
        if fresh or self.clock() > until - _MARGIN:
            token, until = self._new_token(scope)
            self._tokens[scope] = token, until
        return token

    def _new_token(self, scope: str) -> tuple[str, float]:
        now = int(self.clock())
        claims = {
            "iss": self.platform.client_id, "sub": self.platform.client_id,
            "aud": self.platform.token_url, "iat": now, "exp": now + _LIFETIME,
            "jti": secrets.token_urlsafe(24),
        }  # fmt: skip
        form = {
            "grant_type": "client_credentials", "client_assertion_type": _ASSERTION,
            "client_assertion": self.key.sign(claims), "scope": scope,
        }  # fmt: skip
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked
            checked(self.platform.token_url), urlencode(form).encode(),
            {"Content-Type": "application/x-www-form-urlencoded"},
        )  # fmt: skip
        try:
            data = _json(self._send_with_retries(request)[1], dict)
            return str(data["access_token"]), self.clock() + float(data.get("expires_in", 0))
        except HTTPError as error:
            raise LtiError(_refusal_message(error)) from None
        except (KeyError, TypeError, ValueError) as error:
            raise LtiError(f"The platform gave no token: {error}.") from None

    def _send_with_retries(
        self, request: urllib.request.Request
    ) -> tuple[Mapping[str, str], bytes]:
        """An answer, asked for again where it may be another one a moment later."""
        wait = 1.0
        for left in range(TRIES - 1, -1, -1):
            try:
                return send(request)
            except HTTPError as error:
                if error.code not in AGAIN or not left:
                    raise
                self.sleep(min(_retry_after(error, wait), LONGEST_WAIT))
            except (URLError, OSError) as error:
                if not left:
                    raise LtiError(f"The platform cannot be reached: {error}.") from None
                self.sleep(wait)
            wait *= 2
        raise AssertionError


@dataclass(frozen=True)
class Score:
    """The points of a student, whom a platform knows by an id of its own."""

    student: str
    user: str
    """The id at the platform."""
    points: float
    of: float


def scores(book: Gradebook, assignment: str) -> list[Score]:
    """The scores of all who handed something in or were given points by hand."""
    users = {each.login: each.ids.get("lti", each.login) for each in book.students()}
    return [
        Score(each.student, users[each.student], max(each.final, 0.0), each.of)
        for each in book.grades(assignment)  # a score below 0 is none to a platform
        if each.digest or each.by_hand
    ]


def publish_scores(
    listed: Listed, scores: Iterable[Score], service: GradeService, lineitems: str,
    column: str = "",
) -> Iterator[tuple[Score, str]]:  # fmt: skip
    """Publish scores of an assignment; each with the reason why it did not arrive, or nothing.

    Without a column the assignment has its own among the line items, which is made if need be.
    """
    if not (column or lineitems):
        raise LtiError("Where the platform lists its columns is not known. Give its lineitems.")
    title = listed.title or listed.name
    column = column or service.line_item(lineitems, title, listed.of, resource=listed.name).url
    for each in scores:
        try:
            service.publish(column, each.user, each.points, each.of)
        except LtiError as error:
            yield each, str(error)
        else:
            yield each, ""


def platform_service(platform: Path, key: Path) -> tuple[GradeService, str]:
    """The gradebook of a platform that a file describes, and where its columns are listed."""
    try:
        config = json.loads(platform.read_text("utf-8"))
        known = Platform(
            config.get("issuer", ""), config["client_id"], config.get("login_url", ""),
            config["token_url"], config.get("keys_url", ""),
        )  # fmt: skip
        return GradeService(known, OwnKey(key.read_text("utf-8"))), config.get("lineitems", "")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Complaint(
            f"{platform} does not describe a platform ({error}). It is JSON such as "
            '{"client_id": "…", "token_url": "https://…", "lineitems": "https://…"}'
        ) from error


def _retry_after(error: HTTPError, wait: float) -> float:
    """How long the platform asks to wait: a number of seconds, or a time."""
    header_value = error.headers.get("Retry-After", "")
    if header_value.isdecimal():
        return max(float(header_value), 0.0)
    try:
        return max((parsedate_to_datetime(header_value) - datetime.now(UTC)).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return wait


def _refusal_message(error: HTTPError) -> str:
    data = error.read(500).decode("utf-8", "replace").strip()
    return f"The platform refused with {error.code}: {data or error.reason}."


def _scores(lineitem: str) -> str:
    """The address of a column's scores; what is asked with it stays behind the path."""
    parts = urlsplit(lineitem)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/scores"))


def _next_page(headers: Mapping[str, str], url: str) -> str:
    """The address that a Link header calls the next one; it stays with the same host."""
    link = next((value for name, value in headers.items() if name.lower() == "link"), "")
    for each in link.split(","):
        address, _, more = each.partition(";")
        if more.replace(" ", "").replace('"', "") == "rel=next":
            next_url = urljoin(url, address.strip(" <>"))
            if urlsplit(next_url).netloc != urlsplit(url).netloc:
                raise LtiError(f"The platform sends us on to another host: {next_url}.")
            return next_url
    return ""


def _json(body: bytes, kind: type) -> Any:
    try:
        data = json.loads(body)
    except ValueError as error:
        raise LtiError(f"The platform's answer is no JSON: {error}.") from None
    if not isinstance(data, kind):
        raise LtiError(f"The platform answers with another thing than a {kind.__name__}.")
    return data


def _line_item(data: Mapping[str, Any]) -> LineItem:
    try:
        return LineItem(str(data["id"]), str(data.get("label", "")),
                        float(data["scoreMaximum"]), str(data.get("resourceId") or ""),
                        str(data.get("tag") or ""))  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise LtiError(f"The platform's line item is damaged: {error}.") from None
