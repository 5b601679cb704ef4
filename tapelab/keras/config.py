"""`tf.keras.config`: settings of the session, and what this Keras does not have."""

from __future__ import annotations

from typing import Final

from tapelab.keras import backend as _backend
from tapelab.keras import dtype_policies as _dtype_policies
from tapelab.namespace.missing_names import in_module

floatx = _backend.floatx
set_floatx = _backend.set_floatx
epsilon = _backend.epsilon
set_epsilon = _backend.set_epsilon
image_data_format = _backend.image_data_format
set_image_data_format = _backend.set_image_data_format
dtype_policy = _dtype_policies.dtype_policy
set_dtype_policy = _dtype_policies.set_dtype_policy

_flags: Final[dict[str, bool]] = {
    "traceback_filtering": True, "interactive_logging": True, "flash_attention": False,
}  # fmt: skip


def backend() -> str:
    """Return which Keras backend this is: that of TensorFlow."""
    return "tensorflow"


def is_traceback_filtering_enabled() -> bool:
    """Return whether Keras would leave its own frames out of tracebacks."""
    return _flags["traceback_filtering"]


def enable_traceback_filtering() -> None:
    """Ask for short tracebacks; they always are here."""
    _flags["traceback_filtering"] = True


def disable_traceback_filtering() -> None:
    """Ask for whole tracebacks; they are short here all the same."""
    _flags["traceback_filtering"] = False


def is_interactive_logging_enabled() -> bool:
    """Return whether progress is printed for a person."""
    return _flags["interactive_logging"]


def enable_interactive_logging() -> None:
    """Print progress for a person."""
    _flags["interactive_logging"] = True


def disable_interactive_logging() -> None:
    """Print progress for a log file."""
    _flags["interactive_logging"] = False


def enable_flash_attention() -> None:
    """Ask for flash attention, which computes the same in less memory; it is not used here."""
    _flags["flash_attention"] = True


def disable_flash_attention() -> None:
    """Ask for attention in plain ops, which is what is computed here."""
    _flags["flash_attention"] = False


def is_flash_attention_enabled() -> bool:
    """Return whether flash attention was asked for."""
    return _flags["flash_attention"]


__getattr__, __dir__ = in_module(__name__)
