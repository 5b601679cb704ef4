"""Many elementwise ops as one function in machine code, which passes over its arrays once.

`grouping` finds the ops that can run together, `planning` makes a `group` of them. `blocks` writes
it down as code of LLVM, in which sixteen numbers stand side by side (`lanes`), with exponentials
and sines as polynomials (`functions`). `machine` compiles and loads it, `store` keeps it on the
disk; until it is there, and for good where arrays are small, the `interpreter` carries the group
out. `driver.ll` is the way from Python to both.
"""

from importlib import import_module

from tapelab.compile.program import Program


def fuse(program: Program) -> Program:
    """A program with the same results in which elementwise ops run together."""
    fused: Program = import_module("tapelab.compile.fusion.fusion_pass").fuse(program)
    return fused
