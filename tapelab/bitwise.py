"""`tf.bitwise`: integers bit by bit."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.ops import comparison
from tapelab.ops.public import binary, unary

bitwise_and = binary(comparison.bitwise_and)
bitwise_or = binary(comparison.bitwise_or)
bitwise_xor = binary(comparison.bitwise_xor)
invert = unary(comparison.invert)
left_shift = binary(comparison.left_shift)
right_shift = binary(comparison.right_shift)

__getattr__, __dir__ = in_module(__name__)
