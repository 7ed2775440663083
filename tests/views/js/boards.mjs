// What a kernel sends of a Training Board.
import { HEXAGON, range, TRIANGLES, world } from "./worlds.mjs";

export const BLUE = "#0072b2", RED = "#b03a5b";
export const MODELS = [
  { name: "GCN", about: "a plain GNN", group: "baseline", fits: true, color: RED },
  { name: "PGNN", about: "anchors", group: "baseline", fits: false, color: RED },
  { name: "DE-GNN-SPD", about: "distances", group: "de", fits: true, color: BLUE },
  { name: "Adamic-Adar", about: "a formula", group: "heuristic", fits: true, color: RED },
];
export const ROWS = [
  { model: "DE-GNN-SPD", mean: 90.44, half: 1.5, seeds: [89.6, 90.4, 91.2], paper: 89.4, color: BLUE },
  { model: "GCN", mean: 76.1, half: null, seeds: [75.1, 77.1], paper: null, color: RED },
];
export const READY = { running: false, meaning: "race", label: "Race", about: "Train them", progress: [], where: "" };
export const RESULT = {
  result: { rows: ROWS, metric: "AUC" },
  go: { ...READY, meaning: "done", label: "Done" },
  headline: { title: "DE wins", sure: "Two seeds.", judged: ["By AUC.", "On 60 sets."], earlier: 1 },
};
export const progress = [
  { model: "GCN", color: RED, percent: 40, note: "seed 1", error: "", details: "" },
  { model: "DE-GNN-SPD", color: BLUE, percent: 0, note: "", error: "out of memory", details: "Traceback" },
];
export const WHY = {
  models: ["GCN", "DE-GNN-SPD"], model: "GCN", title: "GCN says 12 %", columns: ["edge", "moves"], rows: [{ cells: ["0, 1", "+3"] }],
  note: "Others change nothing.", marks: [[0, 1, 1]],
};

export function boardTraits(more = {}) {
  const graph = { n: 12, edges: [...TRIANGLES, ...HEXAGON.map(([u, v]) => [u + 6, v + 6])], names: range(12).map(String), title: "karate" };
  const inner = world([graph], [[0, 9]], { layers: 3, values: { size: 2 } });
  inner.options.inside = true;
  return {
    ...Object.fromEntries(Object.entries(inner).map(([name, value]) => [`inner_${name}`, value])),
    values: { question: "links|karate", models: ["GCN", "DE-GNN-SPD"], seeds: 2, epochs: 30, device: "cpu", workers: 2, layers: 2 },
    view: {}, error: {}, answer: {}, tab: {}, chart: {}, result: { metric: "AUC" },
    form: {
      questions: [["links|karate", "links of karate"], ["roles|karate", "roles of karate"], ["triangles|karate", "triangles of karate"]],
      models: MODELS, devices: [["cpu", "CPU"], ["auto", "best"]], workers: [1, 2], settings: [["layers", "Layers", [[1, "1"], [2, "2"]]]],
    },
    headline: { title: "Which is better?", sure: "", judged: [], earlier: 0 },
    go: READY,
    ...more,
  };
}
