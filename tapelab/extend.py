"""What you extend tapelab with: ops, findings, checks and recorders of your own.

Everything here is public and documented; your code needs no other module of the machinery.

- `op` declares an op: a kernel on NumPy arrays and a gradient rule for each input. It runs eagerly,
  in `tf.function`, on tapes and in forward mode, and every figure explains it. The result is an
  `OwnOp`, whose `grad`, `grads` and `no_grad` declare the rules.
- `finding` declares something to look for in a gradient: a function that gets a `Case` and yields a
  `Finding`. `tf.explain` and `tf.why` report it. `name_of`, `spot` and `replace_expression` help to
  say where it is in the user's code and what to write instead; `Rank` says how decisive it is.
- `check` declares what an `Exercise` looks at: a function that gets an `Answer` and returns an
  `Outcome`. `plain` gives the numbers of what an answer returned, `judge` runs an exercise.
- `Recorder` makes a `Recording` of a program that runs on an autodiff engine of your own. `tf.show`
  draws it like any other.

The docstring of each has an example to run. Each loads when it is first used, so the import costs
nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.declarations import Rank, finding
    from tapelab.diagnosis.descriptions import name_of, spot
    from tapelab.diagnosis.edits import replace_expression
    from tapelab.diagnosis.finding import Finding, Fix, Step, Where
    from tapelab.exercises.answer import Answer
    from tapelab.exercises.check import Check, Outcome, check
    from tapelab.exercises.exercise import Exercise
    from tapelab.exercises.plain import plain
    from tapelab.exercises.verdict import judge
    from tapelab.ops.own_op import OwnOp, op
    from tapelab.recorder.own_recorder import BackwardPass, Recorder
    from tapelab.recording.recording import Recording

__all__ = [
    "Answer",
    "BackwardPass",
    "Case",
    "Check",
    "Exercise",
    "Finding",
    "Fix",
    "Outcome",
    "OwnOp",
    "Rank",
    "Recorder",
    "Recording",
    "Step",
    "Where",
    "check",
    "finding",
    "judge",
    "name_of",
    "op",
    "plain",
    "replace_expression",
    "spot",
]

_HOMES: Final = {
    **dict.fromkeys(("OwnOp", "op"), "tapelab.ops.own_op"),
    **dict.fromkeys(("Rank", "finding"), "tapelab.diagnosis.declarations"),
    "replace_expression": "tapelab.diagnosis.edits",
    **dict.fromkeys(("Finding", "Fix", "Step", "Where"), "tapelab.diagnosis.finding"),
    **dict.fromkeys(("name_of", "spot"), "tapelab.diagnosis.descriptions"),
    "Case": "tapelab.diagnosis.case",
    **dict.fromkeys(("Check", "Outcome", "check"), "tapelab.exercises.check"),
    "Answer": "tapelab.exercises.answer",
    "Exercise": "tapelab.exercises.exercise",
    "judge": "tapelab.exercises.verdict",
    "plain": "tapelab.exercises.plain",
    **dict.fromkeys(("BackwardPass", "Recorder"), "tapelab.recorder.own_recorder"),
    "Recording": "tapelab.recording.recording",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
