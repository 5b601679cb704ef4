"""Regular expressions over texts, in the dialect of RE2 that TensorFlow speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor
from tapelab.errors import InvalidArgumentError, invalid_argument
from tapelab.strings.string_op import declared, each, one_text, text, texts

CLASSES: Final = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f", "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": r"!-/:-@\[-`{-~", "space": r"\t\n\v\f\r ", "upper": "A-Z", "word": r"0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip
"""The classes that are written `[[:alpha:]]`."""
_TOKEN: Final = re.compile(r"\\.|\[:(\w+):\]|\(\?[=!]|\(\?<[=!]|\[\^?\]?|\]|\$", re.DOTALL)
_MISSING: Final = {"unterminated character set": "missing ]", "missing )": "missing )"}


@declared(
    "StaticRegexReplace", "regex_replace",
    ((texts(["abcd", "x", "aca"]),),
     {"pattern": b"[a-c]+", "rewrite": rb"<\0>", "replace_global": True}),
)  # fmt: skip
def _replace(x: Any, *, pattern: bytes, rewrite: bytes, replace_global: bool) -> Any:
    """Each text with something else written where the pattern matches."""
    compiled = _compiled(pattern, "StaticRegexReplace")

    def rewritten(raw: bytes) -> bytes:
        return _rewritten(compiled, rewrite.decode(), raw, replace_global)

    return each(rewritten, x)


@declared(
    "StaticRegexFullMatch", "regex_full_match", ((texts(["abc", "x"]),), {"pattern": b"[a-c]+"})
)
def _full_match(x: Any, *, pattern: bytes) -> Any:
    """Whether the pattern matches a text from its beginning to its end."""
    compiled = _compiled(pattern, "StaticRegexFullMatch")
    return each(lambda raw: compiled.fullmatch(_read(raw)) is not None, x, np.bool_)


@public(elementwise=True)
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""Each text with `rewrite` where the pattern matches; `\1` in it stands for the first group.

    InvalidArgumentError for a pattern that cannot be read.
    """
    raw = "StaticRegexReplace"
    return _replace(
        text(input, raw), pattern=one_text(pattern, raw, "Pattern"),
        rewrite=one_text(rewrite, raw, "Rewrite"), replace_global=bool(replace_global),
    )  # fmt: skip


@public(elementwise=True)
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Whether the pattern matches the whole of each text.

    InvalidArgumentError for a pattern that cannot be read.
    """
    raw = "StaticRegexFullMatch"
    return _full_match(text(input, raw), pattern=one_text(pattern, raw, "Pattern"))


@lru_cache(maxsize=64)
def _compiled(pattern: bytes, raw: str) -> re.Pattern[str]:
    """The pattern as one of Python's; InvalidArgumentError where RE2 would not read it."""
    shown = pattern.decode()
    try:
        return re.compile("".join(_translated(shown)), re.ASCII)
    except re.error as error:
        reason = next((new for old, new in _MISSING.items() if old in error.msg), error.msg)
        raise _unreadable(raw, shown, reason) from error
    except LookupError as error:
        raise _unreadable(raw, shown, str(error.args[0])) from None


def _translated(pattern: str) -> Iterator[str]:
    """The pieces of a pattern in Python's dialect: `$` is the very end, no looking around."""
    inside, done = False, 0
    for token in _TOKEN.finditer(pattern):
        yield pattern[done : token.start()]
        done, piece = token.end(), token.group()
        if piece.startswith("(?") and not inside:
            raise LookupError(f"invalid perl operator: {piece}")
        if piece.startswith("[:"):
            if inside and token.group(1) not in CLASSES:
                raise LookupError(f"invalid character class range: {piece}")
            yield CLASSES[token.group(1)] if inside else piece
            continue
        opens = piece.startswith("[") and not inside
        yield r"\Z" if (piece == "$" and not inside) or piece == r"\z" else _bracket(piece, inside)
        inside = opens or (inside and piece != "]")
    yield pattern[done:]


def _bracket(piece: str, inside: bool) -> str:
    """A bracket within a class stands for itself, and Python needs an escape for that."""
    return "\\" + piece if inside and piece.startswith("[") else piece


def _rewritten(pattern: re.Pattern[str], rewrite: str, raw: bytes, everywhere: bool) -> bytes:
    source, pieces, done, last = _read(raw), [], 0, -1
    wanted = max((int(digit) for digit in re.findall(r"\\(\d)", rewrite)), default=0)
    if wanted > pattern.groups:
        return raw
    for match in pattern.finditer(source):
        if match.end() == match.start() == last:
            continue
        pieces += [source[done : match.start()], _filled(rewrite, match)]
        done = last = match.end()
        if not everywhere:
            break
    return "".join([*pieces, source[done:]]).encode(errors="surrogateescape")


def _filled(rewrite: str, match: re.Match[str]) -> str:
    def group(reference: re.Match[str]) -> str:
        digit = reference.group(1)
        return match.group(int(digit)) or "" if digit.isdigit() else digit

    return re.sub(r"\\([\d\\])", group, rewrite)


def _read(raw: bytes) -> str:
    """Text of UTF-8; bytes that are none keep their value."""
    return raw.decode(errors="surrogateescape")


def _unreadable(raw: str, pattern: str, reason: str) -> InvalidArgumentError:
    return invalid_argument(raw, f"Invalid pattern: {pattern}, error: {reason}: {pattern}")
