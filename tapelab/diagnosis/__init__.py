"""Layer 5: why a gradient is `None`, incomplete, zero, NaN or misleading.

Everything here is a pure function of a `Recording`: no live tensor and no tape. A gradient call
with one of its sources is a `Case`. Two structures are computed from the recording, and detectors
search them:

- `case.flow` (`dataflow.py`): all edges from the tensors that an op or a statement took to those
  that it made, and for each edge the `Cut` that keeps the gradient from following it, if any;
- `case.backward` (`backward_pass.py`): the steps of the backward pass that lead to the source, with
  their values.

`explanation.py` runs the detectors and sorts their findings. The detectors stand in the modules of
`families.py`, one for each family, under the declarations of their findings (`declarations.py`).

To add a finding, write one block in the module of its family, or in a new module:

1. `@finding("CODE", rank=…, lesson=…, what=…, instead=…, example=Example(…))`, with a program that
   has the pitfall, the fix, and a near miss.
2. Below it the detector, a function that yields a `Finding`: `site_of(case, event)` is the place,
   its methods `say` and `step` give the sentences and `finding` the whole (`site.py`). Names and
   values come from `descriptions.py`, the fix from `edits.py` (None where no line repairs it).
3. `python -m tools.findings` writes the reference page, `python -m tools.words` the catalogues.

The tests run every example, its fix and its near miss, also from the bytes of the recording.

Invariants: a healthy gradient has no finding. Values are those of the events
(`case.recording.tensor(i).value`, None where they are large; `case.recording.measures` summarises
them). Recordings can be long: take events by their kind (`recording.placed(e.Left)`) or by what
they use (`case.uses_of_source()`), and work on the columns of `case.flow.edges`.
"""

from __future__ import annotations

from tapelab.diagnosis.explanation import explain, explain_call, explain_recording
from tapelab.diagnosis.finding import Explanation, Finding, Fix, Step, Where
from tapelab.diagnosis.last_gradient import why

__all__ = [
    "Explanation",
    "Finding",
    "Fix",
    "Step",
    "Where",
    "explain",
    "explain_call",
    "explain_recording",
    "why",
]
