"""The doors through which calls come while a function is traced.

While no trace is open nothing of this is in place, so that eager code pays nothing for it. When one
opens, every public function of the namespace is replaced, in every module that holds it, by one
that asks whether its thread is tracing; so are the operators and the methods that write.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, Final

from tapelab.compiling import standing
from tapelab.compiling.admission import DRAWING
from tapelab.compiling.doorways import (
    ACTING,
    LAZY_METHODS,
    MAKERS,
    PARTS,
    PLAIN,
    PURE,
    TELLING,
)
from tapelab.engine.log import thread
from tapelab.engine.op import Op
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import read

_REWRITTEN: Final = ("tapelab.compiling.operators", "tapelab.compiling.calls")
"""The part of tracing that stands for the learner's own code."""

Swap = tuple[Any, str, Any]
_CLOSED: Final = ("tapelab.engine", "tapelab.kernels", "tapelab.views", "tapelab.recording")
"""Where public functions are not called; only reads of variables come through doors there."""

_lock: Final = threading.RLock()
_swapped: Final[list[Swap]] = []
_open: Final = [0]
_wrappers: Final[dict[int, tuple[Any, Any]]] = {}


@contextmanager
def opened(names: dict[str, Any] | None = None) -> Iterator[None]:
    """Keep the doors in place for the length of a block, also before what is held in `names`.

    These are the global names of the learner's code, which may have taken functions of the
    namespace out of it: `from tapelab import reshape`.
    """
    with _lock:
        _open[0] += 1
    try:
        with _lock:
            if not _swapped:
                _swap_methods()
                swap_functions()
            _swap_taken(names or {})
        yield
    finally:
        with _lock:
            _open[0] -= 1
            while not _open[0] and _swapped:
                _put(*_swapped.pop())


def _swap(owner: Any, name: str, replacement: Any) -> None:
    held = owner if isinstance(owner, dict) else vars(owner)
    _swapped.append((owner, name, held[name]))
    _put(owner, name, replacement)


def _put(owner: Any, name: str, thing: Any) -> None:
    if isinstance(owner, dict):
        owner[name] = thing
    else:
        setattr(owner, name, thing)


def _swap_taken(names: dict[str, Any]) -> None:
    for name, thing in list(names.items()):
        if _is_ours(thing) and id(thing) in _wrappers and _wrappers[id(thing)][0] is thing:
            _swap(names, name, _wrapper(thing))


def _swap_methods() -> None:
    for table, acts in ((PURE, False), (ACTING, True)):
        for owner, names in table:
            for name in names:
                if name in vars(owner):
                    _swap(owner, name, standing.whole_call(vars(owner)[name], acts=acts))
    stand_in: Any
    for owner, name, stand_in in standing.METHODS:
        _swap(owner, name, stand_in(vars(owner)[name]))
    _swap(Op, "__call__", _op_door(vars(Op)["__call__"]))


def swap_functions() -> None:
    """Put the doors before all public functions, also those of modules that were just loaded."""
    _swap_lazy_names()
    _swap_lazy_classes()
    public = {id(each) for each in _public_functions()}
    for module in _modules():
        engine = module.__name__.startswith(_CLOSED)
        for owner in (module, *_groups(module)):
            for name, thing in list(vars(owner).items()):
                if thing is read or (not engine and id(thing) in public):
                    _swap(owner, name, _wrapper(thing))


def _swap_lazy_names() -> None:
    """Let what a part of the namespace loads when it is asked for get its doors at once."""
    for module in filter(None, map(_part, PARTS)):
        if not hasattr(vars(module)["__getattr__"], "_is_door"):
            _swap(module, "__getattr__", _marked(_lazy_door(vars(module))))


def _part(part: str) -> ModuleType | None:
    found = sys.modules.get(f"tapelab.{part}" if part else "tapelab")
    return found if found is not None and "__getattr__" in vars(found) else None


def _swap_lazy_classes() -> None:
    """The doors of classes whose modules are loaded only when somebody uses them."""
    for home, kind, method, stand_in in LAZY_METHODS:
        owner = vars(sys.modules[home]).get(kind) if home in sys.modules else None
        found = None if owner is None else vars(owner).get(method)
        if found is not None and not hasattr(found, "_is_door"):
            _swap(owner, method, _marked(stand_in(found)))
    for home, each in MAKERS:
        made: Any = vars(sys.modules[home]).get(each) if home in sys.modules else None
        if made is not None and not hasattr(made, "_is_door"):
            _swap(sys.modules[home], each, _marked(_maker(made)))


def _marked(door: Any) -> Any:
    door._is_door = True
    return door


def _maker(kind: Any) -> Any:
    """What stands for a class while a trace is open: calling it, or a factory of it, is a node."""

    class Maker(type):
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            trace = thread.trace
            return trace.call(kind, args, kwargs) if trace else kind(*args, **kwargs)

        def __instancecheck__(cls, thing: Any) -> bool:
            return isinstance(thing, kind)

        def __getattr__(cls, name: str) -> Any:
            found = getattr(kind, name)
            return standing.whole_call(found) if callable(found) else found

    return Maker(kind.__name__, (), {"__doc__": kind.__doc__})


def _public_functions() -> Iterator[Any]:
    for part in PARTS:
        module = sys.modules.get(f"tapelab.{part}" if part else "tapelab")
        owners = (module, *_groups(module)) if module else ()
        for name, thing in [pair for owner in owners for pair in vars(owner).items()]:
            if not name.startswith("_") and name not in PLAIN and _is_ours(thing):
                yield thing


def _groups(module: ModuleType) -> list[SimpleNamespace]:
    """The groups of functions in a module, such as `tf.nn.experimental`."""
    return [each for each in vars(module).values() if type(each) is SimpleNamespace]


def _is_ours(thing: Any) -> bool:
    home = getattr(thing, "__module__", None) or ""
    written = isinstance(thing, FunctionType) and not hasattr(thing, "_is_door")
    return written and home.startswith("tapelab") and thing.__name__ not in PLAIN


def _modules() -> list[ModuleType]:
    """All modules of ours but those of tracing itself."""
    return [
        module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == "tapelab"
        and (name in _REWRITTEN or not name.startswith("tapelab.compiling"))
    ]


def _wrapper(function: Any) -> Any:
    found = _wrappers.get(id(function))
    if found is None:
        name = function.__name__
        tells = name in TELLING or name.startswith("assert_")
        acts = function.__module__ in DRAWING
        make: Any = standing.FUNCTIONS.get(name, standing.whole_call)
        found = function, _marked(make(function, acts=acts, tells=tells))
        _wrappers[id(function)] = found
    return found[1]


def _op_door(original: Callable[..., Any]) -> Any:
    """The door of ops that library code calls directly, without a public function around them."""

    def through(self: Op, *inputs: Any, **settings: Any) -> Any:
        trace = thread.trace
        if trace is None or not any(isinstance(each, Tensor) for each in inputs):
            return original(self, *inputs, **settings)
        return trace.call(self, inputs, settings)

    return through


def _lazy_door(namespace: dict[str, Any]) -> Any:
    """The `__getattr__` of the namespace: a part that is loaded now gets its doors at once."""
    original = namespace["__getattr__"]

    def through(name: str) -> Any:
        found = original(name)
        swap_functions()
        return namespace.get(name, found)

    return through
