"""The dtype in which a layer computes and stores its weights; one for both here."""

from __future__ import annotations

from typing import Any

from tapelab.dtypes import as_dtype
from tapelab.keras import backend


class DTypePolicy:
    """One dtype for the computation of a layer and for its weights."""

    def __init__(self, name: str | None = None) -> None:
        name = name or backend.floatx()
        if str(name).startswith("mixed_"):
            raise ValueError(
                f"The policy {name!r} mixes two dtypes, which tapelab does not: its tape shows one "
                "dtype per layer. Try dtype='float32' or dtype='float64'."
            )
        self.name = as_dtype(name).name

    @property
    def compute_dtype(self) -> str:
        """The dtype of the computation."""
        return self.name

    @property
    def variable_dtype(self) -> str:
        """The dtype of the weights."""
        return self.name

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal policy."""
        return {"name": self.name}

    def as_data(self) -> dict[str, Any]:
        """Return the policy as part of a config."""
        return {
            "module": "keras",
            "class_name": "DTypePolicy",
            "config": self.get_config(),
            "registered_name": None,
        }

    def __repr__(self) -> str:
        return f'<DTypePolicy "{self.name}">'


def policy_of(dtype: Any) -> DTypePolicy:
    """Return the policy for None, a dtype, its name, a policy or its config."""
    if isinstance(dtype, DTypePolicy):
        return dtype
    if isinstance(dtype, dict):
        return DTypePolicy(**dtype["config"])
    return DTypePolicy(getattr(dtype, "name", dtype))
