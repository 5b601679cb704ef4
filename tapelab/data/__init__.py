"""`tf.data`: pipelines that read, change, shuffle and batch what a model learns from."""

from __future__ import annotations

from tapelab.data import experimental
from tapelab.data.dataset import Dataset, TextLineDataset
from tapelab.data.dataset_sources import DatasetSpec
from tapelab.data.iterators import Iterator, NumpyIterator
from tapelab.data.stage import AUTOTUNE, Options, ThreadingOptions
from tapelab.data.stage import INFINITE as INFINITE_CARDINALITY
from tapelab.data.stage import UNKNOWN as UNKNOWN_CARDINALITY
from tapelab.namespace.missing_names import in_module

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "Iterator",
    "NumpyIterator",
    "Options",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
]

__getattr__, __dir__ = in_module(__name__)
