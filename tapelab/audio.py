"""`tf.audio`: sounds in WAV files, as 16-bit integers in the file and floats from -1 to 1 here."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from tapelab.core.dispatch import public
from tapelab.core.tensor import Tensor, constant_of
from tapelab.dtypes import float32, int32, string
from tapelab.errors import invalid_argument
from tapelab.namespace.missing_names import in_module
from tapelab.ops.public import strict_operand

SCALE: Final = 1 << 15
"""The integer for a sample of 1."""
HEADER: Final = struct.Struct("<HHIIHH")
"""Format, channels, samples per second, bytes per second, bytes per frame, bits per sample."""
PCM: Final = 1


class DecodeWav(NamedTuple):
    """The samples (length, channels), and how many there are per second."""

    audio: Tensor
    sample_rate: Tensor


@public
def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """Return the samples of a WAV file of 16-bit integers, and how many there are per second.

    Missing samples are filled up with zeros, missing channels with the last one.
    """
    text = strict_operand(contents, string)._value
    sound, rate = decoded(
        text.item() if isinstance(text, np.ndarray) else text,
        None if desired_channels < 0 else desired_channels,
        None if desired_samples < 0 else desired_samples,
    )
    return DecodeWav(constant_of(sound), constant_of(np.int32(rate)))


@public
def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """Return samples (length, channels) as the content of a WAV file of 16-bit integers."""
    sound = strict_operand(audio, float32)._value
    rate = int(strict_operand(sample_rate, int32)._value)
    if sound.ndim != 2:
        raise invalid_argument(
            "EncodeWav", f"audio must be 2-dimensional but got shape {sound.shape}"
        )
    scaled = np.sign(sound) * np.floor(np.abs(sound * np.float32(SCALE)) + 0.5)
    samples = np.clip(scaled, -SCALE, SCALE - 1).astype("<i2").tobytes()
    frame = 2 * sound.shape[1]
    head = HEADER.pack(PCM, sound.shape[1], rate, rate * frame, frame, 16)
    body = b"WAVE" + _chunk(b"fmt ", head) + _chunk(b"data", samples)
    return constant_of(np.array(_chunk(b"RIFF", body), object)[()])


def decoded(
    content: bytes, channels: int | None = None, samples: int | None = None
) -> tuple[Any, int]:
    """Return an array of samples (length, channels) and the rate of a WAV file."""
    if content[:4] != b"RIFF":
        raise invalid_argument(
            "DecodeWav", f"Header mismatch: Expected RIFF but found {content[:4].decode('latin1')}"
        )
    if content[8:12] != b"WAVE":
        raise invalid_argument(
            "DecodeWav",
            f"Header mismatch: Expected WAVE but found {content[8:12].decode('latin1')}",
        )
    chunks = dict(_chunks(content))
    if b"fmt " not in chunks or b"data" not in chunks:
        raise invalid_argument("DecodeWav", "Bad file: no format or no data chunk in a WAV file.")
    kind, count, rate, _, _, bits = HEADER.unpack(chunks[b"fmt "][: HEADER.size])
    if kind != PCM or bits != 16:
        raise invalid_argument(
            "DecodeWav", f"Can only read 16-bit WAV files, but received {bits} bits, format {kind}"
        )
    data = chunks[b"data"]
    whole = data[: len(data) - len(data) % (2 * count)]
    sound = np.frombuffer(whole, "<i2").reshape(-1, count) / np.float32(SCALE)
    if channels is not None:
        sound = np.pad(sound, ((0, 0), (0, max(channels - count, 0))), mode="edge")[:, :channels]
    if samples is not None:
        sound = np.pad(sound, ((0, max(samples - len(sound), 0)), (0, 0)))[:samples]
    return np.ascontiguousarray(sound, np.float32), rate


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The names and contents of the parts of a RIFF file, each at an even place."""
    at = 12
    while at + 8 <= len(content):
        name, (size,) = content[at : at + 4], struct.unpack("<I", content[at + 4 : at + 8])
        yield name, content[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


__getattr__, __dir__ = in_module(__name__)
