"""What is declared of an op: its kernel, a VJP rule per input, and its description.

`Op` is data with a few queries, and lies below the log and the tape, whose records refer to ops.
How an op is declared and run is in `op.py`. An op is complete when each input has a rule:
a VJP, or the sentence that says why no gradient passes. Then `vjps` and `vjps_on_floats` hold the
functions of the rules side by side, in the order of the inputs, which is what the backward pass
reads.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from tapelab.core.value_types import Value
from tapelab.recording.facts import Rule

if TYPE_CHECKING:
    from tapelab.recording.op_facts import OpFacts

REGISTERED: Final[dict[str, GradRule]] = {}
"""What a user registered as the gradient of an op that has none, by the op's raw name."""

Samples = Callable[[Any], list[tuple[tuple[Any, ...], dict[str, Any]]]]
"""From a NumPy random generator to pairs of input arrays and settings, for the generated tests."""

VJPs = tuple[Callable[..., Any] | None, ...]

UNCHANGED, OTHER_INPUT = object(), object()
"""Stand for VJPs on floats: the cotangent itself, and the cotangent times the other input."""

PATTERNS: Final = (
    *("differentiable", "flat", "integer", "index-only", "predicate-only", "shape-only"),
    *("sampler", "stateful", "outside", "not implemented", "stop"),
)


class GradRule(NamedTuple):
    """The VJP rule of one input; without a function it says why nothing flows."""

    function: Callable[..., Any] | None
    facts: Rule
    # What the cotangent of real numbers is multiplied by, where that is the whole rule: 1, -1 or
    # the name of the other input.
    factor: str | int | None = None
    # The same rule for raw floats, in the fast path.
    on_floats: Callable[..., Any] | None = None


@dataclass(eq=False, repr=False)
class Op:
    """What is declared of an op. The `op` decorator makes one that runs (`op.RunnableOp`)."""

    name: str
    kernel: Callable[..., Any]
    inputs: tuple[str, ...]
    settings: tuple[str, ...]
    formula: str = ""
    glyph: str = ""
    title: str = ""
    raw: str = ""
    output: str = "y"
    sentence: str = ""
    pattern: str = "differentiable"
    samples: Samples | None = None
    reference: Callable[..., Any] | None = None
    dtypes: tuple[str, ...] = ("float32", "float64")
    kinds: str = ""
    broadcasts: bool = False
    same_dtype: bool = False
    variadic: bool = False
    multi: bool = False
    # Whether `IndexedSlices` go on through it as they are, in x + y where y is a plain number too.
    propagates_slices: bool | Literal["beside a number"] = False
    # Whether it is linear in all inputs together, or in each while the others stay.
    linear: bool | Literal["in each input"] = False
    # Whether it returns the same elements in the same order, in another shape.
    reshapes: bool = False
    # How it runs for a whole batch, see `batching`; None for the general way.
    batching: Callable[[Any], Any] | None = None
    rules: dict[str, GradRule] = field(default_factory=dict)
    joint: Callable[..., Any] | None = None
    # Each input's VJP, and that of floats; None where nothing flows. For a joint rule not at all.
    vjps: VJPs | None = None
    vjps_on_floats: tuple[Any, ...] | None = None
    fast_path: Callable[[Any], Any] | None = None  # for one tensor, see `core/fast_path.py`
    defaults: dict[str, Any] = field(default_factory=dict)  # what each setting is if it is left out

    def __call__(self, *inputs: Value, **settings: Any) -> Any:
        """Run on tensors (recorded) or on raw arrays (not)."""
        raise NotImplementedError

    def grad(
        self, name: str, formula: str, *, local: str = "", factor: str | int | None = None
    ) -> Callable[..., Any]:
        """Declare the gradient rule of one input: `rule(dy, y, *inputs, **settings)`.

        The docstring of the rule, if it has one, is what the picture says of the step. Where all
        that the rule does to real numbers is to multiply dy by 1, by -1 or by the other input,
        `factor` says so: then the backward pass need not call it.
        """

        def declare(function: Callable[..., Any]) -> Callable[..., Any]:
            facts = Rule(formula=formula, local=local, sentence=first_sentence(function))
            self._declare(name, GradRule(function, facts, factor))
            return function

        return declare

    def grads(self, formulas: dict[str, str]) -> Callable[..., Any]:
        """Declare one joint rule for several inputs; it returns a gradient for every input."""

        def declare(function: Callable[..., Any]) -> Callable[..., Any]:
            for name, formula in formulas.items():
                facts = Rule(formula=formula, sentence=first_sentence(function))
                self._declare(name, GradRule(function, facts))
            self.joint = function
            self.vjps = self.vjps_on_floats = None
            return function

        return declare

    def grad_on_floats(self, name: str) -> Callable[..., Any]:
        """Declare how the gradient rule of an input is computed on raw floats, if faster.

        All are of one dtype, float32 or float64, and no tensor is among them.
        """

        def declare(function: Callable[..., Any]) -> Callable[..., Any]:
            self.rules[name] = self.rules[name]._replace(on_floats=function)
            self._line_up()
            return function

        return declare

    def batch(self, rule: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Declare how the op runs for a whole batch: `rule(call)`, see `batching.BatchedCall`."""
        self.batching = rule
        return rule

    def no_grad(self, *names: str, because: str) -> None:
        """Declare that no gradient flows to some inputs, and the sentence that says why."""
        for name in names:
            self._declare(name, GradRule(None, Rule(because=because)))

    def _declare(self, name: str, rule: GradRule) -> None:
        if name not in self.inputs:
            raise ValueError(f"{self.name} has no input {name!r}, only {', '.join(self.inputs)}.")
        if name in self.rules:
            raise ValueError(f"The gradient of {self.name} to {name} is declared already.")
        self.rules[name] = rule
        self._line_up()

    def _line_up(self) -> None:
        """Lay the functions of the rules side by side, once all inputs have one."""
        rules = [self.rules[each] for each in self.inputs if each in self.rules]
        if len(rules) == len(self.inputs):
            self.vjps = tuple([rule.function for rule in rules])
            self.vjps_on_floats = tuple(map(_on_floats, rules))

    def rule(self, position: int) -> GradRule | None:
        """The rule of the input at a position; None if none was declared."""
        name = self.inputs[0] if self.variadic else self.inputs[position]
        return self.rules.get(name) or REGISTERED.get(self.raw)

    def together(self) -> Callable[..., Any] | None:
        """The one rule for all inputs: declared, or registered for an op without rules."""
        if self.rules or self.raw not in REGISTERED:
            return self.joint
        return REGISTERED[self.raw].function

    def facts(self) -> OpFacts:
        """What the pictures need to know of this op."""
        from tapelab.recording.op_facts import OpFacts  # not before somebody looks

        other = REGISTERED.get(self.raw, GradRule(None, Rule()))
        known = self.pattern if other.function is None or self.rules else "differentiable"
        return OpFacts(
            name=self.name, title=self.title, glyph=self.glyph, formula=self.formula,
            inputs=self.inputs, output=self.output, sentence=self.sentence, pattern=known,
            rules=tuple(self.rules.get(name, other).facts for name in self.inputs),
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<op {self.name}({', '.join(self.inputs)})>"


@lru_cache(maxsize=1024)
def has_diagonal_jacobian(op: Op) -> bool:
    """Whether each element of the result depends on the elements at its own place only."""
    rules = [rule for rule in op.rules.values() if rule.function is not None]
    local = bool(rules) and all(rule.facts.local for rule in rules)
    return local and not op.multi and op.joint is None


def _on_floats(rule: GradRule) -> Any:
    if rule.factor == 1:
        return UNCHANGED
    return OTHER_INPUT if type(rule.factor) is str else rule.on_floats or rule.function


def first_sentence(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
