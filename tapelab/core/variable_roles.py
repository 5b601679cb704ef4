"""How copies of a variable on several machines are brought together; here there is one machine."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final


class VariableAggregation(Enum):
    """How several copies of a variable become one value."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class VariableSynchronization(Enum):
    """When several copies of a variable are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


Roles = tuple[VariableSynchronization, VariableAggregation]
DEFAULT: Final[Roles] = (VariableSynchronization.AUTO, VariableAggregation.NONE)


def roles(synchronization: Any, aggregation: Any, name: str | None) -> Roles:
    """Both, as given or by default; ValueError for anything that is neither."""
    if aggregation is not None and not isinstance(aggregation, VariableAggregation):
        raise ValueError(
            f"Invalid variable aggregation mode: {aggregation} for variable: {name}. "
            "Try tf.VariableAggregation.NONE."
        )
    if synchronization is not None and not isinstance(synchronization, VariableSynchronization):
        raise ValueError(
            f"Invalid variable synchronization mode: {synchronization} for variable: {name}. "
            "Try tf.VariableSynchronization.AUTO."
        )
    return synchronization or DEFAULT[0], aggregation or DEFAULT[1]
