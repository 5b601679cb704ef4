"""Small programs and what they give: the table that TensorFlow answers and tapelab must repeat.

A table is a text file of entries. An entry is `name: expression`, or a name with an indented
program below it whose last line is an expression. A program that raises may say which words
its error must contain, in a line `says: words`; one that warns, in the log or by Python's
warnings, in a line `warns: words`.
"""

from __future__ import annotations

import ast
import linecache
import logging
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

TABLES = Path(__file__).parent / "tables"
GOLDENS = Path(__file__).parent.parent / "fixtures" / "conformance"


@dataclass(frozen=True)
class Snippet:
    """One named program, and the words that its error and its warning must contain, if any."""

    table: str
    name: str
    source: str
    says: str = ""
    warns: str = ""


def read_table(path: Path) -> list[Snippet]:
    """Read the entries of one table, in order; a name may stand only once."""
    entries: dict[str, Snippet] = {}
    for block in _blocks(path.read_text(encoding="utf-8")):
        head, *body = block
        name, _, expression = head.partition(":")
        if name in entries:
            raise ValueError(f"{path.name} has two entries {name!r}")
        lines = [expression.strip(), *textwrap.dedent("\n".join(body)).split("\n")]
        words = {
            mark: "".join(line.removeprefix(mark) for line in lines if line.startswith(mark))
            for mark in ("says: ", "warns: ")
        }
        source = "\n".join(line for line in lines if not line.startswith(tuple(words))).strip()
        entries[name] = Snippet(path.stem, name, source, *words.values())
    return list(entries.values())


def _blocks(text: str) -> list[list[str]]:
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def all_tables() -> dict[str, list[Snippet]]:
    """Read every table, by its name."""
    return {path.stem: read_table(path) for path in sorted(TABLES.glob("*.txt"))}


def run(tf: Any, snippet: Snippet) -> dict[str, Any]:
    """Run a program and describe what it gives: a value, or the error it raises."""
    scope = {"__name__": "__main__", "tf": tf, "np": np, **_shorthands(tf)}
    program = ast.parse(snippet.source)
    last = program.body.pop()
    if not isinstance(last, ast.Expr):
        raise TypeError(f"{snippet.name} does not end in an expression")
    where = f"<{snippet.table}: {snippet.name}>"
    lines = snippet.source.splitlines(keepends=True)
    linecache.cache[where] = (len(snippet.source), None, lines, where)  # AutoGraph reads source
    with _captured_warnings(tf) as messages:
        try:
            exec(compile(program, where, "exec", dont_inherit=True), scope)
            value = eval(compile(ast.Expression(last.value), where, "eval"), scope)
            answer = {"value": describe(tf, value)}
        except Exception as error:  # noqa: BLE001  whatever it raises is the answer
            answer = {"raises": type(error).__name__, "message": str(error)}
    if snippet.warns:
        answer["warned"] = any(snippet.warns in message for message in messages)
    return answer


@contextmanager
def _captured_warnings(tf: Any) -> Iterator[list[str]]:
    """Collect what the library logs or warns of while a program runs."""
    messages: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())

    logger, collector = logging.getLogger(tf.__name__), Collector(level=logging.WARNING)
    logger.addHandler(collector)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield messages
        messages += [str(each.message) for each in caught]
    finally:
        logger.removeHandler(collector)


def _shorthands(tf: Any) -> dict[str, Any]:
    """Name what many programs do: differentiate once or twice, fill and train a layer."""

    def grad(f, *values, **settings):
        sources = [tf.Variable(value) for value in values]
        with tf.GradientTape() as tape:
            y = f(*sources)
        gradients = tape.gradient(y, sources, **settings)
        return gradients[0] if len(gradients) == 1 else gradients

    def second(f, value):
        source = tf.Variable(value)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = f(source)
            first_gradient = inner.gradient(y, source)
        return outer.gradient(first_gradient, source)

    def filled(layer, *inputs, **settings):
        layer(*inputs, **settings)
        weights = [np.linspace(-1 if w.ndim > 1 else 0.2, 1, w.size) for w in layer.get_weights()]
        shapes = [w.shape for w in layer.get_weights()]
        layer.set_weights([w.reshape(s) for w, s in zip(weights, shapes, strict=True)])
        return layer

    def learned(layer, *inputs, **settings):
        filled(layer, *inputs, **settings)
        weights = layer.trainable_variables
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = layer(*inputs, **settings)
            loss = sum(tf.reduce_sum(tf.square(each)) for each in tf.nest.flatten(y))
        names = [w.path.split("/")[-1] for w in weights]
        gradients = tape.gradient(loss, [*tf.nest.flatten(inputs), *weights])
        return [y, names, gradients]

    def wave(shape):
        return np.sin(1.7 * np.arange(np.prod(shape))).reshape(shape).astype("float32")

    def listed(nest):
        return [listed(each) for each in nest] if isinstance(nest, (list, tuple)) else nest

    def by_options(make, shape, **settings):
        several = isinstance(shape, list)
        shapes = shape if several else [shape]
        layer = make(tf.keras.layers)
        inputs = [tf.constant(wave(s), layer.compute_dtype) for s in shapes]
        given = inputs if several else inputs[0]
        filled(layer, given, **settings)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = tf.nest.flatten(layer(given, **settings))
            floats = [tf.cast(each, "float32") for each in y]
            loss = sum(tf.reduce_sum(each * (wave(each.shape) + 2)) for each in floats)
        weights = layer.trainable_variables
        names = [w.path.split("/")[-1] for w in weights]
        found = tape.gradient(loss, [*inputs, *weights])
        gradients = [g if g is None else tf.cast(g, "float16") for g in found]  # sums of many terms
        state = [w for w in layer.non_trainable_variables if "seed" not in w.path]
        of = [(None, *s[1:]) for s in shapes]
        sizes = [layer.compute_output_shape(s if several else s[0]) for s in (shapes, of)]
        passed = None
        if not several and len(shape) > 1:
            mask = np.arange(shape[0] * shape[1]).reshape(shape[:2]) % 3 != 0
            passed = listed(layer.compute_mask(given, tf.constant(mask)))
        again = type(layer).from_config(layer.get_config())
        same = type(again) is type(layer)
        rounded = [np.round(w.numpy().astype("float64"), 4) for w in state]
        return [y, names, gradients, rounded, listed(sizes), layer.supports_masking, passed, same]

    def measured(metric, *batches):
        results = []
        for labels, predicted, *weights in batches:
            metric.update_state(labels, predicted, *weights)
            results.append(tf.convert_to_tensor(metric.result()))
        variables = [tf.convert_to_tensor(each) for each in metric.variables]
        metric.reset_state()
        return [results, variables, metric.dtype, [tf.convert_to_tensor(metric.result())]]

    def stepped(optimizer):
        matrix = tf.keras.Variable([[1.0, -2.0], [0.5, 3.0]], name="matrix")
        vector = tf.keras.Variable([1.0, -1.0], name="vector")
        seen = []
        for step in (1.0, 2.0, 3.0):
            rows = wave((2, 2)) * step
            optimizer.apply([tf.constant(rows), tf.constant(rows[0] - 1)], [matrix, vector])
            seen += [tf.convert_to_tensor(matrix), tf.convert_to_tensor(vector)]
        paths = [each.path.split("/")[-1] for each in optimizer.variables]
        names = sorted(path for path in paths if "variable" not in path)  # numbered by process
        optimizer.finalize_variable_values([matrix, vector])
        return [seen, names, tf.convert_to_tensor(matrix)]

    def seeded(start, *draws):
        tf.random.set_seed(start)
        return [draw() for draw in draws for _ in range(2)]

    def graphed(start, draw):
        tf.random.set_seed(start)
        drawn = tf.function(draw)
        return [drawn(), drawn(), drawn()]

    def listed_twice(start, make):
        tf.random.set_seed(start)
        dataset = make()
        return [list(dataset), list(dataset)]

    shared = {"grad": grad, "second": second, "filled": filled, "learned": learned}
    of_grids = {"by_options": by_options, "measured": measured, "stepped": stepped, "wave": wave}
    of_draws = {"seeded": seeded, "graphed": graphed, "listed_twice": listed_twice}
    return {**shared, **of_grids, **of_draws, "c": tf.constant}


def describe(tf: Any, value: Any) -> Any:
    """Turn what a program gives into JSON: kind, dtype, shape and elements."""
    if isinstance(value, tf.Variable):
        return {"kind": "variable", "name": value.name, **_array(value.dtype.name, value.numpy())}
    if isinstance(value, tf.IndexedSlices):
        parts = {"indices": value.indices, "values": value.values, "shape": value.dense_shape}
        return {"kind": "slices", **{name: describe(tf, part) for name, part in parts.items()}}
    if isinstance(value, tf.Tensor):
        return {"kind": "tensor", **_array(value.dtype.name, value.numpy())}
    if isinstance(value, tf.DType):
        return {"kind": "dtype", "name": value.name}
    if _is(value, tf, "RaggedTensor"):
        return {"kind": "ragged", "dtype": value.dtype.name, **_rows(value)}
    if _is(value, tf, "SparseTensor"):
        parts = {"indices": value.indices, "values": value.values, "shape": value.dense_shape}
        return {"kind": "sparse", **{name: describe(tf, part) for name, part in parts.items()}}
    if isinstance(value, tf.TensorShape):
        return {"kind": "shape", "printed": repr(value)}
    if isinstance(value, np.ndarray | np.generic):
        return {"kind": "array", **_array(value.dtype.name, value)}
    if isinstance(value, dict):
        return {"kind": "dict", "items": {k: describe(tf, v) for k, v in sorted(value.items())}}
    if isinstance(value, list | tuple):
        return {"kind": type(value).__name__, "items": [describe(tf, item) for item in value]}
    if value is None or isinstance(value, str | bool | int | float):
        return {"kind": type(value).__name__, "python": _plain(value)}
    raise TypeError(f"a snippet gave {type(value).__name__}, which has no description")


def _is(value: Any, tf: Any, kind: str) -> bool:
    """Whether a value is of a kind that the library loads only when it is used."""
    return type(value).__name__ == kind and isinstance(value, getattr(tf, kind))


def _rows(ragged: Any) -> dict[str, Any]:
    rows = ragged.to_list()
    return {"shape": str(ragged.shape), "rows": _nested(rows)}


def _nested(rows: Any) -> Any:
    return [_nested(row) for row in rows] if isinstance(rows, list) else _plain(rows)


def _array(dtype: str, value: Any) -> dict[str, Any]:
    array = np.asarray(value)
    return {"dtype": dtype, "shape": list(array.shape), "elements": _elements(array)}


def _elements(array: np.ndarray[Any, Any]) -> list[Any]:
    flat = array.ravel()
    if np.iscomplexobj(flat):
        return [[_plain(z.real), _plain(z.imag)] for z in flat.tolist()]
    return [_plain(element) for element in flat.tolist()]


def _plain(value: Any) -> Any:
    """Keep JSON strict: nan and the infinities travel as words, bytes as text."""
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value.decode() if isinstance(value, bytes) else value
