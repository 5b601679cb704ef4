"""One stage of a pipeline: how to begin again, what its elements look like, how many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from tapelab.core.tensor import Tensor
from tapelab.data.dataset_elements import Element
from tapelab.ops.public import strict_operand

AUTOTUNE: Final = -1
INFINITE: Final = -1
UNKNOWN: Final = -2


class Settings:
    """A group of settings, None by default; AttributeError for one that is unknown."""

    NAMES: ClassVar[tuple[str, ...]] = ()
    GROUPS: ClassVar[dict[str, type[Settings]]] = {}

    def __init__(self) -> None:
        for name in self.NAMES:
            object.__setattr__(self, name, None)
        for name, group in self.GROUPS.items():
            object.__setattr__(self, name, group())

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.NAMES and name not in self.GROUPS:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class AutotuneOptions(Settings):
    """Settings of automatic tuning."""

    NAMES = (
        *("autotune_algorithm", "cpu_budget", "enabled", "initial_parallelism"),
        *("min_parallelism", "ram_budget"),
    )


class DistributeOptions(Settings):
    """Settings of datasets on several workers."""

    NAMES = ("auto_shard_policy", "num_devices")


class OptimizationOptions(Settings):
    """Settings of the optimizations of a pipeline."""

    NAMES = (
        *("apply_default_optimizations", "filter_fusion", "filter_parallelization"),
        *("inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion"),
        *("map_parallelization", "noop_elimination", "parallel_batch", "seq_interleave_prefetch"),
        "shuffle_and_repeat_fusion",
    )


class ThreadingOptions(Settings):
    """Settings of threads."""

    NAMES = ("max_intra_op_parallelism", "private_threadpool_size")


class Options(Settings):
    """`tf.data.Options`: settings of a pipeline; nothing here depends on them."""

    NAMES = (
        *("dataset_name", "deterministic", "experimental_deterministic", "experimental_slack"),
        *("experimental_external_state_policy", "experimental_symbolic_checkpoint"),
        *("experimental_warm_start", "framework_type"),
    )
    GROUPS = {  # noqa: RUF012 - a class variable, declared in the base
        "autotune": AutotuneOptions,
        "experimental_distribute": DistributeOptions,
        "experimental_optimization": OptimizationOptions,
        "experimental_threading": ThreadingOptions,
        "threading": ThreadingOptions,
    }


@dataclass(frozen=True, eq=False, repr=False)
class Stage:
    """A source of elements, or a stage that makes new elements of those before it.

    `start` begins an iteration over elements of raw arrays, `spec_of` tells what they look like,
    `size` is how many there are, `sources` are the tensors that they were copied from. `skips` make
    the stages that draw leave out an iteration.
    """

    kind: str
    start: Callable[[], Iterator[Element]]
    spec_of: Callable[[], Any]
    size: int
    sources: tuple[Tensor, ...] = field(default=())
    skips: tuple[Callable[[], object], ...] = field(default=())
    settings: Options | None = None

    @cached_property
    def element_spec(self) -> Any:
        """The shapes and dtypes of an element, in its structure."""
        return self.spec_of()

    def then(
        self, kind: str, start: Callable[[], Iterator[Element]], *, size: int | None = None,
        spec_of: Callable[[], Any] | None = None, others: tuple[Stage, ...] = (),
        skips: tuple[Callable[[], object], ...] = (),
    ) -> Self:  # fmt: skip
        """The next stage; what is not said is as in this one."""
        return replace(
            self,
            kind=kind,
            start=start,
            spec_of=spec_of or (lambda: self.element_spec),
            size=self.size if size is None else size,
            sources=self.sources + tuple(s for other in others for s in other.sources),
            skips=(*self.skips, *(s for other in others for s in other.skips), *skips),
        )

    def skip_iteration(self) -> None:
        """Draw as if an iteration had begun, without its elements."""
        for skip in self.skips:
            skip()


def whole(value: Any, name: str = "") -> int:
    """An integer of the learner: a Python number or a tensor; TypeError if it is another."""
    from tapelab.dtypes import int64

    if isinstance(value, (int, np.integer)):
        return int(value)
    return int(strict_operand(value, int64)._value)


def counted(size: int, change: Callable[[int], int]) -> int:
    """A changed number of elements, where the number is known."""
    return size if size < 0 else change(size)
