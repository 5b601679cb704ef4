"""Strategies of one replica: code for many devices runs on one, with TensorFlow's results there.

`run` calls the function, `reduce` adds up one value, and a dataset is distributed to one worker.
Variables need no copies, so that `scope` only says which strategy is current.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any, Final

from tapelab import math, nest
from tapelab.array_ops.creation import convert_to_tensor

DEVICE: Final = "/job:localhost/replica:0/task:0/device:CPU:0"


class ReduceOp(Enum):
    """How the values of replicas are combined."""

    SUM = "SUM"
    MEAN = "MEAN"


class InputContext:
    """What a function that makes a dataset may know: there is one pipeline for one replica."""

    num_input_pipelines = 1
    input_pipeline_id = 0
    num_replicas_in_sync = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Return the batch size of a replica."""
        return global_batch_size


class ValueContext:
    """What a function that makes a value may know."""

    num_replicas_in_sync = 1
    replica_id_in_sync_group = 0


class Extended:
    """The devices of a strategy."""

    worker_devices = parameter_devices = (DEVICE,)


class Strategy:
    """Runs on one replica."""

    num_replicas_in_sync = 1
    cluster_resolver = None
    extended = Extended()

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Make this the current strategy."""
        _active.append(self)
        try:
            yield self
        finally:
            _active.pop()

    def run(
        self, fn: Callable[..., Any], args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None, options: Any = None,
    ) -> Any:  # fmt: skip
        """Return what a function returns on the replica."""
        del options
        _replicas.append(ReplicaContext(self))
        try:
            return fn(*args, **(kwargs or {}))
        finally:
            _replicas.pop()

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """Return the sum or the mean over the replicas, and over an axis if it is given."""
        op = _op_of(reduce_op)
        over = math.reduce_sum if op is ReduceOp.SUM else math.reduce_mean

        def reduced(part: Any) -> Any:
            tensor = convert_to_tensor(part)
            return tensor if axis is None else over(tensor, axis=axis)

        return nest.map_structure(reduced, value)

    def gather(self, value: Any, axis: int) -> Any:
        """Return the values of the replicas along an axis: that of the one."""
        del axis
        return value

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Return the dataset: the replica gets all of it."""
        del options
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Any:
        """Return the dataset that a function makes for the replica."""
        del options
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        """Return the value that a function makes for the replica."""
        return value_fn(ValueContext())

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Return the values of the replicas: a tuple of one."""
        return (value,)


class OneDeviceStrategy(Strategy):
    """Runs on the device that is named."""

    def __init__(self, device: str = DEVICE) -> None:
        self.device = device


class MirroredStrategy(Strategy):
    """Runs a replica on each device, of which there is one here."""

    def __init__(self, devices: Sequence[str] | None = None, cross_device_ops: Any = None) -> None:
        if devices is not None and len(devices) > 1:
            raise NotImplementedError(
                f"tapelab computes on one device, not on {list(devices)}. Try MirroredStrategy()."
            )
        self.cross_device_ops = cross_device_ops


class MultiWorkerMirroredStrategy(Strategy):
    """Runs a replica on each worker, of which there is one here."""

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        if cluster_resolver is not None:
            raise NotImplementedError(
                "tapelab computes in one process. Try MultiWorkerMirroredStrategy()."
            )
        self.communication_options = communication_options


class ReplicaContext:
    """The replica in which a function runs."""

    num_replicas_in_sync = 1
    replica_id_in_sync_group = 0

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Return the sum or the mean over the replicas: the value."""
        del options
        return self.strategy.reduce(reduce_op, value, None)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Return what a function of the strategy and the values of all replicas returns."""
        return merge_fn(self.strategy, *args, **(kwargs or {}))


def _op_of(reduce_op: Any) -> ReduceOp:
    if isinstance(reduce_op, ReduceOp):
        return reduce_op
    if str(reduce_op).upper() in ReduceOp.__members__:
        return ReduceOp[str(reduce_op).upper()]
    raise ValueError(f"Expected ReduceOp.SUM or ReduceOp.MEAN. Got {reduce_op}.")


_default: Final = Strategy()
_active: Final[list[Strategy]] = []
_replicas: Final[list[ReplicaContext]] = []


def get_strategy() -> Strategy:
    """Return the strategy of the innermost scope; a default one outside of all."""
    return _active[-1] if _active else _default


def has_strategy() -> bool:
    """Return whether the code is in the scope of a strategy."""
    return bool(_active)


def get_replica_context() -> ReplicaContext | None:
    """Return the replica in which the code runs; None in a scope outside of `run`."""
    if _replicas:
        return _replicas[-1]
    return None if _active else ReplicaContext(_default)


def in_cross_replica_context() -> bool:
    """Return whether the code is in a scope, and not in a replica."""
    return get_replica_context() is None
