"""How much a graph, a file or a setting may take: every budget of the library, and the one guard over them."""

from __future__ import annotations

from .errors import ParameterError
from .files import readable_size

MAX_NODES = 20_000_000  # of one graph: 0.2 GB for the index alone, however few edges a source of a few bytes names
FILE_BUDGET = 1_000_000_000  # bytes that a file may hold once it is unpacked
MEMORY_BUDGET = 2_000_000_000  # bytes that one request (an encoding, a model, a store of ego-networks) may take
MAX_THREADS = 1024  # threads or worker processes that may be asked for


def fits(
    what: str, needed: int, *, budget: int = MEMORY_BUDGET, remedy: str = "", error: type[ValueError] = ParameterError
) -> None:
    """Refuses, before anything is allocated, what would take more than its budget, and says what it would take."""
    if needed > budget:
        sizes = f"would take {readable_size(needed)}, and at most {readable_size(budget)} are allowed"
        raise error(f"{what} {sizes}. {remedy}".rstrip())


def fits_machine(takes: str, needed: int, memory: int, remedy: str) -> None:
    """Refuses what would take more than the machine's ``memory``; ``takes`` says what takes how much."""
    if needed > memory:
        raise ParameterError(f"{takes}, and this machine has {readable_size(memory)}; {remedy}.")
