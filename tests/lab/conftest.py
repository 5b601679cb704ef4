"""The one IPython shell of this process, which the tests of a module share."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tapelab import lab
from tapelab.recording import source

SETUP = "import tapelab as tf\nx = tf.Variable(3.0)\ny = tf.Variable(4.0)"


@pytest.fixture(scope="module")
def ipython(tmp_path_factory):
    """Start the shell, without history on disk."""
    patch = pytest.MonkeyPatch()
    patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    lab.attach(shell)
    yield shell
    InteractiveShell.clear_instance()
    source.titles.remove(lab.title_of_cell)
    patch.undo()


@pytest.fixture
def fresh(ipython):
    """The shell without the names of earlier tests.

    `reset` would also search all of the process for garbage, again and again.
    """
    known = dict(ipython.user_ns)
    yield ipython
    for name in ipython.user_ns.keys() - known.keys():
        del ipython.user_ns[name]
    ipython.user_ns.update(known)


@pytest.fixture
def run(fresh):
    """Run cells one after the other; the result of the last."""

    def run(*cells):
        for cell in (SETUP, *cells):
            result = fresh.run_cell(cell, store_history=True)
        return result

    return run
