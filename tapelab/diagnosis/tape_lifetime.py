"""Findings about the life of a tape: used twice, inside its block, for many steps, too long."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapelab.diagnosis import edits
from tapelab.diagnosis.declarations import Example, Rank, finding, on_refusal
from tapelab.diagnosis.descriptions import say, sentence
from tapelab.diagnosis.finding import Finding, Step
from tapelab.diagnosis.site import Site, site_at, site_of
from tapelab.diagnosis.source_code import Extent
from tapelab.diagnosis.tape_block import block_of, constructor, line_of, marker, tape_name
from tapelab.recording import events as e
from tapelab.recording.facts import DERIVATIVE
from tapelab.recording.schema import Role

if TYPE_CHECKING:
    from tapelab.diagnosis.case import Case
    from tapelab.diagnosis.finding import Fix, Where
    from tapelab.recording.events import Located


MANY: Final = 3
"""From so many steps on a tape that goes on growing is one."""


def own_gradient_calls(case: Case) -> list[Located]:
    """What the learner asked the tape."""
    return [
        place
        for place in case.recording.placed(e.Asked)
        if isinstance(place.event, e.Asked) and place.event.method != e.Method.PICTURE
    ]


def calls_inside_tape(case: Case) -> list[Located]:
    """The questions that were put while the tape was recording, or with which it stopped."""
    closed = case.recording.placed(e.Closed)
    return [place for place in own_gradient_calls(case) if _is_inside(case, place, closed)]


def _is_inside(case: Case, request: Located, closed: list[Located]) -> bool:
    before = [place for place in closed if place.index < request.index]
    if not before:
        return case.flow.opened
    if before[-1].span == request.span >= 0:
        return True
    events, taped = case.flow.edges.columns[2], case.flow.edges.columns[5] == 1
    return bool(np.any(taped & (before[-1].index < events) & (events < request.index)))


@finding(
    "GRADIENT_INSIDE_TAPE",
    rank=Rank.WASTEFUL,
    lesson="15",
    what="`tape.gradient` was called while the tape was recording.",
    instead="The call after the `with` block",
    example=Example(
        "P39",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = x * x
            g = «tape.gradient(y, x)»
            z = g * x
        try:
            g = tape.gradient(z, x)
        except RuntimeError as caught:
            error = caught
        """,
        fix="with tf.GradientTape(persistent=True) as tape:",
        symptom="error",
        ask="error.finding",
        near_miss="""
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = x * x
            g = tape.gradient(y, x)
        """,
    ),
)
def inside_the_block(case: Case) -> Iterator[Finding]:
    """A question inside the block of a persistent tape, which makes the tape longer.

    Where the gradient goes into what another question is about, it is meant.
    """
    inside = calls_inside_tape(case) if case.recording.tape.persistent else []
    if not inside:
        return
    wasted = [place for place in inside if not _goes_on(case, place)]
    same = Counter(place.span for place in wasted).most_common(1)
    if same and same[0][1] >= MANY:
        yield _growing(case, [place for place in wasted if place.span == same[0][0]])
    elif len(wasted) == len(inside):
        yield _recorded_too(case, inside[0])


def stopped_inside(case: Case) -> Finding | None:
    """The question that stopped a tape before the end of its block."""
    inside = [] if case.recording.tape.persistent else calls_inside_tape(case)
    if inside and unrecorded_after(case, inside[0]):
        return stopped_by(case, inside[0])
    return None


def unrecorded_after(case: Case, request: Located) -> bool:
    """Whether ops of the block ran after a question had stopped the tape."""
    block = block_of(case)
    if block is None:
        return False
    whole = block.code.extent(block.node)
    for place in case.recording.placed(e.Ran):
        assert isinstance(place.event, e.Ran)
        if place.index > request.index and place.event.cause == e.Cause.AFTER:
            at = case.codes.extent(place.span)
            if at and case.codes.of(place.span) is block.code and whole.holds(at):
                return True
    return False


def _goes_on(case: Case, request: Located) -> bool:
    """Whether what a question gave is part of what another one is about."""
    later = [place for place in case.recording.placed(e.Asked) if place.index > request.index]
    end = later[0].index if later else len(case.recording)
    created = [
        place for place in case.recording.placed(e.Made) if request.index < place.index < end
    ]
    given = {
        place.event.tensor
        for place in created
        if isinstance(place.event, e.Made) and case.recording.strings[place.event.how] == DERIVATIVE
    }
    asks = (place.event for place in later)
    targets = {each for ask in asks if isinstance(ask, e.Asked) for each in ask.targets}
    behind = bytearray(len(case.recording.columns["tensor.role"]))
    for each in targets:
        behind[each] = 1
    reached = case.flow.edges.back(behind, bytes(len(behind)), case.flow.edges.columns[5] == 1)
    return any(reached[each] for each in given)


def stopped_by(case: Case, request: Located) -> Finding:
    """The question with which a tape that answers once stopped recording."""
    tape = tape_name(case)
    site = site_of(case, request.index)
    return site.finding(
        "GRADIENT_INSIDE_TAPE",
        site.say("`{tape}` stopped recording at `{text}`", text=site.text or tape),
        site.say(
            "`{text}` in line {line} is inside the block of `{tape}`. A tape that is not "
            "persistent stops at its first gradient call, so the rest of the block is not "
            "recorded."
        ),
        say("Call it after the block, or open a second tape around this one."),
        fix=_persistent(case),
        steps=(site.step("`{tape}` stopped"),),
    )


def _persistent(case: Case) -> Fix | None:
    """The tape with `persistent=True`."""
    tape_call = constructor(case)
    if tape_call is None:
        return None
    return edits.fix(tape_call[0], [edits.with_argument(*tape_call, "persistent=True")])


def _recorded_too(case: Case, request: Located) -> Finding:
    site = site_of(case, request.index)
    ops = sum(1 for place in case.recording.placed(e.Ran) if place.span == request.span)
    return site.finding(
        "GRADIENT_INSIDE_TAPE",
        site.say("`{tape}` records its own backward pass"),
        site.say(
            "`{text}` in line {line} is inside the block of `{tape}`, so the tape also "
            "records the {ops} ops of the backward pass.",
            ops=ops,
        ),
        say("No second derivative uses that gradient. Call it after the block."),
        fix=_moved_out(case, request.span),
        steps=(site.step("a gradient was computed while `{tape}` recorded"),),
    )


def _moved_out(case: Case, span: int) -> Fix | None:
    """The question behind the block, where nothing in the rest of the block needs its answer."""
    block, statement = block_of(case), case.codes.statement(span)
    if block is None or not isinstance(statement, ast.Assign):
        return None
    body = block.node.body
    if statement not in body or len(body) == 1:
        return None
    rest = body[body.index(statement) + 1 :]
    given = {ast.unparse(target) for target in statement.targets}
    names = {node.id for each in rest for node in ast.walk(each) if isinstance(node, ast.Name)}
    whole, at = block.code.extent(block.node), block.code.extent(statement)
    if given & names or at.line != at.end_line or body[0].lineno == block.node.lineno:
        return None
    margin, end = " " * whole.column, block.code.extent(body[-1])
    header = edits.Edit(Extent(*whole[:2], *whole[:2]), "")  # so that the fix is whole
    taken = edits.Edit(Extent(at.line, 0, at.end_line, at.end_column), "")
    text = f"\n{margin}{block.code.text(statement)}"
    if not rest:
        return edits.fix(block.code, [header, taken._replace(text=text[1:])])
    behind = Extent(end.end_line, end.end_column, end.end_line, end.end_column)
    return edits.fix(block.code, [header, taken, edits.Edit(behind, text)])


@finding(
    "GROWING_TAPE",
    rank=Rank.WASTEFUL,
    lesson="15",
    what="One tape records every step and grows.",
    instead="One tape for each step",
    example=Example(
        "P49",
        """
        x = tf.Variable(1.0)
        tape = tf.GradientTape(persistent=True)
        for step in range(4):
            «with tape:»
                y = x * x * x
            g = tape.gradient(y, x)
        """,
        fix="    with tf.GradientTape() as tape:",
        symptom="silent",
        near_miss="""
        x = tf.Variable(1.0)
        tape = tf.GradientTape()
        for step in range(4):
            with tape:
                y = x * x * x
            g = tape.gradient(y, x)
        """,
    ),
)
def growing(case: Case) -> Iterator[Finding]:
    """One persistent tape for many steps, each of which is added to those before."""
    if not case.recording.tape.persistent or case.recording.placed(e.Reset):
        return
    closed = Counter(place.span for place in case.recording.placed(e.Closed)).most_common(1)
    if closed and closed[0][1] >= MANY and len(own_gradient_calls(case)) >= MANY:
        span = closed[0][0]
        yield _growing(case, [p for p in case.recording.placed(e.Closed) if p.span == span])


def _growing(case: Case, places: list[Located]) -> Finding:
    span = places[0].span
    columns = case.flow.edges.columns
    ops = len(np.unique(columns[2][columns[5] == 1]))
    site = Site(case, span, "", part=_header(case, span))
    return site.finding(
        "GROWING_TAPE",
        site.say("`{tape}` has recorded {steps} steps", steps=len(places)),
        site.say(
            "`{tape}` holds {ops} ops of {steps} steps. A persistent tape keeps all of them, "
            "so each step makes it longer and slower.",
            ops=ops,
            steps=len(places),
        ),
        say("Open one tape for each step, inside the loop."),
        fix=_one_a_step(case, span, len(own_gradient_calls(case)) > len(places)),
        evidence=tuple(place.index for place in places),
        steps=tuple(
            Step(line_of(case, place.index), say("one more step")) for place in places[:MANY]
        ),
    )


def _header(case: Case, span: int) -> Extent | None:
    """The first line of a block, where the span is that of all of it."""
    code, extent = case.codes.of(span), case.codes.extent(span)
    if code is None or extent is None or extent.line == extent.end_line:
        return None
    return Extent(*extent[:2], extent.line, len(code.line(extent.line).rstrip()))


def _one_a_step(case: Case, span: int, several: bool) -> Fix | None:
    """A new tape for each time the block is entered."""
    code, statement = case.codes.of(span), case.codes.statement(span)
    match statement:
        case ast.With(items=[ast.withitem(context_expr=ast.Name(id=name) as tape)]) if code:
            argument = "persistent=True" if several else ""
            text = f"{edits.tf_alias(code)}.GradientTape({argument}) as {name}"
            return edits.fix(code, [edits.replaced(code, tape, text)])
    return None


NOTABLE: Final = 2**20
"""How many bytes a tape holds before it is worth a word."""


@finding(
    "PERSISTENT_HELD",
    rank=Rank.WASTEFUL,
    lesson="15",
    what="A persistent tape holds memory that one gradient call does not need.",
    instead="The tape without `persistent=True`, or `del tape`",
    example=Example(
        "P48",
        """
        x = tf.Variable(tf.ones((512, 512)))
        with «tf.GradientTape(persistent=True)» as tape:
            y = tf.reduce_sum(tf.exp(0.001 * x))
        """,
        fix="with tf.GradientTape() as tape:",
        symptom="silent",
        near_miss="""
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape: y = x * x
        """,
    ),
)
def held(case: Case) -> Iterator[Finding]:
    """A persistent tape that was asked once and keeps a lot."""
    calls = own_gradient_calls(case)
    if not case.recording.tape.persistent or len(calls) != 1 or calls_inside_tape(case):
        return
    if _is_row_by_row(case, calls[0]):
        return
    columns, edges = case.recording.columns, case.flow.edges.columns
    taped = edges[5] == 1
    kept = np.unique(np.concatenate([edges[0][taped], edges[1][taped]]))
    kept = kept[columns["tensor.role"][kept] != Role.STATE]
    sizes = _bytes(case)[kept]
    if sizes.sum() >= NOTABLE:
        yield _holds_much(case, calls[0], len(kept), int(sizes.sum()), int(kept[sizes.argmax()]))


def _is_row_by_row(case: Case, request: Located) -> bool:
    call = case.codes.expression(request.span)
    named = {each.arg for each in call.keywords} if isinstance(call, ast.Call) else set()
    return bool(named & {"experimental_use_pfor", "parallel_iterations"})


def _bytes(case: Case) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How many bytes each tensor takes."""
    columns, recording = case.recording.columns, case.recording
    counts = np.array([int(np.prod(shape, dtype=np.int64)) for shape in recording.shapes])
    widths = np.array([_width(name) for name in recording.dtypes])
    taken: np.ndarray[tuple[int], np.dtype[np.int64]] = (
        counts[columns["tensor.shape"]] * widths[columns["tensor.dtype"]]
    )
    return taken


def _width(dtype: str) -> int:
    """How many bytes a number of a dtype takes, 1 where it has no fixed size."""
    bits = dtype.strip("abcdefghijklmnopqrstuvwxyz_")
    return max(int(bits) // 8, 1) if bits.isdigit() else 1


def _holds_much(case: Case, request: Located, count: int, size: int, largest: int) -> Finding:
    site = site_at(case, case.recording.tensor(largest).span)
    held = site.finding(
        "PERSISTENT_HELD",
        site.say("`{tape}` holds {size:.1f} MB", size=size / 2**20),
        site.say_many(
            "`{tape}` is persistent, so it keeps {count} tensor as long as it exists. One "
            "gradient call does not need that.",
            "`{tape}` is persistent, so it keeps {count} tensors as long as it exists. One "
            "gradient call does not need that.",
            count,
        ),
        site.say("The largest is `{text}` in line {line}.") if site.text else "",
        site.say(
            "A tape that is not persistent releases them after its gradient call. Or write "
            "`del {tape}`."
        ),
        fix=_answers_once(case),
        evidence=(request.index,),
        steps=(site.step("`{text}` was kept"),) if site.text else (),
    )
    return replace(held, where=_making(case))


def _making(case: Case) -> Where | None:
    """Where the tape was made, or else where its block begins."""
    span = case.recording.located[marker(case, e.Opened)].span
    tape_call = constructor(case)
    return case.codes.where(span, tape_call[0].extent(tape_call[1]) if tape_call else None)


def _answers_once(case: Case) -> Fix | None:
    """The tape without `persistent=True`."""
    tape_call = constructor(case)
    if tape_call is None:
        return None
    code, call = tape_call
    given = [each for each in call.keywords if each.arg == "persistent"]
    return edits.fix(code, [edits.without_argument(code, call, each) for each in given])


NOTHING_LEFT: Final = sentence(
    "A tape releases its records after the first gradient call, unless it is made with "
    "`persistent=True`. So `{text}` finds nothing."
)
ROW_BY_ROW: Final = sentence(
    "`{text}` needs one gradient call for each element of the target. A tape allows one call, "
    "unless it is made with `persistent=True`."
)


@finding(
    "TAPE_CONSUMED",
    rank=Rank.REFUSED,
    lesson="02",
    what="A tape that is not persistent was used for a second gradient call.",
    instead="`persistent=True`",
    example=Example(
        "P38",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = x * x
            z = tf.sin(y)
        first = tape.gradient(z, y)
        try:
            g = «tape.gradient(y, x)»
        except RuntimeError as caught:
            error = caught
        """,
        fix="with tf.GradientTape(persistent=True) as tape:",
        symptom="error",
        ask="error.finding",
        near_miss="""
        x = tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
        first = tape.gradient(y, x)
        """,
    ),
)
@on_refusal("TAPE_CONSUMED")
def consumed(case: Case, details: Mapping[str, Any]) -> Finding:
    """The second question to a tape that answers once."""
    if not case.flow.opened:
        return _never_entered(case)
    stopped = stopped_inside(case)
    if stopped:
        return stopped
    calls = case.recording.placed(e.Asked)
    span, tape = calls[-1].span, tape_name(case)
    site = site_at(case, span, f"{tape}.gradient")
    first = line_of(case, calls[0].index) if len(calls) > 1 else 0
    if "rows" in details:
        title = site.say("`{tape}` allows one gradient call")
    else:
        title = site.say("`{tape}` was already used for a gradient")
    return site.finding(
        "TAPE_CONSUMED",
        title,
        site.say("Line {line} already used `{tape}`.", line=first) if first else "",
        site.say(ROW_BY_ROW if "rows" in details else NOTHING_LEFT),
        fix=_made_persistent(case),
        evidence=tuple(place.index for place in calls),
        steps=tuple(
            Step(case.codes.line(each.span), site.say("`{tape}.gradient` was called"))
            for each in calls
        ),
    )


def _never_entered(case: Case) -> Finding:
    """A tape without a block: it has recorded nothing that it could be asked about."""
    (request,) = case.recording.placed(e.Asked)
    site = site_of(case, request.index)
    return site.finding(
        "BEFORE_TAPE",
        site.say("`{tape}` has not recorded anything"),
        site.say(
            "A tape records inside its block. Compute the target under `with tf.GradientTape() as "
            "{tape}:`."
        ),
    )


def _made_persistent(case: Case) -> Fix | None:
    """The line that makes the tape, with `persistent=True`."""
    block = block_of(case)
    if block is None:
        return None
    for item in block.node.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("GradientTape"):
            return edits.fix(block.code, [edits.with_argument(block.code, call, "persistent=True")])
    return None
