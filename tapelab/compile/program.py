"""A flat program: what a traced function computes, as a list of internal ops on numbered slots.

It is plain data about raw values (NumPy arrays; a NumPy scalar where the shape is ()). Running it
has no side effects: values of variables come in as parameters, what is assigned goes out as
results. Each slot is written once, before it is read. A pass takes a program and returns one with
the same results; `fusing.fuse` is such a pass, which puts a `Fused` in place of several ops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tapelab.core.op_declaration import Op

Settings = tuple[tuple[str, Any], ...]


class Kind(NamedTuple):
    """What is known of the value in a slot: its lengths and its dtype."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """How many elements it has."""
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Fused:
    """Several ops as one: `kernel(*inputs)` returns the value of the output, or of all as a tuple.

    The values it returns belong to the caller (nothing else refers to them), and have the kinds
    of the output slots. `into(*inputs, *outputs)`, if there is one, writes the same numbers into
    arrays that the caller has at hand; they overlap no input, and there are none of shape ().
    """

    name: str
    kernel: Callable[..., Any]
    multi: bool = False
    into: Callable[..., None] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class DynamicOp(Fused):
    """One op some of whose settings differ from call to call: they come behind its inputs."""

    op: Op
    names: tuple[str, ...]
    fixed: Settings


ProgramOp = Op | Fused
"""What an instruction runs."""


@dataclass(frozen=True)
class Instruction:
    """One op on the values in some slots; its results go into others.

    One without results is there for the errors that it raises: no pass leaves it out.
    """

    op: ProgramOp
    inputs: tuple[int, ...]
    settings: Settings
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """Instructions in the order in which they run, and where values come in and go out.

    A result may be a parameter, a constant or the output of an instruction, and stand there twice.
    """

    kinds: Mapping[int, Kind]
    constants: Mapping[int, Any]
    parameters: tuple[int, ...]
    results: tuple[int, ...]
    instructions: tuple[Instruction, ...]
