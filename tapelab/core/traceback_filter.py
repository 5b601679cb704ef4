"""Tracebacks that end at the user's line, and not in the frames of the engine.

Nothing is caught and raised again for this. What prints uncaught errors, Python's `sys.excepthook`
or a notebook, is handed a traceback without our frames, and without the errors of NumPy that ours
was made from. `tf.debugging.disable_traceback_filtering` shows all.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import TracebackType

from tapelab.core.helper_calls import are_ours


class _Setting:
    enabled = True


def set_filtering(*, enabled: bool) -> None:
    """Show tracebacks without the frames of the engine, or whole."""
    _Setting.enabled = enabled


def is_filtering() -> bool:
    """Whether tracebacks are shown without the frames of the engine."""
    return _Setting.enabled


def hide_internals(error: BaseException, trace: TracebackType | None) -> TracebackType | None:
    """The traceback to show for an error: without our frames where the user's led to them.

    The errors that came up in our frames alone, from which this one was made, are not shown.
    """
    if not _Setting.enabled or not any(map(_is_internal, _frames(trace))):
        return trace
    _forget_internal_causes(error)
    shown = None
    for each in reversed([each for each in _frames(trace) if not _is_internal(each)]):
        shown = TracebackType(shown, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return shown or trace


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _is_internal(trace: TracebackType) -> bool:
    names = trace.tb_frame.f_globals
    return names.get("__name__", "").partition(".")[0] == "tapelab" and are_ours(names)


def _forget_internal_causes(error: BaseException) -> None:
    """Take the causes away that no frame of the user's has a part in; the others stay."""
    if error.__cause__ is not None and _is_all_internal(error.__cause__):
        error.__cause__ = None
    if error.__context__ is not None and _is_all_internal(error.__context__):
        error.__context__ = None


def _is_all_internal(cause: BaseException) -> bool:
    return next(map(_is_internal, _frames(cause.__traceback__)), False)


def install() -> None:
    """Let Python show uncaught errors without our frames, unless somebody else shows them."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _show


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    shown = hide_internals(error, trace)
    sys.__excepthook__(kind, error.with_traceback(shown), shown)
