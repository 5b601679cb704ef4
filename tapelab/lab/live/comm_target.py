"""The comm target at which front-ends open Tape panels, and the version of what the ends say."""

from __future__ import annotations

from typing import Final

TARGET: Final = "tapelab.live"
VERSION: Final = 1
