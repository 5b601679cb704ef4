"""`tf.lookup.experimental`: tables whose entries can change."""

from __future__ import annotations

from tapelab.lookup.hash_tables import DenseHashTable, MutableHashTable
from tapelab.namespace.missing_names import in_module

__all__ = ["DenseHashTable", "MutableHashTable"]

__getattr__, __dir__ = in_module(__name__)
