"""The just-in-time compiler: LLVM code compiled for this processor, loaded, called from Python.

llvmlite is what Numba compiles with; it loads in a tenth of Numba's time, and is imported when the
first function is compiled or read from the disk.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np

_FROM_PYTHON: Final = (
    "PyLong_AsSsize_t", "PyLong_FromLong", "PyEval_SaveThread", "PyEval_RestoreThread",
)  # fmt: skip
_FROM_C: Final = ("memcpy", "sin", "cos")
_FLAG_OF_MANY: Final = 0x80  # METH_FASTCALL: called with an array of objects
_engines: Final[list[Any]] = []


class _Method(ctypes.Structure):
    """What Python knows of a function in machine code (PyMethodDef)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@cache
def binding() -> Any:
    """LLVM, ready for this processor."""
    llvm: Any = import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
    for names, source in ((_FROM_PYTHON, ctypes.pythonapi), (_FROM_C, library)):
        for name in names:
            address = ctypes.cast(getattr(source, name), ctypes.c_void_p).value
            llvm.add_symbol(name, address)
    return llvm


@cache
def processor() -> str:
    """The name and the features of this processor."""
    llvm = binding()
    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def scales() -> bool:
    """Whether this processor multiplies sixteen numbers by powers of 2 at once."""
    return "+avx512f," in processor()


@cache
def _target() -> Any:
    llvm = binding()
    name, _, features = processor().partition(" ")
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=name, features=features, opt=2, reloc="pic", codemodel="small", jit=True
    )


def version() -> str:
    """The versions of llvmlite and of LLVM."""
    return f"{import_module('llvmlite').__version__} {binding().llvm_version_info}"


def is_fit() -> bool:
    """Whether objects lie in memory as the driver takes them to, and the processor has `fma`."""
    fused = "+fma" in processor() or platform.machine().lower() in {"arm64", "aarch64"}
    plain = sys.implementation.name == "cpython" and sys.byteorder == "little"
    return fused and plain and object.__basicsize__ == 16 and _lies_as_expected()


def _lies_as_expected() -> bool:
    """Read the type, the address and the flags of some arrays and numbers as the driver will."""
    whole = np.arange(6.0)
    for array, in_rows in ((whole, 257), (whole[::2], 256)):
        if _at(array, 8, ctypes.c_void_p) != id(np.ndarray):
            return False
        if _at(array, 16, ctypes.c_void_p) != array.ctypes.data:
            return False
        if _at(array, 64, ctypes.c_int) & 257 != in_rows:
            return False
    numbers = [(np.float32(2.5), ctypes.c_float), (np.float64(2.5), ctypes.c_double),
               (np.int32(-7), ctypes.c_int32), (np.int64(-7), ctypes.c_int64),
               (np.True_, ctypes.c_bool)]  # fmt: skip
    return all(_at(number, 16, kind) == number for number, kind in numbers)


def _at(value: Any, offset: int, kind: Any) -> Any:
    return kind.from_address(id(value) + offset).value


def machine_code(text: str) -> bytes:
    """Code of LLVM as an object file for this processor."""
    module = binding().parse_assembly(text)
    module.verify()
    code: bytes = _target().emit_object(module)
    return code


def loaded(code: bytes, name: str) -> int:
    """The address of a function of an object file, which stays loaded."""
    llvm = binding()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_for_loading())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    address: int = engine.get_function_address(name)
    if not address:
        raise LookupError(f"There is no function {name} in this machine code.")
    return address


def _target_for_loading() -> Any:
    """A target of its own: an engine takes it over."""
    return (
        binding()
        .Target.from_default_triple()
        .create_target_machine(reloc="pic", codemodel="small", jit=True)
    )


def callable_at(address: int, name: str) -> Any:
    """A function in machine code as a function of Python that takes any number of objects."""
    method = _Method(name.encode(), address, _FLAG_OF_MANY, None)
    _engines.append(method)
    new_function = ctypes.pythonapi.PyCFunction_NewEx
    new_function.restype = ctypes.py_object
    new_function.argtypes = (ctypes.POINTER(_Method), ctypes.c_void_p, ctypes.c_void_p)
    return new_function(ctypes.byref(method), None, None)
