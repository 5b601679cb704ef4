"""SIMD vectors of 16 numbers: arithmetic on a `Vector` emits the LLVM code of that arithmetic.

Vectors are traced as tensors are: adding two of them computes nothing, it adds a line to the code
that is being emitted. So a function of vectors reads like its formula, and its code runs in the
vector registers of the processor. A line that is there already is not emitted twice.

The order of operations is kept, and a product and a sum become one operation only through `fma`: so
arithmetic gives the same bits as NumPy.
"""

from __future__ import annotations

import struct
from typing import Any, Final

import numpy as np

Number = float | np.generic
WIDTH: Final = 16
"""The numbers in a vector, on every processor, so that sums do not depend on the processor."""

KINDS: Final = {"float32": "float", "float64": "double", "int32": "i32", "int64": "i64",
                "bool": "i1"}  # fmt: skip
"""What LLVM calls the dtypes that can be fused."""
BITS_OF: Final = {"float": "i32", "double": "i64"}
STORED: Final = {"i1": "i8"}
"""Truths take a byte in memory."""
SIZES: Final = {"float": 4, "double": 8, "i32": 4, "i64": 8, "i1": 1}
_KIND_OF: Final = {np.dtype(name): kind for name, kind in KINDS.items()}
_SHORT: Final = {"float": "f32", "double": "f64", "i32": "i32", "i64": "i64", "i1": "i1"}


def kind_of(dtype: np.dtype[Any]) -> str | None:
    """What LLVM calls a dtype; None where it cannot be fused."""
    return _KIND_OF.get(dtype)


def literal(value: Number, kind: str) -> str:
    """A number as LLVM writes it: floats by their bits."""
    if kind == "i1":
        return "true" if value else "false"
    if kind not in BITS_OF:
        return str(int(value))
    wide = float(np.float32(value)) if kind == "float" else float(value)
    return f"0x{struct.unpack('<Q', struct.pack('<d', wide))[0]:016X}"


class Writer:
    """Code in the making: lines in order, and which of them are there already.

    `scales` says that the processor multiplies by powers of 2 (AVX-512 does).
    """

    def __init__(self, *, scales: bool = False) -> None:
        self.scales = scales
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self._known: dict[str, str] = {}
        self._names = 0

    def name(self, prefix: str = "v") -> str:
        """A name that nothing has yet."""
        self._names += 1
        return f"%{prefix}{self._names}"

    def line(self, text: str) -> None:
        """Write a line that has no value."""
        self.lines.append(f"  {text}")

    def value(self, text: str) -> str:
        """Write a line that has a value, and return its name."""
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def pure(self, text: str) -> str:
        """The same for a line whose value depends on nothing but its operands."""
        if text not in self._known:
            self._known[text] = self.value(text)
        return self._known[text]

    def label(self, name: str) -> None:
        """Begin a block of lines that is jumped to."""
        self.lines.append(f"{name}:")

    def taken(self) -> list[str]:
        """The lines so far; the next ones begin another part."""
        lines, self.lines = self.lines, []
        return lines

    def forget(self) -> None:
        """Emit everything again from here on, where control does not come from above."""
        self._known = {}

    def constant(self, value: Number, kind: str) -> Vector:
        """One number in all lanes."""
        one = f"{kind} {literal(value, kind)}"
        return Vector(self, f"<{', '.join([one] * WIDTH)}>", kind)

    def call(self, function: str, kind: str, *operands: Vector) -> Vector:
        """Lanes from a function that LLVM knows by name."""
        types = [each.type for each in operands]
        result = f"<{WIDTH} x {kind}>"
        self.declared.add(f"declare {result} @{function}({', '.join(types)})")
        given = ", ".join(f"{each.type} {each.name}" for each in operands)
        return Vector(self, self.pure(f"call {result} @{function}({given})"), kind)


class Vector:
    """Numbers of one kind side by side: a name in the code that is being written."""

    __slots__ = ("kind", "name", "writer")

    def __init__(self, writer: Writer, name: str, kind: str) -> None:
        self.writer = writer
        self.name = name
        self.kind = kind

    @property
    def type(self) -> str:
        """Its type in LLVM."""
        return f"<{WIDTH} x {self.kind}>"

    def like(self, value: Vector | Number) -> Vector:
        """A Python number in each lane, of the same kind; lanes as they are."""
        return value if isinstance(value, Vector) else self.writer.constant(value, self.kind)

    def _with(self, other: Vector | float, floats: str, whole: str) -> Vector:
        operation = floats if self.kind in BITS_OF else whole
        text = f"{operation} {self.type} {self.name}, {self.like(other).name}"
        return Vector(self.writer, self.writer.pure(text), self.kind)

    def __add__(self, other: Vector | float) -> Vector:
        return self._with(other, "fadd", "add")

    def __sub__(self, other: Vector | float) -> Vector:
        return self._with(other, "fsub", "sub")

    def __rsub__(self, other: Vector | float) -> Vector:
        return self.like(other) - self

    def __mul__(self, other: Vector | float) -> Vector:
        return self._with(other, "fmul", "mul")

    def __truediv__(self, other: Vector | float) -> Vector:
        return self._with(other, "fdiv", "sdiv")

    def __rtruediv__(self, other: Vector | float) -> Vector:
        return self.like(other) / self

    def __and__(self, other: Vector | float) -> Vector:
        return self._with(other, "and", "and")

    def __or__(self, other: Vector | float) -> Vector:
        return self._with(other, "or", "or")

    def __xor__(self, other: Vector | float) -> Vector:
        return self._with(other, "xor", "xor")

    def __lshift__(self, places: int) -> Vector:
        return self._with(places, "shl", "shl")

    def __rshift__(self, places: int) -> Vector:
        return self._with(places, "ashr", "ashr")

    def __invert__(self) -> Vector:
        return self ^ (1 if self.kind == "i1" else -1)

    def __neg__(self) -> Vector:
        if self.kind not in BITS_OF:
            return self.like(0) - self
        text = f"fneg {self.type} {self.name}"
        return Vector(self.writer, self.writer.pure(text), self.kind)

    def compared(self, question: str, other: Vector | float) -> Vector:
        """Truths by a comparison of LLVM: ordered ones are false for NaN."""
        if self.kind in BITS_OF:
            operation = f"fcmp {question}"
        else:
            plain = question[1:]
            signed = self.kind != "i1" and plain not in ("eq", "ne")
            operation = f"icmp {('s' if signed else '') + plain}"
        text = f"{operation} {self.type} {self.name}, {self.like(other).name}"
        return Vector(self.writer, self.writer.pure(text), "i1")

    def __lt__(self, other: Vector | float) -> Vector:
        return self.compared("olt", other)

    def __le__(self, other: Vector | float) -> Vector:
        return self.compared("ole", other)

    def __gt__(self, other: Vector | float) -> Vector:
        return self.compared("ogt", other)

    def __ge__(self, other: Vector | float) -> Vector:
        return self.compared("oge", other)

    def equals(self, other: Vector | float) -> Vector:
        """True where two numbers are equal."""
        return self.compared("oeq", other)

    def differs(self, other: Vector | float) -> Vector:
        """True where two numbers are not equal, NaN among them."""
        return self.compared("une", other)

    def is_nan(self) -> Vector:
        """True where it is not a number."""
        return self.compared("uno", self)

    def where(self, other: Vector | float, condition: Vector) -> Vector:
        """These numbers where the condition holds, elsewhere the other ones."""
        text = (f"select {condition.type} {condition.name}, {self.type} {self.name}, "
                f"{self.type} {self.like(other).name}")  # fmt: skip
        return Vector(self.writer, self.writer.pure(text), self.kind)

    def called(self, function: str, *others: Vector | float) -> Vector:
        """An intrinsic function of LLVM for numbers of this kind."""
        operands = [self.like(each) for each in others]
        name = f"llvm.{function}.v{WIDTH}{_SHORT[self.kind]}"
        return self.writer.call(name, self.kind, self, *operands)

    def magnitude(self) -> Vector:
        """The numbers without their signs."""
        return self.called("fabs")

    def signed_as(self, other: Vector) -> Vector:
        """The numbers with the signs of others."""
        return self.called("copysign", other)

    def fma(self, factor: Vector | float, summand: Vector | float) -> Vector:
        """The number times a factor plus a summand, rounded once."""
        return self.called("fma", factor, summand)

    def scaled(self, n: Vector) -> Vector:
        """The number times 2**n, rounded once, on a processor that `scales`."""
        if self.kind == "float":
            return self._scaled(n, "ps", WIDTH)
        low, high = (self._half(k)._scaled(n._half(k), "pd", WIDTH // 2) for k in (0, 1))
        order = ", ".join(f"i32 {k}" for k in range(WIDTH))
        half = f"<{WIDTH // 2} x double>"
        text = f"shufflevector {half} {low.name}, {half} {high.name}, <{WIDTH} x i32> <{order}>"
        return Vector(self.writer, self.writer.pure(text), self.kind)

    def _half(self, k: int) -> Vector:
        order = ", ".join(f"i32 {k * WIDTH // 2 + each}" for each in range(WIDTH // 2))
        text = (f"shufflevector {self.type} {self.name}, {self.type} poison, "
                f"<{WIDTH // 2} x i32> <{order}>")  # fmt: skip
        return Vector(self.writer, self.writer.pure(text), self.kind)

    def _scaled(self, n: Vector, suffix: str, width: int) -> Vector:
        wide, mask = f"<{width} x {self.kind}>", f"i{width}"
        function = f"llvm.x86.avx512.mask.scalef.{suffix}.512"
        self.writer.declared.add(f"declare {wide} @{function}({wide}, {wide}, {wide}, {mask}, i32)")
        text = (f"call {wide} @{function}({wide} {self.name}, {wide} {n.name}, "
                f"{wide} zeroinitializer, {mask} -1, i32 4)")  # fmt: skip
        return Vector(self.writer, self.writer.pure(text), self.kind)

    def turned(self, operation: str, kind: str) -> Vector:
        """Numbers of another kind, by a conversion of LLVM."""
        text = f"{operation} {self.type} {self.name} to <{WIDTH} x {kind}>"
        return Vector(self.writer, self.writer.pure(text), kind)

    def bits(self) -> Vector:
        """The bits of floats as integers."""
        return self.turned("bitcast", BITS_OF[self.kind])

    def as_floats(self, kind: str) -> Vector:
        """Integers as the bits of floats."""
        return self.turned("bitcast", kind)
