"""Fusion: many elementwise ops as one function in machine code, which reads its arrays once.

`fusion_pass` puts fused instructions into a program: `partition` finds the ops that can run
together, `group_plan` makes a `fusion_group` of them, by the `elementwise_rules`. `block_code`
emits LLVM code for a group, in which 16 numbers are one vector (`simd`), with exponentials and
sines as polynomials (`vector_math`). `jit` compiles and loads it, and `compile_cache` keeps it on
the disk. Until it is loaded, and always where arrays are small, the `interpreter` runs the group
from its `bytecode`. `kernel_runtime` chooses, and `kernel_call` calls either through `driver.ll`.
"""

from importlib import import_module

from tapelab.compile.program import Program


def fuse(program: Program) -> Program:
    """A program with the same results in which elementwise ops run together."""
    fused: Program = import_module("tapelab.compile.fusion.fusion_pass").fuse(program)
    return fused
