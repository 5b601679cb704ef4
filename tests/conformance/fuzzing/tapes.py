"""Programs with tapes: tapes in tapes, and all that may happen while they listen."""

from __future__ import annotations

from typing import Any, Final

from .recipes import drawn
from .writer import Writer

SMOOTH: Final = (
    *("sin", "tanh", "exp", "sigmoid", "square", "abs", "negative", "nn.relu", "nn.softplus"),
    *("reduce_sum", "reduce_mean", "reduce_max", "multiply", "add", "maximum", "matmul", "gather"),
    *("concat", "stack", "reshape", "transpose", "where", "stop_gradient", "identity", "cast"),
)
"""What the programs with tapes are mostly made of, beside one function after the other."""


def new_tape(w: Writer) -> str:
    """An expression for a tape, which keeps what it needs now and then."""
    settings = []
    if w.chance(0.3):
        settings.append("persistent=True")
    if w.chance(0.07):
        settings.append("watch_accessed_variables=False")
    return f"tf.GradientTape({', '.join(settings)})"


def floating(w: Writer, kind: Any = None) -> list[str]:
    """The names of what a gradient can flow to."""
    return [
        name
        for name in w.held(kind)
        if w.scope[name].dtype.is_floating or w.scope[name].dtype.is_complex
    ]


class Tapes:
    """A longer program: tapes in tapes, and all that may happen while they listen."""

    def __init__(self, w: Writer, name: str) -> None:
        self.w = w
        self.name = name
        self.recording: list[str] = []

    def write(self) -> None:
        """Some data, blocks of statements under tapes, and questions after each block."""
        w = self.w
        w.favours = 0.75
        for _ in range(w.rng.randint(1, 2)):
            shape, dtype = w.shape(most=2), w.one_of("float32", "float32", "float32", "float64")
            w.let("x", w.literal(shape, dtype))
            w.let("v", f"tf.Variable({w.literal(shape, dtype)}{self._trainable()})")
        for _ in range(w.rng.randint(1, 2)):
            self.block(w.one_of(1, 1, 1, 2, 2, 3))

    def _trainable(self) -> str:
        return ", trainable=False" if self.w.chance(0.1) else ""

    def block(self, depth: int) -> None:
        """A tape with statements, perhaps another tape inside, and a question at its end."""
        w, tape = self.w, self.w.new("t")
        w.enter(new_tape(w), tape)
        self.recording.append(tape)
        for _ in range(w.rng.randint(2, 5)):
            self.statement()
        if depth > 1:
            self.block(depth - 1)
            for _ in range(w.rng.randint(0, 2)):
                self.statement()
        self.recording.remove(tape)
        w.leave()
        for _ in range(1 if w.chance(0.8) else 2):
            self.ask(tape)

    def statement(self) -> None:
        """One step, most often a computation."""
        (step,) = self.w.rng.choices(list(STEPS), list(STEPS.values()))
        getattr(self, step)()

    def compute(self) -> None:
        w = self.w
        name = self.name if w.chance(0.3) else w.rng.choice(SMOOTH)
        w.let("y", str(drawn(w, name)))

    def combine(self) -> None:
        w, names = self.w, floating(self.w)
        first = w.rng.choice(names)
        value = w.scope[first]
        same = w.like(tuple(value.shape), value.dtype.name)
        other = w.rng.choice(same) if w.chance(0.7) else w.one_of("2.0", "3", "0.5")
        w.let("y", f"{first} {w.one_of('+', '*', '-', '/', '*')} {other}")

    def watch(self) -> None:
        w = self.w
        tape, names = w.rng.choice(self.recording), w.held()
        if not w.scope[tape]._consumed or w.chance(0.1):
            w.do(f"{tape}.watch({w.rng.choice(names)})")

    def assign(self) -> None:
        w = self.w
        variable = w.rng.choice([n for n in w.held(w.scope["tf"].Variable) if n[0] == "v"])
        value = w.scope[variable]
        how = w.one_of("assign", "assign_add", "assign_sub")
        w.do(f"{variable}.{how}({w.tensor(tuple(value.shape), value.dtype.name)})")

    def pause(self) -> None:
        w, tape = self.w, self.w.rng.choice(self.recording)
        if not w.scope[tape]._consumed or w.chance(0.1):
            w.enter(f"{tape}.stop_recording()")
            self.compute()
            w.leave()

    def index(self) -> None:
        w = self.w
        name = w.rng.choice(floating(w))
        shape = tuple(w.scope[name].shape)
        keys = ["..."] if not shape else ["0", "-1", "1:", "::-1", "..., 0", "tf.newaxis", ":0"]
        if len(shape) > 1:
            keys += [":, 0", "0, -1", ":, ::2", "..., tf.newaxis"]
        w.let("y", f"{name}[{w.rng.choice(keys)}]")

    def sparse(self) -> None:
        """Pick rows, and pass them through what may or may not keep the gradient sparse."""
        w = self.w
        table = w.let("v", f"tf.Variable({w.literal((3, 2), 'float32')})")
        through = w.one_of("{}", "{}", "{} + 1.0", "tf.identity({})", "{}.read_value()", "-{}",
                           "{} * 2.0", "tf.cast({}, tf.float64)", "tf.concat([{}, {}], 0)",
                           "tf.reshape({}, [3, 2])", "tf.add_n([{}, {}])", "tf.stack([{}])",
                           "tf.transpose({})", "tf.convert_to_tensor({})", "{} + {}")  # fmt: skip
        handed = w.let("y", through.replace("{}", table))
        last = max(w.scope[handed].shape[0] - 1, 0)
        places = w.one_of(f"[0, {last}, 0]", f"[{last}]", "0", f"[[0], [{last}]]")
        w.let("y", f"tf.gather({handed}, {places})")

    def reset(self) -> None:
        tape = self.w.rng.choice(self.recording)
        if not self.w.scope[tape]._consumed or self.w.chance(0.1):
            self.w.do(f"{tape}.reset()")

    def ask_early(self) -> None:
        tape = self.w.rng.choice(self.recording)
        if self.w.scope[tape]._persistent or self.w.chance(0.3):
            self.ask(tape)

    def ask(self, tape: str) -> None:
        """A question to a tape about the latest results and what they may depend on."""
        w = self.w
        if w.scope[tape]._consumed and w.chance(0.9):
            return
        targets = [name for name in floating(w, w.scope["tf"].Tensor) if name[0] == "y"][-4:]
        sources = [name for name in floating(w) if name[0] in "xvy"]
        if not targets:
            return
        target, source = w.rng.choice(targets), w.rng.choice(sources)
        value, given = w.scope[target], w.scope[source]
        if w.chance(0.1):
            persistent = w.scope[tape]._persistent or w.chance(0.1)
            pfor = ", experimental_use_pfor=False" if persistent and w.chance(0.6) else ""
            batch = len(value.shape) > 1 < len(given.shape) and value.shape[0] == given.shape[0]
            which = "batch_jacobian" if batch and w.chance(0.6) else "jacobian"
            w.let("j", f"{tape}.{which}({target}, {source}{pfor})")
            return
        if w.chance(0.4):
            source = f"[{', '.join(w.rng.sample(sources, min(len(sources), 3)))}]"
        settings = ""
        if w.chance(0.15):
            shape = tuple(value.shape) if w.chance(0.9) else w.shape()
            settings = f", output_gradients={w.tensor(shape, value.dtype.name)}"
        elif w.chance(0.1):
            settings = ", unconnected_gradients='zero'"
        w.let("g", f"{tape}.gradient({target}, {source}{settings})")


STEPS: Final = {
    "compute": 40, "combine": 14, "watch": 9, "assign": 6, "pause": 4, "index": 8, "sparse": 4,
    "reset": 2, "ask_early": 5,
}  # fmt: skip
"""The steps of a longer program and how likely each is."""
