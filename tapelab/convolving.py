"""Public functions that slide windows over pictures: convolution and pooling."""

from __future__ import annotations

from typing import Any

from tapelab.engine.dispatch import composite
from tapelab.engine.tensor import Tensor
from tapelab.engine.wording import brackets
from tapelab.errors import invalid_argument
from tapelab.kernels.windows import Sliding, same_margins
from tapelab.ops import convolution, pooling
from tapelab.ops.public import matched, tensor
from tapelab.ops.settings import lengths
from tapelab.ops.shape import expand_dims, squeeze

Pair = tuple[int, int]


def conv2d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Each entry is a window of the picture times the filter, entry by entry, summed.

    Pictures are (image, row, column, channel), filters (row, column, channel, result).
    """
    x, w = matched(input, filters)
    _check_format(data_format)
    _check_rank("Conv2D", x, "input")
    _check_rank("Conv2D", w, "filter")
    if x.shape[3] != w.shape[2]:
        raise invalid_argument(
            "Conv2D", "input depth must be evenly divisible by filter depth: "
            f"{x.shape[3]} vs {w.shape[2]}",
        )  # fmt: skip
    size = w._value.shape[0], w._value.shape[1]
    how = _sliding("Conv2D", x._value.shape, size, strides, padding, dilations)
    made: Tensor = convolution.conv2d(x, w, how=how)
    return made


@composite
def conv1d(
    input: Any, filters: Any, stride: Any, padding: Any, data_format: str = "NWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Each entry is a window of the row times the filter, entry by entry, summed."""
    x, w = matched(input, filters)
    _check_format(data_format)
    steps = 1, _one(stride)
    apart = 1, _one(1 if dilations is None else dilations)
    pictures, flat = expand_dims(x, axis=-3), expand_dims(w, axis=0)
    made: Tensor = squeeze(conv2d(pictures, flat, steps, padding, dilations=apart), axis=(-3,))
    return made


def conv2d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The way back of a convolution, as an op forward: each entry is laid over its window."""
    x, w = matched(input, filters)
    _check_format(data_format)
    shape = lengths(output_shape, "Conv2DBackpropInput")
    size = w._value.shape[0], w._value.shape[1]
    how = _sliding("Conv2DBackpropInput", shape, size, strides, padding, dilations)
    made: Tensor = convolution.conv2d_input(x, w, how=how, shape=shape)
    return made


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The largest entry of each window; it alone receives the gradient."""
    x, how = _pooled("MaxPool", input, ksize, strides, padding, data_format)
    made: Tensor = pooling.max_pool(x, how=how)
    return made


def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window; places in the margin do not count."""
    x, how = _pooled("AvgPool", input, ksize, strides, padding, data_format)
    made: Tensor = pooling.avg_pool(x, how=how)
    return made


def _pooled(
    raw: str, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str
) -> tuple[Tensor, Sliding]:
    x = tensor(input)
    _check_format(data_format)
    _check_rank(raw, x, "input")
    return x, _sliding(raw, x._value.shape, _pair(raw, ksize), strides, padding, None)


def _sliding(
    raw: str, shape: tuple[int, ...], size: Pair, strides: Any, padding: Any, dilations: Any
) -> Sliding:
    steps = _pair(raw, strides)
    apart = (1, 1) if dilations is None else _pair(raw, dilations)
    length = shape[1], shape[2]
    margins = _margins(length, size, steps, apart, padding)
    for at in (0, 1):
        reach, there = (size[at] - 1) * apart[at] + 1, length[at] + sum(margins[at])
        if reach > there:
            raise invalid_argument(
                raw, "Computed output size would be negative: a window of "
                f"{brackets(size)} does not fit into a picture of {brackets(length)}. Try a "
                'smaller window, or padding="SAME"',
            )  # fmt: skip
    return Sliding(size, steps, apart, margins)


def _margins(
    length: Pair, size: Pair, strides: Pair, dilations: Pair, padding: Any
) -> tuple[Pair, Pair]:
    if not isinstance(padding, str):
        _, rows, columns, _ = (tuple(lengths(each, "Conv2D")) for each in padding)
        return (rows[0], rows[1]), (columns[0], columns[1])
    if padding.upper() == "SAME":
        return same_margins(length, size, strides, dilations)
    if padding.upper() == "VALID":
        return (0, 0), (0, 0)
    raise invalid_argument(
        "Conv2D",
        f"Value for attr 'padding' of \"{padding}\" is not in the list of allowed values: "
        '"SAME", "VALID", "EXPLICIT" (a list of margins)',
    )


def _pair(raw: str, value: Any) -> Pair:
    """One number for both directions, two, or four of which the middle ones count."""
    given = lengths(value, raw)
    if len(given) == 4:
        given = given[1:3]
    if len(given) not in {1, 2} or min(given) < 1:
        raise invalid_argument(
            raw, f"ksize, strides and dilations are 1, 2 or 4 positive numbers, not {value!r}"
        )
    return given[0], given[-1]


def _one(value: Any) -> int:
    given = lengths(value, "Conv1D")
    if len(given) not in {1, 3}:
        raise ValueError(f"stride and dilations are 1 or 3 positive numbers, not {value!r}.")
    return given[len(given) // 2]


def _check_rank(raw: str, x: Tensor, name: str) -> None:
    if x.ndim != 4:
        raise invalid_argument(raw, f"{name} must be 4-dimensional: {brackets(x._value.shape)}")


def _check_format(data_format: str) -> None:
    if data_format not in {"NHWC", "NWC"}:
        raise invalid_argument(
            "Conv2D", f"Only channels last (NHWC) is supported on the CPU, not {data_format}"
        )
