"""Pitfalls of watching, of time and of the question: statements that move, or are written again."""

from __future__ import annotations

import ast
import random
import re

from tests.pitfalls.mutating.text import HERE, Mutant, Program, some


def _moving(program: Program) -> list[ast.stmt]:
    block = program.block
    return block.body if block.body[0].lineno > block.lineno else []


def _indented(lines: list[str], width: int) -> list[str]:
    return [" " * width + line for line in lines]


def before_the_tape(program: Program, draw: random.Random) -> Mutant | None:
    """The first statements of the block stand before it."""
    block, body = program.block, _moving(program)
    count = draw.randint(1, max(len(body) - 1, 1))
    moved = body[:count]
    if len(body) < 2 or any(isinstance(each, ast.With) or _watches(each) for each in moved):
        return None
    lines = [line for each in moved for line in program.lines_of(each)]
    head = program.lines[block.lineno - 1 : body[0].lineno - 1]
    new = [*_indented(lines, block.col_offset), *head]
    text = program.replaced(block.lineno, moved[-1].end_lineno, new)
    return Mutant("before the tape", "BEFORE_TAPE", text)


def after_the_tape(program: Program, draw: random.Random) -> Mutant | None:
    """The last statements of the block stand behind it."""
    block, body = program.block, _moving(program)
    if len(body) < 2:
        return None
    moved = body[draw.randint(1, len(body) - 1) :]
    lines = [line for each in moved for line in program.lines_of(each)]
    new = _indented(lines, block.col_offset)
    text = program.replaced(moved[0].lineno, block.end_lineno, new)
    if any(".gradient(" in line for line in lines) and not _opens(moved):
        code = "OUTER_TAPE_CLOSED" if not program.functions else "OUTER_TAPE_CLOSED AFTER_TAPE"
        return Mutant("second order behind the tape", code, text)
    return Mutant("behind the tape", "AFTER_TAPE", text)


def _opens(statements: list[ast.stmt]) -> bool:
    """Whether another tape is among them, with what it sees."""
    return any(isinstance(node, ast.With) for each in statements for node in ast.walk(each))


def paused(program: Program, draw: random.Random) -> Mutant | None:
    """A statement runs while the tape pauses."""
    statement = some(draw, [each for each in _moving(program) if isinstance(each, ast.Assign)])
    if statement is None:
        return None
    width = statement.col_offset
    head = f"with {program.question.tape}.stop_recording():"
    lines = [*_indented([head], width), *_indented(program.lines_of(statement), width + 4)]
    text = program.replaced(statement.lineno, statement.end_lineno, lines)
    return Mutant("stop_recording", "RECORDING_PAUSED", text)


def _watches(statement: ast.stmt) -> bool:
    return ".watch(" in ast.unparse(statement)


def _marked(program: Program, text: str, names: set[str]) -> str:
    """The text with all lines of the tape and of functions marked that use some names."""
    tree = ast.parse(text)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    inside = {n.name: set(range(n.lineno + 1, n.end_lineno + 1)) for n in functions}
    uses = {node.lineno for node in nodes if node.id in names}
    calls = {name for name, lines_of in inside.items() if lines_of & uses}
    in_functions = set().union(*inside.values())
    last = tree.body[-1].lineno
    lines = text.split("\n")
    for node in {node.lineno: node for node in nodes if node.id in names | calls}.values():
        in_the_block = program.block.lineno < node.lineno < last
        if in_the_block or (node.lineno in in_functions and node.lineno in uses):
            lines[node.lineno - 1] += HERE
    return "\n".join(lines)


def _last_watch(program: Program) -> ast.stmt | None:
    watches = [each for each in _moving(program) if _watches(each) and isinstance(each, ast.Expr)]
    return watches[0] if watches else None


def unwatched(program: Program, draw: random.Random) -> Mutant | None:
    """`watch` is forgotten."""
    watch = _last_watch(program)
    if watch is None:
        return None
    (name,) = map(ast.unparse, watch.value.args)
    gone = program.replaced(watch.lineno, watch.end_lineno, [])
    code = "AUTOWATCH_OFF" if "watch_accessed_variables" in program.text else "NOT_WATCHED"
    return Mutant("no watch", code, _marked(program, gone, {name}))


def late(program: Program, draw: random.Random) -> Mutant | None:
    """`watch` comes after a use."""
    watch, body = _last_watch(program), _moving(program)
    if watch is None:
        return None
    later = draw.randint(body.index(watch) + 1, len(body) - 1)
    end, own = body[later].end_lineno, program.lines[watch.lineno - 1]
    between = program.lines[watch.end_lineno : end]
    text = program.replaced(watch.lineno, end, [*[line + HERE for line in between], own])
    return Mutant("late watch", "WATCHED_TOO_LATE", text)


def _made(program: Program) -> list[ast.Assign]:
    """The statements that make variables of which the question is."""
    nodes = [node for node in ast.walk(program.tree) if isinstance(node, ast.Assign)]
    named = [node for node in nodes if ast.unparse(node.targets[0]) in program.sources]
    return [node for node in named if ast.unparse(node.value).startswith("tf.Variable(")]


def constant(program: Program, draw: random.Random) -> Mutant | None:
    """A constant in place of a variable."""
    made = some(draw, _made(program))
    if made is None:
        return None
    line = program.lines[made.lineno - 1].replace("tf.Variable(", "tf.constant(", 1)
    text = program.replaced(made.lineno, made.lineno, [line])
    return Mutant("a constant", "NOT_WATCHED", _marked(program, text, {made.targets[0].id}))


def untrainable(program: Program, draw: random.Random) -> Mutant | None:
    """A variable made with `trainable=False`."""
    call = some(draw, [made.value for made in _made(program)])
    if call is None:
        return None
    text = program.with_text(call, program.text_of(call)[:-1] + ", trainable=False)")
    return Mutant("trainable=False", "NOT_TRAINABLE", text)


def integers(program: Program, draw: random.Random) -> Mutant | None:
    """A variable of integers."""
    call = some(draw, [made.value for made in _made(program)])
    if call is None:
        return None
    text = re.sub(r"(\d)\.\d+", r"\1", program.text_of(call))
    return Mutant("integers", "INT_DTYPE", program.with_text(call, text), keeps_values=False)


def not_by_itself(program: Program, draw: random.Random) -> Mutant | None:
    """A tape that does not watch variables by itself."""
    items = [item.context_expr for item in program.block.items]
    call = next(e for e in items if ast.unparse(e).startswith("tf.GradientTape("))
    if call.keywords and call.keywords[0].arg == "watch_accessed_variables":
        return None
    text = program.text_of(call)[:-1] + (", " if call.keywords else "")
    new = program.with_text(call, text + "watch_accessed_variables=False)").replace(HERE, "", 1)
    names = set(program.sources) or _names_inside(program)
    return Mutant("no auto-watch", "AUTOWATCH_OFF", _marked(program, new, names))


def _names_inside(program: Program) -> set[str]:
    """What the block names, and classes: where layers hold the variables, one of them uses them."""
    inside = [*program.block.body, *(n for n in program.tree.body if isinstance(n, ast.ClassDef))]
    nodes = [node for body in inside for node in ast.walk(body)]
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def swapped(program: Program, draw: random.Random) -> Mutant | None:
    """Sources where the target belongs, and the other way round."""
    call = program.question
    if ".gradient(" not in program.text.rstrip().split("\n")[-1] or not program.sources:
        return None
    body = program.text.rstrip().rpartition("\n")[0]
    source = draw.choice(program.sources)
    question = f"g = {call.tape}.gradient({source}, [{call.target}])"
    lines = body.split("\n")
    for statement in ast.walk(program.tree):
        if isinstance(statement, (ast.Assign, ast.AugAssign)) and _names(statement, call.target):
            lines[statement.lineno - 1] += HERE
    return Mutant("swapped arguments", "SWAPPED_ARGUMENTS", "\n".join([*lines, question, ""]))


def _names(statement: ast.Assign | ast.AugAssign, name: str) -> bool:
    """Whether a statement gives something this name."""
    one = isinstance(statement, ast.AugAssign)
    targets = [statement.target] if one else statement.targets
    return any(isinstance(n, ast.Name) and n.id == name for t in targets for n in ast.walk(t))


COPIES = ("tf.identity({v})", "{v}.read_value()", "tf.convert_to_tensor({v})")
SLICES = ("{v}[0]", "{v}[:1]")


def another_object(program: Program, draw: random.Random) -> Mutant | None:
    """The question is of an object made of the source afterwards."""
    call = program.question
    made = [node.targets[0].id for node in _made(program)]
    source = some(draw, made)
    if source is None:
        return None
    ways = [
        *COPIES,
        *(SLICES if all("[" in ast.unparse(node.value) for node in _made(program)) else ()),
    ]
    body, last = program.text.rstrip().rsplit("\n", 1)
    method = last.split("(")[0]
    lines = [
        body,
        f"fresh = {draw.choice(ways).format(v=source)}{HERE}",
        f"{method}({call.target}, [fresh])",
        "",
    ]
    return Mutant("another object", "WRONG_OBJECT", "\n".join(lines), keeps_values=False)


def rebound(program: Program, draw: random.Random) -> Mutant | None:
    """A name that stood for a variable stands for a tensor when the tape begins."""
    names = [node.targets[0].id for node in _made(program) if node.col_offset == 0]
    name = some(draw, names)
    if name is None or program.block.col_offset:
        return None
    ways = ["{v} + 0.0", "{v} * 1.0", "tf.identity({v})", "{v} - 0.0 * {v}", "tf.abs({v}) * 1.0"]
    line = f"{name} = {draw.choice(ways).format(v=name)}{HERE}"
    at = program.block.lineno
    text = program.replaced(at, at - 1, [line])
    return Mutant("rebound before the tape", "REBOUND_TO_TENSOR", text, keeps_values=False)


def rebound_by_the_step(program: Program, draw: random.Random) -> Mutant | None:
    """`w = w - rate * derivative` in place of `assign_sub`."""
    pattern = r"(?m)^( *)(\w+)\.assign_(sub|add)\((.*)\)$"
    match = some(draw, list(re.finditer(pattern, program.text)))
    if match is None:
        return None
    sign = "-" if match[3] == "sub" else "+"
    line = f"{match[1]}{match[2]} = {match[2]} {sign} ({match[4]}){HERE}"
    text = program.text[: match.start()] + line + program.text[match.end() :]
    return Mutant("rebound by a step", "REBOUND_TO_TENSOR", text, keeps_values=False)
