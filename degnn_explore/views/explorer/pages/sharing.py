"""An Explorer as a short code to send to a colleague, and as Python to paste.

A code comes from a stranger. No pickle: JSON, whose size is bounded while it is unpacked and whose every count, number
and text is checked before anything is built from it.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

from ....common.errors import GraphError, ParameterError, shown
from ....expressive.methods import METHODS, method_of
from ....graphs.graph import Graph
from ..colour_menu import offered
from ..colouring import own_name
from ..presets import PRESETS, build
from ..state import SETTINGS, ExplorerState, Side

_PREFIX = "de1."
_MAX_CODE = 400_000
_MAX_JSON = 4_000_000
_MAX_LISTS = 100_000  # brackets in all: a list takes 60 bytes of memory, of the code less than one
_MAX_INLINE = 20_000  # nodes, and edges, of a graph of one's own that still go into the code itself
_MAX_NODES = 200_000  # of a graph in a code that is read: older ones bounded the edges alone
_MAX_NUMBERS = 1_000_000  # distances from targets to nodes
_MAX_TEXT = 1_000


def encode(state: ExplorerState) -> str:
    """The state as a code of letters, digits, ``-``, ``_`` and one dot."""
    graphs = list({id(side.graph): side for side in state.sides}.values())
    order = [side.graph for side in graphs]
    record = {
        "graphs": [side.source or _inline(side.graph) for side in graphs],
        "sides": [[order.index(side.graph), list(side.targets)] for side in state.sides],
        "idea": state.preset_key,
        **{name: getattr(state, name) for name in SETTINGS},
    }
    code = _packed(record)
    if len(code) > _MAX_CODE:
        code = _packed({**record, "graphs": [side.source or _reference(side.graph) for side in graphs]})
    return code


def _packed(record: dict[str, Any]) -> str:
    plain = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()
    return _PREFIX + base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")


def _reference(graph: Graph) -> dict[str, Any]:
    return {"n": graph.num_nodes, "m": graph.num_edges}  # too large to send along: restore asks for it


def _inline(graph: Graph) -> dict[str, Any]:
    longest = max(map(len, (graph.title, *graph.names)))
    if max(graph.num_edges, graph.num_nodes) > _MAX_INLINE or longest > _MAX_TEXT or sum(map(len, graph.names)) > 1e6:
        return _reference(graph)
    return {
        "n": graph.num_nodes,
        "edges": graph.edges.ravel().tolist(),
        "title": graph.title,
        "names": list(graph.names) if _is_named(graph) else None,
        "positions": None if graph.positions is None else graph.positions.round(4).tolist(),
    }


def _is_named(graph: Graph) -> bool:
    return any(name != str(i) for i, name in enumerate(graph.names))


def decode(code: str, graph: Graph | None = None) -> ExplorerState:
    """The state that a code stands for; ``graph`` where the code names a graph too large to hold."""
    record = _record(code)
    sources: Any = record.get("graphs")
    sides: Any = record.get("sides")
    idea = record.get("idea", "")
    _expect(isinstance(sources, list) and 1 <= len(sources) <= 2, "one or two graphs")
    _expect(isinstance(sides, list) and 1 <= len(sides) <= 2, "one or two sides")
    for side in sides:
        _expect(isinstance(side, list) and len(side) == 2, "sides of a graph and its targets")
        _expect(_is_whole(side[0], len(sources)), "the number of each side's graph")
        _expect(isinstance(side[1], list), "a list of targets")
    settings = {name: record[name] for name in SETTINGS if name in record}
    for name, value in settings.items():
        _expect(_is_text(value) or isinstance(value, bool) or _is_whole(value, 10_000), f"a setting as {name}")
    _expect(_is_text(idea), "a text as idea")
    graphs = [_graph(item, graph) for item in sources]
    for number, targets in sides:
        n = graphs[number].num_nodes
        _expect(len(targets) <= max(_MAX_NUMBERS // n, 1) or graphs[number] is graph, "fewer targets")
        _expect(all(_is_whole(t, n) for t in targets), f"targets among {n:,} nodes")
    state = ExplorerState(*(_side(graphs[number], targets, sources[number]) for number, targets in sides))
    by = settings.get("colour_by", "SPD")
    if by not in offered():
        own = str(by).removeprefix("DE-")
        raise ParameterError(
            f"This view is coloured by {shown(by)}, which is not known here. If it is an encoding of your own, run the "
            f"cell with de.encoding({shown(own)}, ...) first."
        )
    state.update(**settings)
    for preset in PRESETS:
        if preset.key == idea:
            state.preset_key, state.idea = preset.key, preset.idea
    return state


def _side(graph: Graph, targets: list[int], source: Any) -> Side:
    nodes = graph.target_set(np.array(targets)).tolist() if targets else []
    return Side(graph, tuple(nodes), source if isinstance(source, str) else "")


def _expect(fits: bool, what: str) -> None:
    if not fits:
        raise _damaged(f"{what} expected")


def _damaged(why: str) -> ParameterError:
    return ParameterError(f"This code is incomplete or damaged ({why}); copy it again, from 'de1.' to its end.")


def _is_whole(value: Any, below: int) -> bool:
    return type(value) is int and 0 <= value < below


def _is_text(value: Any) -> bool:
    """Whether this is a text of bearable length without halves of characters, which no page could show."""
    return isinstance(value, str) and len(value) <= _MAX_TEXT and not any("\ud800" <= c <= "\udfff" for c in value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e9


def _record(code: Any) -> dict[str, Any]:
    if not isinstance(code, str) or not code.strip().startswith(_PREFIX):
        raise ParameterError(
            f"A restore code starts with {_PREFIX!r}; this one is {str(code)[:20]!r}. Copy it from Export."
        )
    code = code.strip()
    if len(code) > _MAX_CODE:
        raise ParameterError(f"This code has {len(code):,} characters; no Explorer writes more than {_MAX_CODE:,}.")
    try:
        body = code[len(_PREFIX) :]
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(packed, _MAX_JSON)
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise ValueError("too long or cut short")
        if plain.count(b"[") + plain.count(b"{") > _MAX_LISTS:
            raise ValueError("too many lists")
        record = json.loads(plain)
    except (ValueError, zlib.error, RecursionError) as error:
        raise _damaged(str(error)[:80]) from None
    _expect(isinstance(record, dict), "a record")
    return dict(record)


def _graph(item: Any, given: Graph | None) -> Graph:
    if _is_text(item):
        return build(item)
    _expect(isinstance(item, dict), "a graph")
    n = item.get("n")
    if "edges" not in item:
        m = item.get("m")
        _expect(_is_whole(n, 10**12) and _is_whole(m, 10**12), "the size of a graph")
        if given is None or (given.num_nodes, given.num_edges) != (n, m):
            what = "none was given" if given is None else f"{given!r} was given"
            raise GraphError(
                f"This code belongs to a graph of {n:,} nodes and {m:,} edges, too large to send; "
                f"{what}. Use de.Explorer.restore(code, graph=G)."
            )
        return given
    _expect(_is_whole(n, _MAX_NODES + 1) and n > 0, f"a graph of 1 to {_MAX_NODES:,} nodes")
    edges: Any = item["edges"]
    names, positions, title = (item.get(key) for key in ("names", "positions", "title"))
    _expect(isinstance(edges, list) and len(edges) <= 2 * _MAX_INLINE and not len(edges) % 2, "pairs of nodes as edges")
    _expect(all(_is_whole(v, n) for v in edges), f"edges among {n:,} nodes")
    _expect(names is None or (isinstance(names, list) and all(map(_is_text, names))), "texts as names")
    _expect(positions is None or isinstance(positions, list), "positions")
    for place in positions or []:
        _expect(isinstance(place, list) and len(place) == 2 and all(map(_is_number, place)), "positions of two numbers")
    _expect(_is_text(title), "a text as title")
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(pairs, n, names=names, positions=positions, title=title)


def as_python(state: ExplorerState) -> str:
    """Python that asks the same question and, in its last line, shows the same Explorer."""
    letters = [state.letter(k) for k in range(len(state.sides))]
    lines = ["import degnn_explore as de", ""]
    for k, (letter, side) in enumerate(zip(letters, state.sides, strict=True)):
        if side.source:
            graph = f"de.{side.source}"
        elif k and side.graph is state.sides[0].graph:
            graph = "G"
        else:
            graph, n, m = "GH"[k], side.graph.num_nodes, side.graph.num_edges
            if m <= 60:
                names = f", names={list(side.graph.names)!r}" if _is_named(side.graph) else ""
                pairs = [tuple(edge) for edge in side.graph.edges.tolist()]
                lines.append(f"{graph} = de.Graph.from_edges({pairs!r}, num_nodes={n}{names})")
            else:
                lines.append(f"{graph} = ...  # your graph: {n:,} nodes, {m:,} edges")
        # by name where there are names: numbers of one's own and positions are not the same
        targets = [side.graph.names[t] for t in side.targets] if _is_named(side.graph) else list(side.targets)
        lines.append(f"{letter} = ({graph}, {targets!r})")
    if own := own_name(state.colour_by):
        lines.insert(1, f"# run the cell with your de.encoding({own!r}, ...) first")
    usual = {"step": 2, "hops": 2, "cut": False, "size": 0, "root": 0, "column": 0}
    chosen = {name: getattr(state, name) for name in SETTINGS}
    options = "".join(f", {name}={value!r}" for name, value in chosen.items() if value != usual.get(name))
    if len(state.sides) == 2 and state.sides[0].targets and len(state.sides[0].targets) == len(state.sides[1].targets):
        method = f"DE-{own}" if own else state.colour_by if state.colour_by in METHODS else "DE-SPD"
        more = f", hops={state.hops}" if method_of(method).many_hops else ""
        more += ", cut=True" if state.cut else ""
        lines.append(f'print(de.distinguish(A, B, method="{method}"{more}))')
    return "\n".join([*lines, f"de.Explorer({', '.join(letters)}{options})"])
