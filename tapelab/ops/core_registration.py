"""The ops of this folder that the core runs itself."""

from __future__ import annotations

from tapelab.core import core_ops
from tapelab.ops.arithmetic import add, negative
from tapelab.ops.broadcasting import broadcast_to, sum_to
from tapelab.ops.concatenation import concat, split, stack, unstack
from tapelab.ops.index_tuples import gather_nd
from tapelab.ops.indexed_rows import gather, scatter_rows
from tapelab.ops.pass_through import read_value
from tapelab.ops.shapes import reshape, transpose


def install() -> None:
    """Let the core run them."""
    core_ops.install(
        core_ops.CoreOps(
            add=add,
            broadcast_to=broadcast_to,
            concat=concat,
            gather=gather,
            gather_nd=gather_nd,
            negative=negative,
            read_value=read_value,
            reshape=reshape,
            scatter_rows=scatter_rows,
            split=split,
            stack=stack,
            sum_to=sum_to,
            transpose=transpose,
            unstack=unstack,
        )
    )
