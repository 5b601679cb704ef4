"""The table of a model's layers, their output shapes and numbers of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, Final

from tapelab import nest

_NARROW: Final = (31, 22, 13)
_WIDE: Final = (19, 17, 10, 17)
_HEADS: Final = ("Layer (type)", "Output Shape", "Param #", "Connected to")
_RIGHT: Final = 2
"""The column whose text is right-aligned."""
_UNITS: Final = ((30, "GB"), (20, "MB"), (10, "KB"), (0, "B"))


def summary_of(model: Any) -> str:
    """Return the table and the totals below it."""
    connected = not _is_chain(model)
    widths = _WIDE if connected else _NARROW
    rows = [_row(model, layer, connected=connected) for layer in model.layers]
    lines = [f'Model: "{model.name}"', *_table(widths, rows), *_totals(model)]
    return "\n".join(lines)


def _row(model: Any, layer: Any, *, connected: bool) -> tuple[str, ...]:
    count = f"{layer.count_params():,}" if layer.built else "0 (unbuilt)"
    cells = (f"{layer.name} ({type(layer).__name__})", _output_shape(layer), count)
    return (*cells, _sources(model, layer)) if connected else cells


def _output_shape(layer: Any) -> str:
    tensor = getattr(layer, "tensor", None)
    if tensor is not None:
        return str(tensor.shape)
    if layer._nodes:
        shapes = [each.shape for each in nest.flatten(layer._nodes[0].result)]
    elif layer._build_shapes is not None:
        shape = layer.compute_output_shape(layer._build_shapes)
        shapes = shape if isinstance(shape, list) else [shape]
    else:
        return "?"
    return str(shapes[0]) if len(shapes) == 1 else str(shapes)


def _is_chain(model: Any) -> bool:
    """Whether each layer takes the output of the previous one, so no connections are listed."""
    nodes = getattr(model, "_graph", ())
    once = len({id(node.operation) for node in nodes}) == len(nodes)
    single = len(getattr(model, "_symbols", (None,))) == 1
    used = [id(source) for node in nodes for source in node.sources()]
    alone = all(len(node.sources()) == 1 for node in nodes)
    return once and single and alone and len(set(used)) == len(used)


def _sources(model: Any, layer: Any) -> str:
    """The outputs of other layers that a layer takes."""
    sources = [
        f"{_layer_of(source)}[0][{_index_of(source)}]"
        for node in model._graph
        if node.operation is layer
        for source in node.sources()
    ]
    return ", ".join(sources) or "-"


def _layer_of(source: Any) -> str:
    layer = source.origin if source.history is None else source.history.operation
    return str(layer.name)


def _index_of(source: Any) -> int:
    results = [] if source.history is None else nest.flatten(source.history.result)
    return next((index for index, each in enumerate(results) if each is source), 0)


def _table(widths: Sequence[int], rows: Iterable[tuple[str, ...]]) -> list[str]:
    heads = _HEADS[: len(widths)]
    lines = [_rule(widths, "┏━┳┓"), *_lines(widths, heads, "┃"), _rule(widths, "┡━╇┩")]
    for at, row in enumerate(rows):
        lines += [_rule(widths, "├─┼┤")] if at else []
        lines += _lines(widths, row, "│")
    return [*lines, _rule(widths, "└─┴┘")]


def _rule(widths: Sequence[int], corners: str) -> str:
    first, line, middle, last = tuple(corners)
    return first + middle.join(line * (width + 2) for width in widths) + last


def _lines(widths: Sequence[int], row: Sequence[str], bar: str) -> list[str]:
    """A row of the table, of several lines if a text is longer than its column."""
    cells = [_wrapped(text, width) for text, width in zip(row, widths, strict=True)]
    lines = []
    for at in range(max(len(cell) for cell in cells)):
        texts = [cell[at] if at < len(cell) else "" for cell in cells]
        placed = [
            text.rjust(width) if column == _RIGHT else text.ljust(width)
            for column, (text, width) in enumerate(zip(texts, widths, strict=True))
        ]
        lines.append(bar + bar.join(f" {text} " for text in placed) + bar)
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        fitting = word if len(word) <= width else word[: width - 1] + "…"
        longer = f"{lines[-1]} {fitting}".lstrip()
        lines = [*lines[:-1], longer] if len(longer) <= width else [*lines, fitting]
    return [line for line in lines if line] or [""]


def _totals(model: Any) -> list[str]:
    trained, fixed = model.trainable_weights, model.non_trainable_weights
    optimizer = getattr(model, "optimizer", None)
    states = list(getattr(optimizer, "variables", ())) if getattr(optimizer, "built", 0) else []
    lines = [
        _total("Total", [*trained, *fixed, *states]),
        _total("Trainable", trained),
        _total("Non-trainable", fixed),
    ]
    return [*lines, _total("Optimizer", states)] if states else lines


def _total(what: str, variables: Iterable[Any]) -> str:
    sizes = [(prod(tuple(each.shape)), each.value.dtype.size) for each in variables]
    count = sum(size for size, _ in sizes)
    return f" {what} params: {count:,} ({_bytes(sum(size * width for size, width in sizes))})"


def _bytes(count: int) -> str:
    power, unit = next((each for each in _UNITS if count >= 2 ** each[0]), _UNITS[-1])
    return f"{count / 2**power:.2f} {unit}"
