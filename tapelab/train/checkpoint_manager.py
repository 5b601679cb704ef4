"""`tf.train.CheckpointManager`: numbered checkpoints in a folder; the last ones are kept."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tapelab.train.checkpoint import Checkpoint
from tapelab.train.checkpoint_state import get_checkpoint_state, now, write_state

HOUR: Final = 3600.0


class CheckpointManager:
    """Saves a Checkpoint again and again, and deletes the oldest files."""

    def __init__(
        self, checkpoint: Checkpoint, directory: Any, max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None, checkpoint_name: str = "ckpt",
        step_counter: Any = None, checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None, last_checkpoint_step: int | None = None,
    ) -> None:  # fmt: skip
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is used.")
        self._checkpoint, self._directory = checkpoint, str(directory)
        self._max_to_keep, self._hours = max_to_keep, keep_checkpoint_every_n_hours
        self._name, self._step, self._interval = checkpoint_name, step_counter, checkpoint_interval
        self._init_fn, self._last_step = init_fn, last_checkpoint_step
        self._kept: dict[str, float] = {}
        """The times of the checkpoints that may be deleted later."""
        self._preserved = now()
        self._latest: str | None = None
        self._recover()

    def _recover(self) -> None:
        """Read what an earlier manager has kept in the folder."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        self._preserved = state.last_preserved_timestamp or self._preserved
        times = state.all_model_checkpoint_timestamps
        paths = state.all_model_checkpoint_paths
        self._kept = dict(zip(paths, times if len(times) == len(paths) else [now()] * len(paths),
                              strict=True))  # fmt: skip

    @property
    def directory(self) -> str:
        """The folder of the files."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """The Checkpoint that is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """After how many steps a checkpoint is saved."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the latest checkpoint; None if there is none."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints that are kept, the oldest first."""
        return list(self._kept)

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None
    ) -> str | None:
        """Save a checkpoint, and delete the oldest; return its prefix.

        None is returned where `checkpoint_interval` steps have not yet passed.
        """
        if not self._is_due(check_interval=check_interval):
            return None
        counter = self._checkpoint.save_counter
        counter.assign_add(1)
        number = int(counter if checkpoint_number is None else checkpoint_number)
        prefix = os.path.join(self._directory, f"{self._name}-{number}")  # noqa: PTH118 - keeps ./
        path = self._checkpoint.write(prefix, options)
        self._latest = path
        self._kept.pop(path, None)
        self._kept[path] = now()
        self._delete_oldest()
        times = list(self._kept.values())
        write_state(self._directory, path, self.checkpoints, times, self._preserved)
        return path

    def _is_due(self, *, check_interval: bool) -> bool:
        if self._interval is None:
            return True
        step = int(self._step)
        if (
            check_interval
            and self._last_step is not None
            and step < self._last_step + self._interval
        ):
            return False
        self._last_step = step
        return True

    def _delete_oldest(self) -> None:
        """Delete what is too much; one checkpoint every so many hours stays for ever."""
        while self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
            path, time = next(iter(self._kept.items()))
            del self._kept[path]
            if self._hours is not None and time - self._hours * HOUR >= self._preserved:
                self._preserved = time
                continue
            for file in Path(self._directory).glob(f"{_escaped(Path(path).name)}.*"):
                if file.name.endswith(".index") or ".data-" in file.name:
                    file.unlink()

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint and return its prefix; else call `init_fn`."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = int(self._step)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Do nothing: files are written at once."""


def _escaped(name: str) -> str:
    """A name in which `glob` finds no patterns."""
    return re.sub(r"([*?[])", r"[\1]", name)
