"""Numbers for people: a difference is written the same way in tables, sentences and pictures."""

from __future__ import annotations

MINUS = "−"  # as wide as +; a hyphen is neither seen nor read out as a sign


def signed(value: float, digits: int = 1) -> str:
    """A difference with its sign.

    Examples
    --------
    >>> signed(0.4321, 2), signed(-0.38), signed(-0.01), signed(2e-7, -1)
    ('+0.43', '−0.4', '0.0', '+2e-07')
    """
    text = f"{value:+.0e}" if digits < 0 else f"{value:+.{digits}f}"
    return text[1:] if not float(text) else text.replace("-", MINUS, 1) if value < 0 else text
