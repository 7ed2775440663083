"""An Explorer as Python to paste."""

from __future__ import annotations

from ...encodings.custom import REGISTRY
from ...expressive.methods import AFTERWARDS, METHODS
from ...graphs.graph import Graph
from .state import SETTINGS, ExplorerState, Side


def as_python(state: ExplorerState) -> str:
    """Python that asks the same question and, in its last line, shows the same Explorer."""
    letters = [state.letter(k) for k in range(len(state.sides))]
    lines = ["import degnn_explore as de", ""]
    first = state.sides[0].graph
    shared = all(side.graph is first for side in state.sides[1:]) and len(state.sides) > 1
    for k, (letter, side) in enumerate(zip(letters, state.sides, strict=True)):
        graph = "G" if shared else "GH"[k]
        if side.source and not shared:
            graph = f"de.{side.source}"
        elif not (shared and k):
            lines.append(f"{graph} = {_graph_code(side)}")
        # by name where there are names: numbers of one's own and positions are not the same
        targets = [side.graph.names[t] for t in side.targets] if _is_named(side.graph) else list(side.targets)
        lines.append(f"{letter} = ({graph}, {targets!r})")
    if state.color_by in REGISTRY:
        lines.insert(1, f"# run the cell with your de.encoding({state.color_by!r}, ...) first")
    usual = {"step": 2, "hops": 1, "cut": False, "size": 0, "root": 0, "column": 0}
    chosen = {name: getattr(state, name) for name in SETTINGS}
    if chosen["layout"] == "geography" and "from_edges" in "".join(lines):
        del chosen["layout"]  # the columns with the places are not among what is written
    options = "".join(f", {name}={value!r}" for name, value in chosen.items() if value != usual.get(name))
    if len(state.sides) == 2 and state.sides[0].targets and len(state.sides[0].targets) == len(state.sides[1].targets):
        method = state.method
        name = method.name if method.name in METHODS | AFTERWARDS or state.color_by in REGISTRY else "DE-SPD"
        more = f", hops={state.hops}" if method.many_hops and name == method.name else ""
        more += ", cut=True" if state.cut else ""
        lines.append(f'print(de.distinguish(A, B, method="{name}"{more}))')
    return "\n".join([*lines, f"de.Explorer({', '.join(letters)}{options})"])


def _graph_code(side: Side) -> str:
    """Python that makes the graph, with a gap to fill in if it is large and was handed in."""
    if side.source:
        return f"de.{side.source}"
    graph = side.graph
    if graph.num_edges > 60:
        return f"...  # your graph: {graph.num_nodes:,} nodes, {graph.num_edges:,} edges"
    pairs = [tuple(edge) for edge in graph.edges.tolist()]
    names = f", names={list(graph.names)!r}" if _is_named(graph) else ""
    drawn = "" if graph.positions is None else f", positions={graph.positions.tolist()!r}"
    return f"de.Graph.from_edges({pairs!r}, num_nodes={graph.num_nodes}{names}{drawn})"


def _is_named(graph: Graph) -> bool:
    return any(name != str(i) for i, name in enumerate(graph.names))
