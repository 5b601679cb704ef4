"""A group as a function of LLVM that computes one block: one loop, all ops in it.

`driver.ll` calls it with the number of sixteens in the block, how many entries of them count, where
its arrays stand (operands, then what is stored, then the sums of columns), and where its sums are
gathered.
"""

from __future__ import annotations

from typing import Final

from tapelab.compile.fusion.elementwise_rules import ELEMENTWISE
from tapelab.compile.fusion.fusion_group import Group, Reduction, Step
from tapelab.compile.fusion.simd import SIZES, STORED, WIDTH, Vector, Writer
from tapelab.kernels.memory import LINE

ARGUMENTS = "(i64 %sixteens, i64 %valid, ptr %table, ptr %lanes, ptr %program)"
VECTOR_BYTES = 128
"""The room for sixteen numbers of any kind."""
STREAMED_FROM: Final = 2**24
"""Bytes of a result that go past the cache, where they would not stay until somebody reads them."""
_STREAMED: Final = f"align {LINE}, !nontemporal !0"
_LOOP = """{declared}
define void @{name}{arguments} {{
entry:
{head}
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i_next, %latch]
{sums}
  %at = shl i64 %i, 4
{body}
  br label %latch
latch:
  %i_next = add i64 %i, 1
  %more = icmp slt i64 %i_next, %sixteens
  br i1 %more, label %loop, label %done
done:
{tail}
  ret void
}}
!0 = !{{i32 1}}
"""


def block_function(group: Group, name: str, *, scales: bool) -> str:
    """The code of a group."""
    writer = Writer(scales=scales)
    known = _operands(writer, group)
    gathered = [each for each in group.reductions if each.along != "column"]
    before = [_load(writer, _vector_at(writer, k), group.kind(each.value))
              for k, each in enumerate(gathered)]  # fmt: skip
    mask = counted(writer) if gathered else None
    head = writer.taken()
    _read(writer, group, known)
    for step in group.steps:
        known.append(computed(writer, step, known))
    _store(writer, group, known)
    after = [
        combined(each.how, Vector(writer, f"%sum{k}", before[k].kind), known[each.value], mask)
        for k, each in enumerate(gathered)
    ]
    body = writer.taken()
    for k, each in enumerate(after):
        writer.line(f"store {each.type} {each.name}, ptr {_vector_at(writer, k)}, align 16")
    phis = [
        f"  %sum{k} = phi {one.type} [{one.name}, %entry], [{other.name}, %latch]"
        for k, (one, other) in enumerate(zip(before, after, strict=True))
    ]
    return _LOOP.format(
        name=name, arguments=ARGUMENTS, declared="\n".join(writer.declared), head="\n".join(head),
        sums="\n".join(phis), body="\n".join(body), tail="\n".join(writer.taken()),
    )  # fmt: skip


def computed(writer: Writer, step: Step, known: list[Vector]) -> Vector:
    """What a step makes of the values that are known."""
    settings = dict(step.settings)
    if step.op is None:
        return writer.constant(settings["value"], step.kind)
    return ELEMENTWISE[step.op].compute(*(known[each] for each in step.inputs), **settings)


def combined(how: str, total: Vector, each: Vector, mask: Vector | None) -> Vector:
    """A sum or an extreme with sixteen more numbers, of which those in the mask count."""
    if how == "sum":
        more = total + each
    else:
        ahead = total >= each if how == "max" else total <= each
        more = total.where(each, ahead | total.is_nan())
    return more if mask is None else more.where(total, mask)


def counted(writer: Writer) -> Vector:
    """Which positions of a vector count: all in a whole vector, else the first few."""
    wide = f"<{WIDTH} x i32>"
    positions = f"<{', '.join(f'i32 {k}' for k in range(WIDTH))}>"
    limit = splat(writer, writer.pure("trunc i64 %valid to i32"), "i32")
    return Vector(writer, writer.pure(f"icmp sgt {wide} {limit}, {positions}"), "i1")


def splat(writer: Writer, name: str, kind: str) -> str:
    """One number of the code in all lanes."""
    wide = f"<{WIDTH} x {kind}>"
    first = writer.pure(f"insertelement {wide} poison, {kind} {name}, i32 0")
    zeros = f"<{WIDTH} x i32> zeroinitializer"
    return writer.pure(f"shufflevector {wide} {first}, {wide} poison, {zeros}")


def load_one(writer: Writer, pointer: str, kind: str) -> Vector:
    """The number at a pointer in all lanes."""
    stored = STORED.get(kind, kind)
    number = writer.value(f"load {stored}, ptr {pointer}")
    if kind == "i1":
        number = writer.value(f"icmp ne i8 {number}, 0")
    return Vector(writer, splat(writer, number, kind), kind)


def load(writer: Writer, pointer: str, at: str, kind: str) -> Vector:
    """Sixteen numbers of an array."""
    stored = STORED.get(kind, kind)
    place = writer.value(f"getelementptr {stored}, ptr {pointer}, i64 {at}")
    return _load(writer, place, kind)


def store(
    writer: Writer, vector: Vector, pointer: str, at: str, *, streamed: bool = False
) -> None:  # fmt: skip
    """Write sixteen numbers into an array; past the cache, where that is large and in lines."""
    stored = STORED.get(vector.kind, vector.kind)
    place = writer.value(f"getelementptr {stored}, ptr {pointer}, i64 {at}")
    name = vector.name
    if vector.kind == "i1":
        name = writer.pure(f"zext {vector.type} {name} to <{WIDTH} x i8>")
    how = _STREAMED if streamed else f"align {SIZES[vector.kind]}"
    writer.line(f"store <{WIDTH} x {stored}> {name}, ptr {place}, {how}")


def _load(writer: Writer, place: str, kind: str) -> Vector:
    stored = STORED.get(kind, kind)
    wide = f"<{WIDTH} x {stored}>"
    loaded = writer.value(f"load {wide}, ptr {place}, align {SIZES[kind]}")
    if kind == "i1":
        loaded = writer.value(f"icmp ne {wide} {loaded}, zeroinitializer")
    return Vector(writer, loaded, kind)


def _operands(writer: Writer, group: Group) -> list[Vector]:
    """The operands that are the same for the whole block; the names of the arrays of the others."""
    known = []
    pointers = [_array(writer, number) for number in range(group.arrays)]
    for pointer, operand in zip(pointers, group.operands, strict=False):
        if operand.layout in {"one", "column"}:
            known.append(load_one(writer, pointer, operand.kind))
        else:
            known.append(Vector(writer, pointer, operand.kind))
    return known


def _read(writer: Writer, group: Group, known: list[Vector]) -> None:
    """Sixteen numbers of each of the other operands."""
    for number, operand in enumerate(group.operands):
        if operand.layout not in {"one", "column"}:
            known[number] = load(writer, known[number].name, "%at", operand.kind)


def _store(writer: Writer, group: Group, known: list[Vector]) -> None:
    arrays = len(group.operands)
    for number, value in enumerate(group.stored):
        way = streamed(group, value)
        store(writer, known[value], _array(writer, arrays + number), "%at", streamed=way)
    by_column: list[Reduction] = [each for each in group.reductions if each.along == "column"]
    arrays += len(group.stored)
    for number, reduction in enumerate(by_column):
        pointer = _array(writer, arrays + number)
        total = load(writer, pointer, "%at", group.kind(reduction.value))
        store(writer, total + known[reduction.value], pointer, "%at")


def streamed(group: Group, value: int) -> bool:
    """Whether what is stored of a group goes past the cache: it is large, its rows are in lines."""
    size = SIZES[group.kind(value)]
    return group.entries * size >= STREAMED_FROM and group.columns * size % LINE == 0


def _array(writer: Writer, number: int) -> str:
    slot = writer.pure(f"getelementptr ptr, ptr %table, i64 {number}")
    return writer.pure(f"load ptr, ptr {slot}")


def _vector_at(writer: Writer, k: int) -> str:
    return writer.pure(f"getelementptr i8, ptr %lanes, i64 {k * VECTOR_BYTES}")
