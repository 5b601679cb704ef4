"""The golden recordings, by the names of their scenes."""

from __future__ import annotations

import pytest

from tapelab.recording import from_bytes
from tests.fixtures.record import FOLDER


@pytest.fixture(scope="session")
def golden():
    """Read a golden recording."""
    return lambda name: from_bytes((FOLDER / f"{name}.tape").read_bytes())
