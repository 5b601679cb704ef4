"""Random numbers as functions of their parameters, with a gradient where TensorFlow has one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapelab.core.op import op
from tapelab.kernels import draws, rejection
from tapelab.ops import samples
from tapelab.ops.broadcasting import sum_to
from tapelab.ops.error_function import by_scipy, from_scipy
from tapelab.ops.gamma import igamma_derivative
from tapelab.ops.rules import FLOATS, REALS


def drawn(rng: np.random.Generator) -> list[samples.Sample]:
    """Shapes of gamma distributions with the share of each that lies below the number drawn."""
    return [((rng.uniform(0.5, 3.0, size=shape),), {"share": rng.uniform(0.2, 0.8, size=whole)})
            for shape, whole in (((), (3,)), ((2,), (3, 2)))]  # fmt: skip


@op(formula=r"y = \operatorname{igamma}^{-1}(a, \operatorname{share})", glyph="gamma",
    title="Gamma-distributed numbers", raw="RandomGamma", samples=drawn, kinds=FLOATS)  # fmt: skip
def gamma_sample(a: Any, *, share: Any) -> Any:
    """The numbers below which these shares of the gamma distribution with shape a lie."""
    return from_scipy("gammaincinv")(a.astype(np.float64), share).astype(a.dtype)[()]


@gamma_sample.grad("a", r"\bar a = \bar y \cdot \frac{\partial y}{\partial a}")
def gamma_sample_grad_a(dy: Any, y: Any, a: Any, *, share: Any) -> Any:
    """A larger shape moves each number up, so that as much of the curve stays below it."""
    return sum_to(dy * gamma_sample_derivative(a, y), shape=tuple(a.shape))


@op(formula=r"z = \frac{\partial y}{\partial a}", output="z", glyph="∂y/∂a", raw="RandomGammaGrad",
    pattern="not implemented", samples=samples.positive_pairs, kinds=FLOATS,
    broadcasts=True)  # fmt: skip
def gamma_sample_derivative(a: Any, y: Any) -> Any:
    """How a number drawn from a gamma distribution moves with the shape of the distribution."""
    density = np.exp((a - 1) * np.log(y) - y - by_scipy("gammaln", a))
    return (-igamma_derivative(a, y) / density).astype(y.dtype)


def counted(rng: np.random.Generator) -> list[samples.Sample]:
    """Rates, or chances, with the counts that were drawn."""
    return [
        (
            (rng.uniform(0.2, 0.8, size=(2,)),),
            {"drawn": rng.poisson(3.0, size=(2,)).astype(np.float32)},
        )
    ]


@op(formula=r"y = \operatorname{poisson}(r)", glyph="poisson", raw="RandomPoissonV2",
    pattern="not implemented", samples=counted)  # fmt: skip
def random_poisson(r: Any, *, drawn: Any) -> Any:
    """Counts of events that happen r times on average; as integers they have no derivative."""
    return drawn


@op(formula=r"y = \operatorname{binomial}(p)", glyph="binomial", raw="StatefulRandomBinomial",
    pattern="not implemented", samples=counted)  # fmt: skip
def random_binomial(p: Any, *, drawn: Any) -> Any:
    """Counts of successes with the chance p; as integers they have no derivative."""
    return drawn


CHANCE: Final = (
    "What is drawn jumps from one number to another; a small step of what it was drawn with "
    "changes only how likely it is."
)


def scored(rng: np.random.Generator) -> list[samples.Sample]:
    """Scores of classes, one row each, and a place in a row of random numbers."""
    settings = {"place": (0, 7), "count": 4, "dtype": np.dtype(np.int64)}
    return [((rng.normal(size=(2, 3)),), settings)]


@op(formula=r"y = \operatorname{draw}(x)", glyph="draw", title="Class numbers by chance",
    raw="Multinomial", pattern="sampler", samples=scored, kinds=REALS, reference=lambda x,
    place, count, dtype: draws.classes(place, x, count))  # fmt: skip
def random_categorical(x: Any, *, place: draws.Place, count: int, dtype: Any) -> Any:
    """Numbers of classes, row by row, the more often the higher their score."""
    return draws.classes(place, x, count).astype(dtype)


random_categorical.no_grad("x", because=CHANCE)


def placed(rng: np.random.Generator) -> list[samples.Sample]:
    """Rates, or chances, and a place in a row of random numbers."""
    settings = {"place": (0, 7), "size": (4, 2), "dtype": np.dtype(np.int32)}
    return [((rng.uniform(0.2, 0.8, size=(2,)),), settings)]


@op(formula=r"y = \operatorname{poisson}(r)", glyph="poisson", raw="StatelessRandomPoisson",
    pattern="sampler", samples=placed, kinds=REALS, reference=lambda r,
    place, size, dtype: rejection.poisson(place, r, size))  # fmt: skip
def stateless_poisson(r: Any, *, place: draws.Place, size: tuple[int, ...], dtype: Any) -> Any:
    """Counts of events that happen r times on average, as a seed decides."""
    return rejection.poisson(place, np.asarray(r), size).astype(dtype)


stateless_poisson.no_grad("r", because=CHANCE)


def tried(rng: np.random.Generator) -> list[samples.Sample]:
    """Chances, with how often each is tried."""
    ((inputs, settings),) = placed(rng)
    return [(inputs, {**settings, "tries": np.array(5.0)})]


@op(formula=r"y = \operatorname{binomial}(p)", glyph="binomial", raw="StatelessRandomBinomial",
    pattern="sampler", samples=tried, kinds=REALS, reference=lambda p,
    place, tries, size, dtype: rejection.binomial(place, np.asarray(tries), p, size))  # fmt: skip
def stateless_binomial(
    p: Any, *, place: draws.Place, tries: Any, size: tuple[int, ...], dtype: Any
) -> Any:
    """Counts of successes with the chance p, as a seed decides."""
    return rejection.binomial(place, np.asarray(tries), np.asarray(p), size).astype(dtype)


stateless_binomial.no_grad("p", because=CHANCE)


arranged = samples.normals(((3, 2), {"order": (2, 0, 1)}))
"""Arrays with an order of their rows."""


@op(formula=r"y = \operatorname{shuffle}(x)", glyph="shuffle", raw="RandomShuffle",
    pattern="sampler", samples=arranged, reference=lambda x,
    order: np.stack([x[i] for i in order]))  # fmt: skip
def random_shuffle(x: Any, *, order: tuple[int, ...]) -> Any:
    """The rows in a random order."""
    return x[list(order)]


random_shuffle.no_grad(
    "x", because="TensorFlow declares no gradient through a random order; try tf.gather."
)


@op(formula=r"y = \operatorname{shuffle}(x)", glyph="shuffle", raw="StatelessShuffle",
    pattern="not implemented", samples=arranged)  # fmt: skip
def stateless_shuffle(x: Any, *, order: tuple[int, ...]) -> Any:
    """The rows in an order that follows from a seed; TensorFlow declares no gradient."""
    return x[list(order)]
