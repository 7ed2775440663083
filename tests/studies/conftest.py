"""Fixtures of runs that need no worker process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from degnn_explore.studies import scheduler
from tests.studies import in_process as helpers


@pytest.fixture
def in_process() -> Iterator[None]:
    with helpers.in_process():
        yield


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> helpers.Scripting:
    """Let schedulers call a script in place of training; their executors are in the list that it returns."""

    def use(script: Any, **more: Any) -> list[helpers.Scripted]:
        made: list[helpers.Scripted] = []
        kind = type("Kind", (helpers.Scripted,), {"script": staticmethod(script), **more})
        monkeypatch.setattr(scheduler, "executor_for", lambda workers: (made.append(kind(workers)), made[-1])[1])
        return made

    return use
