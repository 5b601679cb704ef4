"""Measure what a kernel tells the Tape panel: python -m benchmarks.live [--rounds 3] [--seconds 2]

A real kernel runs training loops, hidden and shown by turns. Printed are updates a second while a
cell runs (the bar is 15), messages while hidden (the bar is 0), and the processor time of a step
of the learner's thread, shown against hidden. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from tests.lab.live.conftest import Kernel

SETUP: Final = """
import json, time
import tapelab as tf
x, y = tf.random.normal([64, 32]), tf.random.normal([64, 1])
w, b = tf.Variable(tf.random.normal([32, 1]), name="w"), tf.Variable([0.0], name="b")

def train():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.tanh(x @ w + b) - y))
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.001 * dw)
    b.assign_sub(0.001 * db)

step = {step}
"""
LOOP: Final = """
steps, busy, end = 0, time.thread_time(), time.perf_counter() + {seconds}
while time.perf_counter() < end:
    step()
    steps += 1
    {rest}
print(json.dumps([steps, time.thread_time() - busy]))
"""
LOOPS: Final = {
    "steps of some 10 ms": ("train", "time.sleep(0.01)"),
    "steps without a rest": ("train", ""),
    "compiled steps": ("tf.function(train)", ""),
}
HEADS: Final = ("loop", "updates/s", "messages hidden", "hidden µs/step", "shown µs/step", "ratio")


@dataclass(frozen=True)
class Round:
    """One run of a loop: steps, processor seconds of its thread, and the messages to the panel."""

    steps: int
    busy: float
    messages: int

    @property
    def step(self) -> float:
        """Microseconds of a step."""
        return 1e6 * self.busy / self.steps


def main() -> None:
    """Measure every loop in a kernel of its own."""
    options = argparse.ArgumentParser(prog="benchmarks.live", description=__doc__)
    options.add_argument("--rounds", type=int, default=3, help="hidden and shown, by turns")
    options.add_argument("--seconds", type=float, default=2.0, help="of each round")
    given = options.parse_args()
    print(" | ".join(HEADS))
    for name, (step, rest) in LOOPS.items():
        with tempfile.TemporaryDirectory() as place:
            os.environ |= {"IPYTHONDIR": place, "JUPYTER_RUNTIME_DIR": place}
            kernel = Kernel(Path(place))
            try:
                print(" | ".join([name, *measured(kernel, step, rest, given)]), flush=True)
            finally:
                kernel.stop()


def measured(kernel: Any, step: str, rest: str, given: argparse.Namespace) -> list[str]:
    """The figures of one loop: medians, but the best processor time."""
    kernel.run(SETUP.format(step=step))
    loop = LOOP.format(seconds=given.seconds, rest=rest)
    kernel.open()
    kernel.run(loop, "warm")
    hidden, shown = [], []
    for _ in range(given.rounds):
        kernel.say({"do": "hide"})
        kernel.settle()
        hidden.append(ran(kernel, loop))
        kernel.say({"do": "show"})
        kernel.settle()
        shown.append(ran(kernel, loop))
    rate = median(each.messages for each in shown) / given.seconds
    quiet, looked_at = (min(each.step for each in rounds) for rounds in (hidden, shown))
    messages = sum(each.messages for each in hidden)
    figures = [f"{rate:.1f}", f"{messages}", f"{quiet:.1f}", f"{looked_at:.1f}"]
    return [*figures, f"{looked_at / quiet:.3f}"]


def ran(kernel: Any, loop: str) -> Round:
    """Run a loop in a cell, and count the messages to the panel until the cell is done."""
    before = len(kernel.messages["comm"])
    kernel.run(loop, "loop")
    messages = [each for each in kernel.messages["comm"][before:] if each["is"] == "live"]
    steps, busy = json.loads(kernel.printed)
    return Round(steps, busy, len(messages))


if __name__ == "__main__":
    main()
