"""Adaptive pooling layers: as many windows along each spatial axis as are wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapelab.keras.class_settings import setting
from tapelab.keras.layers.window_shapes import SpatialLayer, layout_of, of_ranks
from tapelab.keras.network_functions import adaptive_average_pool, adaptive_max_pool


class _AdaptivePooling(SpatialLayer):
    """Reduces windows over {axes}, whose sizes follow from those of the output."""

    output_size: Any = setting()
    data_format: Any = setting(None, convert=layout_of)
    pool: Callable[..., Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = self.output_size
        if isinstance(sizes, int):
            sizes = (sizes,) * self.rank
        if not isinstance(sizes, (tuple, list)) or len(sizes) != self.rank:
            raise TypeError(
                f"`output_size` must be an integer or a tuple of {self.rank} integers. Received: "
                f"output_size={sizes} of type {type(sizes)}"
            )
        self.output_size = tuple(sizes)

    def call(self, inputs: Any) -> Any:
        """Return the reduced windows."""
        return type(self).pool(inputs, self.output_size, self.data_format)

    def _output_lengths(self, lengths: Any) -> Any:
        return self.output_size


class _AdaptiveAveragePooling(_AdaptivePooling):
    """The means of as many windows over {axes} as are wanted."""

    pool = staticmethod(adaptive_average_pool)


class _AdaptiveMaxPooling(_AdaptivePooling):
    """The largest elements of as many windows over {axes} as are wanted."""

    pool = staticmethod(adaptive_max_pool)


AdaptiveAveragePooling1D, AdaptiveAveragePooling2D, AdaptiveAveragePooling3D = of_ranks(
    "AdaptiveAveragePooling{}D", _AdaptiveAveragePooling
)
AdaptiveMaxPooling1D, AdaptiveMaxPooling2D, AdaptiveMaxPooling3D = of_ranks(
    "AdaptiveMaxPooling{}D", _AdaptiveMaxPooling
)
