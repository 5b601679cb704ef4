"""The cell magics `%%tape` and `%%predict`: run a cell on a tape and show it.

The cell's syntax tree is wrapped into the block of a tape, unless it opens tapes of its own, and
runs in the notebook's namespace under hidden names. The tape and the call that shows it get the
position of the cell's first line, so that errors and recordings point there.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython
from IPython.display import display

from tapelab.core.tape import GradientTape
from tapelab.core.tensor import Tensor
from tapelab.lab.completion import OPTION
from tapelab.lab.gradient_hints import HINTS
from tapelab.lab.notebook_cells import enter
from tapelab.locales import say
from tapelab.recording import Recording
from tapelab.views.number_format import format_number
from tapelab.views.tape_summary import last_gradient_call, tensor_name
from tapelab.widgets.show import Picture, show


def record_cell(
    line: str, cell: str, *, magic: str = "%%tape", present: Callable[..., Picture] = show
) -> Picture:
    """Run a cell as `%%tape` does; UsageError where the names do not fit the cell.

    `present` is called as `show` is, with the tape, the target and the sources.
    """
    __tracebackhide__ = True
    shell: Any = get_ipython()
    names = line.split()
    if OPTION in names:
        names.remove(OPTION)
        HINTS.quiet = True
    for name in names:
        if not name.isidentifier():
            raise UsageError(
                f"{magic} takes names, got {name!r}. Write `{magic} z x` for the gradient of z "
                "with respect to x, both names of the cell."
            )
    first_line = f"{magic} {line}".rstrip()
    file = enter(shell, f"{first_line}\n{cell}")
    code = ast.parse("\n" + shell.transform_cell(cell), file)
    shell.user_ns.update({OPEN: GradientTape, SHOW: present})
    try:
        return _run(shell.user_ns, code, names, first_line, file)
    finally:
        for name in HIDDEN:
            shell.user_ns.pop(name, None)


def _run(
    space: dict[str, Any], code: ast.Module, names: list[str], first_line: str, file: str
) -> Picture:
    """Run the cell, on a tape of ours unless it opens its own, and show what was recorded."""
    __tracebackhide__ = True
    own, result = list(tapes_opened(code)), result_of(code.body)
    keep_last_value(code)
    whole = code if own else on_a_tape(code, first_line)
    exec(compile(whole, file, "exec"), space)  # noqa: S102 a notebook runs its cells
    if space.get(VALUE) is not None:
        display(space[VALUE])
    shown = _last_tape(space, own) if own else TAPE
    targets = _checked_names(space, names, first_line) or [
        name for name in [result] if _is_differentiable(space.get(name))
    ]
    call = showing(shown, targets, first_line)
    picture: Picture = eval(compile(call, file, "eval"), space)  # noqa: S307 as above
    return picture


def _last_tape(space: dict[str, Any], names: list[str]) -> str:
    """The name of the last tape that the cell opened."""
    for name in reversed(names):
        if isinstance(space.get(name), GradientTape):
            return name
    raise UsageError(
        "%%tape cannot show a tape without a name. Write `with tf.GradientTape() as tape:`, or "
        "leave the tape to %%tape and write the ops alone."
    )


def _checked_names(space: dict[str, Any], names: list[str], first_line: str) -> list[str]:
    magic, *_ = first_line.split()
    for name in names:
        if name not in space:
            raise UsageError(
                f"{first_line}: after this cell there is no {name!r}. "
                f"Name what the cell computes, as in `{magic} z` for `z = x * y`."
            )
    return names


def _is_differentiable(value: object) -> bool:
    return isinstance(value, Tensor) and value.dtype.is_differentiable


OPEN: Final = "_tapelab_open_"
TAPE: Final = "_tapelab_tape_"
SHOW: Final = "_tapelab_show_"
VALUE: Final = "_tapelab_value_"
HIDDEN: Final = (OPEN, TAPE, SHOW, VALUE)
"""The names that the added code uses, for as long as the cell runs."""

Tree = TypeVar("Tree", ast.Module, ast.Expression)
_LOAD: Final = ast.Load()


def tapes_opened(code: ast.AST) -> Iterator[str]:
    """The names of the tapes that code opens, outermost only; "" for one without a name."""
    for node in ast.iter_child_nodes(code):
        own = [item for item in getattr(node, "items", []) if _is_tape(item)]
        for item in own:
            name = item.optional_vars
            yield name.id if isinstance(name, ast.Name) else ""
        if not own:
            yield from tapes_opened(node)


def _is_tape(item: object) -> bool:
    match item:
        case ast.withitem(context_expr=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))):
            return name == "GradientTape"
    return False


def result_of(body: list[ast.stmt]) -> str:
    """The name that the last line gives to its result; empty if it gives none."""
    match body[-1:]:
        case [ast.Assign(targets=[ast.Name(id=name)])]:
            return name
        case [ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name))]:
            return name
        case [ast.Expr(value=ast.Name(id=name))]:
            return name
        case [ast.With(body=inner)]:
            return result_of(inner)
    return ""


def keep_last_value(code: ast.Module) -> None:
    """Keep the value of a last expression, which a notebook displays."""
    match code.body[-1:]:
        case [ast.Expr(value=value) as last]:
            kept = ast.Assign([ast.Name(VALUE, ast.Store())], value)
            code.body[-1] = ast.fix_missing_locations(ast.copy_location(kept, last))


def on_a_tape(code: ast.Module, first_line: str) -> ast.Module:
    """The code in the block of a tape that opens in the first line of the cell."""
    opened = ast.Call(ast.Name(OPEN, _LOAD), [], [])
    block = ast.With([ast.withitem(opened, ast.Name(TAPE, ast.Store()))], code.body or [ast.Pass()])
    return _in_first_line(ast.Module([block], []), first_line)


def showing(tape: str, names: list[str], first_line: str) -> ast.Expression:
    """The call `show(tape, z, [x, y])`, as if it stood in the first line of the cell."""
    arguments: list[ast.expr] = [ast.Name(name, _LOAD) for name in [tape, *names[:1]]]
    if len(names) > 1:
        arguments.append(ast.List([ast.Name(name, _LOAD) for name in names[1:]], _LOAD))
    call = ast.Call(ast.Name(SHOW, _LOAD), arguments, [])
    return _in_first_line(ast.Expression(call), first_line)


def _in_first_line(tree: Tree, line: str) -> Tree:
    """Give the nodes that we made their place; the learner's have theirs."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr)) and not hasattr(node, "lineno"):
            place = ast.Pass(
                lineno=1, col_offset=0, end_lineno=1, end_col_offset=len(line.encode())
            )
            ast.copy_location(node, place)
    return tree


RELATIVE: Final = 0.01
ABSOLUTE: Final = 0.002
"""A prediction may be so far off, of the number itself or in all, as in the Explorer."""
MOST: Final = 5
"""At most this many gradients are to be predicted."""


def predict_cell(line: str, cell: str) -> Picture:
    """Run a cell as `%%predict` does."""
    __tracebackhide__ = True
    return record_cell(line, cell, magic="%%predict", present=_predict_and_show)


def _predict_and_show(
    tape: GradientTape, target: Tensor | None = None, sources: Sequence[Tensor] | None = None
) -> Picture:
    __tracebackhide__ = True
    pairs = questions(tape.recording(target, sources))
    if not pairs:
        print(say("There is no gradient of a single number here to predict."))
    for gradient, truth in pairs[:MOST]:
        try:
            said = input(f"{gradient} = ")
        except (EOFError, NotImplementedError):
            print(say("Nothing can be typed here: the picture asks."))
            return show(tape, target, sources, predict=True)
        print(verdict(said, truth))
    return show(tape, target, sources)


def questions(recording: Recording) -> list[tuple[str, float | None]]:
    """The names and values of the last call's gradients that are scalars or None."""
    gradient_call = last_gradient_call(recording)
    if gradient_call is None or len(gradient_call.targets) != 1:
        return []
    target, pairs = tensor_name(recording, gradient_call.targets[0]), []
    for source, result in zip(gradient_call.sources, gradient_call.results, strict=True):
        value = recording.tensor(result).value if result >= 0 else None
        if result < 0 or (value is not None and value.size == 1 and value.dtype.kind == "f"):
            truth = None if value is None else float(value.reshape(()))
            pairs.append((f"d{target}/d{tensor_name(recording, source)}", truth))
    return pairs


def verdict(said: str, truth: float | None) -> str:
    """The verdict on a prediction, as a sentence."""
    truth_text = "None" if truth is None else format_number(truth)
    if not said.strip():
        return say("It is {truth}.", truth=truth_text)
    if said.strip().lower() == "none" or truth is None:
        right = said.strip().lower() == truth_text.lower()
    else:
        number = read(said)
        if number is None:
            return say("`{said}` is no number. It is {truth}.", said=said.strip(), truth=truth_text)
        right = math.isclose(number, truth, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return say("Right.") if right else say("Not quite: it is {truth}.", truth=truth_text)


def read(said: str) -> float | None:
    """A number such as `-1.5`, `−1,5` or `3/4`; None for anything else."""
    over, slash, under = said.strip().replace("−", "-").replace(",", ".").partition("/")
    try:
        return float(over) / (float(under) if slash else 1.0)
    except (ValueError, ZeroDivisionError):
        return None
