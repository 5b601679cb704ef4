"""Words of strangers in a terminal: shown as they are, never as markup or as its commands."""

from __future__ import annotations

from rich.markup import escape


def printable(text: str) -> str:
    """The text with a mark in place of each character that a terminal would obey."""
    return "".join(
        each if each.isprintable() or each == "\n" else "\N{REPLACEMENT CHARACTER}" for each in text
    )


def table_cell(text: str) -> str:
    """The text for a table, which would take brackets for markup."""
    return escape(printable(text))
