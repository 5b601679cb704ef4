"""A result under the teacher's seal, so that nobody changes points on the way to the gradebook."""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

from tapelab.grading.result import Result


class SealError(ValueError):
    """A result was changed after it was signed, or another key signed it."""


@dataclass(frozen=True)
class Signed:
    """A result as text, and the seal over it, its submission and its assignment's version."""

    text: str
    seal: str

    @classmethod
    def of(cls, result: Result, key: bytes) -> Self:
        """Sign a result with the teacher's key."""
        text = result.to_json()
        return cls(text, _seal(text, key))

    def result(self, key: bytes) -> Result:
        """The result; SealError if it is not as it was when this key signed it."""
        if not hmac.compare_digest(self.seal.encode(), _seal(self.text, key).encode()):
            raise SealError(
                "This result does not bear your seal: it was changed, or signed with another key. "
                "Grade the submission again."
            )
        return Result.from_json(self.text)

    def to_json(self) -> str:
        """One line of text."""
        return json.dumps({"text": self.text, "seal": self.seal}, ensure_ascii=False)

    @classmethod
    def from_json(cls, content: str) -> Self:
        """What `to_json` wrote; ValueError for anything else."""
        try:
            read = json.loads(content)
            return cls(str(read["text"]), str(read["seal"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"This is no signed result: {error}.") from None


def _seal(text: str, key: bytes) -> str:
    """Over the whole text, in which submission and version stand."""
    return hmac.new(key, b"tapelab result\0" + text.encode(), sha256).hexdigest()


def key_file() -> Path:
    """Where the teacher's key lies, unless TAPELAB_GRADING_KEY names another file."""
    named = os.environ.get("TAPELAB_GRADING_KEY")
    return Path(named) if named else Path.home() / ".config" / "tapelab" / "grading.key"


def key(path: Path | None = None) -> bytes:
    """The teacher's key, made on first use for its owner's eyes only."""
    path = path or key_file()
    with contextlib.suppress(FileExistsError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        number = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "wb") as file:
            file.write(secrets.token_bytes(32))
        try:
            os.link(fresh, path)  # whole or not at all, and never over one that is there
        finally:
            fresh.unlink()
    content = path.read_bytes()
    if len(content) < 32:
        raise SealError(f"{path} is no key. Move it away, and a new one is made.")
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise SealError(f"Others can read the key in {path}. Try: chmod 600 {path}")
    return content
