"""`tf.keras.metrics.Metric`: a number kept over many batches, in variables of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapelab.keras import backend, initializers, name_scopes
from tapelab.keras.variables import Variable


class Metric:
    """Keeps score over batches: `update_state` takes one in, `result` tells, `reset_state` forgets.

    The score is held by variables, so no gradient leads back from it.
    """

    _variables: list[Variable]
    _metrics: list[Metric]

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.name = name or name_scopes.automatic_name(type(self))
        self._dtype = str(getattr(dtype, "name", dtype) or backend.floatx())

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make room for the variables before any attribute is set."""
        made = super().__new__(cls)
        object.__setattr__(made, "_variables", [])
        object.__setattr__(made, "_metrics", [])
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Metric):
            self._metrics.append(value)
        elif isinstance(value, Variable) and not any(value is each for each in self._variables):
            self._variables.append(value)
        super().__setattr__(name, value)

    @property
    def dtype(self) -> str:
        """What kind of number the score is."""
        return self._dtype

    @property
    def variables(self) -> list[Variable]:
        """The variables that hold the score, and those of metrics inside."""
        return [*self._variables, *(v for inner in self._metrics for v in inner.variables)]

    def add_variable(
        self, shape: Any = (), initializer: Any = "zeros", dtype: Any = None,
        aggregation: str = "sum", name: str | None = None,
    ) -> Variable:  # fmt: skip
        """A new variable that holds a part of the score."""
        with name_scopes.name_scope(self.name.replace("/", ">"), self):
            made = Variable(
                initializers.get(initializer), shape, dtype or self.dtype, trainable=False,
                aggregation=aggregation, name=name,
            )  # fmt: skip
        self._variables.append(made)
        return made

    def add_weight(
        self, shape: Any = (), initializer: Any = None, dtype: Any = None,
        name: str | None = None, **unused: Any,
    ) -> Variable:  # fmt: skip
        """A new variable that holds a part of the score."""
        return self.add_variable(shape, initializer or "zeros", dtype, name=name)

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Take a batch into the score."""
        raise NotImplementedError

    def result(self) -> Any:
        """The score over all batches since the last reset."""
        raise NotImplementedError

    def reset_state(self) -> None:
        """Forget all batches."""
        for variable in self.variables:
            variable.assign(np.zeros(variable.shape.as_list(), variable.dtype))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Take a batch in, and tell the score."""
        self.update_state(*args, **kwargs)
        return self.result()

    def get_config(self) -> dict[str, Any]:
        """The arguments with which to make the same metric again."""
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Make a metric from its config."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"
