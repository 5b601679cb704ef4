"""Still figures of a recording, drawn with Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.views.frame import Model

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tapelab.recording import Recording

GRADIENT: Final = "#D55E00"


def gradient_sizes(recording: Recording) -> list[tuple[str, float]]:
    """Each frame on the tape with the largest size in its gradient; NaN where there is none."""
    model = Model.of(recording)
    sizes = []
    for number, frame in enumerate(model.graph.frames):
        if not model.is_off(number):
            slot = model.slot(frame.node)
            value = recording.tensor(slot.tensor).value if slot.tensor >= 0 else None
            size = float(np.abs(value).max()) if value is not None and value.size else float("nan")
            sizes.append((model.frame_label(number), size))
    return sizes


def plot_gradient_sizes(recording: Recording, axes: Any = None) -> Axes:
    """How large the gradient is along the tape: where it fades, and where it blows up."""
    import matplotlib.pyplot as plt

    sizes = gradient_sizes(recording)
    axes = axes if axes is not None else plt.subplots(figsize=(8, 2.5))[1]
    places = range(1, len(sizes) + 1)
    axes.plot(places, [size for _, size in sizes], color=GRADIENT, marker="o", markersize=3)
    if any(size > 0 for _, size in sizes):
        axes.set_yscale("log")
    axes.set_xlabel("frame of the tape")
    axes.set_ylabel("largest gradient")
    if len(sizes) <= 20:
        axes.set_xticks(list(places), [name for name, _ in sizes], rotation=30, ha="right")
    drawn: Axes = axes
    return drawn
