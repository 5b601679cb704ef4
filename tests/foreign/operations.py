"""PyTorch's own samples of its ops: recorded gradients compared with those of autograd.

    python -m tests.foreign.operations [--every N]

runs each sample of each op of `op_db` that autograd can differentiate, once plainly and once
recorded, and prints what differs. N takes only each Nth op.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves

import tapelab
from tapelab.foreign.torch_values import array_of
from tapelab.recording import events as e

SEED = 7
OK, SKIPPED = "equal", "skipped"


class Sample(NamedTuple):
    """A call of an op, with what it differentiates."""

    op: Any
    given: Any
    leaves: list[Tensor]

    def run(self) -> Tensor | None:
        """The sum of all results that can be differentiated; None if there is none."""
        torch.manual_seed(SEED)
        out = self.op(self.given.input, *self.given.args, **self.given.kwargs)
        parts = [
            each for each in tree_leaves(out) if isinstance(each, Tensor) and each.requires_grad
        ]
        sums = [
            (each.to_dense() if each.layout is not torch.strided else each).sum() for each in parts
        ]
        reals = [each.abs() if each.is_complex() else each for each in sums]
        return sum(reals[1:], reals[0]) if reals else None


def samples_of(op: Any, most: int | None) -> Iterator[Sample]:
    """The samples of an op whose inputs have leaves."""
    dtype = torch.float64 if torch.float64 in op.dtypes else next(
        (each for each in (torch.float32, torch.complex128) if each in op.dtypes), None
    )  # fmt: skip
    if dtype is None or not op.supports_autograd:
        return
    torch.manual_seed(SEED)
    for given in islice(op.sample_inputs("cpu", dtype, requires_grad=True), most):
        inside = tree_leaves((given.input, given.args, given.kwargs))
        leaves = {id(each): each for each in inside if isinstance(each, Tensor) and each.is_leaf}
        wanted = [each for each in leaves.values() if each.requires_grad]
        if wanted:
            yield Sample(op, given, wanted)


def compared(sample: Sample) -> str:
    """What the comparison of one sample says: equal, skipped, or what differs."""
    try:
        loss = sample.run()
        if loss is None:
            return SKIPPED
        expected = torch.autograd.grad(loss, sample.leaves, allow_unused=True)
    except (RuntimeError, NotImplementedError, ValueError, TypeError):
        return SKIPPED
    with tapelab.record() as tape:
        again = sample.run()
        assert again is not None
        torch.autograd.grad(again, sample.leaves, allow_unused=True)
    call = tape.recording().placed(e.Asked)[-1].event
    assert isinstance(call, e.Asked)
    steps = tape._recorder.last_backward_pass
    for want, source in zip(expected, call.sources, strict=True):
        got = steps.gradient(source)
        if got is None or want is None:
            if got is not None or (want is not None and bool(want.any())):
                return "one is None"
        elif got.shape != tuple(want.shape):
            return "another shape"
        elif not np.allclose(got, array_of(want), rtol=1e-6, atol=1e-9, equal_nan=True):
            return "another value"
    return OK


def main() -> int:
    """Run all of it and print the counts; 1 if anything differs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--most", type=int, default=None, help="samples of each op")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for op in op_db[:: given.every]:
        iterator = samples_of(op, given.most)
        while True:
            try:
                sample = next(iterator, None)
            except Exception:  # noqa: BLE001 - samples that PyTorch itself cannot make
                counts[SKIPPED] += 1
                break
            if sample is None:
                break
            try:
                verdict = compared(sample)
            except Exception as error:  # noqa: BLE001 - any crash is a result to print
                verdict = f"crashed: {type(error).__name__}: {str(error)[:90]}"
            counts[verdict.split(":")[0]] += 1
            if verdict not in {OK, SKIPPED}:
                wrong[f"{op.name} {op.variant_test_name}: {verdict}"] += 1
    for each, count in wrong.most_common():
        print(f"{count:5} {each}")
    print(dict(counts))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
