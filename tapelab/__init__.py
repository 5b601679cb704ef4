"""Automatic differentiation made visible: write TensorFlow-style code, step through its tape."""

from tapelab import errors, nest
from tapelab.dtypes import DType, as_dtype, float32, float64, int32
from tapelab.engine.convert import to_tensor as convert_to_tensor
from tapelab.engine.tape import GradientTape, UnconnectedGradients
from tapelab.engine.tensor import Tensor
from tapelab.engine.variable import Variable
from tapelab.ops import overloads as _overloads, stops as _stops, trigonometry as _t, broadcasting as _b
from tapelab.shapes import TensorShape
_overloads.install()
from tapelab.ops import gathering as _g, masking as _m, shape as _s, slicing as _sl, stacking as _st, subscripts as _sub
_sub.install()
sin=_t.sin
stop_gradient=_stops.stop_gradient
def constant(value, dtype=None, shape=None, name=None):
    from tapelab.engine.convert import new_constant
    from tapelab.engine.arrays import typed_array
    return new_constant(typed_array(value, dtype), value, "tf.constant")

__version__ = "0.1.0"
