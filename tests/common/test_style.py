"""Colors that can be told apart and read, by the formula of WCAG written out again; figures and signed numbers."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from degnn_explore.common.style import ACCENT, CONFIG, INK, categorical, counted, distinct, signed, text_on, themed


def channels(color: str) -> np.ndarray:
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])


def brightness(color: str) -> float:
    shares = channels(color) / 255
    linear = np.where(shares <= 0.03928, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: str, b: str) -> float:
    low, high = sorted([brightness(a), brightness(b)])
    return (high + 0.05) / (low + 0.05)


def distance(color: str, others: list[str]) -> float:
    return min(np.linalg.norm(channels(color) - channels(other)) for other in others)


def test_text_takes_the_ink_with_the_higher_contrast() -> None:
    inks = {"#ffffff", "#16181d"}
    for values in product((0, 6, 10, 40, 90, 118, 150, 200, 255), repeat=3):
        color = "#{:02x}{:02x}{:02x}".format(*values)
        (other,) = inks - {chosen := text_on(color)}
        assert contrast(color, chosen) >= max(4, contrast(color, other) - 0.2), color


def test_a_new_color_is_far_from_the_used_ones_and_shows_on_light_and_dark() -> None:
    used = ["#0072b2", "#d55e00"]
    for least in (220, 160, 115, 90, 90, 85, 85, 80, 70, 70, 65, 60):
        new = distinct(iter(used))
        assert contrast(new, "#ffffff") >= 3 and contrast(new, "#000000") >= 3
        assert distance(new, used) > least, new
        used.append(new)


def test_colors_of_classes_keep_clear_of_each_other_and_of_the_accent() -> None:
    first, darker, paler = (categorical(18)[k : k + 6] for k in (0, 6, 12))
    assert first == ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#f0e442"]
    for color, dark, pale in zip(first, darker, paler, strict=True):
        np.testing.assert_allclose(channels(dark), 0.55 * channels(color), atol=1)
        np.testing.assert_allclose(255 - channels(pale), 0.45 * (255 - channels(color)), atol=1)
    for a, b in combinations([*categorical(18), ACCENT], 2):
        assert distance(a, [b]) > 20
    assert categorical(20) == [*categorical(18), *categorical(2)] and categorical(0) == []


def test_numbers_have_their_noun_and_differences_their_sign() -> None:
    assert [counted(k, "class", "classes") for k in (0, 1, 1_000)] == ["0 classes", "1 class", "1,000 classes"]
    assert [signed(x) for x in (0.25, -0.26, 0.04, -0.04, 0)] == ["+0.2", "−0.3", "0.0", "0.0", "0.0"]
    assert [signed(x, 0) for x in (1e6, -1.6)] == ["+1000000", "−2"]
    assert [signed(x, -1) for x in (-3e-7, 2e-7, 0.0)] == ["−3e-07", "+2e-07", "0e+00"]


def test_a_figure_takes_the_colors_of_its_page_and_in_a_file_is_dark_on_white(monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython.display
    import plotly.graph_objects as go

    shown = list[tuple[object, object]]()
    monkeypatch.setattr(IPython.display, "display", lambda output: shown.append((output.data, None)))
    monkeypatch.setattr(go.Figure, "show", lambda figure, config: shown.append((figure.layout, config)))
    plain = go.Figure(go.Scatter(y=[1, 2]), layout={"paper_bgcolor": "white", "plot_bgcolor": "white"})
    figure = themed(plain)
    assert figure == plain and type(themed(plain)) is type(figure)
    figure._ipython_display_()
    (style, _), (layout, config) = shown
    ink = ", ".join(map(str, channels(INK)))
    assert f"rgb({ink})" in style and "var(--jp-ui-font-color1)" in style
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)" and config == CONFIG
    assert figure.layout.paper_bgcolor == "white"
