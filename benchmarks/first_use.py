"""What the first use takes after installing, in CPU-seconds: nothing is compiled yet.

    nice -n 5 python benchmarks/first_use.py                       # writes results/first_use.csv
    nice -n 5 python benchmarks/first_use.py --only DE-GNN-SPD     # prints, writes nothing

Each line is a new process with an empty numba cache, imports included; ``again`` is the same with the cache that it
left. The limits are 5 for an Explorer, 15 for a ``fit`` (links of C. elegans, one epoch) and 10 for a board over runs
that are kept.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

from _record import circumstances, write

FIT = """
task = de.link_task(de.load("celegans"))
list(de.fit(de.build({name!r}, task), task, epochs=1, device="cpu", progress=False))
"""
BOARD = """
board = de.TrainingBoard("celegans", "links", ["GCN", "DE-GNN-SPD"], seeds=2, epochs=2, results={folder!r})
{then}
"""
MODELS = "GCN SAGE GIN struc2vec PGNN SEAL DE-GNN-SPD DE-GNN-LP DEA-GNN-SPD DEA-GNN-PR BUDDY NCN".split()


def cpu_seconds(script: str, cache: str) -> float:
    """CPU-seconds of a new process."""
    ran = f"import time\nimport degnn_explore as de\n{script}\nprint(time.process_time())"
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run([sys.executable, "-c", ran], env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", help="some of the uses: Explorer, board, or names of models")
    only, rows, about = parser.parse_args().only, [], circumstances()
    with tempfile.TemporaryDirectory() as kept, tempfile.TemporaryDirectory() as warm:
        uses = {"Explorer": "de.Explorer().wait()"} | {name: FIT.format(name=name) for name in MODELS}
        uses["board"] = BOARD.format(folder=kept, then="board.results().frame()\nboard.static()")
        for use, script in uses.items():
            if only and use not in only:
                continue
            if use == "board":
                cpu_seconds(BOARD.format(folder=kept, then="board.start()\nboard.wait()\nboard.end()"), warm)
            with tempfile.TemporaryDirectory() as cache:
                first, again = (round(cpu_seconds(script, cache), 1) for _ in range(2))
            rows.append({"use": use, "first": first, "again": again})
            print(rows[-1], flush=True)
    if not only:
        write("first_use", rows, about)


if __name__ == "__main__":
    main()
