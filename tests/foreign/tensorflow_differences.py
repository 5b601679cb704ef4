"""The programs of the catalogue that real TensorFlow makes another finding of, one by one.

Of each program: the codes that `tapelab.explain` reports under TensorFlow, None where the program
or the question itself raises, and the reason.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Difference(NamedTuple):
    """What is said of a program under TensorFlow, and why it is not the same."""

    codes: tuple[str, ...] | None
    because: str


EAGER: Final = "Functions run eagerly for the recording, so nothing is decided while one is traced."
OWN_ERROR: Final = "TensorFlow raises its own error, which has no finding."
LIST_OF_LABELS: Final = "Keras of TensorFlow refuses a plain list of labels."
NO_HOOK: Final = "NumPy reads the memory of a tensor, and TensorFlow has no callback for that."
PYTHON: Final = "The rule of `tf.py_function` runs once, in the program's own gradient call."
BRANCH: Final = "TensorFlow decides `tf.cond` by a call of its own, so only the predicate is seen."
STAGING: Final = "TensorFlow wraps the error of a Jacobian, so the program does not catch it."
GRAPH: Final = "A function of a Dataset is a graph: its kernels run without callbacks."
AGAIN: Final = "What `tf.recompute_grad` runs again is inside one op with a gradient function."

DIFFERENCES: Final = {
    "P76 a global name-LEAKED_SYMBOL": Difference(None, EAGER),
    "P76-LEAKED_SYMBOL": Difference(None, EAGER),
    "P75-TRACE_TIME_CONSTANT": Difference((), EAGER),
    "P75 run often-TRACE_TIME_CONSTANT": Difference((), EAGER),
    "P46 all-SOME_NONE": Difference(None, OWN_ERROR),
    "P72-VARIABLES_KEYWORD_MISSING": Difference(None, OWN_ERROR),
    "P72 a function-VARIABLES_KEYWORD_MISSING": Difference(None, OWN_ERROR),
    "P66 Keras-DOUBLE_SOFTMAX": Difference(None, LIST_OF_LABELS),
    "P66 never, an object-DOUBLE_SOFTMAX": Difference(None, LIST_OF_LABELS),
    "P17-LEFT_ENGINE": Difference(("UNUSED_SOURCE",), NO_HOOK),
    "P18-LEFT_ENGINE": Difference(("UNUSED_SOURCE",), NO_HOOK),
    "P18 py_function-LEFT_ENGINE": Difference(("NO_GRADIENT_REGISTERED",), PYTHON),
    "P80 cond-ON_KINK": Difference(("PREDICATE_ONLY",), BRANCH),
    "P37 asked why-NO_GRADIENT_REGISTERED": Difference(None, STAGING),
    "P22 a function of a Dataset-STATE_READ": Difference(("UNUSED_SOURCE",), GRAPH),
    "P24 in a function that runs again-STOPPED": Difference((), AGAIN),
    "P15 in a function that runs again-LEFT_ENGINE": Difference((), AGAIN),
}
"""The differences by the names of the programs."""
