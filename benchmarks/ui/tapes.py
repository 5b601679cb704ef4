"""The programs whose tapes are shown."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import tapelab as tf

LESSON: Final = """\
import tapelab as tf
x = tf.Variable(3.0); y = tf.Variable(4.0)
with tf.GradientTape() as tape:
    z = x * y + tf.sin(x)
tf.show(tape, z)"""

SLIDERS: Final = """\
import tapelab as tf
def z(x, y):
    return x * y + tf.sin(x)
tf.what_if(z, x=(0, 6, 3), y=(-1, 6, 4))"""

LIVE: Final = """\
import tapelab as tf
from benchmarks.ui.tapes import recurrent
tape, loss = recurrent({size})"""


def recurrent(size: int) -> tuple[tf.GradientTape, tf.Tensor]:
    """The tape of so many ops of a recurrent network, no two of whose numbers are alike.

    Every turn adds to the loss, so that gradients arrive all along the way.
    """
    w, h = tf.Variable(0.9, name="w"), tf.constant(0.1)
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.constant(0.0)
        for turn in range(size // 5):
            mixed = w * h
            moved = mixed + math.sin(turn)
            h = tf.math.tanh(moved)
            error = tf.math.square(h)
            loss = loss + error
    return tape, loss


def write(folder: Path, size: int) -> Path:
    """Write the recording of so many ops, with its backward pass."""
    tape, loss = recurrent(size)
    return tape.recording(loss).save(folder / f"{size}.tape")
