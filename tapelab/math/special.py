"""`tf.math.special`: functions that have a name because no simpler formula gives them."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.ops import bessel, bessel_decay, integrals
from tapelab.ops.public import unary

bessel_i0 = unary(bessel.bessel_i0)
bessel_i0e = unary(bessel.bessel_i0e)
bessel_i1 = unary(bessel.bessel_i1)
bessel_i1e = unary(bessel.bessel_i1e)
bessel_j0 = unary(bessel.bessel_j0)
bessel_j1 = unary(bessel.bessel_j1)
bessel_k0 = unary(bessel_decay.bessel_k0)
bessel_k0e = unary(bessel_decay.bessel_k0e)
bessel_k1 = unary(bessel_decay.bessel_k1)
bessel_k1e = unary(bessel_decay.bessel_k1e)
bessel_y0 = unary(bessel.bessel_y0)
bessel_y1 = unary(bessel.bessel_y1)
dawsn = unary(integrals.dawsn)
expint = unary(integrals.expint)
fresnel_cos = unary(integrals.fresnel_cos)
fresnel_sin = unary(integrals.fresnel_sin)
spence = unary(integrals.spence)

__getattr__, __dir__ = in_module(__name__)
