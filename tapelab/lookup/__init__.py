"""`tf.lookup`: tables from keys to values. What a table holds has no gradient."""

from __future__ import annotations

from tapelab.lookup import experimental
from tapelab.lookup.hash_tables import StaticHashTable, StaticVocabularyTable
from tapelab.lookup.table_initializers import (
    KeyValueTensorInitializer,
    TextFileIndex,
    TextFileInitializer,
)
from tapelab.namespace.missing_names import in_module

__all__ = [
    "KeyValueTensorInitializer",
    "StaticHashTable",
    "StaticVocabularyTable",
    "TextFileIndex",
    "TextFileInitializer",
    "experimental",
]

__getattr__, __dir__ = in_module(__name__)
