"""Layer 5: why a gradient is `None`, only a part, zero or NaN. Pure functions of a Recording.

To add a pitfall, write one file here and one in `tests/pitfalls/catalogue/`:

1. Its code stands in `codes.py`, with its lesson and its rank (how decisive it is).
2. A new file, named after the family, has a function that asks a `Case` and makes a `Finding`:

       def double_softmax(case: Case) -> Iterator[Finding]:
           ...
           yield Finding(
               code="DOUBLE_SOFTMAX",
               title=say("`{text}` is a second softmax", text=text),
               message=say("…one whole sentence with `{names}` and {numbers}.", …),
               where=case.codes.where(span),     # the sub-expression at fault
               fix=edits.fix(code, [...]),       # None where no single line mends it
               evidence=(event,),                # the events it rests on
           )

   Every text is a template with named values (`wording.say`, `say_many`), whole sentences, joined
   by `paragraph`; templates in tables are marked by `sentence(...)`. Names come from `names.py`,
   numbers are printed by `names.number`, lines are rewritten by `edits.py`.
3. `causes.py` has the tables: CHECKS (asked of every case, also where a gradient arrives; findings
   of numbers, shapes and state go here), OF_SEVERAL (asked of all sources of one question
   together), AT_THE_SOURCE (first answer of a None), AT_A_CUT (by the kind of cut in `flow.py`),
   REFUSALS (errors that the engine raises, see `tapelab/errors.py` and `refusals.py`).
4. A `Pitfall` in the catalogue: a snippet with the culprit in «guillemets», its code and the line
   to write instead; a near-miss beside it. The tests check the rest, also from bytes.

Users declare findings of their own with `tapelab.extend.finding`, see `own_findings.py`.

A case works on the recording alone: no live tensor, no tape. Its numbers are those of the events
(`case.recording.tensor(i).value`, None where large; `case.recording.measures` has what they come
to), the way back is in `case.way`: the steps of the last question that lead to the source, with
their numbers, by op (`way.through(names)`) or by tensor (`way.into`). A healthy gradient gives no
finding. Tapes may be long: take events by their kind (`recording.placed(e.Left)`) or by what they
use (`case.uses_of_source()`), and reach for what is upstream by `case.upstream`,
`case.between(cut)` and the columns of `case.flow.edges`.
"""

from __future__ import annotations

from tapelab.diagnosis.explanation import explain, explain_call, explain_recording, why
from tapelab.diagnosis.finding import Explanation, Finding, Fix, Step, Where

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
