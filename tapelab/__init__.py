"""Automatic differentiation made visible: write TensorFlow-style code, step through its tape."""

import sys as _sys
import typing as _typing
import warnings as _warnings

# NumPy warns of 1/0 and log(-1); the learner sees inf and nan in the result, as in TensorFlow.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"tapelab\.")

from tapelab import errors, linalg, math, nest
from tapelab.array_ops.creation import (
    constant,
    convert_to_tensor,
    eye,
    fill,
    is_tensor,
    linspace,
    one_hot,
    ones,
    ones_like,
    range,
    sequence_mask,
    unravel_index,
    zeros,
    zeros_like,
)
from tapelab.array_ops.gather_ops import (
    boolean_mask,
    gather,
    gather_nd,
    scatter_nd,
    slice,
    strided_slice,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from tapelab.array_ops.shape_ops import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    concat,
    ensure_shape,
    expand_dims,
    identity,
    identity_n,
    meshgrid,
    pad,
    rank,
    repeat,
    reshape,
    reverse,
    roll,
    shape,
    shape_n,
    size,
    split,
    squeeze,
    stack,
    tile,
    transpose,
    unstack,
)
from tapelab.array_ops.sort_ops import argsort, searchsorted, sort, unique, unique_with_counts
from tapelab.array_ops.value_ops import (
    cast,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    complex,
    saturate_cast,
    stop_gradient,
    where,
)
from tapelab.core.indexed_slices import IndexedSlices
from tapelab.core.tape import GradientTape, UnconnectedGradients
from tapelab.core.tensor import Tensor
from tapelab.core.tensor_shape import TensorShape
from tapelab.core.traceback_filter import install as _install_traceback_filter
from tapelab.core.variable import Variable
from tapelab.dtypes import (
    DType,
    as_dtype,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tapelab.dtypes import bool_ as bool
from tapelab.framework.logging_ops import print
from tapelab.framework.scopes import (
    control_dependencies,
    device,
    executing_eagerly,
    get_current_name_scope,
    init_scope,
    name_scope,
)
from tapelab.linalg import einsum, matmul, tensordot
from tapelab.math import (
    abs,
    acos,
    acosh,
    add,
    add_n,
    argmax,
    argmin,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    cumsum,
    divide,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    realdiv,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    round,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    truediv,
    truncatediv,
    truncatemod,
)
from tapelab.namespace import hooks as _hooks
from tapelab.namespace.lazy_symbols import PLACES as _PLACES
from tapelab.namespace.lazy_symbols import late as _late
from tapelab.namespace.lazy_symbols import load as _load
from tapelab.namespace.missing_names import missing as _missing
from tapelab.ops import core_registration as _core_ops
from tapelab.ops import overloads as _overloads
from tapelab.ops.composites import norm, scalar_mul
from tapelab.recorder import install as _install_recorder
from tapelab.version import __version__

newaxis = None
_core_ops.install()
_hooks.finding_of.fill(_late("tapelab.diagnosis.explanation:finding_of"))
_hooks.picture_of.fill(_late("tapelab.widgets.show:picture_of"))
_hooks.output_of.fill(_late("tapelab.widgets.show:output_of"))
_overloads.install()
_install_recorder()
_install_traceback_filter()


def __getattr__(name: str) -> _typing.Any:
    if name not in _PLACES:
        raise _missing(__name__, name)
    symbol = globals()[name] = _load(_PLACES[name])
    return symbol


_NAMESPACES = {"dtypes", "errors", "linalg", "math", "nest"}


def __dir__() -> _typing.Any:
    """TensorFlow's names and ours; a module of the machinery is imported, not offered."""
    offered = {
        name
        for name, member in globals().items()
        if not isinstance(member, type(_sys)) or name in _NAMESPACES
    }
    return sorted({*offered, *_PLACES})


if "IPython" in _sys.modules:  # in a notebook: `%%tape`, and cells go by their numbers
    _load("tapelab.lab:attach")()
