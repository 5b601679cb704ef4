"""`tf.config`: the one processor there is, and whether functions are traced or simply run.

How many threads one op may use is obeyed by what works on large arrays; what is set of devices and
of ops side by side is stored and returned, and changes nothing.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from tapelab.kernels import threads
from tapelab.namespace.missing_names import in_module

settings: Final[dict[str, Any]] = {
    "run_functions_eagerly": False,
    "inter_op": 0,
    "intra_op": 0,
    "soft_placement": True,
    "jit": "",
    "determinism": False,
    "tf32": True,
}
"""What has been set."""


class PhysicalDevice(NamedTuple):
    """A processor of this machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A processor as ops name it."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """How much of a processor a logical device would have."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_PHYSICAL: Final = PhysicalDevice("/physical_device:CPU:0", "CPU")
_LOGICAL: Final = LogicalDevice("/device:CPU:0", "CPU")


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Let every `tf.function` simply run its Python code, so that one can look into it."""
    settings["run_functions_eagerly"] = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether every `tf.function` simply runs its Python code."""
    return bool(settings["run_functions_eagerly"])


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The processors of this machine of one type: one CPU, and no GPU."""
    return [_PHYSICAL] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The processors on which ops run: one CPU, and no GPU."""
    return [_LOGICAL] if device_type in (None, "CPU") else []


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The processors that may be used."""
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Choose the processors that may be used; there is only one to choose."""
    chosen = devices if isinstance(devices, (list, tuple)) else [devices]
    for each in chosen:
        if each != _PHYSICAL:
            raise ValueError(f"Unrecognized device: {each!r}")


def get_soft_device_placement() -> bool:
    """Whether an op may run on another device than the one requested."""
    return bool(settings["soft_placement"])


def set_soft_device_placement(enabled: bool) -> None:
    """Set whether an op may run on another device than the one requested; the CPU runs them all."""
    settings["soft_placement"] = bool(enabled)


def get_logical_device_configuration(device: PhysicalDevice) -> None:
    """How a processor is divided: not at all."""


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Any) -> None:
    """RuntimeError: the one processor is in use and cannot be divided any more."""
    raise RuntimeError("Virtual devices cannot be modified after being initialized")


def _get_inter() -> int:
    """How many ops may run side by side, as it was set; 0 leaves it open."""
    return int(settings["inter_op"])


def _set_inter(num_threads: int) -> None:
    """Set how many ops may run side by side."""
    settings["inter_op"] = num_threads


def _get_intra() -> int:
    """How many threads one op may use, as it was set; 0 leaves it open."""
    return int(settings["intra_op"])


def _set_intra(num_threads: int) -> None:
    """Set how many threads one op may use."""
    settings["intra_op"] = num_threads
    threads.ask_for(num_threads)


def _get_jit() -> str:
    """How functions are compiled, as it was set."""
    return str(settings["jit"])


def _set_jit(enabled: bool | str) -> None:
    """Set how functions are compiled."""
    settings["jit"] = "autoclustering" if enabled is True else enabled or ""


def _get_memory_growth(device: PhysicalDevice) -> bool:
    """KeyError: memory growth is a matter of GPUs."""
    raise KeyError(device)


def _set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """ValueError: memory growth is a matter of GPUs."""
    raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")


def _details(device: PhysicalDevice) -> dict[str, Any]:
    """What is known of a processor."""
    return {}


def _memory_info(device: str) -> dict[str, int]:
    """How much memory a device uses; not measured here."""
    return {"current": 0, "peak": 0}


def _enable_determinism() -> None:
    """Ask for equal results each time; they are."""
    settings["determinism"] = True


def _tf32_enabled() -> bool:
    """Whether GPUs may compute with fewer digits, as it was set."""
    return bool(settings["tf32"])


def _enable_tf32(enabled: bool) -> None:
    """Set whether GPUs may compute with fewer digits."""
    settings["tf32"] = bool(enabled)


threading: Final = SimpleNamespace(
    get_inter_op_parallelism_threads=_get_inter,
    set_inter_op_parallelism_threads=_set_inter,
    get_intra_op_parallelism_threads=_get_intra,
    set_intra_op_parallelism_threads=_set_intra,
)
"""`tf.config.threading`."""
optimizer: Final = SimpleNamespace(get_jit=_get_jit, set_jit=_set_jit)
"""`tf.config.optimizer`."""
experimental: Final = SimpleNamespace(
    list_physical_devices=list_physical_devices,
    list_logical_devices=list_logical_devices,
    get_visible_devices=get_visible_devices,
    set_visible_devices=set_visible_devices,
    get_memory_growth=_get_memory_growth,
    set_memory_growth=_set_memory_growth,
    get_memory_info=_memory_info,
    get_device_details=_details,
    enable_op_determinism=_enable_determinism,
    tensor_float_32_execution_enabled=_tf32_enabled,
    enable_tensor_float_32_execution=_enable_tf32,
)
"""`tf.config.experimental`."""


__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "functions_run_eagerly",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "run_functions_eagerly",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]
__getattr__, _ = in_module(__name__)


def __dir__() -> list[str]:
    return sorted(__all__)
