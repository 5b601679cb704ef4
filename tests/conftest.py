"""What every test may ask for: the namespace under test, and the warnings it logs."""

from __future__ import annotations

import gc
import importlib
import logging
import os
import signal
from pathlib import Path

import pytest


def pytest_collection():
    """Nothing that is collected is garbage: the collector of Python waits until all is there."""
    gc.disable()


def pytest_collection_finish():
    """Keep what was collected out of the sight of the collector, which would walk it each time.

    There are some hundred thousand objects; a test that calls `gc.collect` paid for each of them.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


PROCESSES = tuple(Path(__file__).parent / name for name in ("cli", "grading", "lab", "ui"))
"""The tests here drive browsers, kernels, servers and graders: processes that share a machine."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """What takes minutes waits for `make test THOROUGH=1`; what takes seconds goes first.

    The many short tests at the end keep every worker busy until all of them are done. Under CI a
    test that drives other processes gets a second try; the summary names and counts each rerun.
    """
    items.sort(key=lambda item: not item.get_closest_marker("ui"))
    if "CI" in os.environ and config.pluginmanager.hasplugin("rerunfailures"):
        for item in items:
            if any(folder in item.path.parents for folder in PROCESSES):
                item.add_marker(pytest.mark.flaky(reruns=1))
    if "TAPELAB_THOROUGH" in os.environ:
        return
    for item in items:
        if item.get_closest_marker("thorough"):
            item.add_marker(pytest.mark.skip(reason="It takes long. Try make test THOROUGH=1."))


@pytest.fixture
def interruptible():
    """Let Ctrl+C interrupt this process and those it starts, also where it is ignored.

    So it is in a background job, under `nohup` and in some runners: whoever starts a program passes
    on that it ignores the signal.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def tf():
    """Hold tapelab, or real TensorFlow where TAPELAB_CONFORMANCE=tensorflow asks for it.

    The facts under tests/core/test_semantics_*.py, tests/conformance and tests/tutorials were
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
