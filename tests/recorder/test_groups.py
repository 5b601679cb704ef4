"""The groups of a recording: calls of the user's functions, before and after the tape; names."""

import itertools
import linecache
import sys
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapelab as tf
from tapelab.recording import events as e
from tapelab.recording import from_bytes, to_bytes
from tapelab.recording.schema import GroupKind

counter = itertools.count()


@contextmanager
def program(text):
    """What a text of Python defines, run under a file name whose lines Python can find."""
    file = f"<program {next(counter)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"tf": tf, "__name__": "program"}
    try:
        exec(compile(text, file, "exec"), names)
        yield names
    finally:
        del linecache.cache[file]


def recording_of(text):
    with program(text) as names:
        return names["tape"].recording(names.get("target"))


def paths_of(recording):
    """For each op the names of the groups around it, the outermost first, and its results."""
    rows = []
    for each in recording.placed(e.Ran):
        path, group = [], each.event.group
        while group >= 0:
            path.append(recording.groups[group].title)
            group = recording.groups[group].parent
        names = [recording.tensor(index).name for index in each.event.outputs]
        rows.append((" > ".join(reversed(path)), ", ".join(names)))
    return rows


LAYERS = """
x = tf.constant([[1.0, 2.0]])
w1, w2 = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([[1.0], [2.0]])

def layer(x, w):
    out = x @ w
    return tf.nn.relu(out)

def model(x):
    h = layer(x, w1)
    return layer(h, w2)

with tf.GradientTape() as tape:
    logits = model(x)
    target = tf.reduce_sum(logits)
"""


def test_each_call_of_a_function_is_a_group_with_its_arguments():
    assert paths_of(recording_of(LAYERS)) == [
        ("model(x) > layer(x, w1)", "out"),
        ("model(x) > layer(x, w1)", "h"),
        ("model(x) > layer(h, w2)", "out"),
        ("model(x) > layer(h, w2)", "logits"),
        ("", "target"),
    ]


def test_a_recording_with_groups_is_read_back_equal():
    recording = recording_of(LAYERS)
    assert {each.kind for each in recording.groups} == {GroupKind.CALL}
    assert from_bytes(to_bytes(recording)) == recording


def test_a_group_without_a_kind_is_a_composite():
    recording = recording_of(LAYERS.replace("layer(h, w2)", "tf.nn.l2_normalize(h)"))
    data = to_bytes(recording)
    assert data.count(b'"kind"') == len(recording.groups) - 1
    composite = from_bytes(data).groups[-1]
    assert (composite.name, composite.kind) == ("l2_normalize", GroupKind.COMPOSITE)


def test_calls_at_one_place_in_a_loop_are_groups_of_their_own():
    rows = recording_of("""
def twice(x):
    y = x * 2.0
    return y * 2.0

x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    value = x
    for _ in range(3):
        value = twice(value)
    target = value
""")
    assert [each.title for each in rows.groups] == ["twice(value)"] * 3
    assert [each.event.group for each in rows.placed(e.Ran)] == [0, 0, 1, 1, 2, 2]


def test_a_loop_inside_a_function_is_one_call():
    text = """
def power(x):
    for _ in range(3):
        x = x * 2.0
    return x

x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    target = power(x)
"""
    assert [path for path, _ in paths_of(recording_of(text))] == ["power(x)"] * 3


def test_a_function_that_first_ran_without_a_tape_is_grouped_inside_one():
    with program(LAYERS.replace("with tf.Gr", "model(x)\nwith tf.Gr")) as names:
        paths = paths_of(names["tape"].recording(names["target"]))
    assert [path for path, _ in paths].count("model(x) > layer(x, w1)") == 2


def test_the_function_that_opens_the_tape_is_no_group():
    text = LAYERS.replace("with tf", "def step():\n  with tf").replace("    logits", "     logits")
    text = (
        text.replace("    target", "     target") + "  return tape, target\ntape, target = step()"
    )
    assert paths_of(recording_of(text))[0] == ("model(x) > layer(x, w1)", "out")


def test_a_generator_belongs_to_the_call_that_resumed_it():
    text = """
def scaled(x):
    return x * 3.0

def values(x):
    while True:
        x = scaled(x)
        yield x
        x = x * 2.0
        yield x

def one(g):
    y = next(g)
    return y + 1.0

def other(g):
    z = next(g)
    return z + 2.0

x = tf.Variable(1.0)
g = values(x)
with tf.GradientTape() as tape:
    a, b, c = one(g), other(g), next(g)
"""
    assert [path for path, _ in paths_of(recording_of(text))] == [
        "one(g) > next(g) > scaled(x)",
        "one(g)",
        "other(g) > next(g)",
        "other(g)",
        "next(g) > scaled(x)",
    ]


def test_a_comprehension_is_part_of_the_function_around_it():
    text = """
def scaled(x):
    return x * 3.0

def both(x):
    return sum(scaled(x) + y for y in [x * n for n in (1.0, 2.0)])

x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    target = both(x)
"""
    recording = recording_of(text)
    assert [each.title for each in recording.groups] == ["both(x)", *["scaled(x)"] * 2]
    assert [each.event.group for each in recording.placed(e.Ran)] == [0, 0, 1, 0, 0, 2, 0, 0]


def test_a_call_during_which_two_tapes_are_open_in_turn_is_a_group_of_both():
    text = """
def scaled(x):
    return x * 3.0

def steps(x):
    with first:
        y = scaled(x)
    with tape:
        z = scaled(y)

first, tape = tf.GradientTape(), tf.GradientTape()
steps(tf.Variable(1.0))
"""
    assert paths_of(recording_of(text))[-1] == ("steps(tf.Variable(1.0)) > scaled(y)", "z")


def test_an_op_behind_a_call_that_failed_belongs_to_the_caller():
    text = """
def fails(x):
    y = x * 2.0
    raise ValueError

def outer(x):
    try:
        fails(x)
    except ValueError:
        pass
    return x + 1.0

x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    target = outer(x)
"""
    assert paths_of(recording_of(text)) == [
        ("outer(x) > fails(x)", "y"),
        ("outer(x)", "target"),
    ]


def test_the_function_of_a_map_is_called_by_its_name():
    text = """
def square(x):
    return x * x

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    target = tf.reduce_sum(tf.map_fn(square, x))
"""
    assert "square(…)" in {each.title for each in recording_of(text).groups}


def test_the_call_of_a_layer_is_the_group_of_the_layer():
    text = """
class Block(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__(name="block")
        self.dense = tf.keras.layers.Dense(2, name="dense")

    def shift(self, x):
        y = self.dense(x)
        return y + 1.0

    def call(self, x):
        z = self.shift(x)
        return z * 2.0

block = Block()
x = tf.constant([[1.0, 2.0]])
block(x)
with tf.GradientTape() as tape:
    target = block(x)
"""
    within = [row for row in paths_of(recording_of(text)) if "block" in row[0]][-4:]
    assert within == [
        ("block > self.shift(x) > dense", "kernel matrix product"),
        ("block > self.shift(x) > dense", "y"),
        ("block > self.shift(x)", "z"),
        ("block", "target"),
    ]


MODULES = """
class Block(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def __call__(self, x):
        h = x @ self.w
        return tf.nn.relu(h)

class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(), Block()]
        self.dense = tf.keras.layers.Dense(2, name="dense")

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return self.dense(x)

net = Net()
x = tf.constant([[1.0, 2.0]])
net(x)

@tf.function
def step(x):
    y = net(x)
    return tf.reduce_sum(y)

with tf.GradientTape(persistent=True) as tape:
    first = step(x)
    target = step(x)
"""


def test_modules_and_layers_called_in_a_traced_function_are_groups_as_in_eager_code():
    traced, eager = MODULES, MODULES.replace("@tf.function", "")
    modules = ["net > blocks[0]"] * 2 + ["net > blocks[1]"] * 2 + ["net > dense"] * 2
    for text, call in ((traced, "step"), (eager, "step(x)")):
        recording = recording_of(text)
        inside = [path for path, _ in paths_of(recording) if path.startswith(call)]
        within = [path.removeprefix(f"{call} > ") for path in inside]
        assert [each for each in within if each.startswith("net")] == modules * 2
        kinds = {each.title: each.kind for each in recording.groups}
        assert {kinds["net"], kinds["blocks[1]"], kinds["dense"]} == {GroupKind.MODULE}
        assert sum(each.title == "net" for each in recording.groups) == 2


def test_values_inside_a_layer_are_called_by_the_weights_that_they_take():
    text = """
model = tf.keras.Sequential([tf.keras.layers.Dense(2, name="hidden", activation="tanh")])
one = tf.keras.Sequential([tf.keras.layers.Dense(2, name="last")], name="one")
other = tf.keras.Sequential([tf.keras.layers.Dense(2, name="last")], name="other")
x = tf.ones([1, 2])
for each in (model, one, other):
    each(x)
with tf.GradientTape() as tape:
    y = model(x)
    target = one(y) + other(y)
"""
    recording = recording_of(text)
    names = [name for path, name in paths_of(recording) if path.endswith("hidden")]
    assert names[-3:] == ["kernel matrix product", "bias add", "y"]
    states = {recording.tensor(at).name for at in range(len(recording.columns["tensor.role"]))
              if recording.tensor(at).variable >= 0}  # fmt: skip
    assert {"hidden/kernel", "hidden/bias", "one/last/kernel", "other/last/kernel"} <= states
    assert not any(name.endswith("/hidden/kernel") for name in states)


def test_what_ran_before_and_after_the_tape_lies_in_groups():
    text = """
start = tf.Variable(1.0)
rate = tf.exp(tf.constant(2.0)) * 3.0
with tf.GradientTape() as tape:
    y = start * rate
target = y + 1.0
"""
    recording = recording_of(text)
    kinds = [recording.groups[each.event.group].kind for each in recording.placed(e.Ran)[:2]]
    assert kinds == [GroupKind.BEFORE, GroupKind.BEFORE]
    assert [path for path, _ in paths_of(recording)] == ["before", "before", "", "after"]


def test_values_are_named_by_tuples_attributes_and_parts():
    text = """
class Cell(tf.Module):
    def __call__(self, x):
        self.h = x * 2.0
        low, high = tf.split(self.h, 2)
        return low, high

def both(x):
    mean = x * 3.0
    return mean, tf.exp(mean)

weights = {"w": tf.Variable([1.0, 2.0])}
cell = Cell()
with tf.GradientTape() as tape:
    one, other = cell(weights["w"])
    mu, sigma = both(one)
    target = tf.reduce_sum(sigma)
"""
    recording = recording_of(text)
    assert paths_of(recording) == [
        ("cell", "self.h"),
        ("cell", "one, other"),
        ("both(one)", "mu"),
        ("both(one)", "sigma"),
        ("", "target"),
    ]
    assert [each.name for each in recording.variables] == ["weights['w']"]


def test_a_value_without_a_name_is_called_as_the_call_that_returned_it():
    text = """
def double(x):
    return x * 2.0

x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    target = double(x) + 1.0
"""
    assert paths_of(recording_of(text))[0] == ("double(x)", "double(x)")


def test_either_branch_of_what_a_function_returns_may_be_named():
    text = """
def dense(x, activation=None):
    h = x * 2.0
    return activation(h) if activation else h

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    hidden = dense(x, tf.nn.relu)
    target = dense(hidden)
"""
    assert [names for _, names in paths_of(recording_of(text))] == ["h", "hidden", "target"]


def test_values_in_a_traced_function_keep_their_names():
    text = """
@tf.function
def step(x):
    h = x * 2.0
    return h + 1.0

x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    target = step(x)
"""
    names = [names for _, names in paths_of(recording_of(text))]
    assert names[0] == "h"
    assert "multiply" not in names


def test_the_variables_of_a_call_that_ended_are_released():
    text = """
class Value:
    pass

def scaled(x):
    held = Value()
    alive.append(weakref.ref(held))
    return x * 2.0

alive = []
x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    target = scaled(x)
    gone = alive[0]() is None
"""
    with program("import weakref\n" + text) as names:
        assert names["gone"]


def test_a_debugger_keeps_its_trace_function_and_calls_are_still_found():
    text = LAYERS.replace("    logits", "    import sys\n    sys.settrace(follow)\n    logits")
    text = "def follow(frame, event, arg):\n    return follow\n" + text + "sys.settrace(None)\n"
    seen = text.replace(
        "    out = x @ w", "    out = x @ w\n    kept.append(sys._getframe().f_trace)"
    )
    before = sys.gettrace()
    try:
        with program("kept = []\n" + seen) as names:
            assert names["kept"] == [names["follow"]] * 2
            paths = {path for path, _ in paths_of(names["tape"].recording())}
    finally:
        sys.settrace(before)
    assert paths == {"", "model(x) > layer(x, w1)", "model(x) > layer(h, w2)"}


def test_calls_behind_a_debugger_are_found_by_their_frames_again():
    text = """
import sys
def follow(frame, event, arg):
    return follow
def scaled(x):
    return x * 3.0
def twice(x):
    y = scaled(x)
    z = y * 2.0
    return scaled(z)
x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    before = sys.gettrace()
    sys.settrace(follow)
    a = twice(x)
    sys.settrace(before)
    b = twice(a)
"""
    paths = [path for path, _ in paths_of(recording_of(text))]
    assert paths[-3:] == ["twice(a) > scaled(x)", "twice(a)", "twice(a) > scaled(z)"]


statements = st.recursive(
    st.just("op"),
    lambda inner: st.one_of(
        st.tuples(st.just("loop"), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(st.just("if"), st.integers(0, 1), st.lists(inner, min_size=1, max_size=2)),
        st.tuples(st.just("call"), st.integers(1, 3)),
    ),
    max_leaves=6,
)
bodies = st.lists(st.lists(statements, min_size=1, max_size=4), min_size=4, max_size=4)


def lines_of(body, number, indent):
    """The source of a body; a function calls only those with higher numbers."""
    space = " " * indent
    for each in body:
        match each:
            case "op":
                yield f"{space}x = x * 2.0"
                yield f"{space}truth.append((tuple(stack), x))"
            case "loop", inner:
                yield f"{space}for _ in range(2):"
                yield from lines_of(inner, number, indent + 4)
            case "if", wanted, inner:
                yield f"{space}if depth % 2 == {wanted}:"
                yield from lines_of(inner, number, indent + 4)
            case "call", other if number < other:
                yield f"{space}x = f{other}(x, depth + 1)"
            case _:
                yield f"{space}pass"


@settings(max_examples=60, deadline=None)
@given(bodies)
def test_groups_are_the_calls_that_happened(bodies):
    lines = ["stack, truth, serial = [], [], []"]
    for number, body in enumerate(bodies):
        lines += [f"def f{number}(x, depth):", "    serial.append(0)"]
        lines += ["    stack.append(len(serial))", *lines_of(body, number, 4)]
        lines += ["    stack.pop()", "    return x"]
    lines += ["x = tf.Variable(1.0)", "with tf.GradientTape() as tape:"]
    lines += ["    target = f0(f0(x, 0), 1)"]
    with program("\n".join(lines)) as names:
        recording = names["tape"].recording()
        truth = names["truth"]
    events = recording.placed(e.Ran)
    assert len(events) == len(truth)
    calls = {}
    for event, (stack, _) in zip(events, truth, strict=True):
        path, group = [], event.event.group
        while group >= 0:
            path.append(group)
            group = recording.groups[group].parent
        assert len(path) == len(stack)
        for ours, real in zip(reversed(path), stack, strict=True):
            assert calls.setdefault(ours, real) == real
    assert len({*calls.values()}) == len(calls)


@pytest.mark.parametrize("depth", [3, 100])
def test_a_recursion_is_grouped_call_by_call(depth):
    text = f"""
def power(x, n):
    y = x * 2.0
    return y if n == 0 else power(y, n - 1)

x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    target = power(x, {depth})
"""
    recording = recording_of(text)
    groups = [each.event.group for each in recording.placed(e.Ran)]
    assert len({*groups}) == depth + 1
    assert recording.groups[groups[-1]].title == "power(y, n - 1)"
