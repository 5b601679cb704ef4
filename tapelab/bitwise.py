"""`tf.bitwise`: whole numbers bit by bit."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.ops import bits
from tapelab.ops.public import binary, unary

bitwise_and = binary(bits.bitwise_and)
bitwise_or = binary(bits.bitwise_or)
bitwise_xor = binary(bits.bitwise_xor)
invert = unary(bits.invert)
left_shift = binary(bits.left_shift)
right_shift = binary(bits.right_shift)

__getattr__, __dir__ = in_module(__name__)
