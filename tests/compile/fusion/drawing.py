"""Random programs of elementwise ops, and what they come to op by op."""

from __future__ import annotations

import numpy as np

from tapelab.compile.program import Instruction, Kind, Program
from tapelab.core.op import REGISTRY

AWKWARD = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 3e38, -3e38, 0.5, 6.0)
EXACT = {
    "f": ("add subtract multiply divide negative square squared_difference reciprocal sqrt rsqrt "
          "abs sign floor ceil rint round relu relu6 step maximum minimum divide_no_nan "
          "multiply_no_nan xdivy softsign zeros_like ones_like"),
    "i": "add subtract multiply negative square abs sign relu maximum minimum zeros_like",
}  # fmt: skip
COMPARISONS = "equal not_equal less less_equal greater greater_equal"
BINARY = {"add", "subtract", "multiply", "divide", "squared_difference", "maximum", "minimum",
          "divide_no_nan", "multiply_no_nan", "xdivy", *COMPARISONS.split()}  # fmt: skip


class Drawing:
    """A program in the making, and random choices."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.kinds, self.values, self.instructions = {}, {}, []
        self.parameters, self.constants = [], {}

    def slot(self, value):
        """A new slot with a value of which only the kind counts."""
        made = len(self.kinds)
        self.kinds[made] = Kind(tuple(np.shape(value)), np.asarray(value).dtype)
        self.values[made] = value
        return made

    def numbers(self, shape, dtype):
        """Ordinary numbers, among them awkward ones."""
        x = self.rng.normal(size=shape) * 3
        hard = self.rng.choice(AWKWARD, size=shape)
        mixed = np.where(self.rng.random(shape) < 0.3, hard, x)
        with np.errstate(all="ignore"):
            if np.dtype(dtype).kind == "i":
                return np.asarray(np.nan_to_num(x * 5)).astype(dtype)[()]
            return np.asarray(mixed).astype(dtype)[()]

    def parameter(self, shape, dtype="float32", value=None):
        """A parameter, with numbers of its own or such as come."""
        made = self.slot(self.numbers(shape, dtype) if value is None else value)
        self.parameters.append(made)
        return made

    def constant(self, value):
        """A constant."""
        made = self.slot(value)
        self.constants[made] = value
        return made

    def run(self, name, *inputs, **settings):
        """An instruction; its result comes from the op itself."""
        op = REGISTRY[name]
        with np.errstate(all="ignore"):
            value = op.kernel(*(self.values[each] for each in inputs), **settings)
        made = self.slot(np.asarray(value)[()])
        self.instructions.append(Instruction(op, inputs, tuple(settings.items()), (made,)))
        return made

    def program(self, results):
        """What was drawn."""
        return Program(self.kinds, self.constants, tuple(self.parameters), tuple(results),
                       tuple(self.instructions))  # fmt: skip

    @property
    def given(self):
        """The values of the parameters."""
        return [self.values[each] for each in self.parameters]


def part_of(shape, rng):
    """A shape that is broadcast to another one: rows, columns, a number or all of it."""
    if len(shape) < 2 or rng.random() < 0.5:
        return shape if rng.random() < 0.8 else ()
    return ((shape[-1],), (*shape[:-1], 1), (1,) * len(shape))[rng.integers(3)]


def exact_program(seed, shape, dtypes, length):
    """A random program whose ops are exact: what is computed has to agree in every bit."""
    drawing = Drawing(seed)
    rng = drawing.rng
    known = [drawing.parameter(part_of(shape, rng), dtype) for dtype in dtypes for _ in range(3)]
    known += [drawing.parameter(shape, dtype) for dtype in dtypes]
    known += [drawing.constant(np.dtype(dtype).type(number)) for dtype in dtypes
              for number in (1, 3)]  # fmt: skip
    for _ in range(length):
        first = known[rng.integers(len(known))]
        dtype = drawing.kinds[first].dtype
        alike = [each for each in known if drawing.kinds[each].dtype == dtype]
        second = alike[rng.integers(len(alike))]
        if dtype.kind == "b":
            name = str(rng.choice(["where", "logical_not", "logical_and", "cast"]))
            branches = [each for each in known if drawing.kinds[each].dtype == dtypes[0]]
            others = {"where": rng.choice(branches, 2).tolist(), "logical_and": [second]}
            settings = {"dtype": np.dtype(dtypes[0])} if name == "cast" else {}
            made = drawing.run(name, first, *others.get(name, []), **settings)
        elif len(dtypes) > 1 and dtype.kind == "f" and rng.random() < 0.1:
            others = [each for each in dtypes if np.dtype(each).kind == "f" and each != dtype.name]
            made = drawing.run("cast", first, dtype=np.dtype(others[0] if others else dtype))
        else:
            name = str(rng.choice([*EXACT[dtype.kind].split(), *COMPARISONS.split()]))
            made = drawing.run(name, first, *([second] if name in BINARY else []))
        known.append(made)
    computed = [each.outputs[0] for each in drawing.instructions]
    results = [each for each in computed[-6:] if rng.random() < 0.7] or computed[-1:]
    return drawing.program(results), drawing.given


def results_of(program, given):
    """The results of a program, op by op."""
    values = dict(program.constants) | dict(zip(program.parameters, given, strict=True))
    with np.errstate(all="ignore"):
        for each in program.instructions:
            found = each.op.kernel(*(values[slot] for slot in each.inputs), **dict(each.settings))
            values |= zip(each.outputs, found if each.op.multi else (found,), strict=True)
    return [values[slot] for slot in program.results]
