"""An Explorer as a short code to send to a colleague, and as Python to paste. No pickle: JSON, checked when read."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from typing import Any

import numpy as np

from ...common.errors import GraphError, ParameterError
from ...expressive.methods import METHODS
from ...graphs.graph import Graph
from .presets import build
from .state import ExplorerState, Side

__all__ = ["as_python", "decode", "encode"]

_PREFIX = "de1."
_MAX_CODE = 400_000
_MAX_JSON = 8_000_000
_MAX_INLINE = 20_000  # edges of a graph of one's own that still go into the code itself
_SETTINGS = ("colour_by", "layer", "step", "hops", "cut", "layout", "size", "root")


def encode(state: ExplorerState) -> str:
    """The state as a code of letters, digits, ``-``, ``_`` and one dot.

    Examples
    --------
    >>> code = encode(ExplorerState.of_preset("fig1"))
    >>> code[:4], decode(code).caption(1)
    ('de1.', 'B = {v3}, p = 1')
    """
    graphs: list[Any] = []
    seen: dict[int, int] = {}
    for side in state.sides:
        if id(side.graph) not in seen:
            seen[id(side.graph)] = len(graphs)
            graphs.append(side.source or _inline(side.graph))
    record = {
        "graphs": graphs,
        "sides": [[seen[id(side.graph)], list(side.targets)] for side in state.sides],
        "idea": state.preset_key,
        **{name: getattr(state, name) for name in _SETTINGS},
    }
    packed = zlib.compress(json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode(), 9)
    return _PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _inline(graph: Graph) -> Any:
    if graph.num_edges > _MAX_INLINE:
        return {"n": graph.num_nodes, "m": graph.num_edges}  # too large to send along: restore asks for it
    named = any(name != str(i) for i, name in enumerate(graph.names))
    return {
        "n": graph.num_nodes,
        "edges": graph.edges.ravel().tolist(),
        "title": graph.title,
        "names": list(graph.names) if named else None,
        "positions": None if graph.positions is None else graph.positions.round(4).tolist(),
    }


def decode(code: str, graph: Graph | None = None) -> ExplorerState:
    """The state that a code stands for; ``graph`` where the code names a graph too large to hold.

    Raises
    ------
    ParameterError
        If this is not such a code.
    """
    record = _record(code)
    try:
        graphs = [_graph(item, graph) for item in record["graphs"]]
        sides = [
            Side(
                graphs[k],
                tuple(int(v) for v in graphs[k].target_set(np.asarray(S))) if S else (),
                record["graphs"][k] if isinstance(record["graphs"][k], str) else "",
            )
            for k, S in record["sides"]
        ]
        if not 1 <= len(sides) <= 2:
            raise ParameterError(f"This code has {len(sides)} sides; an Explorer shows one or two.")
        state = ExplorerState(*sides)
        state.update(**{name: record[name] for name in _SETTINGS if name in record})
    except (KeyError, IndexError, TypeError) as error:
        raise ParameterError(
            f"This code is incomplete or damaged ({error!r}); copy it again, from 'de1.' to its end."
        ) from None
    if isinstance(record.get("idea"), str) and record["idea"]:
        from .presets import PRESETS

        found = next((one for one in PRESETS if one.key == record["idea"]), None)
        if found is not None:
            state.preset_key, state.idea = found.key, found.idea
    return state


def _record(code: str) -> dict[str, Any]:
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
        record = json.loads(plain)
        if not isinstance(record, dict):
            raise ValueError("not a record")
    except (ValueError, binascii.Error, zlib.error, RecursionError) as error:
        raise ParameterError(
            f"This code is incomplete or damaged ({error}); copy it again, from 'de1.' to its end."
        ) from None
    return record


def _graph(item: Any, given: Graph | None) -> Graph:
    if isinstance(item, str):
        return build(item)
    if "edges" not in item:
        if given is None or (given.num_nodes, given.num_edges) != (item["n"], item["m"]):
            what = "none was given" if given is None else f"{given!r} was given"
            raise GraphError(
                f"This code belongs to a graph of {item['n']:,} nodes and {item['m']:,} edges, too large to send; "
                f"{what}. Use de.Explorer.restore(code, graph=G)."
            )
        return given
    flat, n = item["edges"], item["n"]
    if not isinstance(n, int) or not 0 < n <= 1_000_000 or len(flat) % 2:
        raise ParameterError("This code holds a graph that cannot be read; copy it again.")
    edges = list(zip(flat[::2], flat[1::2], strict=True))
    return Graph.from_edges(edges, n, names=item["names"], positions=item["positions"], title=str(item["title"]))


def as_python(state: ExplorerState) -> str:
    """Python that opens the same Explorer and asks the same question.

    Examples
    --------
    >>> print(as_python(ExplorerState.of_preset("hexagon")))
    import degnn_explore as de
    <BLANKLINE>
    A = (de.zoo.two_triangles(), [0])
    B = (de.zoo.hexagon(), [0])
    de.Explorer(A, B, colour_by='SPD', layer=2, layout='as drawn', size=1)
    print(de.distinguish(A, B, method="DE-SPD"))
    """
    letters = [state.letter(k) for k in range(len(state.sides))]
    lines = ["import degnn_explore as de", ""]
    for k, (letter, side) in enumerate(zip(letters, state.sides, strict=True)):
        if side.source:
            graph = f"de.{side.source}"
        elif k and side.graph is state.sides[0].graph:
            graph = "G"
        elif side.graph.num_edges <= 60:
            names = side.graph.names if any(name != str(i) for i, name in enumerate(side.graph.names)) else None
            extra = f", names={list(names)!r}" if names else ""
            pairs = [tuple(e) for e in side.graph.edges.tolist()]
            value = f"de.Graph.from_edges({pairs!r}, num_nodes={side.graph.num_nodes}{extra})"
            graph = "G" if k == 0 else "H"
            lines.append(f"{graph} = {value}")
        else:
            graph = "G" if k == 0 else "H"
            lines.append(f"{graph} = ...  # your graph: {side.graph.num_nodes:,} nodes, {side.graph.num_edges:,} edges")
        by_name = side.graph.cleaning.renumbered  # bare numbers would be refused there
        targets = [side.graph.names[t] if by_name else t for t in side.targets]
        lines.append(f"{letter} = ({graph}, {targets!r})")
    usual = {"step": 2, "hops": 2, "cut": False, "size": 0, "root": 0}
    options = "".join(
        f", {name}={getattr(state, name)!r}" for name in _SETTINGS if getattr(state, name) != usual.get(name)
    )
    lines.append(f"de.Explorer({', '.join(letters)}{options})")
    if len(state.sides) == 2 and state.sides[0].targets and len(state.sides[0].targets) == len(state.sides[1].targets):
        method = state.colour_by if state.colour_by in METHODS else "DE-SPD"
        cut = ", cut=True" if state.cut else ""
        lines.append(f'print(de.distinguish(A, B, method="{method}"{cut}))')
    return "\n".join(lines)
