"""Composites of Keras: a picture folds them under their names, without a leading underscore."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab.core.execute import composite


def grouped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Run a function of several ops as a group with its name."""
    function.__name__ = function.__name__.strip("_")
    return composite(function)
