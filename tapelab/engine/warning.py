"""Warnings on the channel on which TensorFlow warns."""

from __future__ import annotations


def warn(text: str, *given: object) -> None:
    """Write a warning to the log named `tapelab`."""
    import logging  # few programs are ever warned

    logging.getLogger("tapelab").warning(text, *given)
