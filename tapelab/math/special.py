"""`tf.math.special`: functions that have a name because no simpler formula gives them."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.ops import special_functions
from tapelab.ops.public import unary

bessel_i0 = unary(special_functions.bessel_i0)
bessel_i0e = unary(special_functions.bessel_i0e)
bessel_i1 = unary(special_functions.bessel_i1)
bessel_i1e = unary(special_functions.bessel_i1e)
bessel_j0 = unary(special_functions.bessel_j0)
bessel_j1 = unary(special_functions.bessel_j1)
bessel_k0 = unary(special_functions.bessel_k0)
bessel_k0e = unary(special_functions.bessel_k0e)
bessel_k1 = unary(special_functions.bessel_k1)
bessel_k1e = unary(special_functions.bessel_k1e)
bessel_y0 = unary(special_functions.bessel_y0)
bessel_y1 = unary(special_functions.bessel_y1)
dawsn = unary(special_functions.dawsn)
expint = unary(special_functions.expint)
fresnel_cos = unary(special_functions.fresnel_cos)
fresnel_sin = unary(special_functions.fresnel_sin)
spence = unary(special_functions.spence)

__getattr__, __dir__ = in_module(__name__)
