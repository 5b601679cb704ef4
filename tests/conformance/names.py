"""Ask TensorFlow which public names it has where one computes: python tests/conformance/names.py.

What is left out is not for teaching one machine to differentiate: distribution, saving, summaries,
profiling, and the raw ops.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import tensorflow as tf

NAMES: Final = Path(__file__).parents[2] / "docs" / "surface" / "tensorflow.txt"
PARTS: Final = (
    *("", "autodiff", "bitwise", "data", "debugging", "dtypes", "errors", "image", "linalg"),
    *("lookup", "math", "math.special", "nest", "nn", "queue", "ragged", "random", "sets"),
    *("signal", "sparse", "strings", "test", "train"),
    *("keras", "keras.activations", "keras.callbacks", "keras.constraints", "keras.initializers"),
    *("keras.layers", "keras.losses", "keras.metrics", "keras.optimizers", "keras.regularizers"),
)


def names_of(part: str) -> Iterator[str]:
    """Every public name of a part that is not itself a module."""
    place: Any = tf
    for step in filter(None, part.split(".")):
        place = getattr(place, step)
    for name in sorted(dir(place)):
        if name.startswith("_"):
            continue
        if not isinstance(getattr(place, name), ModuleType):
            yield f"tf.{part}.{name}" if part else f"tf.{name}"


def main() -> None:
    names = [name for part in PARTS for name in names_of(part)]
    NAMES.write_text(f"# {tf.__version__}\n" + "\n".join(names) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(names)} names in {len(PARTS)} parts\n")


if __name__ == "__main__":
    main()
