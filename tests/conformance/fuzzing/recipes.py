"""Arguments for every function: by the names of its parameters, by its op's samples, or by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import numpy as np

from . import surface
from .byhand import BY_HAND
from .writer import Shape, Writer


@dataclass
class Call:
    """A call of a public function: its name, and the texts of its arguments."""

    function: str
    args: list[str]
    settings: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        given = [*self.args, *(f"{name}={text}" for name, text in self.settings.items())]
        return f"tf.{self.function}({', '.join(given)})"


@dataclass
class Setting:
    """What the arguments of one call have in common."""

    writer: Writer
    shape: Shape
    dtype: str
    positive: bool

    def tensor(self) -> str:
        return self.writer.tensor(self.shape, self.dtype, positive=self.positive)

    def partner(self) -> str:
        shape = self.writer.partner(self.shape)
        return self.writer.tensor(shape, self.dtype, positive=self.positive)

    def axis(self) -> str:
        rank = len(self.shape)
        return str(self.writer.rng.randint(-rank, rank - 1)) if rank else "0"

    def axes(self) -> str:
        rank = len(self.shape)
        chosen = self.writer.rng.sample(range(rank), self.writer.rng.randint(0, rank))
        if self.writer.chance(0.3):
            return self.axis() if rank else "None"
        return repr([each - rank if self.writer.chance(0.4) else each for each in chosen])

    def flag(self) -> str:
        return self.writer.one_of("True", "False")

    def scalar(self) -> str:
        return self.writer.number(self.dtype, positive=self.positive)


Draw = Callable[[Setting], str]
FIRST: Final = (
    "x input input_tensor tensor values value a t tensor features logits data images image matrix "
    "diagonal z arr signals params input_"
)
SECOND: Final = "y b weights rhs labels other q delta mean updates real imag min max"
FLAGS: Final = (
    "keepdims exclusive reverse adjoint transpose_a transpose_b adjoint_a adjoint_b "
    "full_matrices compute_uv stable sorted approximate conjugate"
)
BY_NAME: Final[dict[str, Draw]] = {
    **dict.fromkeys(FIRST.split(), Setting.tensor),
    **dict.fromkeys(SECOND.split(), Setting.partner),
    **dict.fromkeys(FLAGS.split(), Setting.flag),
    "axis": Setting.axis,
    "axes": Setting.axes,
    "inputs": lambda s: f"[{s.tensor()}, {s.tensor()}]",
    "t_list": lambda s: f"[{s.tensor()}, {s.partner()}]",
    "clip_norm": lambda s: s.writer.one_of("1.0", "0.5", "10.0"),
    "alpha": lambda s: s.writer.one_of("0.1", "0.3"),
    "beta": lambda s: s.writer.one_of("1.5", "1.0"),
    "epsilon": lambda s: "1e-3",
    "k": lambda s: s.writer.one_of("0", "1", "-1"),
    "dtype": lambda s: f"tf.{s.writer.dtype()}",
    "out_type": lambda s: s.writer.one_of("tf.int32", "tf.int64"),
    "output_type": lambda s: s.writer.one_of("tf.int32", "tf.int64"),
    "shape": lambda s: repr(list(s.shape)),
    "dims": lambda s: repr(list(s.writer.shape())),
    "scalar": Setting.scalar,
    "direction": lambda s: s.writer.one_of("'ASCENDING'", "'DESCENDING'"),
    "message": lambda s: "'the loss'",
    "rank": lambda s: str(len(s.shape)),
    "num_lower": lambda s: s.writer.one_of("0", "1", "-1"),
    "num_upper": lambda s: s.writer.one_of("0", "1", "-1"),
}
"""How to draw an argument, by the name of the parameter."""
REDUCES: Final = ("reduce_", "count_nonzero", "moments")
BOOLEAN: Final = ("logical_", "reduce_all", "reduce_any")
LIKES_POSITIVE: Final = (
    *("log", "sqrt", "rsqrt", "acosh", "pow", "lgamma", "digamma", "polygamma", "zeta", "igamma"),
    *("betainc", "lbeta", "xlog", "reduce_euclidean", "bessel", "cumprod", "norm", "ndtri"),
)


def drawn(writer: Writer, name: str) -> Call:
    """A call of a function with arguments that should fit."""
    op = surface.op_behind(name)
    by_hand = BY_HAND.get(name)
    if by_hand is not None and writer.chance(0.9):
        args, settings = by_hand(writer)
        return Call(name, args, settings)
    if op is not None and op.samples is not None and writer.chance(0.35 if _known(name) else 1.0):
        call = _from_samples(writer, name, op)
        if call is not None:
            return call
    return _by_names(writer, name)


def takes_part(name: str) -> bool:
    """Whether arguments can be drawn for a function."""
    op = surface.op_behind(name)
    sampled = op is not None and op.samples is not None
    return name in BY_HAND or _known(name) or (sampled and _fits(name, op))


def _known(name: str) -> bool:
    needed, _ = surface.parameters(name)
    return bool(needed) and all(each in BY_NAME for each in needed)


def _by_names(writer: Writer, name: str) -> Call:
    last = name.rpartition(".")[2]
    dtype = writer.dtype() if writer.chance(0.15) else _fitting_dtype(writer, name)
    positive = last.startswith(LIKES_POSITIVE) and writer.chance(0.8)
    setting = Setting(writer, _shape(writer, name), dtype, positive)
    needed, optional = surface.parameters(name)
    args = [BY_NAME[each](setting) for each in needed if each in BY_NAME]
    settings = {}
    for each in optional:
        if each in BY_NAME and writer.chance(0.35):
            reduces = each == "axis" and last.startswith(REDUCES)
            settings[each] = setting.axes() if reduces else BY_NAME[each](setting)
    return Call(name, args, settings)


def _fitting_dtype(writer: Writer, name: str) -> str:
    """A dtype that a function should take."""
    op = surface.op_behind(name)
    kinds = (op.kinds if op is not None else "") or "f"
    if name.rpartition(".")[2].startswith(BOOLEAN):
        kinds = "b"
    dtype = writer.dtype()
    fits = dtype != "string" and np.dtype(dtype).kind in kinds
    return dtype if fits else FITTING[kinds[0]]


FITTING: Final = {"f": "float32", "i": "int32", "b": "bool", "c": "complex64", "u": "uint8"}


def _shape(writer: Writer, name: str) -> Shape:
    """A shape that a function should take: matrices for algebra, channels for pictures."""
    if writer.chance(0.1):
        return writer.shape()
    if name.startswith("image."):
        return writer.one_of((2, 2, 3), (1, 2, 3, 3), (1, 3, 2, 1))
    return writer.shape(least=2 if name.startswith("linalg.") else 0)


def _fits(name: str, op: Any) -> bool:
    needed, _ = surface.parameters(name)
    return len(needed) <= len(op.inputs) + len(op.settings) and not (
        set(needed[len(op.inputs) :]) - set(op.settings)
    )


def _from_samples(writer: Writer, name: str, op: Any) -> Call | None:
    """One of the samples of the op behind a function, if its parameters take it."""
    seed = writer.rng.randrange(2**32)
    arrays, settings = _choice(writer.rng, op.samples(np.random.default_rng(seed)))
    needed, optional = surface.parameters(name)
    named = {key: text for key, value in settings.items() if (text := spelled(value)) is not None}
    if op.variadic:
        args = [f"[{', '.join(_sample(writer, each) for each in arrays)}]"]
        positional = needed[1:]
    else:
        args = [_sample(writer, each) for each in arrays]
        positional = needed[len(arrays) :]
    if any(each not in named for each in positional) or len(args) > len(needed) + len(optional):
        return None
    args += [named.pop(each) for each in positional]
    return Call(name, args, {key: text for key, text in named.items() if key in optional})


def _choice(rng: Random, things: Any) -> Any:
    return things[rng.randrange(len(things))]


def _sample(writer: Writer, array: Any) -> str:
    value = np.asarray(array)
    dtype = value.dtype.name
    if value.dtype.kind == "f":
        dtype = "float32" if writer.chance(0.8) else "float64"
        value = np.round(value, 3)
    numbers = repr(value.tolist())
    empty = f"tf.zeros({list(value.shape)}, tf.{dtype})"
    text = empty if value.size == 0 else f"tf.constant({numbers}, tf.{dtype})"
    return writer.let("x", text)


def spelled(value: Any) -> str | None:
    """A setting as Python writes it, None where it cannot be written briefly."""
    if isinstance(value, np.ndarray | np.generic):
        return repr(value.tolist())
    if isinstance(value, list | tuple):
        parts = [spelled(each) for each in value]
        return None if None in parts else f"[{', '.join(map(str, parts))}]"
    return repr(value) if value is None or isinstance(value, int | float | str) else None
