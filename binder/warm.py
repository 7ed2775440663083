"""Does once what a visitor does first, so that all of it is compiled when the image starts."""

import degnn_explore as de

for preset in ("hexagon", "fig1", "fig2b", "us-flights"):
    explorer = de.Explorer(preset=preset)
    explorer.wait()  # for all verdicts: each method has kernels of its own
    print(explorer.still()[0])
G = de.load("karate")
task = de.link_task(G)
for name in ("GCN", "DE-GNN-SPD", "DEA-GNN-SPD", "DE-GNN-LP", "SEAL"):
    model = de.build(name, task)
    print(name, *de.fit(model, task, epochs=1, device="cpu"))
print(de.predict(model, G, [{0, 33}]), de.exercise("cubic-layer-3")((de.zoo.figure1(), 0, 1)))
