"""What every test may ask for: the namespace under test, and the warnings it logs."""

from __future__ import annotations

import importlib
import logging
import os

import pytest


@pytest.fixture(scope="session")
def tf():
    """Hold tapelab, or real TensorFlow where TAPELAB_CONFORMANCE=tensorflow asks for it.

    The facts under tests/engine/test_semantics_*.py, tests/conformance and tests/tutorials were
    seen on TensorFlow first; running them there again shows that they are still facts.
    """
    return importlib.import_module(os.environ.get("TAPELAB_CONFORMANCE", "tapelab"))


@pytest.fixture
def logged(tf):
    """Collect the log messages of the library at level WARNING and above."""
    messages: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())

    collector = Collector(level=logging.WARNING)
    logger = logging.getLogger(tf.__name__)
    logger.addHandler(collector)
    yield messages
    logger.removeHandler(collector)
