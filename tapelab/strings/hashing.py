"""Texts into numbered buckets, by the published hashes that TensorFlow uses.

`to_hash_bucket_fast` is FarmHash's Fingerprint64, `to_hash_bucket_strong` SipHash-2-4, and the old
`to_hash_bucket` MurmurHash64A: a text goes into the same bucket here and there, for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.public import tensor
from tapelab.ops.settings import lengths, number
from tapelab.strings.fingerprints import fingerprint as digest_of
from tapelab.strings.fingerprints import murmur, siphash
from tapelab.strings.texts import declared, each, text, texts

BUCKET: Final = "The number of a bucket says nothing of size, so a small step of it means nothing."


def hashed(rng: np.random.Generator) -> list[samples.Sample]:
    """Texts with the number of buckets."""
    del rng
    return [((texts(["a", "hello", ""]),), {"num_buckets": 10})]


def hashed_with_key(rng: np.random.Generator) -> list[samples.Sample]:
    """Texts with the number of buckets and a key."""
    return [(arrays, {**settings, "key": (1, 2)}) for arrays, settings in hashed(rng)]


@declared("StringToHashBucketFast", "hash_bucket_fast", hashed, because=BUCKET)
def _fast(x: Any, *, num_buckets: int) -> Any:
    """The bucket of each text by FarmHash."""
    return _buckets(digest_of, x, num_buckets)


@declared("StringToHashBucket", "hash_bucket", hashed, because=BUCKET)
def _old(x: Any, *, num_buckets: int) -> Any:
    """The bucket of each text by MurmurHash."""
    return _buckets(murmur, x, num_buckets)


@declared("StringToHashBucketStrong", "hash_with_key", hashed_with_key, because=BUCKET)
def _strong(x: Any, *, num_buckets: int, key: tuple[int, ...]) -> Any:
    """The bucket of each text by SipHash with a key that nobody else knows."""
    return _buckets(lambda raw: siphash(raw, key), x, num_buckets)


@public(elementwise=True)
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """The bucket of each text, the same on every machine and in every run."""
    raw = "StringToHashBucketFast"
    return _fast(text(input, raw), num_buckets=_count(raw, num_buckets))


@public(elementwise=True)
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """The bucket of each text by an older hash; `to_hash_bucket_fast` is the one to prefer."""
    raw = "StringToHashBucket"
    return _old(text(input, raw), num_buckets=_count(raw, num_buckets))


@public(elementwise=True)
def to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Any, name: str | None = None
) -> Tensor:
    """The bucket of each text by a secret key of two whole numbers, so that nobody can choose it.

    InvalidArgumentError for a key of another length.
    """
    raw = "StringToHashBucketStrong"
    secret = lengths(key, raw)
    if len(secret) != 2:
        raise invalid_argument(raw, f"Key must have 2 elements, not {len(secret)}")
    return _strong(text(input, raw), num_buckets=_count(raw, num_buckets), key=secret)


@public
def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """Eight bytes for each row of the data, the same on every machine and in every run."""
    if method != "farmhash64":
        raise invalid_argument("Fingerprint", f"Unsupported fingerprint method: {method}")
    x = np.asarray(tensor(data)._value)
    if not x.ndim:
        raise invalid_argument("Fingerprint", "`data` should have at least one dimension: []")
    rows = [_as_bytes(row) for row in x]
    prints = b"".join(digest_of(row).to_bytes(8, "little") for row in rows)
    return constant_of(np.frombuffer(prints, np.uint8).reshape(len(rows), 8).copy())


def _as_bytes(row: Any) -> bytes:
    """The bytes of a row; several texts count by the fingerprints of each."""
    if isinstance(row, bytes):
        return row
    if row.dtype == object:
        return b"".join(digest_of(text).to_bytes(8, "little") for text in row.ravel())
    return bytes(row.tobytes())


def _buckets(digest: Callable[[bytes], int], x: Any, count: int) -> Any:
    return each(lambda raw: digest(raw) % count, x, np.int64)


def _count(raw: str, given: Any) -> int:
    count = number(given, raw)
    if count < 1:
        raise invalid_argument(
            raw, f"Value for attr 'num_buckets' of {count} must be at least minimum 1"
        )
    return count
