"""`tf.strings`: text in tensors. Text has no derivative, so no gradient passes through these."""

from __future__ import annotations

from tapelab.namespace.missing_names import in_module
from tapelab.strings import ragged_strings as _  # noqa: F401 - what these functions do with ragged rows
from tapelab.strings.characters import length, lower, strip, substr, upper
from tapelab.strings.hash_buckets import to_hash_bucket, to_hash_bucket_fast, to_hash_bucket_strong
from tapelab.strings.joins import format, join, reduce_join, unsorted_segment_join
from tapelab.strings.numbers import as_string, to_number
from tapelab.strings.regular_expressions import regex_full_match, regex_replace
from tapelab.strings.splits import bytes_split, ngrams, split
from tapelab.strings.unicode import (
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
    unicode_script,
    unicode_split,
    unicode_split_with_offsets,
    unicode_transcode,
)

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_script",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
]

__getattr__, __dir__ = in_module(__name__)
