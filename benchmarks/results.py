"""What was measured, kept as JSON: numbers for each work and contender, and who is missing."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from benchmarks.goals import Measured
from benchmarks.names import CONTENDERS

FILE: Final = "results.json"
LONG: Final = 6.0
"""Seconds; what takes a contender longer is measured in the first round alone."""


@dataclass
class Results:
    """The numbers of all rounds; grows while they run."""

    measured: Measured = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)

    def expect(self, works: list[str], names: list[str], absent: list[str]) -> None:
        """Make room for works and contenders that are still missing."""
        self.absent = absent
        for work in works:
            known = self.measured.setdefault(work, {})
            for name in names:
                known.setdefault(name, [])

    def names(self) -> list[str]:
        """The contenders that were asked, in their order."""
        measured_names = {name for found in self.measured.values() for name in found}
        return [each.name for each in CONTENDERS if each.name in measured_names]


def earlier(folder: Path) -> Results:
    """The results in a folder; none where there are none."""
    path = folder / FILE
    if not path.exists():
        return Results()
    kept = json.loads(path.read_text(encoding="utf-8"))
    return Results(kept["measured"], kept["failed"], kept["absent"])


def keep(folder: Path, results: Results, verdicts: dict[str, Any]) -> None:
    """Write results as JSON, with where they come from and what they say of the goals."""
    content = {"about": about(), "goals": verdicts, **asdict(results)}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


def about() -> dict[str, str]:
    """The day, the machine and the versions of what was compared."""
    packages = sorted({each.needs for each in CONTENDERS} | {"numba"})
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        **{name: found for name in packages if (found := _version(name))},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    found = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return found[0] if found else platform.machine()
