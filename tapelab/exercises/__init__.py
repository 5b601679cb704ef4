"""Layer 5: exercises and their checks, which see a Recording and what an answer returns."""

from tapelab.exercises.check import Check, Outcome
from tapelab.exercises.exercise import Exercise
from tapelab.exercises.predictions import predicted, predictions
from tapelab.exercises.values import Prediction
from tapelab.exercises.verdict import Verdict, judge

__all__ = [
    "Check",
    "Exercise",
    "Outcome",
    "Prediction",
    "Verdict",
    "judge",
    "predicted",
    "predictions",
]
