"""Signals wait until a transaction is over: a driver interrupted within one cannot go on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold interrupts and requests to end back; they are delivered when the block is left."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread alone
        return
    held: list[int] = []
    before = {each: signal.getsignal(each) for each in SIGNALS}
    for each in SIGNALS:
        signal.signal(each, lambda number, frame: held.append(number))
    try:
        yield
    finally:
        for each, handler in before.items():
            # None: another language than Python handles it, and cannot be put back.
            signal.signal(each, signal.SIG_DFL if handler is None else handler)
        for number in dict.fromkeys(held):
            signal.raise_signal(number)
