"""A program while it is written: its text, and what its names hold so far.

Each statement is run on tapelab as soon as it is written, so that the next one can be made to fit
the shapes and dtypes that are there. A program ends where a statement raises.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

import numpy as np

import tapelab

Shape = tuple[int, ...]

SHAPES: Final[list[Shape]] = [
    *[()] * 4, *[(2,)] * 3, *[(3,)] * 5, *[(2, 3)] * 6, (3, 2), (2, 2), (1, 3), (2, 1), (1,),
    (0,), (0, 3), (2, 0), (2, 2, 3), (1, 2, 2), (2, 1, 3),
]  # fmt: skip
DTYPES: Final = (
    *["float32"] * 30, *["float64"] * 5, *["int32"] * 4, *["int64"] * 2, *["bool"] * 2,
    "float16", "complex64", "complex128", "int8", "uint8", "int16",
)  # fmt: skip
SPECIAL: Final = (0.0, 1.0, -1.0, 2.0, 0.5, -2.0, 3.0)


class Ended(Exception):  # noqa: N818  no error: the program is complete
    """The last statement raised; nothing can follow it."""


class Writer:
    """The lines of a program, and the scope that running them on tapelab has left."""

    def __init__(self, rng: Random, tf: Any = tapelab) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {"tf": tf, "np": np}
        self.favours = 0.0  # how often a shape or a dtype is one that is there already
        self._depth = 0
        self._counts: dict[str, int] = {}
        self._open: list[str] = []

    @property
    def text(self) -> str:
        """The program so far."""
        return "\n".join(self.lines) + "\n"

    def new(self, letter: str) -> str:
        """A name that is not taken yet."""
        self._counts[letter] = self._counts.get(letter, -1) + 1
        return f"{letter}{self._counts[letter]}"

    def do(self, line: str) -> None:
        """Write a statement and run it."""
        self.lines.append("    " * self._depth + line)
        self._run(line)

    def let(self, letter: str, expression: str) -> str:
        """Give a new name to what an expression gives."""
        name = self.new(letter)
        self.do(f"{name} = {expression}")
        return name

    def enter(self, expression: str, name: str = "") -> None:
        """Open a `with` block."""
        self.lines.append("    " * self._depth + f"with {expression}{name and ' as ' + name}:")
        held = f"_block{len(self._open)}"
        self._open.append(held)
        self._depth += 1
        self._run(f"{held} = {expression}")
        self._run(f"{name or '_unused'} = {held}.__enter__()")

    def leave(self) -> None:
        """Close the innermost block; an empty one gets a `pass`."""
        if self.lines[-1].endswith(":"):
            self.lines.append("    " * self._depth + "pass")
        self._depth -= 1
        self._run(f"{self._open.pop()}.__exit__(None, None, None)")

    def close(self) -> None:
        """Close every block that is still open, whatever happens."""
        if self.lines and self.lines[-1].endswith(":"):
            self.lines.append("    " * self._depth + "pass")
        while self._open:
            self._depth -= 1
            held = self.scope.get(self._open.pop())
            if held is not None:
                try:
                    held.__exit__(None, None, None)
                except Exception:  # noqa: BLE001  the program is over
                    continue

    def _run(self, line: str) -> None:
        try:
            exec(compile(line, "<fuzz>", "exec"), self.scope)
        except Exception as error:
            raise Ended from error

    def held(self, kind: Any = None) -> list[str]:
        """The names that hold tensors or variables, or what is of a kind."""
        tf = self.scope["tf"]
        kinds = (tf.Tensor, tf.Variable) if kind is None else kind
        return [
            name
            for name, value in self.scope.items()
            if not name.startswith("_") and isinstance(value, kinds)
        ]

    # What follows draws values.

    def chance(self, share: float) -> bool:
        """True in so many of the cases."""
        return self.rng.random() < share

    def one_of(self, *choices: Any) -> Any:
        """One of several things, each as likely."""
        return self.rng.choice(choices)

    def shape(self, *, least: int = 0, most: int = 3) -> Shape:
        """A small shape with a rank between two bounds."""
        if self.chance(self.favours):
            there = [tuple(self.scope[name].shape) for name in self.held()]
            fitting = [each for each in there if least <= len(each) <= most]
            if fitting:
                return self.rng.choice(fitting)
        fitting = [each for each in SHAPES if least <= len(each) <= most]
        return self.rng.choice(fitting)

    def partner(self, shape: Shape) -> Shape:
        """A shape that broadcasts with another one, most often the same."""
        if self.chance(0.6):
            return shape
        kept = shape[self.rng.randint(0, len(shape)) :]
        other = tuple(1 if self.chance(0.2) else n for n in kept)
        return (2, *other) if self.chance(0.1) and len(other) == len(shape) < 3 else other

    def dtype(self) -> str:
        """The name of a dtype, mostly float32."""
        if self.chance(self.favours):
            return self.rng.choice([self.scope[name].dtype.name for name in self.held()] or DTYPES)
        return self.rng.choice(DTYPES)

    def number(self, dtype: str, *, positive: bool = False) -> str:
        """One number of a dtype as Python writes it."""
        rng = self.rng
        if dtype == "bool":
            return str(self.chance(0.5))
        if dtype.startswith(("int", "uint")):
            low = 0 if dtype.startswith("u") or positive else -3
            return str(rng.randint(low, 5))
        if self.chance(0.2) and not dtype.startswith("complex"):
            return repr(abs(rng.choice(SPECIAL)) if positive else rng.choice(SPECIAL))
        drawn = rng.uniform(0.2, 2.5) if positive else rng.uniform(-2.5, 2.5)
        if dtype.startswith("complex"):
            return f"({drawn:.3f}{rng.uniform(-2, 2):+.3f}j)"
        return f"{drawn:.3f}"

    def numbers(self, shape: Shape, dtype: str, *, positive: bool = False) -> str:
        """Numbers in nested lists."""
        if not shape:
            return self.number(dtype, positive=positive)
        inner = (self.numbers(shape[1:], dtype, positive=positive) for _ in range(shape[0]))
        return f"[{', '.join(inner)}]"

    def literal(self, shape: Shape, dtype: str, *, positive: bool = False) -> str:
        """An expression for a constant tensor."""
        if 0 in shape:
            return f"tf.zeros({list(shape)}, tf.{dtype})"
        numbers = self.numbers(shape, dtype, positive=positive)
        plain = dtype in {"float32", "bool", "int32"}
        return f"tf.constant({numbers}{'' if plain else f', tf.{dtype}'})"

    def foreign(self, shape: Shape, dtype: str, *, positive: bool = False) -> str:
        """An expression for the same kind of data from Python or NumPy."""
        if 0 in shape:
            return f"np.zeros({shape}, np.{dtype})"
        numbers = self.numbers(shape, dtype, positive=positive)
        return numbers if self.chance(0.5) else f"np.array({numbers}, np.{dtype})"

    def tensor(self, shape: Shape, dtype: str, *, positive: bool = False) -> str:
        """A name or an expression of a tensor: one that is there already, or a new one."""
        there = self.like(shape, dtype)
        if there and self.chance(max(0.6, self.favours)) and not positive:
            return self.rng.choice(there)
        if self.chance(0.12):
            return self.foreign(shape, dtype, positive=positive)
        literal = self.literal(shape, dtype, positive=positive)
        if self.chance(0.15):
            return self.let("v", f"tf.Variable({literal})")
        return self.let("x", literal)

    def like(self, shape: Shape, dtype: str) -> list[str]:
        """The names that hold a tensor or a variable of a shape and a dtype."""
        return [
            name
            for name in self.held()
            if tuple(self.scope[name].shape) == shape and self.scope[name].dtype.name == dtype
        ]
