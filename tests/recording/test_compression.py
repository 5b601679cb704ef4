"""Long recordings are packed in pieces; who unpacks them need not know."""

from __future__ import annotations

import concurrent.futures
import gzip

import numpy as np
import pytest

from tapelab.recording import codec, compression, from_bytes, to_bytes
from tests.recording.test_atomic_write import long  # noqa: F401 - a fixture


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(compression, "PIECE", 1000)


@pytest.mark.parametrize("size", [0, 8, 1000, 1001, 25_000])
def test_what_is_packed_in_pieces_unpacks_as_one(small_pieces, size):
    data = np.random.default_rng(size).integers(0, 9, size // 8 * 8, np.uint8).tobytes()
    assert gzip.decompress(compression.pack(data)) == compression.byte_planes(data)
    assert compression.unpacked(compression.pack(data)) == data


def test_the_same_bytes_come_of_it_where_no_thread_is_to_be_had(small_pieces, monkeypatch):
    data = bytes(range(8)) * 1000

    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with_threads = compression.pack(data)
    monkeypatch.setattr(concurrent.futures.ThreadPoolExecutor, "submit", refuse)
    assert compression.pack(data) == with_threads


def test_a_long_recording_that_was_read_is_not_written_again(long, monkeypatch):  # noqa: F811  a fixture
    data = to_bytes(long)
    monkeypatch.setattr(codec, "READ_FROM", len(data) - 1)
    again = from_bytes(compression.pack(data))
    monkeypatch.setattr(codec, "_written", lambda _: pytest.fail("It was written."))
    assert to_bytes(again) == data
