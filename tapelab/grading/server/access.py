"""Who may come in: a secret in the address, a cookie after it, and the names we answer to."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Door:
    """The secrets of one run; each session is signed, and so is the token of its forms."""

    names: frozenset[str]
    """The hosts that a browser may call us by."""
    addresses: bool = False
    """Whether it may call us by any number, too: where we listen beyond this computer."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @classmethod
    def at(cls, host: str) -> Door:
        """The door of a server that listens at a host."""
        if is_loopback(host):
            return cls(LOOPBACK | {host.lower()})
        return cls(LOOPBACK | {host.lower()}, addresses=True)

    def opens(self, token: str) -> bool:
        """Whether it is the token of the printed address."""
        return _same(token, self.token)

    def new_session(self) -> str:
        """What the cookie of a browser that came in holds."""
        name = secrets.token_urlsafe(24)
        return f"{name}.{self._signed('session', name)}"

    def knows(self, session: str) -> bool:
        """Whether this run gave the session out."""
        name, _, signature = session.partition(".")
        return _same(signature, self._signed("session", name))

    def form_token(self, session: str) -> str:
        """What a form of a session carries, and no other page can know."""
        return self._signed("form", session)

    def accepts(self, form_token: str, session: str) -> bool:
        """Whether a form was given out by a page of this session."""
        return _same(form_token, self.form_token(session))

    def answers_to(self, host: str) -> bool:
        """Whether a Host header names us; a name that somebody else points at us does not."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        return name in self.names or (self.addresses and _is_number(name))

    def _signed(self, purpose: str, text: str) -> str:
        told = f"{purpose}:{text}".encode(errors="backslashreplace")
        return hmac.new(self._key, told, hashlib.sha256).hexdigest()


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches a host."""
    return host.lower() == "localhost" or (_is_number(host) and ip_address(host).is_loopback)


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _same(given: str, right: str) -> bool:
    """Compare in a time that says nothing about where they differ."""
    given_bytes, right_bytes = (each.encode(errors="backslashreplace") for each in (given, right))
    return hmac.compare_digest(given_bytes, right_bytes)
