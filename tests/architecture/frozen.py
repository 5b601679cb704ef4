"""A pytest plugin that freezes the modules and classes of tapelab, for `test_dispatch.py`.

Every module of the package is loaded first. Then a class cannot be assigned to, because it is
marked as immutable for the interpreter, and a module cannot, because its type refuses names that it
has already with another value. A name that is loaded lazily for the first time is let in.
"""

from __future__ import annotations

import ctypes
import importlib
import pkgutil
import sys
from types import ModuleType

import tapelab

IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
HEAVY = ("tapelab.grading", "tapelab.cli", "tapelab.lab", "tapelab.widgets", "tapelab.authoring")
CHANGING = "tapelab.keras.models"
"""A model that is made of inputs and outputs becomes a `Functional`: instances change their class,
which CPython allows for mutable classes alone.
"""


class Flags(ctypes.Structure):
    """The head of a type object as CPython lays it out, up to its flags."""

    _fields_ = (
        ("head", ctypes.c_ssize_t * 3),  # reference count, type, size
        ("name", ctypes.c_char_p),
        ("sizes", ctypes.c_ssize_t * 2),
        ("slots", ctypes.c_void_p * 15),  # from tp_dealloc to tp_as_buffer
        ("flags", ctypes.c_ulong),
    )


class FrozenModule(ModuleType):
    """A module whose names keep their values."""

    def __setattr__(self, name, value):
        names = vars(self)
        if name in names and names[name] is not value and not name.startswith("__"):
            raise AttributeError(f"{self.__name__}.{name} is replaced at run time")
        super().__setattr__(name, value)

    def __delattr__(self, name):
        raise AttributeError(f"{self.__name__}.{name} is deleted at run time")


def load_all():
    """Import every module of the package that needs no optional dependency."""
    for found in pkgutil.walk_packages(tapelab.__path__, "tapelab."):
        if not found.name.startswith(HEAVY) and "__main__" not in found.name:
            importlib.import_module(found.name)


def freeze_class(kind):
    """Let nothing assign to a class any more."""
    Flags.from_address(id(kind)).flags |= IMMUTABLE


def pytest_collection_modifyitems(items):
    """Leave out tests that replace attributes themselves."""
    items[:] = [item for item in items if "monkeypatch" not in item.fixturenames]


def pytest_collection_finish(session):
    """Freeze the package once all tests are imported."""
    load_all()
    ours = [module for name, module in sys.modules.items() if name.split(".")[0] == "tapelab"]
    classes = {
        thing
        for module in ours
        for thing in vars(module).values()
        if isinstance(thing, type) and thing.__module__.startswith("tapelab")
        if not thing.__module__.startswith(CHANGING)
    }
    for kind in classes:
        freeze_class(kind)
    for module in ours:
        module.__class__ = FrozenModule
    try:
        tapelab.Tensor.shape = None
    except TypeError:
        print(f"\nfrozen: {len(classes)} classes, {len(ours)} modules")
    else:
        raise AssertionError("a class could still be assigned to")
