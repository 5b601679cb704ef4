"""Names for the values that the core passes around, whose classes NumPy or the user decides.

They stand for `Any`, because NumPy's types say too little of them: a raw value may be an array of
any dtype or a scalar, and most code takes both.
"""

from __future__ import annotations

from typing import Any

Value = Any
"""A raw array or NumPy scalar, or what is left of a large array (`large_values.Dropped`)."""
Values = Any
"""One raw value, or a tuple of them for an op with several results."""
Ids = Any
"""The id of a tensor, or a tuple of them for an op with several results."""
Cotangent = Any
"""An array, an `IndexedSlices` or a tensor; of several results a tuple of them."""
Nest = Any
"""A tensor, a variable, plain data, or nested lists, tuples and dicts of them."""
DTypeLike = Any
"""Whatever `tf.as_dtype` accepts, or None."""
