"""Programs of other frameworks, recorded as they run: PyTorch and TensorFlow.

`tapelab.record()` opens a `ForeignTape`; what records a framework is imported only then, and only
if the program has imported the framework before.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Final

from tapelab.recorder.foreign_tape import remember

if TYPE_CHECKING:
    from tapelab.recorder.foreign_tape import ForeignTape

__all__ = ["record"]

NAMES: Final = {"torch": "PyTorch", "tensorflow": "TensorFlow"}
"""The modules of frameworks that can be recorded, and what people call them."""


def record(framework: str | None = None, *, run_functions_eagerly: bool = False) -> ForeignTape:
    """Record what PyTorch or TensorFlow computes in a `with` block, and its backward passes.

        import torch, tapelab

        w = torch.tensor([1.0, 2.0], requires_grad=True)
        with tapelab.record() as tape:
            loss = torch.sum(w * w)
            loss.backward()
        tapelab.show(tape, loss)
        print(tapelab.explain(tape, loss, w))

    The program stays as it is: its values and gradients are those that the framework computes.
    `framework` is "torch" or "tensorflow"; by default it is the one that the calling code has
    imported. A `tf.function` is one op, unless `run_functions_eagerly` lets it run op by op.
    """
    chosen = framework or _imported()
    if chosen not in NAMES:
        raise ValueError(f"record() knows no framework {chosen!r}. Try {' or '.join(NAMES)}.")
    if chosen == "tensorflow":
        from tapelab.foreign.tensorflow_tape import TensorFlowTape

        tape: ForeignTape = TensorFlowTape(run_functions_eagerly=run_functions_eagerly)
    else:
        from tapelab.foreign.torch_tape import TorchTape

        tape = TorchTape()
    remember(tape)
    return tape


def _imported() -> str:
    """The framework that the code which calls `record` uses, else the first that is loaded."""
    loaded = [name for name in NAMES if name in sys.modules]
    if not loaded:
        raise RuntimeError(
            "record() found no framework to record: the program has imported neither PyTorch nor "
            "TensorFlow. Try `import torch` first. Code that uses tapelab itself is recorded by a "
            "tf.GradientTape."
        )
    used = [
        each.__name__.partition(".")[0]
        for each in sys._getframe(2).f_globals.values()
        if isinstance(each, ModuleType)
    ]
    return next((name for name in loaded if name in used), loaded[0])
