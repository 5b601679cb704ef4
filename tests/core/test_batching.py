"""The batching rule of every op does to all rows what the op does to each."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest

from tapelab import ops
from tapelab.core.batching import BatchedCall, Operand, row_by_row, run_batched
from tapelab.core.op import REGISTRY
from tapelab.core.tensor import constant_of
from tests.ops import checks

for _module in pkgutil.iter_modules(ops.__path__, "tapelab.ops."):
    importlib.import_module(_module.name)

BATCHED = sorted(name for name, op in REGISTRY.items() if op.batching is not None)
ROWS = 3


def operand(array, rng, kinds):
    """An operand like an array; with rows of its own, if its dtype is of one of some kinds."""
    if array.dtype.kind not in kinds:
        return Operand(array, np.shape(array), batched=False)
    if array.dtype.kind == "b":
        return Operand(np.stack([array, ~array, array]), np.shape(array), batched=True)
    scales = rng.uniform(0.5, 2.0, ROWS).astype(array.dtype)
    return Operand(np.multiply.outer(scales, array), np.shape(array), batched=True)


def calls(op):
    """Calls of an op on its samples: with all operands batched, and with each of them alone."""
    rng, kinds = np.random.default_rng(5), "b" if op.kinds == "b" else "fc"
    for arrays, settings in checks.sampled(op):
        wanted = [set(range(len(arrays))), *({at} for at in range(len(arrays)))]
        for batched in wanted:
            operands = tuple([operand(array, rng, kinds if at in batched else "")
                              for at, array in enumerate(arrays)])  # fmt: skip
            if any(each.batched for each in operands):
                yield BatchedCall(op, ROWS, operands, settings)


def check(op):
    """Compare the rule of an op with the op itself, row by row, on arrays and on tensors."""
    compared = 0
    for call in calls(op):
        expected, batched = row_by_row(call), run_batched(call)
        tensors = tuple([each._replace(value=constant_of(each.value)) for each in call.operands])
        recorded = run_batched(call._replace(operands=tensors))
        pairs = zip(*[each if op.multi else (each,) for each in (expected, batched, recorded)],
                    strict=True)  # fmt: skip
        for one, ours, tensor in pairs:
            assert (ours.shape, ours.dtype) == (one.shape, one.dtype)
            np.testing.assert_allclose(ours, one, rtol=1e-9, atol=1e-12)
            np.testing.assert_array_equal(np.asarray(tensor), ours)
        compared += 1
    assert compared


@pytest.mark.parametrize("name", BATCHED)
def test_a_batching_rule_does_what_the_op_does_row_by_row(name):
    check(REGISTRY[name])


def test_a_wrong_batching_rule_is_noticed(monkeypatch):
    monkeypatch.setattr(REGISTRY["cumsum"], "batching", REGISTRY["stop_gradient"].batching)
    with pytest.raises(AssertionError):
        check(REGISTRY["cumsum"])
