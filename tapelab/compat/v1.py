"""`tf.compat.v1`: graphs, placeholders and sessions, as far as TensorFlow 2 code still shows them.

Every other name is that of TensorFlow 2.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

import tapelab
from tapelab.array_ops.gather_ops import gather
from tapelab.array_ops.shape_ops import identity
from tapelab.compile.graph_session import Graph, Initializer, Session, default_graph, open_session
from tapelab.core.convert import to_tensor
from tapelab.core.dimension import Dimension
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.log import thread
from tapelab.core.tensor import Tensor
from tapelab.core.variable import Variable
from tapelab.dtypes import as_dtype, float32
from tapelab.framework.scopes import executing_eagerly

__all__ = [
    "Dimension",
    "Graph",
    "InteractiveSession",
    "Session",
    "executing_eagerly",
    "placeholder",
]

InteractiveSession = Session


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor that gets its numbers from `feed_dict` at each run of a session."""
    if executing_eagerly():
        raise RuntimeError(
            "tf.placeholder() is not compatible with eager execution. Write a function with an "
            "argument, or use `with tf.Graph().as_default():`."
        )
    return default_graph().placeholder(dtype, shape, name)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """The default as a tensor, whose shape fits a shape that may be known in part only."""
    given = to_tensor(input)
    given.shape.assert_is_compatible_with(shape)
    default: Tensor = identity(given, name)
    return default


def get_default_session() -> Session | None:
    """The innermost session that is open, or None."""
    return open_session()


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


def py_func(
    func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: str | None = None
) -> Any:
    """What a function of NumPy arrays returns, as tensors."""
    return tapelab.numpy_function(func, inp, Tout, stateful, name)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """In each row of a batch the entries at the places of the same row."""
    batch = to_tensor(indices).ndim - 1
    return gather(params, indices, axis=batch, batch_dims=batch)


def _rows_method(how: str) -> Callable[..., Any]:
    """A function that writes rows of a variable, as a method of the variable does."""

    def function(
        ref: Variable, indices: Any, updates: Any, use_locking: bool = False,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        del use_locking, name
        slices = IndexedSlices(updates, to_tensor(indices))
        return getattr(ref, f"scatter_{how}")(slices)

    return function


def _elements_method(how: str) -> Callable[..., Any]:
    """A function that writes elements of a variable, as a method of the variable does."""

    def function(
        ref: Variable, indices: Any, updates: Any, use_locking: bool = False,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        del use_locking, name
        return getattr(ref, f"scatter_nd_{how}")(indices, updates)

    return function


scatter_add = _rows_method("add")
scatter_div = _rows_method("div")
scatter_max = _rows_method("max")
scatter_min = _rows_method("min")
scatter_mul = _rows_method("mul")
scatter_sub = _rows_method("sub")
scatter_update = _rows_method("update")
scatter_nd_add = _elements_method("add")
scatter_nd_sub = _elements_method("sub")
scatter_nd_update = _elements_method("update")


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


_MOVED: Final = {
    "batch_to_space_nd": "batch_to_space",
    "depth_to_space": "nn.depth_to_space",
    "space_to_batch_nd": "space_to_batch",
    "space_to_depth": "nn.space_to_depth",
}
"""Names of TensorFlow 1 with their places in TensorFlow 2."""


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return attrgetter(_MOVED.get(name, name))(tapelab)
