"""The interpreter of groups: one function that carries out a list of ops, block after block.

It has a place in its code for each op on each kind, written with the same functions as compiled
groups and therefore equal to them bit for bit. Nothing is compiled for a group: its ops become
numbers in an array (`encoding.py`), where each instruction is five of 32 bits: what to do, where
the result belongs, and where three operands are. Registers hold up to 512 numbers each.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from tapelab.compile.fusion.block_code import ARGUMENTS, combined, counted, splat
from tapelab.compile.fusion.elementwise_rules import ELEMENTWISE, cast
from tapelab.compile.fusion.simd import BITS_OF, KINDS, STORED, WIDTH, Vector, Writer
from tapelab.compile.program import ProgramOp
from tapelab.ops import activation, arithmetic, casts, selection


class Code(NamedTuple):
    """What tells one place in the interpreter from the others: what it does, on which kinds."""

    what: ProgramOp | str
    kinds: tuple[str, ...] = ()


INSTRUCTION: Final = 20
PROGRAM_START: Final = 8
END: Final = Code("end")
_BY_EXPANSION: Final = (activation.leaky_relu, arithmetic.add_n, casts.cast)
_FLOATS: Final = tuple(BITS_OF)
_MEMORY: Final = {"i8": 1, "i32": 4, "i64": 8}
_DTYPES: Final = {kind: name for name, kind in KINDS.items()}


@cache
def codes() -> dict[Code, int]:
    """Each place in the interpreter with its number."""
    places: list[Code] = [END]
    for op, rule in ELEMENTWISE.items():
        if op not in _BY_EXPANSION:
            count = len(inspect.signature(rule.compute).parameters)
            first = ("i1",) if op is selection.select else ()
            places += [Code(op, (*first, *[kind] * (count - len(first))))
                      for kind in sorted(rule.kinds)]  # fmt: skip
    places += [Code(casts.cast, (kind, other)) for kind in _DTYPES for other in _DTYPES
              if kind != other and (kind not in BITS_OF or other in {*BITS_OF, "i1"})]  # fmt: skip
    places += [
        Code(what, (kind,)) for what in ("load", "splat", "number", "store") for kind in _MEMORY
    ]
    places += [Code(what, (kind,)) for what in ("sum", "max", "min", "column") for kind in _FLOATS]
    return {code: number for number, code in enumerate(places)}


def interpreter(name: str, *, scales: bool) -> str:
    """The code of the interpreter."""
    writer = Writer(scales=scales)
    head = _head(writer)
    for code, number in codes().items():
        writer.forget()
        writer.label(f"op{number}")
        if code == END:
            writer.line("ret void")
        else:
            _place(writer, code, number)
    count = len(codes())
    places = ", ".join(f"ptr blockaddress(@{name}, %op{k})" for k in range(count))
    comes = ", ".join(f"[%next, %latch{k}]" for k in range(1, count))
    labels = ", ".join(f"label %op{k}" for k in range(count))
    return "\n".join([
        *writer.declared,
        f"@places = internal constant [{count} x ptr] [{places}]",
        f"define void @{name}{ARGUMENTS} {{", "entry:", *head, "  br label %fetch", "fetch:",
        f"  %pc = phi ptr [%start, %entry], {comes}", *_FETCH,
        f"  indirectbr ptr %place, [{labels}]", *writer.lines, "}",
    ]) + "\n"  # fmt: skip


_FETCH: Final = (
    "  %code = load i32, ptr %pc",
    "  %at_place = getelementptr [0 x ptr], ptr @places, i32 0, i32 %code",
    "  %place = load ptr, ptr %at_place",
    *(line for at, each in enumerate(("out", "a", "b", "c"), 1) for line in (
        f"  %at_{each} = getelementptr i8, ptr %pc, i64 {4 * at}",
        f"  %{each}_number = load i32, ptr %at_{each}",
        f"  %{each}_wide = zext i32 %{each}_number to i64",
        f"  %{each} = getelementptr i8, ptr %room, i64 %{each}_wide",
    )),
    f"  %next = getelementptr i8, ptr %pc, i64 {INSTRUCTION}",
)  # fmt: skip


def _head(writer: Writer) -> list[str]:
    """What is done once for a block."""
    writer.line("%room = load ptr, ptr %program")
    writer.line(f"%start = getelementptr i8, ptr %program, i64 {PROGRAM_START}")
    mask = counted(writer)
    writer.line(f"%mask = and {mask.type} {mask.name}, {mask.name}")
    return writer.taken()


def _place(writer: Writer, code: Code, number: int) -> None:
    """A loop over the sixteens of the registers."""
    what, kinds = code
    before = _BEFORE[what](writer, kinds[0]) if what in _BEFORE else None
    writer.line(f"br label %loop{number}")
    writer.label(f"loop{number}")
    writer.line(f"%i{number} = phi i64 [0, %op{number}], [%j{number}, %latch{number}]")
    at = writer.value(f"shl i64 %i{number}, 4")
    if isinstance(what, str):
        _MOVES[what](writer, kinds[0], at, before)
    else:
        _compute(writer, what, kinds, at)
    writer.line(f"br label %latch{number}")
    writer.label(f"latch{number}")
    writer.line(f"%j{number} = add i64 %i{number}, 1")
    more = writer.value(f"icmp slt i64 %j{number}, %sixteens")
    writer.line(f"br i1 {more}, label %loop{number}, label %fetch")


def _compute(writer: Writer, op: ProgramOp, kinds: tuple[str, ...], at: str) -> None:
    operands = [_register(writer, f"%{register}", at, kind)
                for register, kind in zip("abc", kinds, strict=False)]  # fmt: skip
    if op is casts.cast:
        result = cast(operands[0], dtype=_DTYPES[kinds[1]])
    else:
        result = ELEMENTWISE[op].compute(*operands)
    _keep(writer, result, "%out", at)


def _register(writer: Writer, pointer: str, at: str, kind: str) -> Vector:
    stored = STORED.get(kind, kind)
    wide = f"<{WIDTH} x {stored}>"
    place = writer.value(f"getelementptr {stored}, ptr {pointer}, i64 {at}")
    name = writer.value(f"load {wide}, ptr {place}, align 16")
    if kind == "i1":
        name = writer.value(f"icmp ne {wide} {name}, zeroinitializer")
    return Vector(writer, name, kind)


def _keep(writer: Writer, vector: Vector, pointer: str, at: str, align: int = 16) -> None:
    stored = STORED.get(vector.kind, vector.kind)
    name = vector.name
    if vector.kind == "i1":
        name = writer.value(f"zext {vector.type} {name} to <{WIDTH} x i8>")
    place = writer.value(f"getelementptr {stored}, ptr {pointer}, i64 {at}")
    writer.line(f"store <{WIDTH} x {stored}> {name}, ptr {place}, align {align}")


def _array(writer: Writer, number: str) -> str:
    slot = writer.value(f"getelementptr ptr, ptr %table, i64 {number}")
    return writer.value(f"load ptr, ptr {slot}")


def _splat_of(writer: Writer, pointer: str, kind: str) -> Vector:
    return Vector(writer, splat(writer, writer.value(f"load {kind}, ptr {pointer}"), kind), kind)


def _number(writer: Writer, kind: str) -> Vector:
    """A number that stands in the program."""
    return _splat_of(writer, writer.value("getelementptr i8, ptr %program, i64 %a_wide"), kind)


def _load(writer: Writer, kind: str, at: str, array: str) -> None:
    place = writer.value(f"getelementptr {kind}, ptr {array}, i64 {at}")
    name = writer.value(f"load <{WIDTH} x {kind}>, ptr {place}, align {_MEMORY[kind]}")
    _keep(writer, Vector(writer, name, kind), "%out", at)


def _fill(writer: Writer, kind: str, at: str, vector: Vector) -> None:
    _keep(writer, vector, "%out", at)


def _store(writer: Writer, kind: str, at: str, array: str) -> None:
    _keep(writer, _register(writer, "%a", at, kind), array, at, align=_MEMORY[kind])


def _column(writer: Writer, kind: str, at: str, array: str) -> None:
    place = writer.value(f"getelementptr {kind}, ptr {array}, i64 {at}")
    total = writer.value(f"load <{WIDTH} x {kind}>, ptr {place}, align 4")
    more = Vector(writer, total, kind) + _register(writer, "%a", at, kind)
    _keep(writer, more, array, at, align=4)


def _gather(how: str) -> Callable[..., None]:
    def gather(writer: Writer, kind: str, at: str, place: str) -> None:
        total = Vector(
            writer, writer.value(f"load <{WIDTH} x {kind}>, ptr {place}, align 16"), kind
        )
        each = _register(writer, "%a", at, kind)
        more = combined(how, total, each, Vector(writer, "%mask", "i1"))
        writer.line(f"store {more.type} {more.name}, ptr {place}, align 16")

    return gather


_BEFORE: Final[dict[ProgramOp | str, Callable[[Writer, str], Any]]] = {
    "load": lambda writer, kind: _array(writer, "%a_wide"),
    "splat": lambda writer, kind: _splat_of(writer, _array(writer, "%a_wide"), kind),
    "number": _number,
    "store": lambda writer, kind: _array(writer, "%out_wide"),
    "column": lambda writer, kind: _array(writer, "%out_wide"),
    **dict.fromkeys(("sum", "max", "min"), lambda writer, kind: writer.value(
        "getelementptr i8, ptr %lanes, i64 %out_wide")),
}  # fmt: skip
"""What some places look up before their loop."""
_MOVES: Final[dict[str, Callable[..., None]]] = {
    "load": _load, "splat": _fill, "number": _fill, "store": _store, "column": _column,
    "sum": _gather("sum"), "max": _gather("max"), "min": _gather("min"),
}  # fmt: skip
"""What moves values between registers and memory."""
