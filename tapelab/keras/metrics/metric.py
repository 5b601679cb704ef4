"""`tf.keras.metrics.Metric`: a number accumulated over batches, and the sums and means of it.

`update_state` adds a batch to the variables of a metric, `result` computes its value from them, and
`reset_state` sets them to 0. Variables are no function of the batches on the tape, so no gradient
passes through a metric.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Self

import numpy as np

from tapelab import math
from tapelab.array_ops.shape_ops import broadcast_to, size
from tapelab.array_ops.value_ops import cast
from tapelab.keras import backend, initializers, name_scopes
from tapelab.keras.class_settings import Configured, setting
from tapelab.keras.loss import masked, same_rank
from tapelab.keras.masks import masks_of
from tapelab.keras.saving.pickles import Picklable
from tapelab.keras.variables import Variable, values_in


class Metric(Configured, Picklable):
    """A metric. A subclass makes variables and writes `update_state` and `result`."""

    _variables: list[Variable]
    _metrics: list[Metric]

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.name = name or name_scopes.automatic_name(type(self))
        self._dtype = str(getattr(dtype, "name", dtype) or backend.floatx())

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Create the lists of variables before any attribute is set."""
        metric = super().__new__(cls)
        object.__setattr__(metric, "_variables", [])
        object.__setattr__(metric, "_metrics", [])
        return metric

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Metric):
            self._metrics.append(value)
        elif isinstance(value, Variable) and not any(value is each for each in self._variables):
            self._variables.append(value)
        super().__setattr__(name, value)

    @property
    def dtype(self) -> str:
        """The dtype of the result."""
        return self._dtype

    @property
    def variables(self) -> list[Variable]:
        """The variables of the metric, and those of metrics that it contains."""
        return [*self._variables, *(v for inner in self._metrics for v in inner.variables)]

    def add_variable(
        self, shape: Any = (), initializer: Any = "zeros", dtype: Any = None,
        aggregation: str = "sum", name: str | None = None,
    ) -> Variable:  # fmt: skip
        """Add a variable that accumulates over batches."""
        with name_scopes.name_scope(self.name.replace("/", ">"), self):
            variable = Variable(
                initializers.get(initializer), shape, dtype or self.dtype, trainable=False,
                aggregation=aggregation, name=name,
            )  # fmt: skip
        self._variables.append(variable)
        return variable

    def add_weight(
        self, shape: Any = (), initializer: Any = None, dtype: Any = None,
        name: str | None = None, **unused: Any,
    ) -> Variable:  # fmt: skip
        """Add a variable that accumulates over batches."""
        return self.add_variable(shape, initializer or "zeros", dtype, name=name)

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Put the variables into a dict, under "0", "1", …"""
        store.update({str(at): each.numpy() for at, each in enumerate(self.variables)})

    def load_own_variables(self, store: Mapping[str, Any]) -> None:
        """Assign what `save_own_variables` put into a dict; nothing if it is empty.

        Files of tapelab before 0.2 hold no metrics.
        """
        if store and len(store) != len(self.variables):
            names = [each.name for each in self.variables]
            raise ValueError(
                f"Metric '{self.name}' expected {len(names)} variables, but received {len(store)} "
                f"variables during loading. Expected: {names}"
            )
        for at, variable in enumerate(self.variables if store else ()):
            variable.assign(store[str(at)])

    def _checkpoint_children(self) -> dict[str, Any]:
        return vars(self)

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch."""
        raise NotImplementedError

    def result(self) -> Any:
        """Return the value over all batches since the last reset."""
        raise NotImplementedError

    def reset_state(self) -> None:
        """Set the variables to 0."""
        for variable in self.variables:
            variable.assign(np.zeros(variable.shape.as_list(), variable.dtype))

    def stateless_update_state(self, metric_variables: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """Return the variables after a batch is added to other values; its own stay."""
        with self._values(metric_variables, "stateless_update_state"):
            self.update_state(*args, **kwargs)
            return [backend.convert_to_tensor(each) for each in self.variables]

    def stateless_result(self, metric_variables: Any) -> Any:
        """Return the result for other values of the variables."""
        with self._values(metric_variables, "stateless_result"):
            return self.result()

    def stateless_reset_state(self) -> list[Any]:
        """Return the values of the variables after a reset; its own stay."""
        with values_in(self.variables, [each.numpy() for each in self.variables]):
            self.reset_state()
            return [backend.convert_to_tensor(each) for each in self.variables]

    def _values(self, metric_variables: Any, method: str) -> AbstractContextManager[None]:
        if len(metric_variables) != len(self.variables):
            raise ValueError(
                "Argument `metric_variables` must be a list of tensors corresponding 1:1 to "
                f"{type(self).__name__}().variables. Received list with length "
                f"{len(metric_variables)} in `{method}`, but expected {len(self.variables)} "
                "variables."
            )
        return values_in(self.variables, metric_variables)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch and return the value over all batches."""
        self.update_state(*args, **kwargs)
        return self.result()

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal metric."""
        return {"name": self.name, "dtype": self.dtype, **super().get_config()}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


class BuiltInMetric(Metric):
    """A metric with a name and a dtype as its first settings."""

    name: str = setting(None)
    dtype: Any = setting(None)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        Configured.__init__(self, *args, **kwargs)

    def _begin(self, arguments: dict[str, Any]) -> None:
        Metric.__init__(self, arguments.pop("dtype"), arguments.pop("name"))

    def _add_variables(self, names: Iterable[str], shape: tuple[int, ...] = ()) -> None:
        """Add variables of a shape, which are attributes with their names."""
        for name in names:
            setattr(self, name, self.add_variable(shape, name=name))

    def _accumulate(self, **values: Any) -> None:
        """Add values to the variables of their names."""
        for name, value in values.items():
            variable = getattr(self, name)
            variable.assign(variable + value)


class Sum(BuiltInMetric):
    """The sum of all values."""

    name: str = setting("sum")

    def __post_init__(self) -> None:
        self.total = self.add_variable(name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add values, times their weights."""
        weighted, _ = by_sample(values, sample_weight, math.reduce_sum, self.dtype)
        self.total.assign(self.total + math.reduce_sum(weighted))

    def result(self) -> Any:
        """Return the sum since the last reset."""
        return backend.convert_to_tensor(self.total)


class Mean(BuiltInMetric):
    """The weighted mean of all values."""

    name: str = setting("mean")

    def __post_init__(self) -> None:
        self.total = self.add_variable(name="total")
        self.count = self.add_variable(name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add values, times their weights."""
        weighted, weights = by_sample(values, sample_weight, math.reduce_mean, self.dtype)
        count: Any = _count(weighted) if weights is None else math.reduce_sum(weights)
        self.total.assign(self.total + math.reduce_sum(weighted))
        self.count.assign(self.count + count)

    def result(self) -> Any:
        """Return the mean since the last reset; 0 for no values."""
        return math.divide_no_nan(self.total, self.count)


class MeanMetricWrapper(Mean):
    """The mean of a function of labels and predictions."""

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name or "mean_metric_wrapper", dtype=dtype)
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(  # type: ignore[override]  # a batch has two parts, as in TensorFlow
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Add a batch of labels and predictions."""
        labels = backend.convert_to_tensor(y_true)
        predicted = backend.convert_to_tensor(y_pred)
        values = self._fn(labels, predicted, **self._fn_kwargs)
        weights = masked(sample_weight, masks_of(y_pred), self.dtype, "sum")
        super().update_state(values, weights)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal metric."""
        own = {"fn": self._fn} if type(self) is MeanMetricWrapper else {}
        return {**super().get_config(), **own, **self._fn_kwargs}


class FunctionMetric(MeanMetricWrapper):
    """The mean of the function that the class statement names; its settings go to it."""

    name: str = setting(None)
    dtype: Any = setting(None)
    _function: ClassVar[Callable[..., Any]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        Configured.__init__(self, *args, **kwargs)

    def __init_subclass__(
        cls, function: Callable[..., Any] | None = None, name: str | None = None
    ) -> None:
        if function is not None:  # a subclass of the user keeps the function
            cls._function = staticmethod(function)
            cls.name = setting(name or function.__name__)
        super().__init_subclass__()

    def _begin(self, arguments: dict[str, Any]) -> None:
        shared = {key: arguments.pop(key) for key in ("name", "dtype")}
        super().__init__(type(self)._function, **shared, **arguments)

    def __post_init__(self) -> None:
        """Add nothing: the constructor of `Mean` has created the variables."""

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal metric."""
        return Metric.get_config(self)


def by_sample(values: Any, sample_weight: Any, reduce: Callable[..., Any], dtype: str) -> Any:
    """Return one weighted value per sample, and the weights; None for no weights."""
    samples: Any = backend.convert_to_tensor(values, dtype)
    weights: Any = None
    if sample_weight is not None:
        samples, weights = same_rank(samples, backend.convert_to_tensor(sample_weight, dtype))
        rank = weights.ndim
        if samples.ndim > rank:
            samples = reduce(samples, axis=list(range(rank, samples.ndim)))
        weights = broadcast_to(weights, samples.shape)
        samples = samples * weights
        if rank > 1:
            weights = reduce(weights, axis=list(range(1, rank)))
    if samples.ndim > 1:
        samples = reduce(samples, axis=list(range(1, samples.ndim)))
    return samples, weights


def _count(values: Any) -> Any:
    """How many values there are; a tensor while a trace does not know the size."""
    known = values.shape[0] if values.ndim else 1
    return cast(size(values), values.dtype) if known is None else float(known)
