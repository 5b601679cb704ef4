"""The former name of `step_runner`, kept for exercises imported by tapelab 0.1 and 0.2."""

from tapelab.grading.formats.step_runner import Steps, answer

__all__ = ["Steps", "answer"]
