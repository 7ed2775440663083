"""Why some figures of quality.csv are what they are: what the data leave to be seen.

    python benchmarks/why.py        # writes results/why.csv

- us-flights: a decision tree that knows nothing but the degree of an airport, on the splits of quality.py.
- ns: held-out links and triangles take their edges with them, so many test positives have no path left between
  their nodes; the AUC of DE-GNN-SPD by how many pieces the positive falls into, against all negatives.
"""

from __future__ import annotations

import numpy as np
from _record import write
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import degnn_explore as de

SEEDS = range(5, 10)


def main() -> None:
    rows = [*degree_alone(), *pieces("links", de.link_task, 2), *pieces("triangles", de.triangle_task, 3)]
    for row in rows:
        print(*row, sep=", ")
    write("why", [dict(zip(("dataset", "task", "what", "sets", "percent"), row, strict=True)) for row in rows])


def degree_alone() -> list[list[object]]:
    G = de.load("us-flights")
    degree = np.log1p(G.degrees)[:, None]
    shares = []
    for seed in range(5, 25):
        task = de.role_task(G, seed=seed)
        tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)
        tree.fit(degree[task.train.sets[:, 0]], task.train.labels)
        shares.append(tree.score(degree[task.test.sets[:, 0]], task.test.labels))
    what = f"accuracy of degree alone, mean of {len(shares)} seeds"
    return [["us-flights", "roles", what, len(task.test) * len(shares), round(100 * float(np.mean(shares)), 2)]]


def pieces(kind: str, make, p: int) -> list[list[object]]:
    """Test positives of all seeds together, by the number of components that their nodes lie in."""
    G = de.load("ns")
    counts, aucs = np.zeros(p + 1, int), [[] for _ in range(p + 1)]
    for seed in SEEDS:
        task = make(G, seed=seed)
        model = de.build("DE-GNN-SPD", task, seed=seed)
        for _ in de.fit(model, task, epochs=100, seed=seed):
            pass
        scores = de.predict(model, task.graph, task.test.sets)
        _, part = connected_components(task.graph.to_scipy(), directed=False)
        fallen = np.array([len(set(part[S])) for S in task.test.sets])
        for k in range(1, p + 1):
            positive = (task.test.labels == 1) & (fallen == k)
            counts[k] += positive.sum()
            kept = positive | (task.test.labels == 0)
            aucs[k].append(roc_auc_score(positive[kept], scores[kept]))
    return [
        [
            "ns",
            kind,
            f"AUC of DE-GNN-SPD, positives in {k} piece{'s' * (k > 1)}, mean of {len(SEEDS)} seeds",
            int(counts[k]),
            round(100 * float(np.mean(aucs[k])), 2),
        ]
        for k in range(1, p + 1)
    ]


if __name__ == "__main__":
    main()
