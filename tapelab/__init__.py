"""Automatic differentiation made visible: write TensorFlow-style code, step through its tape."""

import warnings as _warnings

# NumPy warns of 1/0 and log(-1); the learner sees inf and nan in the result, as in TensorFlow.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"tapelab\.")

from tapelab import errors, math, nest
from tapelab.choosing import (
    cast,
    clip_by_value,
    complex,
    identity,
    saturate_cast,
    stop_gradient,
    where,
)
from tapelab.creation import (
    constant,
    convert_to_tensor,
    eye,
    fill,
    is_tensor,
    linspace,
    ones,
    ones_like,
    range,
    zeros,
    zeros_like,
)
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
from tapelab.engine.indexed_slices import IndexedSlices
from tapelab.engine.tape import GradientTape, UnconnectedGradients
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable
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
    scalar_mul,
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
# Declared for the engine, which calls these ops by name.
from tapelab.ops import gathering as _gathering
from tapelab.ops import masking as _masking
from tapelab.ops import matrices as _matrices
from tapelab.ops import rearranging as _rearranging
from tapelab.ops import scattering as _scattering
from tapelab.ops import solving as _solving
from tapelab.ops import stacking as _stacking
from tapelab.ops import overloads as _overloads
from tapelab.ops.composites import norm
from tapelab.shapes import TensorShape
from tapelab.version import __version__

newaxis = None
_overloads.install()
