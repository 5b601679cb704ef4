"""The file `checkpoint` of a folder: which checkpoints there are, and which is the latest."""

from __future__ import annotations

import json
import os.path
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

STATE: Final = "checkpoint"
_LINE: Final = re.compile(r'^(\w+): (".*"|[-+.\de]+)$', re.MULTILINE)
_ALL: Final = "all_model_checkpoint"


@dataclass
class CheckpointState:
    """What the file says; paths begin with the folder."""

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0

    def __str__(self) -> str:
        lines = [f"model_checkpoint_path: {json.dumps(self.model_checkpoint_path)}"]
        lines += [f"{_ALL}_paths: {json.dumps(each)}" for each in self.all_model_checkpoint_paths]
        lines += [f"{_ALL}_timestamps: {each!r}" for each in self.all_model_checkpoint_timestamps]
        if self.last_preserved_timestamp:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "\n".join(lines) + "\n"


def write_state(
    folder: str, latest: str, paths: Sequence[str], times: Sequence[float] = (),
    preserved: float = 0.0, name: str = STATE,
) -> None:  # fmt: skip
    """Write the file; paths within the folder are written relative to it."""

    def relative(path: str) -> str:
        return Path(path).name if Path(path).parent == Path(folder) else path

    state = CheckpointState(relative(latest), list(map(relative, paths)), list(times), preserved)
    (Path(folder) / name).write_text(str(state), encoding="utf-8")


def get_checkpoint_state(
    checkpoint_dir: Any, latest_filename: str | None = None
) -> CheckpointState | None:
    """Return what the file `checkpoint` of a folder says; None if there is none."""
    file = Path(checkpoint_dir) / (latest_filename or STATE)
    if not file.is_file():
        return None
    state = CheckpointState()
    for name, raw in _LINE.findall(file.read_text(encoding="utf-8")):
        value = json.loads(raw)
        if isinstance(value, str):
            value = os.path.join(checkpoint_dir, value)  # noqa: PTH118 - keeps ./
        if name.startswith(_ALL):
            getattr(state, name).append(value)
        elif name in {"model_checkpoint_path", "last_preserved_timestamp"}:
            setattr(state, name, value)
    return state if state.model_checkpoint_path else None


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """Return the prefix of the latest checkpoint in a folder; None if there is none."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not Path(f"{state.model_checkpoint_path}.index").is_file():
        return None
    return state.model_checkpoint_path


def now() -> float:
    """Return the time in seconds, as the file holds it."""
    return time.time()
