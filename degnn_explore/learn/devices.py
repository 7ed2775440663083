"""What models are computed on: the device, and torch's threads."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import torch

from ..common.errors import ParameterError
from ..engine.placing import Placement, free_memory

_PROCESS = 500_000_000  # bytes that each process takes of a GPU beside its tensors
MOST_THREADS = 256  # more of them end the process inside OpenMP


def best_device() -> str:
    """What "auto" stands for: cuda, then mps if its torch has all that is needed, then cpu."""
    return "cuda" if torch.cuda.is_available() else "mps" if _mps_will_do() else "cpu"


@cache
def _mps_will_do() -> bool:
    if not torch.backends.mps.is_available():
        return False
    try:  # torch has it there from 2.10 on
        one = torch.zeros(1, dtype=torch.int32, device="mps")
        torch.nn.functional.embedding_bag(one, torch.ones(1, 1, device="mps"), one, mode="sum")
    except (NotImplementedError, RuntimeError):
        return False
    return True


# Layers of several widths there and back: which compiled loop is taken depends on it.
_IN_BF16 = """
import torch
for rows, wide in ((64, 7), (2048, 100), (2048, 32)):
    with torch.autocast("cpu", torch.bfloat16):
        layers = torch.nn.Sequential(torch.nn.Linear(wide, 100), torch.nn.Linear(100, 1))
        out = layers(torch.ones(rows, wide))
    out.float().sum().backward()
"""


@cache
def cpu_has_bf16() -> bool:
    """Whether this processor computes layers in bf16, tried in a process of its own.

    Some virtual machines announce AMX and do not allow it: torch then ends the process, or raises an error.
    """
    tried = subprocess.run([sys.executable, "-c", _IN_BF16], capture_output=True, check=False)
    return tried.returncode == 0


def devices() -> list[tuple[str, str]]:
    """What can be trained on here: (text, name).

    >>> devices()[0][1]
    'auto'
    """
    menu = [(f"auto: {best_device()}", "auto"), (f"cpu ({os.cpu_count()} cores)", "cpu")]
    menu += [(f"cuda:{i} ({torch.cuda.get_device_name(i)})", f"cuda:{i}") for i in range(torch.cuda.device_count())]
    return [*menu, ("mps (Apple)", "mps")] if torch.backends.mps.is_available() else menu


def choose_device(device: str) -> str:
    """ "auto" as the best device of this machine; any other name if torch has it here."""
    if device == "auto":
        return best_device()
    try:
        if torch.empty(1, device=torch.device(device)).is_meta:
            raise RuntimeError("meta tensors hold no numbers")
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        raise ParameterError(
            f"device={device!r} cannot be used here ({str(error).splitlines()[0]}); use 'auto' or 'cpu'."
        ) from None
    return device


def runs_beside(placement: Placement) -> int | None:
    """How many more runs like this one its device has room for now; None: memory is no matter, as on the CPU."""
    if placement.where in ("memory", "streamed") or placement.used is None:
        return None
    return int(free_memory(torch.device(placement.device)) // max(placement.used + _PROCESS, 1))


def give_back() -> None:
    """Memory of a GPU that this process holds without need is free for others."""
    gc.collect()
    torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()


def generator_on(device: str) -> torch.Generator:
    """A generator for draws on a device; the CPU's where torch makes none for it."""
    try:
        return torch.Generator(device=device)
    except RuntimeError:
        return torch.Generator()


class _Threads:
    """Torch has one number of threads for the process; the last fit that ends puts it back."""

    def __init__(self) -> None:
        self._lock, self._users, self._before = threading.Lock(), 0, 1

    @contextmanager
    def __call__(self, number: int) -> Iterator[None]:
        with self._lock:
            if not self._users:
                self._before = torch.get_num_threads()
            self._users += 1
            torch.set_num_threads(number)
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    torch.set_num_threads(self._before)


torch_threads = _Threads()
