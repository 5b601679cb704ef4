"""The self-test: compiled and interpreted code on machines where they have not been tested."""

from __future__ import annotations

import numpy as np

from tapelab.compile.fusion import kernel_runtime
from tapelab.compile.fusion.fusion_group import Group, Operand, Reduction, Step
from tapelab.compile.fusion.kernel_call import Frame
from tapelab.ops.powers import exp
from tapelab.ops.trigonometry import sin

SIZE = 5000


def prove() -> None:
    """Compute some sines and their sum both ways; raises if they are wrong, unless it crashes."""
    for kind, dtype in (("float", np.float32), ("double", np.float64)):
        x = np.linspace(-9, 9, SIZE, dtype=dtype)
        x[7] = 1e9
        steps = (Step(sin, (0,), (), kind), Step(exp, (1,), (), kind))
        group = Group(1, SIZE, SIZE, (Operand("full", kind),), steps, (2,),
                      (Reduction(1, "sum", "all"),))  # fmt: skip
        for way in ("never", "at once"):
            kernel_runtime.compile_large(way)
            y, total = kernel_runtime.function(group, Frame(((SIZE,),), ((),)))(x)
            np.testing.assert_allclose(y, np.exp(np.sin(x)), rtol=1e-5)
            np.testing.assert_allclose(total, np.sin(x).sum(dtype=np.float64), rtol=1e-4)
