"""Programs of other frameworks, recorded as they run: PyTorch so far.

`tapelab.record()` opens a `ForeignTape`; the framework is imported only then, and only if the
program has imported it before.
"""

from __future__ import annotations

import sys

from tapelab.recorder.foreign_tape import ForeignTape

__all__ = ["record"]


def record() -> ForeignTape:
    """Record what PyTorch computes in a `with` block, and every backward pass in it.

        import torch, tapelab

        w = torch.tensor([1.0, 2.0], requires_grad=True)
        with tapelab.record() as tape:
            loss = torch.sum(w * w)
            loss.backward()
        tapelab.show(tape, loss)
        print(tapelab.explain(tape, loss, w))

    The program stays as it is: its values and gradients are those that PyTorch computes.
    """
    if "torch" not in sys.modules:
        raise RuntimeError(
            "record() found no framework to record: the program has not imported PyTorch. "
            "Try `import torch` first. Code that uses tapelab itself is recorded by a "
            "tf.GradientTape."
        )
    from tapelab.foreign.torch_tape import TorchTape

    return TorchTape()
