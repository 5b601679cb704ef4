"""Ask TensorFlow what every guide's program prints: python tests/guides/record.py [NAME…]."""

from __future__ import annotations

import sys

import tensorflow as tf
from running import PROGRAMS, printed, programs


def main() -> None:
    for name in sys.argv[1:] or programs():
        (PROGRAMS / f"{name}.txt").write_text(printed(tf, name), encoding="utf-8")
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
