"""What a built site must not have: links that lead nowhere, and parts that come from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

OUTSIDE: Final = re.compile(r"(?:https?:)?//")
IN_STYLES: Final = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')]+)""")
LOADED: Final = {
    **dict.fromkeys(("script", "img", "iframe", "source", "video", "audio"), ("src",)),
    "link": ("href",),
    "object": ("data",),
}
"""What a browser fetches by itself, by the tag and its attributes."""


@dataclass
class Page(HTMLParser):
    """The places of a page, where its links lead, and what it loads."""

    places: set[str] = field(default_factory=lambda: {"", "top"})
    links: set[str] = field(default_factory=set)
    loaded: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag is called, leads to, and loads."""
        attributes = {name: value for name, value in attrs if value is not None}
        self.places |= {attributes[name] for name in ("id", "name") if name in attributes}
        if tag == "a" and "href" in attributes:
            self.links.add(attributes["href"])
        self.loaded |= {attributes[name] for name in LOADED.get(tag, ()) if name in attributes}


@cache
def page(file: Path) -> Page:
    """One page of a site, read."""
    read = Page()
    read.feed(file.read_text(encoding="utf-8"))
    return read


def broken(site: Path) -> Iterator[str]:
    """Links within the site that lead nowhere, and files that are not there."""
    for file in sorted(site.rglob("*.html")):
        for link in sorted(page(file).links | page(file).loaded):
            if not OUTSIDE.match(link) and not _is_there(file, link):
                yield f"{file.relative_to(site)}: {link}"


def _is_there(file: Path, link: str) -> bool:
    """Whether a link leads to a file that is there, and to a place on it."""
    parts = urlsplit(link)
    if parts.scheme in {"mailto", "data"}:
        return True
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if not parts.fragment or target.suffix != ".html":
        return target.exists()
    return target.exists() and unquote(parts.fragment) in page(target).places


def fetched(site: Path) -> Iterator[str]:
    """What the pages, and their styles, would fetch from another place."""
    for file in sorted(site.rglob("*.html")):
        for address in sorted(page(file).loaded):
            if OUTSIDE.match(address):
                yield f"{file.relative_to(site)}: {address}"
    for file in sorted(site.rglob("*.css")):
        for address in IN_STYLES.findall(file.read_text(encoding="utf-8")):
            yield f"{file.relative_to(site)}: {address}"
