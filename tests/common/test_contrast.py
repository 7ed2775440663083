"""Text on a color is white or near-black, whichever can be read better, by the formula of WCAG written out again."""

from __future__ import annotations

from itertools import product

from degnn_explore.common.style import distinct, text_on


def brightness(color: str) -> float:
    total = 0.0
    for weight, at in ((0.2126, 1), (0.7152, 3), (0.0722, 5)):
        share = int(color[at : at + 2], 16) / 255
        total += weight * (share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4)
    return total


def contrast(a: str, b: str) -> float:
    low, high = sorted([brightness(a), brightness(b)])
    return (high + 0.05) / (low + 0.05)


def test_the_ink_with_the_higher_contrast_is_chosen() -> None:
    inks = {"#ffffff", "#16181d"}
    steps = (0, 6, 10, 40, 90, 118, 150, 200, 255)
    for channels in product(steps, repeat=3):
        color = "#{:02x}{:02x}{:02x}".format(*channels)
        chosen = text_on(color)
        (other,) = inks - {chosen}
        assert contrast(color, chosen) >= contrast(color, other) - 0.2, color
        assert contrast(color, chosen) > 4, color


def test_a_new_color_is_none_of_the_used_ones_and_shows_on_light_and_dark() -> None:
    assert len(distinct([])) == 7
    used = ["#0072b2", "#d55e00"]
    for _ in range(8):
        found = distinct(used)
        assert found not in used
        assert contrast(found, "#ffffff") > 1.8 and contrast(found, "#000000") > 1.8
        used.append(found)
    assert distinct(used[:2]) == distinct(list(reversed(used[:2])))
