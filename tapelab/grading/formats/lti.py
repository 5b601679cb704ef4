"""A launch by LTI 1.3: a platform sends a student here and proves who that is.

The platform begins a login, we answer with the address for the proof, and the proof is a signed
token with our nonce. Nothing in it is trusted before signature, issuer, audience, time, deployment
and nonce were checked. A platform's keys are fetched when they are met; our own key signs requests.
"""

from __future__ import annotations

import json
import secrets
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from types import ModuleType
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import urlencode, urlsplit

from tapelab.errors import Complaint
from tapelab.installation import extra_command

TIMEOUT: Final = 20
FRESH: Final = 60
"""Seconds after which keys may be asked for again: a wrong key id is no way to flood a platform."""
LARGEST: Final = 1 << 20
ALGORITHMS: Final = ("RS256",)
"""What the security framework of LTI asks for; nothing symmetric, and never `none`."""
FEWEST_BITS: Final = 2048
"""Bits of a key for RS256, as the standard of signed tokens asks for."""


class LtiError(Complaint, ValueError):
    """A launch or a service of LTI failed; the message says why."""


def jwt() -> ModuleType:
    """The library for signed tokens; LtiError says how to get it."""
    try:
        import jwt as library
    except ModuleNotFoundError:
        raise LtiError(
            f"LTI needs a library for signed tokens. Try: {extra_command('lti')}"
        ) from None
    return library


def get(url: str, headers: Mapping[str, str] | None = None) -> bytes:
    """What lies at an address of a platform."""
    return send(urllib.request.Request(checked(url), headers=dict(headers or {})))[1]  # noqa: S310 - the scheme was checked


def send(request: urllib.request.Request) -> tuple[Mapping[str, str], bytes]:
    """The head and the body of an answer; a redirection is an error, for tokens go nowhere else."""
    with _OPENER.open(request, timeout=TIMEOUT) as answer:
        return dict(answer.headers.items()), answer.read(LARGEST)


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow no redirection."""


_OPENER: Final = urllib.request.build_opener(_Stay)


def checked(url: str) -> str:
    """An address that a token may be sent to: HTTPS, or this very computer."""
    parts = urlsplit(url)
    here = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    if parts.scheme == "https" or (parts.scheme == "http" and here):
        return url
    raise LtiError(f"A platform has to be reached by https, not by {url!r}.")


@dataclass
class KeySet:
    """The public keys of a platform by their ids; new ones are fetched when they are met."""

    url: str
    clock: Callable[[], float] = time.monotonic
    _keys: dict[str, Any] = field(default_factory=dict)
    _fetched: float | None = None

    def key_of(self, header: Mapping[str, Any]) -> Any:
        """The key that a token says it was signed with."""
        name = header.get("kid")
        if not isinstance(name, str):
            raise LtiError("The platform's token does not say with which key it was signed.")
        stale = self._fetched is None or self.clock() - self._fetched > FRESH
        if name not in self._keys and stale:
            self._fetch()
        if name not in self._keys:
            raise LtiError("The platform's token was signed with a key that it does not publish.")
        return self._keys[name]

    def _fetch(self) -> None:
        try:
            published_keys = json.loads(get(self.url))["keys"]
            keys = {each["kid"]: _signing_key(each) for each in published_keys if "kid" in each}
        except (URLError, OSError, ValueError, KeyError, TypeError) as error:
            raise LtiError(f"The platform's keys cannot be read: {error}.") from None
        self._keys = {name: key for name, key in keys.items() if key is not None}
        self._fetched = self.clock()


def _signing_key(published: Mapping[str, Any]) -> Any:
    """A key for RS256 of enough bits; None for keys of other kinds, which are not for us."""
    library = jwt()
    if published.get("kty") != "RSA" or published.get("use", "sig") != "sig":
        return None
    if published.get("alg", ALGORITHMS[0]) not in ALGORITHMS:
        return None
    try:
        key = library.PyJWK.from_dict(published, algorithm=ALGORITHMS[0]).key
    except library.PyJWTError:
        return None
    return key if key.key_size >= FEWEST_BITS else None


@dataclass(frozen=True)
class OwnKey:
    """Our private key, as PEM; a platform is given the public half, `published()`."""

    pem: str = field(repr=False)

    @classmethod
    def generate(cls) -> OwnKey:
        """A new key."""
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import rsa

        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )  # fmt: skip
        return cls(pem.decode())

    @property
    def id(self) -> str:
        """The id of the key, which follows from it."""
        return sha256(json.dumps(self._public(), sort_keys=True).encode()).hexdigest()[:16]

    def published(self) -> dict[str, Any]:
        """The public half, as platforms read it from our address of keys."""
        return {"keys": [{**self._public(), "kid": self.id, "alg": "RS256", "use": "sig"}]}

    def sign(self, claims: Mapping[str, Any]) -> str:
        """A signed token."""
        return str(jwt().encode(dict(claims), self.pem, "RS256", headers={"kid": self.id}))

    def _public(self) -> dict[str, Any]:
        from cryptography.hazmat.primitives import serialization

        private = serialization.load_pem_private_key(self.pem.encode(), None)
        algorithms = jwt().algorithms
        jwk = json.loads(algorithms.RSAAlgorithm.to_jwk(private.public_key()))
        return {name: jwk[name] for name in ("kty", "n", "e")}


_CLAIM: Final = "https://purl.imsglobal.org/spec/lti/claim/"
_AGS: Final = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
_MESSAGE: Final = "LtiResourceLinkRequest"
_VERSION: Final = "1.3.0"
LEEWAY: Final = 60
LIFETIME: Final = 600
"""Seconds that clocks may differ, and that a login may take."""
OLDEST: Final = 3600


@dataclass(frozen=True)
class Platform:
    """A learning platform as it was registered with us."""

    issuer: str
    client_id: str
    login_url: str
    token_url: str
    keys_url: str
    deployments: frozenset[str] = frozenset()
    """The deployments that may launch; any where none is named."""


@dataclass(frozen=True)
class Launch:
    """Who was sent here, to what, and where their score goes."""

    user: str
    name: str
    email: str
    roles: tuple[str, ...]
    resource: str
    title: str
    context: str
    deployment: str
    lineitem: str = ""
    lineitems: str = ""
    scopes: tuple[str, ...] = ()
    custom: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Logins:
    """The logins that are under way; each may be finished once, within its time.

    `store` and `clock` are there to be replaced: several servers share one store.
    """

    clock: Callable[[], float] = time.time
    store: dict[str, tuple[str, str, float]] = field(default_factory=dict)

    def begin(self, platform: Platform, request: Mapping[str, str], launch_url: str) -> str:
        """Where to send the learner, who has come with the platform's request to log in."""
        if request.get("iss") != platform.issuer:
            raise LtiError(f"This platform was not registered: {request.get('iss')!r}.")
        if request.get("client_id", platform.client_id) != platform.client_id:
            raise LtiError("The platform calls us by a client_id that is not ours there.")
        if not request.get("login_hint"):
            raise LtiError("The platform's request has no login_hint.")
        self._drop_expired()
        state, nonce = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.store[state] = (nonce, platform.issuer, self.clock() + LIFETIME)
        query = {
            "scope": "openid", "response_type": "id_token", "response_mode": "form_post",
            "prompt": "none", "client_id": platform.client_id, "redirect_uri": launch_url,
            "login_hint": request["login_hint"], "state": state, "nonce": nonce,
        }  # fmt: skip
        if request.get("lti_message_hint"):
            query["lti_message_hint"] = request["lti_message_hint"]
        return f"{platform.login_url}{'&' if '?' in platform.login_url else '?'}{urlencode(query)}"

    def finish(self, platform: Platform, keys: KeySet, form: Mapping[str, str],
               *, cookie: str) -> Launch:  # fmt: skip
        """The launch that a form proves; LtiError says what is wrong with it.

        `cookie` is the state that the student's browser kept since the login began: a link of
        another person cannot log anybody in.
        """
        state = form.get("state", "")
        if not secrets.compare_digest(state.encode(), cookie.encode()):
            raise LtiError("The login was not begun in this browser. Open the link again.")
        nonce, issuer, until = self.store.pop(state, ("", "", 0.0))
        if issuer != platform.issuer or self.clock() > until:
            raise LtiError("The login is used up or took too long. Open the link again.")
        if form.get("error"):
            raise LtiError(f"The platform refused: {form['error']}.")
        claims = _claims(platform, keys, form.get("id_token", ""), self.clock())
        if not secrets.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise LtiError("The token belongs to another login.")
        return _launch(platform, claims)

    def _drop_expired(self) -> None:
        now = self.clock()
        for state in [each for each, (_, _, until) in self.store.items() if until < now]:
            del self.store[state]


def _claims(platform: Platform, keys: KeySet, token: str, now: float) -> dict[str, Any]:
    library = jwt()
    try:
        key = keys.key_of(library.get_unverified_header(token))
        claims: dict[str, Any] = library.decode(
            token, key, algorithms=list(ALGORITHMS), audience=platform.client_id,
            issuer=platform.issuer, leeway=LEEWAY,
            options={"require": ["iss", "aud", "exp", "iat", "nonce", "sub"]},
        )  # fmt: skip
    except library.PyJWTError as error:
        raise LtiError(f"The platform's token is not valid: {error}.") from None
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", platform.client_id if not several else None) != platform.client_id:
        raise LtiError("The platform's token is for another tool.")
    if claims["iat"] < now - OLDEST:
        raise LtiError("The platform's token is too old.")
    return claims


def _launch(platform: Platform, claims: Mapping[str, Any]) -> Launch:
    lti = {key.removeprefix(_CLAIM): value for key, value in claims.items()
           if key.startswith(_CLAIM)}  # fmt: skip
    if (lti.get("message_type"), lti.get("version")) != (_MESSAGE, _VERSION):
        raise LtiError(
            f"This is a {lti.get('message_type')} of LTI {lti.get('version')}; a link to a "
            f"resource of LTI {_VERSION} is expected."
        )
    deployment = str(lti.get("deployment_id", ""))
    if not deployment or (platform.deployments and deployment not in platform.deployments):
        raise LtiError(f"The deployment {deployment!r} of this platform was not registered.")
    link, context = _dict(lti.get("resource_link")), _dict(lti.get("context"))
    grades = _dict(claims.get(_AGS))
    if not link.get("id"):
        raise LtiError("The platform does not say which resource is meant.")
    if not claims["sub"] or not isinstance(claims["sub"], str):
        raise LtiError("The platform does not say who the learner is.")
    return Launch(
        claims["sub"], str(claims.get("name", "")), str(claims.get("email", "")),
        _texts(lti, "roles"), str(link["id"]), str(link.get("title", "")),
        str(context.get("id", "")), deployment, str(grades.get("lineitem", "")),
        str(grades.get("lineitems", "")), _texts(grades, "scope"),
        _dict(lti.get("custom")),
    )  # fmt: skip


def _texts(claims: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The texts of a list in the token; none where it is missing."""
    value = claims.get(name) or []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise LtiError(f"The claim {name} of the platform's token is no list of texts.")
    return tuple(value)


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
