"""Keys for LTI: a platform's, fetched when needed, and our own, with which we sign requests."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from types import ModuleType
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import urlsplit

TIMEOUT: Final = 20
FRESH: Final = 60
"""Seconds after which keys may be asked for again: a wrong key id is no way to flood a platform."""
LARGEST: Final = 1 << 20


class LtiError(ValueError):
    """A launch or a service of LTI failed; the message says why."""


def jwt() -> ModuleType:
    """The library for signed tokens; LtiError says how to get it."""
    try:
        import jwt as library
    except ModuleNotFoundError:
        raise LtiError(
            "LTI needs a library for signed tokens. Try: pip install 'tapelab[lti]'"
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
        library = jwt()
        try:
            found = json.loads(get(self.url))["keys"]
            self._keys = {
                each["kid"]: library.PyJWK.from_dict(each).key
                for each in found
                if each.get("kty") == "RSA" and "kid" in each
            }
        except (URLError, OSError, ValueError, KeyError, TypeError, library.PyJWTError) as error:
            raise LtiError(f"The platform's keys cannot be read: {error}.") from None
        self._fetched = self.clock()


@dataclass(frozen=True)
class OwnKey:
    """Our private key, as PEM; a platform is given the public half, `published()`."""

    pem: str = field(repr=False)

    @classmethod
    def made(cls) -> OwnKey:
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
        told = json.loads(algorithms.RSAAlgorithm.to_jwk(private.public_key()))
        return {name: told[name] for name in ("kty", "n", "e")}
