"""Fixtures that freeze the modules and classes of tapelab, for the suites of `tf.function`.

Every module of the package is loaded first. Then a class cannot be assigned to, because it is
marked as immutable for the interpreter, and a module cannot, because its type refuses names that it
has already with another value. A name that is loaded lazily for the first time is let in. So the
suites in which `frozen_package` stands pass only where nothing is replaced at run time.
"""

from __future__ import annotations

import ctypes
import importlib
import pkgutil
import sys
from functools import cache
from types import ModuleType

import pytest

import tapelab

IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
HEAVY = (
    *("tapelab.grading", "tapelab.cli", "tapelab.lab", "tapelab.widgets", "tapelab.authoring"),
    "tapelab.foreign",
)
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


@cache
def load_all():
    """Import every module of the package that needs no optional dependency."""
    for found in pkgutil.walk_packages(tapelab.__path__, "tapelab."):
        if not found.name.startswith(HEAVY) and "__main__" not in found.name:
            importlib.import_module(found.name)


class Package:
    """The modules and classes of the package that are loaded."""

    def __init__(self):
        load_all()
        named = [*sys.modules.items()]
        self.modules = {m: type(m) for name, m in named if name.split(".")[0] == "tapelab"}
        self.classes = {
            thing
            for module in self.modules
            for thing in vars(module).values()
            if isinstance(thing, type) and thing.__module__.startswith("tapelab")
            if not thing.__module__.startswith(CHANGING)
        }

    def freeze(self):
        """Let nothing assign to a class or a module."""
        for kind in self.classes:
            Flags.from_address(id(kind)).flags |= IMMUTABLE
        for module in self.modules:
            module.__class__ = FrozenModule

    def thaw(self):
        """Let everything be assigned to as before."""
        for kind in self.classes:
            Flags.from_address(id(kind)).flags &= ~IMMUTABLE
        for module, kind in self.modules.items():
            module.__class__ = kind


@pytest.fixture(scope="module", autouse=True)
def frozen_package(tf):
    """Freeze the package for the tests of a module, unless they run on TensorFlow."""
    package = Package() if tf is tapelab else None
    if package:
        package.freeze()
    yield package
    if package:
        package.thaw()


@pytest.fixture(autouse=True)
def thawed_where_patched(frozen_package, request):
    """Thaw the package for a test that replaces attributes itself."""
    patches = "monkeypatch" in request.fixturenames
    if patches:
        frozen_package.thaw()
    yield
    if patches:
        frozen_package.freeze()
