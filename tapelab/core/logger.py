"""Warnings on the channel on which TensorFlow warns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logging import Logger


def warn(text: str, *given: object) -> None:
    """Write a warning to the log named `tapelab`."""
    get_logger().warning(text, *given)


def get_logger() -> Logger:
    """The log named `tapelab`: `tf.get_logger().setLevel("ERROR")` silences warnings."""
    import logging  # few programs are ever warned

    return logging.getLogger("tapelab")
