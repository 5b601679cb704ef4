"""What a model has for training: `compile`, `fit`, `evaluate` and `predict`."""

from __future__ import annotations


class Trainer:
    """The training half of a model."""
