"""Where calls come in while a function is traced: the tables behind `doors.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tapelab.compiling import standing
from tapelab.engine.indexed_slices import IndexedSlices
from tapelab.engine.tape import GradientTape
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable
from tapelab.random.generating import Generator
from tapelab.random.sampling import Source

PARTS: Final = (
    *("", "math", "linalg", "nn", "random", "image", "bitwise", "debugging", "strings", "signal"),
    *(
        "raw_ops",
        "sets",
        "arrays.sorting",
        "math.special",
        "ragged",
        "sparse",
        "io",
        "quantization",
        "keras.random",
        "keras.losses.reduction",
    ),
)
"""The parts of the namespace whose functions are written down; the first is the namespace."""
PLAIN: Final = frozenset({
    *("executing_eagerly", "inside_function", "init_scope", "device", "control_dependencies"),
    *("get_current_name_scope", "is_tensor", "as_dtype", "explain"),
    *("function", "custom_gradient", "recompute_grad", "check", "exercise", "show"),
    *("hint", "progress", "in_module", "set_seed", "variable_creator_scope"),
    *("grad_pass_through", "no_gradient", "load_ipython_extension", "as_tensor", "tensor"),
    *("matched", "strict_operand", "lengths", "number", "whole", "one_float", "only_defaults"),
    *("composite", "takes_composites", "elementwise", "takes_composites_as", "dressed"),
    *("unary", "binary", "reduction", "running", "position", "logical", "new_constant"),
    *("to_tensor", "typed_array", "invalid_argument", "read", "constant_of", "origin_here"),
    *("get_global_generator", "set_global_generator", "create_rng_state", "axes_of"),
})  # fmt: skip
"""Functions that do no work on tensors by themselves, or call back what the learner wrote."""
TELLING: Final = frozenset({"print", "Assert"})
"""Functions that only tell: they are not tried out. So are all assertions."""

_OPERATORS: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"),
    *("radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul", "rand", "ror"),
    *("rxor", "lt", "le", "gt", "ge", "eq", "ne", "neg", "abs", "invert", "getitem"),
)
MAKERS: Final = (
    *(("tapelab", "TensorArray"), ("tapelab", "RaggedTensor"), ("tapelab", "SparseTensor")),
    ("tapelab.autodiff", "ForwardAccumulator"),
)
"""Classes whose instances go through a graph as one thing."""
LAZY_METHODS: Final[tuple[tuple[str, str, str, Callable[..., Any]], ...]] = (
    ("tapelab.autodiff.custom_gradients", "CustomGradient", "__call__", standing.whole_call),
    ("tapelab.keras.layers.layer", "Layer", "_ensure_built", standing.built),
    ("tapelab.keras.variables", "Variable", "__init__", standing.created_whole),
    ("tapelab.keras.layers.reshaping", "Flatten", "call", standing.whole_where_open),
    ("tapelab.keras.layers.reshaping", "Reshape", "call", standing.whole_where_open),
    ("tapelab.keras.layers.noise", "Dropout", "_changed", standing.whole_where_open),
    ("tapelab.keras.layers.noise", "GaussianDropout", "_changed", standing.whole_where_open),
    ("tapelab.keras.layers.noise", "GaussianNoise", "_changed", standing.whole_where_open),
    ("tapelab.keras.layers.cells", "_Cell", "_dropped", standing.whole_where_open),
    ("tapelab.keras.layers.recurrent", "RNN", "_first_states", standing.whole_where_open),
    ("tapelab.keras.layers.convolutional", "Conv2DTranspose", "call", standing.whole_where_open),
    ("tapelab.data.iterating", "DatasetIterator", "__next__", standing.next_element),
    *(
        ("tapelab.queue.base", "QueueBase", name, standing.put_in_queue)
        for name in ("enqueue", "enqueue_many", "close")
    ),
    *(
        ("tapelab.queue.base", "QueueBase", name, standing.asked_of_queue)
        for name in ("dequeue", "dequeue_many", "dequeue_up_to", "size", "is_closed")
    ),
)
"""Methods of classes that are loaded lazily, with what stands in for them."""
_SCATTER: Final = (
    *("scatter_update", "scatter_add", "scatter_sub", "scatter_mul", "scatter_div", "scatter_max"),
    *("scatter_min", "scatter_nd_update", "scatter_nd_add", "scatter_nd_sub", "scatter_nd_max"),
    "scatter_nd_min",
)
_OPERATOR_NAMES: Final = tuple(f"__{name}__" for name in _OPERATORS)
PURE: Final[tuple[tuple[type, tuple[str, ...]], ...]] = (
    (Tensor, _OPERATOR_NAMES),
    (Variable, (*_OPERATOR_NAMES, "value", "read_value", "sparse_read", "gather_nd")),
    (GradientTape, ("gradient", "jacobian", "batch_jacobian", "watched_variables")),
    (IndexedSlices, ("dense",)),
)
"""Methods that are written down where they return tensors."""
ACTING: Final[tuple[tuple[type, tuple[str, ...]], ...]] = (
    (Variable, ("assign", "assign_add", "assign_sub", *_SCATTER)),
    (GradientTape, ("__enter__", "__exit__", "watch", "reset")),
    (
        Source,
        ("normal", "truncated_normal", "uniform", "gamma", "poisson", "categorical", "binomial"),
    ),
    (Generator, ("make_seeds", "uniform_full_int", "reset_from_seed", "binomial", "skip")),
)
"""Methods that are always written down: they write, watch, or draw random numbers."""
