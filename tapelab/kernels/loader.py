"""Compiled kernels, fetched when an array is first large enough to be worth it.

`import tapelab` never imports numba, and neither does work on small arrays: it costs a third of a
second, and the first compilation of a kernel on a machine about half a second more (`tapelab
warmup` does it ahead). Whether a kernel is compiled depends on the array alone and not on what ran
before, so that a program gives equal numbers each time. A kernel is named by its file, unless that
is `compiled`, and its name. Whatever goes wrong on the way (no numba,
nowhere to keep the compiled code, a damaged entry there) costs speed only: the caller then does the
work with NumPy. Entries that cannot be read are thrown away, so that the next call compiles again.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tapelab.kernels.threads import in_slices

_given_up: Final[set[str]] = set()
_mended: Final[set[str]] = set()


def ran(name: str, *arrays: Any) -> bool:
    """Run a compiled kernel, which writes into its last array; False if NumPy must do the work."""
    kernel = _fetched(name)
    return kernel is not None and _done(name, kernel, read_only(arrays))


def ran_into(results: Sequence[Any], name: str, *arrays: Any) -> bool:
    """Run a compiled kernel that writes into several arrays, which come after those it reads."""
    kernel = _fetched(name)
    if kernel is None:
        return False
    views = read_only([*arrays, results[0]])
    return _done(name, kernel, [*views, *(each.view() for each in results[1:])])


def ran_in_slices(name: str, *arrays: Any, shared: Sequence[Any] = ()) -> bool:
    """The same for a kernel that treats each entry, or each row, on its own: threads may share.

    What all slices need as a whole is `shared`; the kernel takes it first.
    """
    kernel = _fetched(name)
    if kernel is None:
        return False
    views = read_only([*shared, *arrays])
    work = partial(kernel, *views[: len(shared)]) if shared else kernel
    return _done(name, in_slices, [work, *views[len(shared) :]])


def read_only(arrays: Sequence[Any]) -> list[Any]:
    """Views of arrays, all but the last for reading alone: numba compiles for each kind again."""
    views = [each.view() for each in arrays]
    for each in views[:-1]:
        each.flags.writeable = False
    return views


def kernel(name: str) -> Any:
    """The compiled kernel of a name; ImportError where numba is missing."""
    home, _, own = name.rpartition(".")
    return getattr(import_module(f"tapelab.kernels.{home or 'compiled'}"), own)


def _fetched(name: str) -> Any:
    if name in _given_up:
        return None
    try:
        return kernel(name)
    except Exception:  # noqa: BLE001 - an import can fail in any way, and none is the learner's
        _given_up.add(name)
        return None


def _done(name: str, work: Any, arguments: list[Any]) -> bool:
    try:
        work(*arguments)
    except Exception as error:  # noqa: BLE001 - a compiler can fail in any way, and none is the learner's
        if _is_of_numba(error) or _mended:
            _given_up.add(name)
        else:
            _mended.add(name)
            _throw_away()
        return False
    return True


def _is_of_numba(error: Exception) -> bool:
    """Whether a kernel cannot be compiled; what else goes wrong comes from reading what was."""
    errors = sys.modules.get("numba.core.errors")
    return errors is None or isinstance(error, errors.NumbaError)


def _throw_away() -> None:
    """Delete the compiled code that is kept on disk, of all kernels: they call one another."""
    homes = [home for home in [*sys.modules] if home.startswith("tapelab.kernels.compiled")]
    for home in homes:
        kernels = [each for each in vars(sys.modules[home]).values() if hasattr(each, "stats")]
        for place in {Path(each.stats.cache_path) for each in kernels}:
            for entry in place.glob(f"{home.rpartition('.')[2]}.*.nb[ic]"):
                with suppress(OSError):
                    entry.unlink()
