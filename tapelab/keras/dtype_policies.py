"""`tf.keras.dtype_policies`: in which dtype a layer computes, and in which it stores its weights.

With mixed precision a layer computes in half precision (`mixed_float16`, `mixed_bfloat16`) and
keeps its weights in float32: they are cast where the layer reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Final

from tapelab.keras import backend
from tapelab.keras.serialization import (
    deserialize_keras_object,
    deserialized,
    serialize_keras_object,
)
from tapelab.namespace.missing_names import in_module

_MIXED: Final = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}
_global: dict[str, DTypePolicy | None] = {"policy": None}


class DTypePolicy:
    """The dtype of a layer's computation and that of its weights, by a name such as "float32"."""

    def __init__(self, name: str | None = None) -> None:
        name = dtype_policy().name if name is None else name
        if not isinstance(name, str):
            raise TypeError(
                "'name' must be a string, such as 'mixed_float16'. "
                f"Received: name={name} (of type {type(name)})"
            )
        self._compute_dtype = _MIXED.get(name) or _named(name)
        self._name = name
        self._variable_dtype = "float32" if name in _MIXED else self._compute_dtype

    @property
    def name(self) -> str:
        """The name, such as "float32" or "mixed_float16"."""
        return self._name

    @property
    def compute_dtype(self) -> str:
        """The dtype of the computation."""
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str:
        """The dtype of the weights."""
        return self._variable_dtype

    @property
    def quantization_mode(self) -> str | None:
        """The kind of quantization; None here."""
        return None

    def convert_input(self, x: Any, autocast: bool, dtype: Any) -> Any:
        """Return an argument of a layer as a tensor; floats in a dtype, with `autocast`."""
        wanted = backend.standardize_dtype(dtype)
        symbolic = backend.is_keras_tensor(x)
        if not symbolic:
            if not hasattr(x, "__array__"):
                return x
            x = backend.convert_to_tensor(x)
        kind = backend.standardize_dtype(x.dtype)
        if not autocast or kind == wanted or not backend.is_float_dtype(kind):
            return x
        if symbolic:
            return type(x)(x.shape, wanted, name=x.name)
        return backend.convert_to_tensor(x, wanted)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal policy."""
        return {"name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Construct a policy from its config."""
        return cls(**config)

    def __eq__(self, other: object) -> bool:
        kinds = [DTypePolicy if type(each) is FloatDTypePolicy else type(each)
                 for each in (self, other)]  # fmt: skip
        return kinds[0] is kinds[1] and self.name == other.name  # type: ignore[attr-defined]  # alike

    __hash__ = None  # type: ignore[assignment]  # as in Keras

    def __repr__(self) -> str:
        kind = "DTypePolicy" if type(self) is FloatDTypePolicy else type(self).__name__
        return f'<{kind} "{self.name}">'


def _named(name: str) -> str:
    """The dtype of a name; ValueError for what is none, such as "float"."""
    try:
        dtype = "int64" if name == "int" else backend.standardize_dtype(name)
    except ValueError:
        dtype = ""
    if name not in {dtype, "int"}:
        raise ValueError(
            f"Cannot convert '{name}' to a mixed precision DTypePolicy. Valid policies include "
            "'mixed_float16', 'mixed_bfloat16', and the name of any float dtype such as 'float32'."
        )
    return dtype


class FloatDTypePolicy(DTypePolicy):
    """Another name of `DTypePolicy`."""


class DTypePolicyMap(DTypePolicy, MutableMapping[str, DTypePolicy]):
    """Policies by the paths of layers; a key may be a regular expression for whole paths."""

    def __init__(
        self, default_policy: Any = None, policy_map: dict[str, DTypePolicy] | None = None
    ) -> None:
        if isinstance(default_policy, DTypePolicyMap):
            raise ValueError("`default_policy` cannot be a `DTypePolicyMap`.")
        if policy_map is not None and not isinstance(policy_map, dict):
            raise TypeError(
                "If specified, `policy_map` must be a dict. "
                f"Received: policy_map={policy_map} of type {type(policy_map)}"
            )
        self._given_default = default_policy
        self._default_policy = get(default_policy)
        self._policy_map: dict[str, DTypePolicy] = policy_map or {}

    @property
    def name(self) -> str:
        """The name of the default policy, marked as that of a map."""
        return f"map_{self.default_policy.name}"

    @property
    def default_policy(self) -> DTypePolicy:
        """The policy of paths that are not in the map."""
        return self._default_policy

    @property
    def compute_dtype(self) -> str:
        """The dtype of the computation, of the default policy."""
        return self.default_policy.compute_dtype

    @property
    def variable_dtype(self) -> str:
        """The dtype of the weights, of the default policy."""
        return self.default_policy.variable_dtype

    def __getitem__(self, path: str) -> DTypePolicy:
        if path in self._policy_map:
            return self._policy_map[path]
        patterns = [each for each in self._policy_map if re.fullmatch(each, path)]
        if len(patterns) > 1:
            raise ValueError(
                f"Path '{path}' matches multiple dtype policy specification keys: {patterns}. "
                "Please make sure each path only matches at most one dtype policy specification "
                "key in the DTypePolicyMap."
            )
        return self._policy_map[patterns[0]] if patterns else self.default_policy

    def __setitem__(self, path: str, policy: Any) -> None:
        if path in self._policy_map:
            raise ValueError(
                f"{path} already exist in the DTypePolicyMap with value {self._policy_map[path]}. "
                "Please make sure to not use duplicated keys."
            )
        try:
            self._policy_map[path] = get(policy)
        except (TypeError, ValueError) as error:
            raise ValueError(
                "Cannot interpret the assigned value by `keras.dtype_policies.get`. "
                f"Received: {policy} of type {type(policy)}"
            ) from error

    def __delitem__(self, path: str) -> None:
        del self._policy_map[path]

    def __contains__(self, path: object) -> bool:
        return path in self._policy_map

    def __len__(self) -> int:
        return len(self._policy_map)

    def __iter__(self) -> Iterator[str]:
        return iter(self._policy_map)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of an equal map; without a default, that of the session is used."""
        policies = serialize_keras_object(self._policy_map)
        return {"default_policy": self._given_default, "policy_map": policies}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> DTypePolicyMap:
        """Construct a map from its config."""
        policies = deserialize_keras_object(config["policy_map"], custom_objects)
        return cls(**{**config, "policy_map": policies})

    def __repr__(self) -> str:
        mapping = [(path, policy.name) for path, policy in self._policy_map.items()]
        return (
            f"<DTypePolicyMap at {hex(id(self))} default_policy={self.default_policy.name}, "
            f"mapping={mapping}>"
        )


_CLASSES: Final = {each.__name__: each for each in (DTypePolicy, FloatDTypePolicy, DTypePolicyMap)}
serialize = serialize_keras_object


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Return the policy that `serialize` described."""
    return deserialized(config, {**_CLASSES, **(custom_objects or {})})


def get(identifier: Any) -> DTypePolicy:
    """Return the policy of a name, a dtype or a config; None: that of the session."""
    if identifier is None:
        return dtype_policy()
    if isinstance(identifier, DTypePolicy):
        return identifier
    if isinstance(identifier, Mapping):
        return deserialize(identifier)  # type: ignore[no-any-return]  # a policy
    try:
        is_name = isinstance(identifier, str)
        return DTypePolicy(identifier if is_name else backend.standardize_dtype(identifier))
    except (TypeError, ValueError):
        if isinstance(identifier, str):
            raise
        raise ValueError(
            "Cannot interpret `dtype` argument. Expected a string or an instance of DTypePolicy. "
            f"Received: dtype={identifier}"
        ) from None


def dtype_policy() -> DTypePolicy:
    """Return the policy of layers without one of their own."""
    return _global["policy"] or DTypePolicy(backend.floatx())


def set_dtype_policy(policy: Any) -> None:
    """Set the policy of layers that are constructed from now on, such as "mixed_float16"."""
    if not isinstance(policy, (str, DTypePolicy)):
        raise ValueError(
            "Invalid `policy` argument. Expected the string name of a policy (such as "
            f"'mixed_float16') or a `DTypePolicy` instance. Received: policy={policy} "
            f"(of type {type(policy)})"
        )
    _global["policy"] = get(policy)


__getattr__, __dir__ = in_module(__name__)
