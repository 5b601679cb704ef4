"""The hues differ for every kind of colour blindness.

Dichromats see red, green and blue light mixed by the matrices of Machado, Oliveira and Fernandes,
"A physiologically-based model for simulation of color vision deficiency", IEEE Transactions on
Visualization and Computer Graphics 15 (6), 2009, at full severity, applied to linear light. What
they see is compared in CIE L*a*b* 1976, where about 2.3 is the least difference that anybody
notices (Mahy, Van Eycken and Oosterlinck, Color Research & Application 19 (2), 1994).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.frontend.test_design import blocks

SEEN_BY = {
    "everybody": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
"""From linear sRGB, relative to its white."""
WHITE = np.array([0.95047, 1.0, 1.08883])
HUES = ("--v", "--g", "--w", "--n")
APART, FAR_APART = 10.0, 80.0
"""Any two hues, and the two that carry the picture: values and gradients."""
THEMES = dict(zip(("light", "dark"), blocks(), strict=False))


def lab(colour, eyes):
    """Where a colour stands in L*a*b* for somebody's eyes."""
    shares = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    light = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    ratio = TO_XYZ @ np.clip(SEEN_BY[eyes] @ light, 0, 1) / WHITE
    root = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one, other, eyes):
    return float(np.linalg.norm(lab(one, eyes) - lab(other, eyes)))


def test_white_and_grey_stay_what_they_are_for_all_eyes():
    for eyes in SEEN_BY:
        assert lab("#ffffff", eyes) == pytest.approx([100, 0, 0], abs=0.02)
        assert lab("#808080", eyes)[1:] == pytest.approx([0, 0], abs=0.02)


@pytest.mark.parametrize("eyes", SEEN_BY)
@pytest.mark.parametrize("theme", THEMES)
def test_any_two_hues_differ(theme, eyes):
    tokens = THEMES[theme]
    apart = {
        (one, other): difference(tokens[one], tokens[other], eyes)
        for one, other in combinations(HUES, 2)
    }
    assert min(apart.values()) >= APART, apart
    assert apart["--v", "--g"] >= FAR_APART


@pytest.mark.parametrize("eyes", SEEN_BY)
@pytest.mark.parametrize("theme", THEMES)
def test_no_hue_is_taken_for_ink(theme, eyes):
    tokens = THEMES[theme]
    assert min(difference(tokens[hue], tokens["--ink"], eyes) for hue in HUES) >= 25


def test_red_and_green_of_the_same_lightness_would_be_noticed():
    assert difference("#c04040", "#6a7a20", "everybody") > 50
    assert difference("#a06a30", "#7a7a30", "deuteranopia") < APART
