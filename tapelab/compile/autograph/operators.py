"""The helpers that rewritten control flow calls: Python's own way, or the graph's for tensors.

A helper looks at its condition. If that is a concrete value, the construct runs as Python would
run it. If it is symbolic, both branches or the loop body are traced into subgraphs, and the names
they bind get symbolic results. Only tensors and numbers can differ between branches or rounds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final, Never

from tapelab.array_ops.creation import constant, convert_to_tensor
from tapelab.array_ops.creation import range as tensor_range
from tapelab.array_ops.value_ops import cast
from tapelab.compile import subgraph_trace
from tapelab.compile.call_graph import Slot
from tapelab.compile.pytree import Leaf, Tree, leaves, mapped
from tapelab.compile.symbolic import Symbolic, SymbolicTensor
from tapelab.core.cell import Holder
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor
from tapelab.math import logical_not

_NUMBERS: Final = {bool: "bool", int: "int32", float: "float32", complex: "complex128"}
"""The dtypes of tensors that are made of Python's numbers."""
Thunk = Callable[[], Any]
Getter = Callable[[], tuple[Any, ...]]
Setter = Callable[[Any], None]
_STAGED: Final = (Tensor, Symbolic, Holder, bool, int, float, complex)


class Undefined:
    """The value of a name before it is bound; using it raises an error that says why."""

    def __init__(self, name: str, why: str = "") -> None:
        self._name = name
        self._why = why

    def refuse(self) -> Never:
        """Raise what using the name raises."""
        if self._why:
            raise ValueError(f"{self._name!r} {self._why}")
        raise UnboundLocalError(f"local variable {self._name!r} referenced before assignment")

    def __getattr__(self, name: str) -> Never:
        self.refuse()


def _refusing(self: Undefined, *others: Tree) -> Never:
    del others
    self.refuse()


for _name in ("add", "sub", "mul", "truediv", "radd", "rsub", "rmul", "call", "getitem", "bool"):
    setattr(Undefined, f"__{_name}__", _refusing)


def _is_symbolic(value: Leaf) -> bool:
    return thread.trace is not None and isinstance(value, (SymbolicTensor, Holder))


def _truth(value: Leaf) -> Any:
    """A condition as a tensor of true and false."""
    tensor = convert_to_tensor(value)
    return tensor if tensor.dtype.is_bool else cast(tensor, "bool")


def if_(
    test: Leaf, body: Thunk, orelse: Thunk, get: Getter, put: Setter, names: tuple[str, ...],
    returns: bool,
) -> Any:  # fmt: skip
    """`if`: Python's where the condition is known, else both branches become part of the graph."""
    if not _is_symbolic(test):
        return body() if test else orelse()
    trace, start = thread.trace, get()
    held = {name for name in names if any(part.startswith(f"{name}[") for part in names)}
    branches = []
    for name, run in (("if", body), ("else", orelse)):
        put(tuple(_copied(v) if n in held else v for n, v in zip(names, start, strict=True)))
        branches.append(subgraph_trace.trace_body(trace, name, lambda run=run: (run(), get())))
    (first, (one, ours)), (second, (other, theirs)) = branches
    if returns:
        if (one is None) != (other is None):
            raise ValueError(_RETURNS_IN_BOTH.format("main" if one is None else "else"))
        return subgraph_trace.record_choice(trace, _truth(test), (first, one), (second, other))
    varied = [at for at in range(len(start)) if _differs(ours[at], theirs[at])]
    for at in varied:
        _check_dtypes(names[at], ours[at], theirs[at])
    results = subgraph_trace.record_choice(
        trace, _truth(test), (first, [ours[at] for at in varied]),
        (second, [theirs[at] for at in varied]),
    )  # fmt: skip
    values = [
        one if name in held and type(one) is type(other) else _left_alone(name, one, other)
        for name, one, other in zip(names, ours, theirs, strict=True)
    ]
    for at, value in zip(varied, results, strict=True):
        values[at] = value
    put(tuple(values))
    return None


def _copied(value: Leaf) -> Any:
    """A new list or dict with the same leaves, so that branches can assign items of their own."""
    return mapped(value, lambda leaf: leaf) if type(value) in (list, dict) else value


def part(read: Thunk, name: str) -> Any:
    """An attribute or an item as part of the state; `Undefined` if it has no value yet."""
    try:
        return read()
    except (AttributeError, LookupError, NameError):
        return Undefined(name)


def _differs(one: Leaf, other: Any) -> bool:
    """Whether two branches leave a name with tensors or numbers that have to be chosen from."""
    if one is other or not (_can_be_staged(one) and _can_be_staged(other)):
        return False
    symbolic = any(isinstance(leaf, (Tensor, Holder)) for leaf in leaves((one, other)))
    return symbolic or one != other or _dtypes_of(one) != _dtypes_of(other)


def _dtypes_of(value: Leaf) -> list[str]:
    """The dtypes of the tensors that a name holds, or that its numbers become."""
    return [_NUMBERS.get(type(leaf)) or _dtype_of(leaf) for leaf in leaves(value)]


def _dtype_of(leaf: Leaf) -> str:
    """The dtype of a tensor or a variable; "" for other objects."""
    holder = leaf._cell if isinstance(leaf, Holder) else leaf
    return str(holder.dtype.name) if isinstance(leaf, (Tensor, Holder)) else ""


def _check_dtypes(name: str, one: Leaf, other: Any) -> None:
    """TypeError where the branches of an `if` leave a name with tensors of unlike dtypes."""
    for first, second in zip(_dtypes_of(one), _dtypes_of(other), strict=False):
        if first != second:
            raise TypeError(
                f"{name!r} has dtype {first} in the main branch, but dtype {second} in the else "
                "branch. Try tf.cast in one of them."
            )


_NOT_IN_BOTH: Final = "must also be initialized in the {} branch"


def _left_alone(name: str, one: Leaf, other: Any) -> Any:
    """What a name holds after an `if` where no tensor is chosen for it."""
    if one is other or isinstance(one, Undefined) or isinstance(other, Undefined):
        branch = "else" if isinstance(other, Undefined) else "main"
        return one if one is other else Undefined(name, _NOT_IN_BOTH.format(branch))
    if _can_be_staged(one) and _can_be_staged(other):
        return one
    for value, branch in ((one, "main"), (other, "else")):
        if value is None:
            raise ValueError(f"{name!r} is None at the end of the {branch} branch.")
    raise TypeError(
        f"{name!r} must have the same kind of value in both branches of an `if` that a tensor "
        f"decides; it is {one!r} or {other!r}."
    )


def if_expression(test: Leaf, body: Thunk, orelse: Thunk) -> Any:
    """`a if c else b`."""
    if not _is_symbolic(test):
        return body() if test else orelse()
    return subgraph_trace.cond(thread.trace, _truth(test), body, orelse)


def and_(first: Thunk, second: Thunk) -> Any:
    """`a and b`."""
    value = first()
    if not _is_symbolic(value):
        return value and second()
    return subgraph_trace.cond(
        thread.trace, _truth(value), lambda: _truth(second()), lambda: constant(False)
    )


def or_(first: Thunk, second: Thunk) -> Any:
    """`a or b`."""
    value = first()
    if not _is_symbolic(value):
        return value or second()
    return subgraph_trace.cond(
        thread.trace, _truth(value), lambda: constant(True), lambda: _truth(second())
    )


def compared(first: Leaf, *links: tuple[Callable[[Any, Any], Any], Thunk]) -> Any:
    """`a < b < c`: every comparison beside its right side, which is evaluated once, if at all."""
    left, result = first, None
    for compare, later in links:
        right = later()
        part = compare(left, right)
        result = part if result is None else _both(result, part)
        if not _is_symbolic(result) and not result:
            return result
        left = right
    return result


def _both(one: Leaf, other: Any) -> Any:
    return and_(lambda: one, lambda: other)


def not_(value: Leaf) -> Any:
    """`not a`."""
    return logical_not(_truth(value)) if _is_symbolic(value) else not value


_CHANGED: Final = (
    "The condition of while loop started as non-Tensor, then changed to Tensor. This may happen "
    "either because variables changed type, or when a break or return statement inside the loop "
    "depends on a Tensor condition. In both cases, changing to a simple loop condition should "
    "remove the error."
)


def while_(test: Thunk, body: Thunk, get: Getter, put: Setter, names: tuple[str, ...]) -> None:
    """`while`: a loop of the graph where its condition is a tensor."""
    if not _is_symbolic(test()):
        while not _is_symbolic(known := test()) and known:
            body()
        if _is_symbolic(known):
            raise NotImplementedError(_CHANGED)
        return
    loop = _LoopState(get, put, names)
    loop.define(body)
    loop.finish(subgraph_trace.while_loop(
        thread.trace, lambda *values: _truth(loop.run(test, values)),
        lambda *values: loop.round(body, values), loop.start, first_in_body=loop.first_in_body,
    ))  # fmt: skip


def for_(
    items: Tree, body: Callable[[Any], None], get: Getter, put: Setter, names: tuple[str, ...],
    test: Thunk | None, target: str,
) -> None:  # fmt: skip
    """`for`: a loop of the graph where it goes over a tensor or a dataset.

    A `target` without a value before a loop over `tf.range` begins with the start of the range, so
    that it has a value after a loop of no rounds.
    """
    if thread.trace is None or not (isinstance(items, (Tensor, Holder)) or is_dataset(items)):
        for item in items:
            goes_on = test is None or test()
            if _is_symbolic(goes_on):
                raise NotImplementedError(_JUMPS)
            if not goes_on:
                break
            body(item)
        return
    held = dict(zip(names, get(), strict=True))
    if isinstance(held.get(target), Undefined):
        put(tuple({**held, target: _start_of_range(items, held[target])}.values()))
    items = convert_to_tensor(items) if isinstance(items, (Tensor, Holder)) else items
    element = subgraph_trace.element_of(items)
    size = len(leaves(element))
    loop = _LoopState(get, put, names)
    loop.define(lambda *parts: body(_packed(element, parts)), *leaves(element))
    if is_dataset(items):
        loop.refuse_undefined()

    def step(*values: Tree) -> Any:
        return loop.round(lambda: body(_packed(element, values[:size])), values[size:])

    check = None if test is None else lambda *values: _truth(loop.run(test, values))
    loop.finish(subgraph_trace.for_loop(
        thread.trace, items, element, step, loop.start, check, first_in_body=loop.first_in_body
    ))  # fmt: skip


_RETURNS_IN_LOOP: Final = (
    "a return statement cannot be placed inside this TensorFlow loop, which goes by a tensor: how "
    "often it runs is not known while the function is traced. Give a name to what it finds, leave "
    "the loop by break, and return that name behind the loop."
)


def left_by_return(items: Tree) -> Any:
    """What a loop with a `return` in it goes over, or its condition; no tensor can decide it."""
    if _is_symbolic(items) or (thread.trace is not None and is_dataset(items)):
        raise NotImplementedError(_RETURNS_IN_LOOP)
    return items


_RETURNS_IN_BOTH: Final = (
    "the {} branch must also have a return statement. Where a tensor decides an `if`, both of "
    "its branches are traced: return from both, and not from inside a Python loop."
)
_JUMPS: Final = (
    "break and return statements which depend on a TF condition are not supported in Python for "
    "loops. Did you intend to make it a TF loop? Go over tf.range(n) instead of range(n)."
)


def known(test: Leaf, returns: bool) -> Any:
    """The condition of an `if` that jumps out of a Python loop; no tensor can decide it."""
    if _is_symbolic(test):
        if returns:
            raise ValueError(_RETURNS_IN_BOTH.format("else"))
        raise NotImplementedError(_JUMPS)
    return test


_BEFORE: Final = (
    "must be defined before the loop: how often it runs, if at all, is not known while the "
    "function is traced. Give it a first value there."
)
_NOT_NONE: Final = "is not allowed to be None before the loop. Give it a tensor as first value."


class _LoopState:
    """The values of the names that a loop of the graph carries from round to round.

    Only tensors and numbers are carried. A name that is unbound or None before the loop gets its
    first value in the body: a round is traced on trial, which tells the dtype and the shape, and
    zeros of that kind go into the loop. Such a loop has to run at least once.
    """

    def __init__(self, get: Getter, put: Setter, names: tuple[str, ...]) -> None:
        self._get = get
        self._put = put
        self._names = names
        self._before = get()
        self._staged = [at for at, value in enumerate(self._before) if _can_be_staged(value)]
        self._unbound = {at for at, v in enumerate(self._before) if isinstance(v, Undefined)}
        self._defined_inside: list[int] = []

    @property
    def start(self) -> list[Any]:
        """The values that go into the loop."""
        return [self._before[at] for at in self._staged]

    @property
    def first_in_body(self) -> tuple[str, ...]:
        """The names that have no value unless the loop runs at least once."""
        return tuple(self._names[at] for at in self._defined_inside)

    def run(self, action: Thunk, values: Tree) -> Any:
        """What an action returns when the names hold some values."""
        held = list(self._before)
        for at, value in zip(self._staged, values, strict=True):
            held[at] = value
        self._put(tuple(held))
        return action()

    def round(self, body: Thunk, values: Tree) -> Any:
        """The values after one round."""
        self.run(body, values)
        after = self._get()
        for at in self._staged:
            if len(leaves(after[at])) != len(leaves(self._before[at])):
                raise TypeError(
                    f"{self._names[at]!r} does not have the same nested structure after one "
                    f"iteration: it was {self._before[at]!r} and is {after[at]!r}."
                )
        return tuple(after[at] for at in self._staged)

    def define(self, body: Callable[..., Any], *element: Tree) -> None:
        """Find first values for the names that get theirs in the body."""
        trace, count = thread.trace, len(element)
        open_ones = [at for at, value in enumerate(self._before) if _is_unset(value)]
        if not open_ones:
            return

        def trial(*inputs: Tree) -> None:
            try:
                self.run(lambda: body(*inputs[:count]), inputs[count:])
            except UnboundLocalError as error:
                name = self._names[open_ones[0]]
                raise ValueError(f"{name!r} {_BEFORE} AutoGraph met {error}.") from error

        start = [mapped(value, subgraph_trace.as_tensor) for value in self.start]
        subgraph_trace.trace_body(trace, "loop_trial", trial, *element, *start)
        after, before = self._get(), list(self._before)
        self._defined_inside = [at for at in open_ones if _can_be_staged(after[at])]
        for at in self._defined_inside:
            before[at] = mapped(after[at], subgraph_trace.zeros_of_kind)
        self._before = tuple(before)
        self._staged = sorted([*self._staged, *self._defined_inside])

    def refuse_undefined(self) -> None:
        """ValueError where a name gets its first value in the body of a loop over a dataset."""
        for at in self._defined_inside:
            raise ValueError(f"{self._names[at]!r} {_BEFORE if at in self._unbound else _NOT_NONE}")

    def finish(self, outcome: Tree) -> None:
        """Give the names what they hold behind the loop."""
        values = list(self._before)
        for at, value in zip(self._staged, outcome, strict=True):
            values[at] = value
        for at, value in enumerate(values):
            if isinstance(value, Undefined):
                values[at] = Undefined(self._names[at], _BEFORE)
        self._put(tuple(values))


def _is_unset(value: Leaf) -> bool:
    return value is None or isinstance(value, Undefined)


def _can_be_staged(value: Leaf) -> bool:
    flat = leaves(value)
    return bool(flat) and all(isinstance(leaf, _STAGED) for leaf in flat)


def is_dataset(items: Tree) -> bool:
    return hasattr(items, "element_spec")


def _start_of_range(items: Tree, target: Leaf) -> Leaf:
    """The first number of a tensor that `tf.range` made in a trace; else what the target held."""
    call = items._trace.call_of(items) if isinstance(items, SymbolicTensor) else None
    if call is None or call.function is not tensor_range:
        return target
    bound = inspect.signature(tensor_range).bind(*call.args, **call.kwargs).arguments
    start = 0 if bound.get("limit") is None else bound["start"]
    start = items._trace.symbols[start.number] if isinstance(start, Slot) else start
    return cast(start, items.dtype)


def _packed(element: Tree, given: Tree) -> Any:
    parts = iter(given)
    return mapped(element, lambda leaf: next(parts))
