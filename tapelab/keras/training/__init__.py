"""The training half of a model: compile, fit, evaluate, predict."""

from __future__ import annotations

from tapelab.keras.training.trainer import Trainer

__all__ = ["Trainer"]
