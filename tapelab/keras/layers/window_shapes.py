"""Layers over spatial axes: their layout, the sizes of their windows, and the output shape.

A family of such layers is one class, of which `of_ranks` makes those for 1, 2 and 3 spatial axes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar

from tapelab.keras import backend
from tapelab.keras.layers.input_spec import InputSpec
from tapelab.keras.layers.layer import BuiltInLayer, Layer

Length = int | None
_Family = TypeVar("_Family", bound=Layer)
_AXES: Final = {1: "an axis", 2: "two spatial axes", 3: "three spatial axes"}


def of_ranks(name: str, family: type[_Family], *ranks: int) -> tuple[type[_Family], ...]:
    """Return the layers of a family for 1, 2 and 3 spatial axes, or for those numbers given.

    The number is `rank` in the class, `{}` in its name, and in words `{axes}` in its docstring.
    """
    doc = str(family.__doc__)
    return tuple(
        type(name.format(rank), (family,), {
            "rank": rank, "__doc__": doc.format(axes=_AXES[rank]), "__module__": family.__module__,
        })
        for rank in ranks or _AXES
    )  # fmt: skip


def layout_of(data_format: Any) -> str:
    """Return where the channels are: the default of the backend for None; ValueError if unknown."""
    layout = data_format or backend.image_data_format()
    if layout not in {"channels_first", "channels_last"}:
        raise ValueError(
            "The `data_format` argument must be one of {'channels_first', 'channels_last'}. "
            f"Received: data_format={data_format}"
        )
    return str(layout)


class SpatialLayer(BuiltInLayer):
    """A layer that changes the sizes of `rank` spatial axes, and perhaps the number of channels.

    Tensors are (batch, *spatial, channels), or (batch, channels, *spatial) for
    `data_format="channels_first"`.
    """

    rank = 2
    data_format: Any = "channels_last"

    def __post_init__(self) -> None:
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _channel_axis(self) -> int:
        return -1 if self.data_format == "channels_last" else 1

    @property
    def _layout(self) -> str:
        spatial = "DHW"[-self.rank :]
        return f"N{spatial}C" if self._channel_axis == -1 else f"NC{spatial}"

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape with the new sizes of the spatial axes."""
        sizes = list(input_shape)
        channels = self._output_channels(sizes.pop(self._channel_axis))
        shape = [sizes[0], *self._output_lengths(sizes[1:])]
        shape.insert(self._channel_axis % (len(shape) + 1), channels)
        return tuple(shape)

    def _output_channels(self, channels: Length) -> Length:
        return channels

    def _output_lengths(self, lengths: list[Length]) -> Iterable[Length]:
        raise NotImplementedError


def sizes(given: Any, rank: int, name: str, *, least: int = 1) -> tuple[int, ...]:
    """Return a number per axis from one or several; ValueError for anything else."""
    whole = (given,) * rank if isinstance(given, int) else tuple(given)
    if len(whole) != rank or not all(isinstance(each, int) and each >= least for each in whole):
        raise ValueError(
            f"The `{name}` argument must be a tuple of {rank} integers. Received {name}={given}, "
            f"which must be values >{'' if least else '='} 0."
        )
    return whole


def padding_of(padding: str, *, causal: bool = False) -> str:
    """Return the padding in lower case: "valid", "same", or "causal" if allowed."""
    allowed = ("valid", "same", "causal") if causal else ("valid", "same")
    lower = padding.lower()
    if lower not in allowed:
        raise ValueError(
            "The `padding` argument must be one of "
            f"{', '.join(map(repr, allowed))}. Received: {padding}"
        )
    return lower


def window_lengths(
    lengths: Iterable[Length], window: tuple[int, ...], strides: tuple[int, ...], padding: str,
    dilation: tuple[int, ...] | None = None,
) -> tuple[Length, ...]:  # fmt: skip
    """Return the number of window positions along each axis."""
    apart = dilation or (1,) * len(window)
    parts = zip(lengths, window, strides, apart, strict=True)
    return tuple(_positions(*part, padding=padding) for part in parts)


def _positions(length: Length, size: int, stride: int, apart: int, *, padding: str) -> Length:
    if length is None:
        return None
    whole = length if padding != "valid" else length - apart * (size - 1)
    if whole < 1:
        raise ValueError(
            "Computed output size would be negative or zero: a window of "
            f"{size} does not fit into {length}. Try padding='same' or a smaller window."
        )
    return -(-whole // stride)


def spread_lengths(
    lengths: Iterable[Length], window: tuple[int, ...], strides: tuple[int, ...], padding: str,
    dilation: tuple[int, ...], output_padding: tuple[int, ...] | None = None,
) -> tuple[Length, ...]:  # fmt: skip
    """Return the sizes of a transposed convolution's output."""
    spans = [(size - 1) * apart + 1 for size, apart in zip(window, dilation, strict=True)]
    if output_padding is None:
        reaches = [
            0 if padding == "same" else max(span - stride, 0)
            for span, stride in zip(spans, strides, strict=True)
        ]
    else:
        reaches = [
            span - stride + more - (2 * (span // 2) if padding == "same" else 0)
            for span, stride, more in zip(spans, strides, output_padding, strict=True)
        ]
    return tuple(
        None if length is None else length * stride + reach
        for length, stride, reach in zip(lengths, strides, reaches, strict=True)
    )
