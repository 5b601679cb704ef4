"""`tf.compat.v1`: graphs, placeholders and sessions, as far as TensorFlow 2 code still shows them.

Every other name is that of TensorFlow 2.
"""

from __future__ import annotations

from typing import Any

import tapelab
from tapelab.compile.graph_session import Graph, Initializer, Session, default_graph
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable
from tapelab.dtypes import as_dtype, float32
from tapelab.framework.scopes import executing_eagerly

__all__ = ["Graph", "InteractiveSession", "Session", "executing_eagerly", "placeholder"]

InteractiveSession = Session


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor that gets its numbers from `feed_dict` at each run of a session."""
    if executing_eagerly():
        raise RuntimeError(
            "tf.placeholder() is not compatible with eager execution. Write a function with an "
            "argument, or use `with tf.Graph().as_default():`."
        )
    return default_graph().placeholder(dtype, shape, name)


def get_default_graph() -> Graph:
    """The graph that calls are written into."""
    return default_graph()


def get_variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None,
    trainable: bool = True,
) -> Variable:  # fmt: skip
    """A variable by name, with an initializer or an initial value."""
    kind = as_dtype(dtype or float32)
    start = initializer or tapelab.keras.initializers.GlorotUniform()
    if isinstance(start, type):
        start = start()
    value = (lambda: start(shape, kind)) if callable(start) else start
    return Variable(value, trainable=trainable, name=name, dtype=None if dtype is None else kind)


def global_variables() -> list[Variable]:
    """The variables that were made in the default graph."""
    return list(default_graph()._trace.created)


def trainable_variables() -> list[Variable]:
    """Those of them that are trained."""
    return [each for each in global_variables() if each.trainable]


def global_variables_initializer() -> Initializer:
    """What starts all variables of the default graph when a session runs it."""
    return Initializer([each._cell for each in global_variables()])


def assign(ref: Variable, value: Any) -> Any:
    """Replace the value of a variable."""
    return ref.assign(value)


def disable_eager_execution() -> None:
    """RuntimeError: functions run at once here; use a graph as a block."""
    raise RuntimeError(
        "tapelab runs ops at once. Write `with tf.Graph().as_default():` around the code that "
        "is to be collected in a graph."
    )


def enable_eager_execution() -> None:
    """Ops run at once: they do already."""
    if thread.trace is not None:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(tapelab, name)
