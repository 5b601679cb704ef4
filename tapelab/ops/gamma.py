"""The gamma function and what statistics makes of it; SciPy is loaded when one is first used."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapelab.core.op import op
from tapelab.core.text_forms import brackets, require_one_dtype
from tapelab.errors import invalid_argument
from tapelab.ops import samples
from tapelab.ops.arithmetic import xlogy
from tapelab.ops.error_function import by_scipy
from tapelab.ops.integer_arguments import refuse_half
from tapelab.ops.powers import exp, log, log1p
from tapelab.ops.rules import FLOATS
from tapelab.ops.selection import ones_like

NO_ORDER = "TensorFlow declares no gradient to the order of {}; only its last input has one."


def orders(rng: np.random.Generator) -> list[samples.Sample]:
    """Orders with numbers well above 0."""
    return [((np.array([1.0, 2.0, 3.0]), rng.uniform(0.5, 3.0, size=3)), {}),
            ((np.float64(2.0), rng.uniform(0.5, 3.0, size=(2, 2))), {})]  # fmt: skip


def beyond_one(rng: np.random.Generator) -> list[samples.Sample]:
    """Exponents well above 1 with numbers well above 0."""
    return [((a + 1.0, b), {}) for (a, b), _ in samples.positive_pairs(rng)]


def shapes_and_shares(rng: np.random.Generator) -> list[samples.Sample]:
    """Two parameters of a beta distribution with numbers between 0 and 1."""
    return [(tuple(rng.uniform(low, high, size=shape) for low, high in
                   ((1.1, 3.0), (1.1, 3.0), (0.2, 0.8))), {}) for shape in ((), (3,))]  # fmt: skip


@op(formula=r"y = \ln |\operatorname{gamma}(x)|", glyph="ln Γ", title="Log of the gamma function",
    samples=samples.positive, kinds=FLOATS)  # fmt: skip
def lgamma(x: Any) -> Any:
    """The logarithm of the gamma function, which continues the factorial: ln (x - 1)!."""
    return by_scipy("gammaln", x)


@lgamma.grad("x", r"\bar x = \bar y \cdot \operatorname{digamma}(x)")
def lgamma_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * digamma(x)


@op(formula=r"y = \operatorname{digamma}(x)", glyph="ψ", samples=samples.positive, kinds=FLOATS)
def digamma(x: Any) -> Any:
    """The derivative of the logarithm of the gamma function."""
    y = by_scipy("digamma", x)
    return np.where(x == 0, x.dtype.type(np.nan), y)[()]


@digamma.grad("x", r"\bar x = \bar y \cdot \operatorname{polygamma}(1, x)")
def digamma_grad_x(dy: Any, y: Any, x: Any) -> Any:
    return dy * polygamma(ones_like(x), x)


@op(formula=r"y = \operatorname{polygamma}(n, x)", glyph="ψ⁽ⁿ⁾", samples=orders, kinds=FLOATS,
    broadcasts=True, same_dtype=True)  # fmt: skip
def polygamma(n: Any, x: Any) -> Any:
    """The derivative of digamma, taken n times."""
    _refuse_half_entirely("Polygamma", x)
    y = _zeta(n + 1, x) * by_scipy("gamma", n + 1) * np.where(n % 2, 1, -1)
    y = np.where(n == 0, digamma.kernel(np.broadcast_arrays(x, n)[0]), y)
    return np.where(n % 1 == 0, y, np.nan).astype(x.dtype)[()]


@polygamma.grad("x", r"\bar x = \bar y \cdot \operatorname{polygamma}(n + 1, x)")
def polygamma_grad_x(dy: Any, y: Any, n: Any, x: Any) -> Any:
    return dy * polygamma(n + 1.0, x)


polygamma.no_grad("n", because=NO_ORDER.format("polygamma"))


@op(formula=r"y = \sum \frac{1}{(q + k)^x}", glyph="ζ", title="Hurwitz zeta function",
    samples=beyond_one, kinds=FLOATS, broadcasts=True, same_dtype=True)  # fmt: skip
def zeta(x: Any, q: Any) -> Any:
    """The sum of one over all the powers of q, q + 1, q + 2 and so on."""
    _refuse_half_entirely("Zeta", q)
    return _zeta(x, q)


def _zeta(x: Any, q: Any) -> Any:
    """At a pole, where q is 0 or an integer below, only an even x has a limit of one sign."""
    pole = (q <= 0) & (q % 1 == 0) & (x > 1)
    y = by_scipy("zeta", x, q)
    return np.where(pole, np.where(x % 2 == 0, np.inf, np.nan), y).astype(y.dtype)[()]


@zeta.grad("q", r"\bar q = -\bar y \cdot x \cdot \operatorname{zeta}(x + 1, q)")
def zeta_grad_q(dy: Any, y: Any, x: Any, q: Any) -> Any:
    return dy * (-x * zeta(x + 1.0, q))


zeta.no_grad("x", because="TensorFlow declares no gradient to the exponent of zeta.")


@op(formula=r"y = \operatorname{igamma}(a, x)", glyph="P(a, x)", raw="Igamma",
    title="Lower incomplete gamma function", samples=samples.positive_pairs, kinds=FLOATS,
    broadcasts=True, same_dtype=True)  # fmt: skip
def igamma(a: Any, x: Any) -> Any:
    """The chance that a gamma-distributed number with shape a stays below x."""
    refuse_half("Igamma", x)
    y = _without_shape_0(a, by_scipy("gammainc", a, x))
    return np.where(x == 0, y.dtype.type(0), y)[()]


@op(formula=r"y = 1 - \operatorname{igamma}(a, x)", glyph="Q(a, x)", raw="Igammac",
    title="Upper incomplete gamma function", samples=samples.positive_pairs, kinds=FLOATS,
    broadcasts=True, same_dtype=True)  # fmt: skip
def igammac(a: Any, x: Any) -> Any:
    """The chance that a gamma-distributed number with shape a lies above x."""
    refuse_half("Igammac", x)
    return _without_shape_0(a, by_scipy("gammaincc", a, x))


def _without_shape_0(a: Any, y: Any) -> Any:
    return np.where(a == 0, y.dtype.type(np.nan), y)[()]


@igamma.grad("a", r"\bar a = \bar y \cdot \frac{\partial y}{\partial a}")
def igamma_grad_a(dy: Any, y: Any, a: Any, x: Any) -> Any:
    return dy * igamma_derivative(a, x)


@igamma.grad("x", r"\bar x = \bar y \cdot \operatorname{density}(a, x)")
def igamma_grad_x(dy: Any, y: Any, a: Any, x: Any) -> Any:
    """A chance grows with its density."""
    return dy * _gamma_density(a, x)


@igammac.grad("a", r"\bar a = \bar y \cdot \frac{\partial y}{\partial a}")
def igammac_grad_a(dy: Any, y: Any, a: Any, x: Any) -> Any:
    return dy * -igamma_derivative(a, x)


@igammac.grad("x", r"\bar x = -\bar y \cdot \operatorname{density}(a, x)")
def igammac_grad_x(dy: Any, y: Any, a: Any, x: Any) -> Any:
    return dy * -_gamma_density(a, x)


def _gamma_density(a: Any, x: Any) -> Any:
    return exp((a - 1.0) * log(x) - x - lgamma(a))


@op(formula=r"y = \frac{\partial}{\partial a} \operatorname{igamma}(a, x)", glyph="∂P/∂a",
    raw="IgammaGradA", pattern="not implemented", samples=samples.positive_pairs, kinds=FLOATS,
    broadcasts=True, same_dtype=True)  # fmt: skip
def igamma_derivative(a: Any, x: Any) -> Any:
    """How the lower incomplete gamma function changes with its shape, by its power series."""
    wide, at = np.asarray(a, np.float64)[..., None], np.asarray(x, np.float64)[..., None]
    largest = float(np.max(at, initial=0.0, where=np.isfinite(at)))
    last = np.arange(int(largest + 12 * math.sqrt(largest) + 60)) + wide + 1
    weights = np.exp((last - 1) * np.log(at) - at - by_scipy("gammaln", last))
    terms = weights * (np.log(at) - by_scipy("digamma", last))
    return np.where(at[..., 0] == 0, 0, terms.sum(-1)).astype(x.dtype)[()]


@op(formula=r"y = \operatorname{betainc}(a, b, x)", glyph="I(a, b, x)", raw="Betainc",
    title="Incomplete beta function", samples=shapes_and_shares, kinds=FLOATS,
    broadcasts=True)  # fmt: skip
def betainc(a: Any, b: Any, x: Any) -> Any:
    """The chance that a beta-distributed number with parameters a and b stays below x."""
    require_one_dtype("Betainc", (a, b, x))
    _refuse_half_entirely("Betainc", x)
    for name, each in (("b", b), ("x", x)):
        if a.shape and each.shape and a.shape != each.shape:
            raise invalid_argument("Betainc", f"Shapes of a and {name} are inconsistent: "
                                   f"{brackets(a.shape)} vs. {brackets(each.shape)}")  # fmt: skip
    return by_scipy("betainc", a, b, x)


@betainc.grad("x", r"\bar x = \bar y \cdot \operatorname{density}(a, b, x)")
def betainc_grad_x(dy: Any, y: Any, a: Any, b: Any, x: Any) -> Any:
    """A chance grows with its density."""
    whole = lgamma(a) + lgamma(b) - lgamma(a + b)
    return dy * exp((b - 1.0) * log1p(-x) + xlogy(a - 1.0, x) - whole)


betainc.no_grad("a", "b", because=NO_ORDER.format("betainc"))


def _refuse_half_entirely(raw: str, x: Any) -> None:
    """InvalidArgumentError for 16 bits, which TensorFlow's declaration leaves out."""
    if x.dtype.itemsize == 2:
        raise invalid_argument(
            raw, "Value for attr 'T' of half is not in the list of allowed values: float, double. "
            "Try tf.cast(x, tf.float32)",
        )  # fmt: skip
