"""Colors that can be told apart and read, by the formula of WCAG written out again; signed numbers."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from degnn_explore.common.style import ACCENT, categorical, distinct, signed, text_on


def channels(color: str) -> np.ndarray:
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])


def brightness(color: str) -> float:
    shares = channels(color) / 255
    return float(
        np.where(shares <= 0.03928, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    )


def contrast(a: str, b: str) -> float:
    low, high = sorted([brightness(a), brightness(b)])
    return (high + 0.05) / (low + 0.05)


def test_the_ink_with_the_higher_contrast_is_chosen() -> None:
    inks = {"#ffffff", "#16181d"}
    steps = (0, 6, 10, 40, 90, 118, 150, 200, 255)
    for values in product(steps, repeat=3):
        color = "#{:02x}{:02x}{:02x}".format(*values)
        chosen = text_on(color)
        (other,) = inks - {chosen}
        assert contrast(color, chosen) >= contrast(color, other) - 0.2, color
        assert contrast(color, chosen) > 4, color


def test_a_new_color_is_far_from_the_used_ones_and_shows_on_light_and_dark() -> None:
    used = ["#0072b2", "#d55e00"]
    for _ in range(8):
        found = distinct(used)
        assert min(np.linalg.norm(channels(found) - channels(other)) for other in used) > 40
        assert contrast(found, "#ffffff") >= 3 and contrast(found, "#000000") >= 3
        used.append(found)
    assert distinct(used[:2]) == distinct(list(reversed(used[:2])))
    assert len(distinct([])) == 7


def test_colors_of_classes_keep_clear_of_each_other_and_of_the_accent() -> None:
    first, darker, paler = (categorical(18)[k : k + 6] for k in (0, 6, 12))
    assert first == ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#f0e442"]
    for color, dark, pale in zip(first, darker, paler, strict=True):
        assert brightness(dark) < brightness(color) / 2 and brightness(pale) > brightness(color)
        np.testing.assert_allclose(channels(dark), 0.55 * channels(color), atol=1)
        np.testing.assert_allclose(255 - channels(pale), 0.45 * (255 - channels(color)), atol=1)
    for a, b in combinations([*categorical(18), ACCENT], 2):
        assert np.linalg.norm(channels(a) - channels(b)) > 20
    assert categorical(20) == [*categorical(18), *categorical(2)]


def test_a_difference_has_a_sign_unless_it_rounds_to_none() -> None:
    assert [signed(x) for x in (0.25, -0.26, 0.04, -0.04, 0)] == ["+0.2", "−0.3", "0.0", "0.0", "0.0"]
    assert [signed(x, 0) for x in (1e6, -1.6)] == ["+1000000", "−2"]
    assert signed(-3e-7, -1) == "−3e-07"
