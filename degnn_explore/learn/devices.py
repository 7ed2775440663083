"""What models are computed on: the device, and torch's threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ..common.errors import ParameterError

MOST_THREADS = 256  # more of them end the process inside OpenMP


def best_device() -> str:
    """What "auto" stands for: cuda, then mps, then cpu."""
    return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"


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


def generator_on(device: str) -> torch.Generator:
    """A generator for draws on a device; the CPU's where torch makes none for it."""
    try:
        return torch.Generator(device=device)
    except RuntimeError:
        return torch.Generator()


_SEEDING = threading.Lock()  # of torch's own random numbers, which the whole process shares


@contextmanager
def seeded(seed: int, device: str | torch.device = "cpu") -> Iterator[None]:
    """Torch's own random numbers start from ``seed`` inside, on the CPU and on ``device``.

    Afterwards every generator of the process is in the state that it was in.

    Examples
    --------
    >>> before = torch.get_rng_state()
    >>> with seeded(1):
    ...     _ = torch.rand(3)
    >>> bool((torch.get_rng_state() == before).all())
    True
    """
    kind = torch.device(device).type
    generators = [torch.default_generator]
    if kind == "cuda":
        torch.cuda.init()
        index = torch.device(device).index
        generators.append(torch.cuda.default_generators[torch.cuda.current_device() if index is None else index])
    elif kind == "mps":
        generators.append(torch.mps._get_default_mps_generator())
    with _SEEDING:
        before = [generator.get_state() for generator in generators]
        try:
            for generator in generators:
                generator.manual_seed(seed % 2**63)
            yield
        finally:
            for generator, state in zip(generators, before, strict=True):
                generator.set_state(state)


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
