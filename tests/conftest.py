"""Settings shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis

# `make test` sets it too; this serves a plain `pytest`.
AIRPORTS = Path(__file__).parents[2] / "shared" / "data" / "airports"
if AIRPORTS.is_dir():
    os.environ.setdefault("DEGNN_DATA", str(AIRPORTS))

# A first call compiles kernels, so the time of one example says nothing; in CI the examples are the same every time.
hypothesis.settings.register_profile("degnn", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("degnn")
