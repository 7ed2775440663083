"""Does once what a visitor does first, so that all of it is compiled when the image starts."""

import degnn_explore as de
from degnn_explore.common import compiled

compiled.SMALL = -1  # compile what small graphs would do without
for preset in ("hexagon", "fig1", "fig2b", "us-flights"):
    explorer = de.Explorer(preset=preset)
    explorer.wait()  # for all verdicts: each method has kernels of its own
    print(explorer.static()[0])
G = de.load("karate")
print(de.SPD(3).encode(G, {0, 33}).shape, de.LandingProbability(3).encode(G, {0, 33}).shape)
task = de.link_task(G)
for name in ("GCN", "DE-GNN-SPD", "DEA-GNN-SPD", "DE-GNN-LP", "SEAL"):
    model = de.build(name, task)
    print(name, *de.fit(model, task, epochs=1, device="cpu"))
print(de.predict(model, G, [{0, 33}]), de.exercise("cubic-layer-3")((de.zoo.figure1(), 0, 1)))
