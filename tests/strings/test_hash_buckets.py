"""The hashes agree with the vectors that their authors published."""

from __future__ import annotations

import pytest

from tapelab.strings.hash_buckets import farmhash64, murmur, siphash


def test_siphash_gives_the_published_value():
    key = int.from_bytes(range(8), "little"), int.from_bytes(range(8, 16), "little")
    assert siphash(bytes(range(15)), key) == 0xA129CA6149BE45E5


def test_the_empty_text_has_the_published_fingerprint():
    assert farmhash64(b"") == 0x9AE16A3B2F90404F


@pytest.mark.parametrize("digest", [farmhash64, murmur, lambda raw: siphash(raw, (1, 2))])
def test_every_byte_counts_at_every_length(digest):
    for length in [*range(1, 70), 127, 128, 129, 300]:
        raw = bytes(range(256)) * 2
        text = raw[:length]
        for at in {0, length // 2, length - 1}:
            other = text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :]
            assert digest(text) != digest(other), (length, at)


def test_buckets_stay_within_their_number(tf):
    words = [f"word {number}" for number in range(200)]
    found = tf.strings.to_hash_bucket_fast(words, 7).numpy()
    assert set(found) == set(range(7))
