"""TensorFlow's kernels as tapelab's ops: which op a kernel is, and what its settings are.

A kernel that is none of tapelab's ops becomes an op of its own: `kernel_op`. Whether a gradient
passes it is what TensorFlow's gradient registry says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import tapelab.data.dataset_elements
import tapelab.ops.distributions
import tapelab.queue.buffer  # noqa: F401 - registers ops, as the two above
from tapelab.core import op as core_op
from tapelab.core.custom_op import off_the_log
from tapelab.core.op_declaration import GradRule, Op
from tapelab.dtypes import as_dtype
from tapelab.recorder.own_recorder import LETTERS
from tapelab.recording.facts import Rule


class Run(NamedTuple):
    """The run of a kernel: its name, its attributes, and the tensors that it took and gave."""

    kernel: str
    inputs: Sequence[Any]
    attributes: Mapping[str, Any]
    outputs: Sequence[Any]

    def numbers(self, position: int) -> Any:
        """The values of an input, as Python's numbers."""
        return self.inputs[position]._numpy().tolist()

    def rank(self, position: int = 0) -> int:
        """The number of axes of an input."""
        return len(self.inputs[position].shape)


class Translation(NamedTuple):
    """A kernel as an op: its name, the inputs that are the op's, and what makes its settings."""

    op: str
    inputs: Callable[[int], Sequence[int]]
    settings: Callable[[Run], dict[str, Any]]


def every(count: int) -> Sequence[int]:
    """All inputs of a kernel."""
    return range(count)


def first(count: int) -> Sequence[int]:
    """The first input of a kernel; the others say how it runs."""
    return (0,)


def two(count: int) -> Sequence[int]:
    """The first two inputs of a kernel."""
    return (0, 1)


def without_last(count: int) -> Sequence[int]:
    """All inputs but the last, which is an axis."""
    return range(count - 1)


def no_settings(run: Run) -> dict[str, Any]:
    """Nothing: the op has no settings."""
    return {}


def reduced(run: Run) -> dict[str, Any]:
    """The axes of a reduction, None for all of them."""
    given = run.numbers(1)
    axes = given if isinstance(given, list) else [given]
    rank = run.rank()
    chosen = tuple(axis % rank for axis in axes) if rank else ()
    axis = None if len(chosen) == rank else chosen
    return {"axis": axis, "keepdims": bool(run.attributes.get("keep_dims", False))}


def multiplied(run: Run) -> dict[str, Any]:
    """Which factors of a matrix product are transposed."""
    a = run.attributes.get("transpose_a", run.attributes.get("adj_x", False))
    b = run.attributes.get("transpose_b", run.attributes.get("adj_y", False))
    return {"transpose_a": bool(a), "transpose_b": bool(b)}


def shaped(run: Run) -> dict[str, Any]:
    """The shape of the result."""
    return {"shape": tuple(run.outputs[0].shape)}


def ordered(run: Run) -> dict[str, Any]:
    """The order of the axes of a transposition."""
    return {"perm": tuple(run.numbers(1))}


def along_second(run: Run) -> dict[str, Any]:
    """The axis that the second input says."""
    return {"axis": run.numbers(1)}


def along_last(run: Run) -> dict[str, Any]:
    """The axis that the last input says."""
    return {"axis": run.numbers(-1)}


def along(run: Run) -> dict[str, Any]:
    """The axis that is an attribute."""
    return {"axis": run.attributes["axis"]}


def last_axis(run: Run) -> dict[str, Any]:
    """The last axis, along which kernels such as that of softmax work."""
    return {"axis": -1}


def squeezed(run: Run) -> dict[str, Any]:
    """The axes that are removed, None for all of size 1."""
    return {"axis": tuple(run.attributes["squeeze_dims"] or ()) or None}


def gathered(run: Run) -> dict[str, Any]:
    """Along which axis elements are gathered."""
    return {"axis": run.numbers(2), "batch_dims": run.attributes["batch_dims"]}


def converted(run: Run) -> dict[str, Any]:
    """The dtype of the result."""
    return {"dtype": as_dtype(run.outputs[0].dtype.name)}


def tiled(run: Run) -> dict[str, Any]:
    """How often each axis is repeated."""
    return {"multiples": tuple(run.numbers(1))}


def best(run: Run) -> dict[str, Any]:
    """How many of the largest elements are taken."""
    return {"k": run.numbers(1)}


def leaking(run: Run) -> dict[str, Any]:
    """The derivative of a leaky ReLU below zero."""
    return {"alpha": run.attributes["alpha"]}


def decomposed(run: Run) -> dict[str, Any]:
    """Whether all singular vectors are computed."""
    return {"full_matrices": bool(run.attributes["full_matrices"])}


def accumulated(run: Run) -> dict[str, Any]:
    """How a cumulative sum or product runs."""
    return {
        "axis": run.numbers(1), "exclusive": bool(run.attributes["exclusive"]),
        "reverse": bool(run.attributes["reverse"]),
    }  # fmt: skip


def sliced(run: Run) -> dict[str, Any]:
    """The key of a slice, from the masks of the kernel."""
    begin, end, strides = (run.numbers(position) for position in (1, 2, 3))

    def part(at: int) -> Any:
        bit = 1 << at

        def has(mask: str) -> bool:
            return bool(run.attributes[f"{mask}_mask"] & bit)

        if has("ellipsis"):
            return Ellipsis
        if has("new_axis"):
            return None
        if has("shrink_axis"):
            return begin[at]
        low = None if has("begin") else begin[at]
        high = None if has("end") else end[at]
        return slice(low, high, None if strides[at] == 1 else strides[at])

    return {"key": tuple(part(at) for at in range(len(begin)))}


REDUCTIONS: Final = {
    "Sum": "reduce_sum", "Mean": "reduce_mean", "Max": "reduce_max", "Min": "reduce_min",
    "Prod": "reduce_prod", "All": "reduce_all", "Any": "reduce_any",
    "EuclideanNorm": "reduce_euclidean_norm",
}  # fmt: skip
TRANSLATIONS: Final = {
    **{kernel: Translation(op, first, reduced) for kernel, op in REDUCTIONS.items()},
    "MatMul": Translation("matmul", every, multiplied),
    "BatchMatMulV2": Translation("matmul", every, multiplied),
    "Add": Translation("add", every, no_settings),
    "Select": Translation("where", every, no_settings),
    "BiasAdd": Translation("add", every, no_settings),
    "Reshape": Translation("reshape", first, shaped),
    "BroadcastTo": Translation("broadcast_to", first, shaped),
    "Transpose": Translation("transpose", first, ordered),
    "ExpandDims": Translation("expand_dims", first, along_second),
    "Squeeze": Translation("squeeze", first, squeezed),
    "ConcatV2": Translation("concat", without_last, along_last),
    "Pack": Translation("stack", every, along),
    "Unpack": Translation("unstack", every, along),
    "GatherV2": Translation("gather", two, gathered),
    "ResourceGather": Translation("gather", two, lambda run: {"axis": 0, "batch_dims": 0}),
    "Cast": Translation("cast", every, converted),
    "Tile": Translation("tile", first, tiled),
    "TopKV2": Translation("top_k", first, best),
    "ArgMax": Translation("argmax", first, along_second),
    "ArgMin": Translation("argmin", first, along_second),
    "Softmax": Translation("softmax", every, last_axis),
    "LogSoftmax": Translation("log_softmax", every, last_axis),
    "LeakyRelu": Translation("leaky_relu", every, leaking),
    "Svd": Translation("svd", every, decomposed),
    "Cumsum": Translation("cumsum", first, accumulated),
    "Cumprod": Translation("cumprod", first, accumulated),
    "StridedSlice": Translation("strided_slice", first, sliced),
}
"""The kernels whose inputs or settings are not those of an op of the same name."""
BY_KERNEL: Final[dict[str, str]] = {}
"""The op that is called like a kernel; where an op has settings, `TRANSLATIONS` says them."""
for _op in core_op.REGISTRY.values():
    if not _op.settings and not _op.variadic:
        BY_KERNEL.setdefault(_op.raw, _op.name)
BY_KERNEL.update({"AddN": "add_n", "IteratorGetNext": "next_element"})

CREATORS: Final = frozenset({
    "Fill", "Range", "LinSpace", "RandomStandardNormal", "RandomUniform", "RandomUniformInt",
    "TruncatedNormal", "StatelessRandomNormalV2", "StatelessRandomUniformV2", "RandomShuffle",
    "StatelessRandomUniformIntV2", "StatelessTruncatedNormalV2", "StatelessRandomGetKeyCounter",
    "RngReadAndSkip", "BroadcastGradientArgs", "StatelessRandomGetAlg",
})  # fmt: skip
"""Kernels that make a constant: none of their inputs has a gradient."""
SAMPLERS: Final = frozenset({
    "Multinomial", "StatelessMultinomial", "RandomPoissonV2", "RandomGamma",
    "StatelessRandomBinomial", "StatelessRandomPoisson", "StatelessRandomGammaV3",
})  # fmt: skip
"""Kernels that draw numbers whose distribution depends on an input."""


def translation_of(run: Run) -> Translation | None:
    """The op that a kernel is; None for a kernel that is none of tapelab's ops."""
    known = TRANSLATIONS.get(run.kernel)
    if known is None and run.kernel in BY_KERNEL:
        known = Translation(BY_KERNEL[run.kernel], every, no_settings)
    if known is None:
        return None
    op = core_op.REGISTRY[known.op]
    count = len(known.inputs(len(run.inputs)))
    return known if op.variadic or count == len(op.inputs) else None


def snake(kernel: str) -> str:
    """A kernel's name as that of a function: `conv2_d_backprop_input` for `Conv2DBackpropInput`."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])", "_", kernel)
    return parts.lower().removesuffix("_v2").strip("_")


@lru_cache(maxsize=1024)
def kernel_op(name: str, count: int, *, many: bool, pattern: str, because: str) -> Op:
    """The op of a kernel that has no counterpart; `because` says why no gradient passes, if so."""
    letters = tuple(LETTERS[at] if at < len(LETTERS) else f"x{at}" for at in range(count))
    words = name.replace("_", " ")
    op = core_op.RunnableOp(
        name=name, kernel=off_the_log, inputs=letters, settings=(), glyph=words,
        title=words.capitalize(), raw=name, multi=many, pattern=pattern,
        formula=rf"y = \operatorname{{{words}}}({', '.join(letters)})",
    )  # fmt: skip
    if pattern != "not implemented":
        for letter in letters:
            op.rules[letter] = GradRule(None, Rule(because=because))
    return op
