"""Many elementwise ops as one function in machine code, which passes over its arrays once.

`grouping` finds the ops that can run together, `planning` makes a `group` of them. `blocks` writes
it down as code of LLVM, in which sixteen numbers stand side by side (`lanes`), with exponentials
and sines as polynomials (`functions`). `machine` compiles and loads it, `store` keeps it on the
disk; until it is there, and for good where arrays are small, the `interpreter` carries the group
out. `driver.ll` is the way from Python to both.
"""

from tapelab.compiling.fusing.fusion import fuse

__all__ = ["fuse"]
