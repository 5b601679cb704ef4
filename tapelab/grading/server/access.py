"""Access control of the server: a token in the address, then a session cookie; accepted hosts."""

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
class AccessControl:
    """The secrets of one server run, which sign its sessions and the tokens of their forms."""

    names: frozenset[str]
    """Host names that requests may use."""
    addresses: bool = False
    """Whether requests may use any IP address: true if other computers reach the server."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @classmethod
    def for_host(cls, host: str) -> AccessControl:
        """The access control of a server on this host."""
        if is_loopback(host):
            return cls(LOOPBACK | {host.lower()})
        return cls(LOOPBACK | {host.lower()}, addresses=True)

    def is_token(self, token: str) -> bool:
        """Whether this is the token of the printed address."""
        return is_equal(token, self.token)

    def new_session(self) -> str:
        """The cookie value of a new session."""
        name = secrets.token_urlsafe(24)
        return f"{name}.{self._signed('session', name)}"

    def is_session(self, session: str) -> bool:
        """Whether this run signed the session."""
        name, _, signature = session.partition(".")
        return is_equal(signature, self._signed("session", name))

    def form_token(self, session: str) -> str:
        """The token in the forms of a session, which no other page can know."""
        return self._signed("form", session)

    def is_form_token(self, form_token: str, session: str) -> bool:
        """Whether a form belongs to a page of this session."""
        return is_equal(form_token, self.form_token(session))

    def is_accepted_host(self, host: str) -> bool:
        """Whether a Host header is one of ours; another name may point at this computer."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        return name in self.names or (self.addresses and is_ip_address(name))

    def _signed(self, purpose: str, text: str) -> str:
        message = f"{purpose}:{text}".encode(errors="backslashreplace")
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


def is_loopback(host: str) -> bool:
    """Whether a host can be reached from this computer only."""
    return host.lower() == "localhost" or (is_ip_address(host) and ip_address(host).is_loopback)


def is_ip_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_equal(given: str, right: str) -> bool:
    """Compare in constant time."""
    given_bytes, right_bytes = (each.encode(errors="backslashreplace") for each in (given, right))
    return hmac.compare_digest(given_bytes, right_bytes)
