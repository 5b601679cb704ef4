"""Exponentials, logarithms, sines and their kin on `Vector`: polynomials without a branch.

Each brings its argument into a small range, takes a polynomial there, and puts the range back: the
exponential is 2**n * e**r, the logarithm n * ln(2) + ln(m), a sine one of an eighth of a turn.
How far off a function is at most, in units in the last place of float32 and of float64:

"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from tapelab.compile.fusion.simd import WIDTH, Vector

EXP: Final = {
    "float": (0.4999999337, 0.1666651952, 0.04166840111, 0.008368851111, 0.001381431945),
    "double": (
        0.5000000000000011, 0.16666666666666408, 0.0416666666665281, 0.008333333333496928,
        0.0013888888944249451, 0.00019841269502735432, 2.480149238801727e-05, 2.755758842481258e-06,
        2.7630523564333464e-07, 2.499985745089579e-08,
    ),
}  # fmt: skip
"""(e**r - 1 - r) / r**2 for |r| <= ln(2) / 2."""
LOG: Final = {
    "float": (0.6666677705, 0.3997744954, 0.2987441882),
    "double": (
        0.6666666666666735, 0.3999999999940749, 0.28571428744141264, 0.22222198378477348,
        0.18183575165941673, 0.1531375574003415, 0.14799066356057025,
    ),
}  # fmt: skip
"""(ln((1 + s) / (1 - s)) - 2 s) / s**3 in s**2, for (1 + s) / (1 - s) from √½ to √2."""
SIN: Final = {
    "float": (-0.1666665487, 0.008332173545, -0.0001951665609),
    "double": (
        -0.16666666666666632, 0.008333333333322316, -0.0001984126982972526, 2.7557313662077537e-06,
        -2.5050753267762028e-08, 1.5896505138742086e-10,
    ),
}  # fmt: skip
"""(sin(r) - r) / r**3 in r**2 for |r| <= π / 4."""
COS: Final = {
    "float": (0.04166664675, -0.001388736145, 2.443773053e-5),
    "double": (
        0.0416666666666666, -0.001388888888887399, 2.4801587289394964e-05, -2.7557314326041487e-07,
        2.0875719560168273e-09, -1.1359448756993525e-11,
    ),
}  # fmt: skip
"""(cos(r) - 1 + r**2 / 2) / r**4 in r**2 for |r| <= π / 4."""
ERF: Final = {
    "float": (0.1283791671, -0.376126269, 0.112835975, -2.68543288e-2, 5.18931194e-3,
              -8.01885499e-4, 7.88249711e-5),
}  # fmt: skip
"""erf(x) / x - 1 in x**2 for |x| <= 1."""
REST_OF_ERF: Final = {
    "float": (3.03213009e-4, -1.13016668, -0.631937093, -0.109978245, 2.63647175e-2,
              -4.74022238e-3, 5.92769546e-4, -4.55906234e-5, 1.61406165e-6),
}  # fmt: skip
"""The logarithm of 1 - erf(x) for x from 1 to 4."""


ULPS: Final[dict[str, tuple[float, float | None]]] = {
    "exp": (1, 1.1), "expm1": (2, 2), "log": (1, 1), "log1p": (2, 2), "tanh": (3, 3),
    "sigmoid": (3, 3), "softplus": (2, 2), "sin": (2, 2), "cos": (2, 2), "tan": (4, 4),
    "erf": (1.5, None),
}  # fmt: skip
"""The most that a function is off, for float32 and for float64, if there is one for that."""

__doc__ += "\n".join(
    f"    {name}: {single} and {double or 'not at all'}" for name, (single, double) in ULPS.items()
)


@dataclass(frozen=True)
class Precision:
    """What depends on how many bits a float has."""

    fraction: int
    bias: int
    highest: float  # beyond it the exponential is infinite, beyond its negative 0
    flat: float  # beyond it the hyperbolic tangent is 1
    far: float  # beyond it an angle loses digits when whole turns are taken off
    ln_2: tuple[float, ...]  # parts that add up to more digits than one float holds
    quarter: tuple[float, ...]

    @property
    def magic(self) -> float:
        """A number so large that what is added is rounded to a whole one, which ends its bits."""
        return 1.5 * 2.0**self.fraction


PRECISIONS: Final = {
    "float": Precision(
        fraction=23, bias=127, highest=105.0, flat=10.0, far=2.0**15,
        ln_2=(0.6931471824645996, -1.9046542121259336e-09),
        quarter=(1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    ),
    "double": Precision(
        fraction=52, bias=1023, highest=750.0, flat=20.0, far=2.0**20,
        ln_2=(0.6931471805599453, 2.3190468138462996e-17),
        quarter=(1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    ),
}  # fmt: skip


def polynomial(x: Vector, terms: tuple[float, ...]) -> Vector:
    """A polynomial, the lowest power first, by Horner's rule."""
    value = x.like(terms[-1])
    for each in reversed(terms[:-1]):
        value = value.fma(x, each)
    return value


def exp(x: Vector) -> Vector:
    """2**n * e**r, of a number no larger than what is infinite or 0 anyway."""
    highest = PRECISIONS[x.kind].highest
    x = x.like(highest).where(x, x > highest)
    return _exp_of_low(x)


def expm1(x: Vector) -> Vector:
    """2**n * (e**r - 1) + (2**n - 1), with half of 2**n, which a float always holds."""
    top = 89.0 if x.kind == "float" else 710.0
    low = x.like(-40.0)
    reduced = low.where(x, x < low)
    shifted, _, r = _reduced(x.like(top).where(reduced, x > top))
    half = _power_of_2(shifted - 1)
    return x.where(half.fma(_less_1(r), half - 0.5) * 2, x.equals(0))


def sigmoid(x: Vector) -> Vector:
    """The larger of 1 and e**x above, both divided by e**|x|, so that nothing overflows."""
    small = _exp_of_low(-x.magnitude())
    return small.where(1, x < 0) / (small + 1)


def tanh(x: Vector) -> Vector:
    """(1 - e**-2a) / (1 + e**-2a) of the magnitude a, with the sign of x."""
    known = PRECISIONS[x.kind]
    a = x.magnitude()
    a = a.like(known.flat).where(a, a > known.flat)
    shifted, _, r = _reduced(-(a + a), parts=1)  # a larger n leaves ever less to be fine about
    scale = _power_of_2(shifted)
    less = scale.fma(_less_1(r), scale - 1)
    return less.signed_as(x) / (less + 2)


def log(x: Vector) -> Vector:
    """The power of 2 in x times ln(2), and the logarithm of what is left, between √½ and √2."""
    known = PRECISIONS[x.kind]
    tiny = 2.0 ** (1 - known.bias)
    small = x < tiny
    lifted = (x * 2.0 ** (known.fraction + 2)).where(x, small)
    bits = lifted.bits()
    root = _bits(math.sqrt(0.5), x.kind)
    n = (bits - root) >> known.fraction
    f = (bits - (n << known.fraction)).as_floats(x.kind) - 1
    n = (n - (known.fraction + 2)).where(n, small)
    y = _log_near_1(f, n.turned("sitofp", x.kind), known)
    y = y.like(math.nan).where(y, x < 0)
    y = y.like(-math.inf).where(y, x.equals(0))
    return x.where(y, x.equals(math.inf) | x.is_nan())


def log1p(x: Vector) -> Vector:
    """The logarithm of the rounded 1 + x, and what the rounding took away, divided by it."""
    whole = x + 1
    correction = (x - (whole - 1)) / whole
    y = log(whole)
    usable = (whole > 0) & (whole < math.inf)
    return x.where((y + correction).where(y, usable), whole.equals(1))


def softplus(x: Vector) -> Vector:
    """max(x, 0) + ln(1 + e**-|x|)."""
    return x.like(0).where(x, x < 0) + log1p(_exp_of_low(-x.magnitude()))


def erf(x: Vector) -> Vector:
    """A polynomial up to 1, and 1 - e**polynomial beyond; in float32 alone."""
    a = x.magnitude()
    near = x.fma(polynomial(a * a, ERF[x.kind]), x)
    far = 1 - _exp_of_low(polynomial(x.like(4).where(a, a > 4), REST_OF_ERF[x.kind]))
    return near.where(far.signed_as(x), a < 1)


def sin(x: Vector) -> Vector:
    """The sine of what is left of the angle after quarter turns, or its cosine, or minus these."""
    return _wave(x, 0, "sin")


def cos(x: Vector) -> Vector:
    """The cosine is the sine a quarter turn further on."""
    return _wave(x, 1, "cos")


def tan(x: Vector) -> Vector:
    """The sine divided by the cosine."""
    return sin(x) / cos(x)


def _exp_of_low(x: Vector) -> Vector:
    """The exponential of numbers that are not too high; NaN fails the question, and stays."""
    known = PRECISIONS[x.kind]
    shifted, n, r = _reduced(x.like(-known.highest).where(x, x < -known.highest))
    power = polynomial(r, (1.0, 1.0, *EXP[x.kind]))
    if x.writer.scales:
        return power.scaled(n)
    whole = shifted.bits() - _bits(known.magic + known.bias, x.kind)
    half = whole >> 1
    return power * _whole_power(half, x.kind) * _whole_power(whole - half, x.kind)


def _reduced(x: Vector, parts: int = 2) -> tuple[Vector, Vector, Vector]:
    """The whole n nearest to x / ln(2), as the end of bits and as it is, and what is left of x.

    The bits count from the bias of the exponent on, so that shifted to their place they are the
    bits of a power of 2. What is left is as fine as so many `parts` of ln(2) make it.
    """
    known = PRECISIONS[x.kind]
    magic = known.magic + known.bias
    shifted = x.fma(1 / math.log(2), magic)
    n = shifted - magic
    for part in known.ln_2[:parts]:
        x = n.fma(-part, x)
    return shifted, n, x


def _less_1(r: Vector) -> Vector:
    """The exponential of a small number less 1."""
    return (r * r).fma(polynomial(r, EXP[r.kind]), r)


def _power_of_2(shifted: Vector) -> Vector:
    """The power of 2 whose exponent ends the bits of a number from `_parts`."""
    fraction = PRECISIONS[shifted.kind].fraction
    return (shifted.bits() << fraction).as_floats(shifted.kind)


def _whole_power(n: Vector, kind: str) -> Vector:
    """2**n for a whole n."""
    known = PRECISIONS[kind]
    return ((n + known.bias) << known.fraction).as_floats(kind)


def _log_near_1(f: Vector, power: Vector, known: Precision) -> Vector:
    """The logarithm of (1 + f) * 2**power, by the artanh of f / (2 + f)."""
    s = f / (f + 2)
    z = s * s
    series = z * polynomial(z, LOG[f.kind])
    square = f * f * 0.5
    high, low = known.ln_2
    small = s.fma(square + series, power * low)
    return power.fma(high, f - (square - small))


def _wave(x: Vector, ahead: int, name: str) -> Vector:
    known = PRECISIONS[x.kind]
    shifted = x.fma(2 / math.pi, known.magic)
    n = shifted - known.magic
    r = x
    for part in known.quarter:
        r = n.fma(-part, r)
    z = r * r
    sine = (z * r).fma(polynomial(z, SIN[x.kind]), r)
    cosine = (z * z).fma(polynomial(z, COS[x.kind]), 1 - z * 0.5)
    turns = shifted.bits() + ahead
    y = cosine.where(sine, (turns & 1).differs(0))
    y = (-y).where(y, (turns & 2).differs(0))
    if ahead == 0:
        y = x.where(y, x.equals(0))
    return _by_library_where_far(x, y, name, known.far)


def _by_library_where_far(x: Vector, y: Vector, name: str, far: float) -> Vector:
    """The angles that are too large for the polynomials go to the C library, if there are any."""
    writer = x.writer
    beyond = x.magnitude() > far
    mask = writer.value(f"bitcast {beyond.type} {beyond.name} to i{WIDTH}")
    question = writer.value(f"icmp ne i{WIDTH} {mask}, 0")
    number = writer.name("b")[1:]
    near, away, joined = f"{number}near", f"{number}far", f"{number}joined"
    writer.line(f"br i1 {question}, label %{away}, label %{near}")
    writer.label(away)
    wide = x if x.kind == "double" else Vector(
        writer, writer.value(f"fpext {x.type} {x.name} to <{WIDTH} x double>"), "double"
    )  # fmt: skip
    slow = writer.value(f"call {wide.type} @each_{name}({wide.type} {wide.name})")
    if x.kind == "float":
        slow = writer.value(f"fptrunc {wide.type} {slow} to {x.type}")
    chosen = writer.value(f"select {beyond.type} {beyond.name}, {x.type} {slow}, {x.type} {y.name}")
    writer.line(f"br label %{joined}")
    writer.label(near)
    writer.line(f"br label %{joined}")
    writer.label(joined)
    writer.declared.add(_each(name))
    text = f"phi {x.type} [{chosen}, %{away}], [{y.name}, %{near}]"
    return Vector(writer, writer.value(text), x.kind)


def _each(name: str) -> str:
    """A function of the C library for one lane after the other."""
    wide = f"<{WIDTH} x double>"
    lines = [f"declare double @{name}(double)",
             f"define internal {wide} @each_{name}({wide} %x) noinline {{"]  # fmt: skip
    so_far = "poison"
    for position in range(WIDTH):
        lines += [
            f"  %a{position} = extractelement {wide} %x, i32 {position}",
            f"  %b{position} = call double @{name}(double %a{position})",
            f"  %c{position} = insertelement {wide} {so_far}, double %b{position}, i32 {position}",
        ]
        so_far = f"%c{position}"
    return "\n".join([*lines, f"  ret {wide} {so_far}", "}"])


def _bits(value: float, kind: str) -> int:
    if kind == "float":
        return int(np.float32(value).view(np.int32))
    return int(np.float64(value).view(np.int64))
