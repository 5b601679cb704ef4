"""Strings into numbered buckets, by the published hashes that TensorFlow uses.

`to_hash_bucket_fast` is FarmHash's Fingerprint64, `to_hash_bucket_strong` SipHash-2-4, and the old
`to_hash_bucket` MurmurHash64A: a string has the same bucket here and in TensorFlow. All three are
written from their published descriptions and work on bytes, with 64-bit arithmetic modulo 2**64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.errors import invalid_argument
from tapelab.ops.integer_arguments import lengths, number
from tapelab.ops.public import tensor
from tapelab.strings.string_op import declared, each, text, texts

MASK: Final = 2**64 - 1
K0: Final = 0xC3A5C85C97CB3127
K1: Final = 0xB492B66FBE98F273
K2: Final = 0x9AE16A3B2F90404F
"""FarmHash's primes between 2⁶³ and 2⁶⁴."""
Pair = tuple[int, int]


def farmhash64(raw: bytes) -> int:
    """FarmHash's Fingerprint64, which never changes from one version to the next."""
    length = len(raw)
    for longest, digest in _SHORT:
        if length <= longest:
            return digest(raw, length)
    return _long(raw, length)


def _word(raw: bytes, at: int) -> int:
    at = at if at >= 0 else len(raw) + at
    return int.from_bytes(raw[at : at + 8], "little")


def _half(raw: bytes, at: int) -> int:
    at = at if at >= 0 else len(raw) + at
    return int.from_bytes(raw[at : at + 4], "little")


def _rotate(value: int, by: int) -> int:
    """The low 64 bits turned to the right."""
    value &= MASK
    return (value >> by | value << (64 - by)) & MASK


def _shift_mix(value: int) -> int:
    value &= MASK
    return value ^ value >> 47


def _fold(u: int, v: int, factor: int) -> int:
    """Two words into one."""
    a = _shift_mix(((u ^ v) & MASK) * factor)
    return _shift_mix(((v ^ a) & MASK) * factor) * factor & MASK


def _up_to_16(raw: bytes, length: int) -> int:
    factor = K2 + length * 2
    if length >= 8:
        a, b = _word(raw, 0) + K2, _word(raw, -8)
        c = _rotate(b, 37) * factor + a
        return _fold(c & MASK, (_rotate(a, 25) + b) * factor & MASK, factor)
    if length >= 4:
        return _fold(length + (_half(raw, 0) << 3), _half(raw, -4), factor)
    if length == 0:
        return K2
    y = raw[0] + (raw[length >> 1] << 8)
    z = length + (raw[-1] << 2)
    return _shift_mix((y * K2 ^ z * K0) & MASK) * K2 & MASK


def _up_to_32(raw: bytes, length: int) -> int:
    factor = K2 + length * 2
    a, b = _word(raw, 0) * K1 & MASK, _word(raw, 8)
    c, d = _word(raw, -8) * factor, _word(raw, -16) * K2
    first = _rotate(a + b, 43) + _rotate(c, 30) + d
    return _fold(first & MASK, (a + _rotate(b + K2, 18) + c) & MASK, factor)


def _up_to_64(raw: bytes, length: int) -> int:
    factor = K2 + length * 2
    a, b = _word(raw, 0) * K2 & MASK, _word(raw, 8)
    c, d = _word(raw, -8) * factor, _word(raw, -16) * K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d & MASK
    z = _fold(y, (a + _rotate(b + K2, 18) + c) & MASK, factor)
    e, f = _word(raw, 16) * factor & MASK, _word(raw, 24)
    g, h = (y + _word(raw, -32)) * factor, (z + _word(raw, -24)) * factor
    first = _rotate(e + f, 43) + _rotate(g, 30) + h
    return _fold(first & MASK, (e + _rotate(f + a, 18) + g) & MASK, factor)


_SHORT: Final = ((16, _up_to_16), (32, _up_to_32), (64, _up_to_64))


def _weak(raw: bytes, at: int, a: int, b: int) -> Pair:
    """Four words and two seeds into two words."""
    w, x, y, z = (_word(raw, at + 8 * step) for step in range(4))
    a += w
    b = _rotate(b + a + z, 21)
    total = a + x + y
    return (total + z) & MASK, (b + _rotate(total, 44) + a) & MASK


def _long(raw: bytes, length: int) -> int:
    """Blocks of 64 bytes, then the last 64 bytes once more with other factors."""
    y = 81 * K1 + 113 & MASK
    z = _shift_mix(y * K2 + 113) * K2 & MASK
    x = (81 * K2 + _word(raw, 0)) & MASK
    v: Pair = (0, 0)
    w: Pair = (0, 0)
    for at in range(0, (length - 1) // 64 * 64, 64):
        x, y, z, v, w = _block(raw, at, (x, y, z), v, w, K1, 1)
    factor = K1 + ((z & 0xFF) << 1)
    w = w[0] + (length - 1 & 63), w[1]
    v = v[0] + w[0] & MASK, v[1]
    w = w[0] + v[0] & MASK, w[1]
    x, y, z, v, w = _block(raw, length - 64, (x, y, z), v, w, factor, 9)
    first = _fold(v[0], w[0], factor) + _shift_mix(y) * K0 + z
    return _fold(first & MASK, (_fold(v[1], w[1], factor) + x) & MASK, factor)


def _block(
    raw: bytes, at: int, xyz: tuple[int, int, int], v: Pair, w: Pair, factor: int, weight: int
) -> tuple[int, int, int, Pair, Pair]:
    """One round over 64 bytes; the last round of all has another factor and another weight."""
    x, y, z = xyz
    x = _rotate(x + y + v[0] + _word(raw, at + 8), 37) * factor & MASK
    y = _rotate(y + v[1] + _word(raw, at + 48), 42) * factor & MASK
    x ^= w[1] * weight & MASK
    y = y + v[0] * weight + _word(raw, at + 40) & MASK
    z = _rotate(z + w[0], 33) * factor & MASK
    v = _weak(raw, at, v[1] * factor & MASK, x + w[0])
    w = _weak(raw, at + 32, z + w[1], y + _word(raw, at + 16))
    return z, y, x, v, w


def siphash(raw: bytes, key: tuple[int, ...]) -> int:
    """SipHash-2-4 with a key of two words."""
    k0, k1 = (each & MASK for each in key)
    state = (0x736F6D6570736575 ^ k0, 0x646F72616E646F6D ^ k1,
             0x6C7967656E657261 ^ k0, 0x7465646279746573 ^ k1)  # fmt: skip
    padded = raw + bytes(-(len(raw) + 1) % 8) + bytes([len(raw) & 0xFF])
    for at in range(0, len(padded), 8):
        word = _word(padded, at)
        a, b, c, d = _sip_round(_sip_round((*state[:3], state[3] ^ word)))
        state = a ^ word, b, c, d
    state = state[0], state[1], state[2] ^ 0xFF, state[3]
    for _ in range(4):
        state = _sip_round(state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _sip_round(state: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    a, b, c, d = state
    a, c = a + b & MASK, c + d & MASK
    b, d = _rotate(b, 51) ^ a, _rotate(d, 48) ^ c
    a = _rotate(a, 32)
    c, a = c + b & MASK, a + d & MASK
    b, d = _rotate(b, 47) ^ c, _rotate(d, 43) ^ a
    return a, b, _rotate(c, 32), d


def murmur(raw: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """MurmurHash64A."""
    factor = 0xC6A4A7935BD1E995
    digest = seed ^ len(raw) * factor & MASK
    whole = len(raw) // 8 * 8
    for at in range(0, whole, 8):
        word = _shift_mix(_word(raw, at) * factor) * factor & MASK
        digest = (digest ^ word) * factor & MASK
    if whole < len(raw):
        digest = (digest ^ _word(raw, whole)) * factor & MASK
    return _shift_mix(_shift_mix(digest) * factor)


BUCKET: Final = "The number of a bucket says nothing of size, so a small step of it means nothing."
_HASHED: Final = (texts(["a", "hello", ""]),)


@declared(
    "StringToHashBucketFast", "hash_bucket_fast", (_HASHED, {"num_buckets": 10}), because=BUCKET
)
def _fast(x: Any, *, num_buckets: int) -> Any:
    """The bucket of each text by FarmHash."""
    return _buckets(farmhash64, x, num_buckets)


@declared("StringToHashBucket", "hash_bucket", (_HASHED, {"num_buckets": 10}), because=BUCKET)
def _old(x: Any, *, num_buckets: int) -> Any:
    """The bucket of each text by MurmurHash."""
    return _buckets(murmur, x, num_buckets)


@declared(
    "StringToHashBucketStrong",
    "hash_with_key",
    (_HASHED, {"num_buckets": 10, "key": (1, 2)}),
    because=BUCKET,
)
def _strong(x: Any, *, num_buckets: int, key: tuple[int, ...]) -> Any:
    """The bucket of each text by SipHash with a secret key."""
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
    """The bucket of each text by a secret key of two integers, so that no one can choose it.

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
    prints = b"".join(farmhash64(row).to_bytes(8, "little") for row in rows)
    return constant_of(np.frombuffer(prints, np.uint8).reshape(len(rows), 8).copy())


def _as_bytes(row: Any) -> bytes:
    """The bytes of a row; several texts count by the fingerprints of each."""
    if isinstance(row, bytes):
        return row
    if row.dtype == object:
        return b"".join(farmhash64(text).to_bytes(8, "little") for text in row.ravel())
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
