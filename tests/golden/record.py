"""Writes the reference files from today's code: ``python -m tests.golden.record [name...]``, by default all of them.

Record a file anew only where a change of its numbers is meant, and say why in the commit.
"""

from __future__ import annotations

import os
import sys

# as in tests/conftest.py; read before torch is loaded
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from .cases import REFERENCES
from .files import file_of, write


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in REFERENCES]
    if unknown:
        sys.exit(f"There is no reference {', '.join(unknown)}; there are {', '.join(REFERENCES)}.")
    for name in names or REFERENCES:
        write(name, REFERENCES[name].compute())
        print(f"{file_of(name).name}: {file_of(name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
