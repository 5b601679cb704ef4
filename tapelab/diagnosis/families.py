"""The families of findings: each is a module that declares its findings beside their detectors.

The detectors of every gradient call run in this order, those of one family as they stand there;
findings of one rank keep it. A new family is one more line here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tapelab.diagnosis import (
    complex_convention,
    degenerate_spectra,
    discrete_choices,
    engine_exits,
    gradient_functions,
    gradient_growth,
    iteration_counts,
    kinks,
    loss_functions,
    model_variables,
    non_differentiable_ops,
    non_finite,
    off_tape,
    rebound_variables,
    refused_ops,
    saturation,
    second_derivatives,
    shape_mistakes,
    stateful_values,
    summed_gradients,
    tape_lifetime,
    trace_constants,
    unused_source,
    unwatched_source,
    wrong_object,
)
from tapelab.diagnosis.declarations import AT_SOURCE, CHECKS, DECLARED, Declaration

if TYPE_CHECKING:
    from tapelab.diagnosis.declarations import Detector

FAMILIES: Final = tuple(
    family.__name__
    for family in (
        model_variables,
        engine_exits,
        rebound_variables,
        unused_source,
        wrong_object,
        unwatched_source,
        off_tape,
        second_derivatives,
        stateful_values,
        discrete_choices,
        refused_ops,
        non_finite,
        saturation,
        gradient_growth,
        degenerate_spectra,
        non_differentiable_ops,
        loss_functions,
        shape_mistakes,
        gradient_functions,
        trace_constants,
        kinks,
        iteration_counts,
        summed_gradients,
        complex_convention,
        tape_lifetime,
    )
)


def checks() -> list[Detector]:
    """The detectors that run for every gradient call, in their order; own ones come last."""
    return sorted(CHECKS, key=_place)


def source_causes() -> list[Detector]:
    """The detectors that look for the cause of a None in the source, in their order."""
    return sorted(AT_SOURCE, key=AT_SOURCE.__getitem__)


def declarations() -> list[Declaration]:
    """The declarations of tapelab's own findings, by rank and family."""
    known = (each for each in DECLARED.values() if not each.is_own)
    return sorted(known, key=lambda each: (each.rank, _place(each.detector)))


def _place(detector: Detector) -> int:
    module = detector.__module__
    return FAMILIES.index(module) if module in FAMILIES else len(FAMILIES)
