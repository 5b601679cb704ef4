"""Names of students as the file systems of different computers write them.

macOS decomposes letters with accents (NFD), old archives keep bytes of Latin-1, and a copied name
may hold spaces that do not break. A file belongs to the student in the roster all the same.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping


def canonical_name(name: str) -> str:
    """The name in composed letters (NFC), with single plain spaces and none around it."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:  # bytes of a file name that are no UTF-8
        name = os.fsencode(name).decode("latin-1")
    composed = unicodedata.normalize("NFC", name)
    spaced = "".join(" " if unicodedata.category(each) == "Zs" else each for each in composed)
    return re.sub(" +", " ", spaced).strip()


def logins_by_name(logins: Iterable[str]) -> Mapping[str, str]:
    """The logins of a roster, by canonical name."""
    return {canonical_name(login): login for login in logins}
