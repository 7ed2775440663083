"""Colours that also work for colour-blind readers: viridis for an order, Okabe–Ito for classes."""

from __future__ import annotations

from collections.abc import Iterable
from colorsys import hls_to_rgb
from itertools import product
from math import cbrt, dist

ACCENT = "#d55e00"  # rings of targets and branches that differ; no class is filled with it
UNREACHABLE = "#9aa0a6"  # nodes that have no value: unreachable from S, or nothing to encode yet

_VIRIDIS = "#440154 #482475 #414487 #355f8d #2a788e #21918c #22a884 #44bf70 #7ad151 #bddf26 #fde725".split()
# Okabe–Ito without black (invisible on a dark page) and without vermilion (the accent).
_OKABE_ITO = "#0072b2 #e69f00 #009e73 #cc79a7 #56b4e9 #f0e442".split()


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _blend(a: str, b: str, share: float) -> str:
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in zip(_rgb(a), _rgb(b), strict=True))


def sequential(count: int) -> list[str]:
    """``count`` colours of viridis in order, dark first; few stay clear of the pale yellow end.

    >>> sequential(3)
    ['#440154', '#31678d', '#39b777']
    """
    return [_viridis(i / max(count, 3)) for i in range(count)]


def steady(value: float) -> str:
    """A colour of viridis for a number from 0 on that depends on nothing else: 2 is the same in every picture.

    >>> steady(0), steady(2), steady(40)
    ('#440154', '#238c8c', '#fde725')
    """
    return _viridis(1 - 0.72**value)


def _viridis(share: float) -> str:
    place = share * (len(_VIRIDIS) - 1)
    low = min(int(place), len(_VIRIDIS) - 2)
    return _blend(_VIRIDIS[low], _VIRIDIS[low + 1], place - low)


def categorical(count: int) -> list[str]:
    """``count`` colours for classes: Okabe–Ito, then darker and paler rounds of it.

    Colours repeat after 18; a class also carries its mark, so none is told by colour alone.
    """
    rounds = (("#000000", 0.0), ("#000000", 0.45), ("#ffffff", 0.55))
    colours = [_blend(colour, shade, share) for shade, share in rounds for colour in _OKABE_ITO]
    return [colours[i % len(colours)] for i in range(count)]


def text_on(colour: str) -> str:
    """White or near-black, whichever has the higher contrast (WCAG) on ``colour``."""
    luminance = _luminance(colour)
    return "#ffffff" if 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.058 else "#16181d"


def _linear(channel: int) -> float:
    share = channel / 255
    return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(c) for c in _rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def distinct(used: Iterable[str]) -> str:
    """A colour as unlike the used ones as there is, of those that show on a light page and on a dark one.

    >>> distinct(["#0072b2", "#d55e00"])
    '#169816'
    """
    others = [_lab(colour) for colour in used]
    candidates = []
    for hue, light, full in product(range(24), (0.34, 0.44, 0.54), (0.35, 0.55, 0.75)):
        channels = hls_to_rgb(hue / 24, light, full)
        colour = "#" + "".join(f"{round(255 * channel):02x}" for channel in channels)
        if 0.13 <= _luminance(colour) <= 0.3:  # a contrast of three to white, and to near-black
            candidates.append(colour)
    return max(candidates, key=lambda colour: min((dist(_lab(colour), other) for other in others), default=0.0))


def _lab(colour: str) -> tuple[float, float, float]:
    """In CIELAB, where distances are what eyes see."""
    r, g, b = (_linear(channel) for channel in _rgb(colour))
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    x, y, z = (cbrt(v) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
