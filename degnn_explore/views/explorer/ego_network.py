"""The ego-network of S as a draggable page of pyvis: colored and labeled as in the panel, with physics."""

from __future__ import annotations

import re

import numpy as np

from ...common.style import text_on
from ...graphs.distances import rings
from ..js import PALETTE
from ..text import escape, node_name
from .state import ExplorerState

MAX_NODES = 300
_LOOK = PALETTE["light"]
# pyvis asks a CDN for Bootstrap even with cdn_resources="in_line"; a page may load nothing at all.
_REMOTE = re.compile(r"<(?:script\b[^>]*\bsrc=[^>]*>\s*</script>|link\b[^>]*>)", re.IGNORECASE)
_STYLE = (
    "<style>body { margin: 0 } .card, #mynetwork { border: none !important; padding: 0 } h1, center { display: none }"
    "</style>"
)
_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:\">"
)
_OPTIONS = """{"interaction": {"hover": true},
"physics": {"solver": "forceAtlas2Based", "forceAtlas2Based": {"gravitationalConstant": -60, "springLength": 70},
            "stabilization": {"iterations": 120}}}"""


def page(state: ExplorerState) -> str:
    """A standalone HTML page with the nodes within ``layer`` hops (at least 2) of each S; it needs no network."""
    from pyvis.network import Network

    network = Network(height="100vh", width="100%", cdn_resources="in_line")
    colored = state.colored()
    for k, side in enumerate(state.sides):
        if not side.targets:
            continue
        graph = side.graph.cut(side.nodes) if state.cut and len(side.targets) > 1 else side.graph
        near = np.concatenate(
            [ring for depth, ring in enumerate(rings(graph, side.nodes)) if depth <= max(state.layer, 2)]
        )
        kept = {int(u): f"{k}:{u}" for u in near[:MAX_NODES]}
        ink = _LOOK["b"] if k else _LOOK["a"]
        for u, key in kept.items():
            entry, target = colored.entries[int(colored.codes[k][u])], u in side.targets
            name = f"{state.letter(k)}: {node_name(graph, u)}" if target else node_name(graph, u)
            network.add_node(
                key,
                label=f"{name}\n{entry.mark}" if entry.mark else name,
                title=_inert(f"{node_name(graph, u)}: {entry.text}"),
                shape="box" if target and k else "circle",  # as in the panel: a square for B
                color={"background": entry.color, "border": ink if target else _LOOK["edge"]},
                borderWidth=5 if target else 1,
                font={"color": text_on(entry.color), "size": 16},
            )
        for u, key in kept.items():
            for v in graph.neighbors(u).tolist():
                if u < v and v in kept:
                    network.add_edge(key, kept[v], color=_LOOK["edge"], width=2)
    network.set_options(_OPTIONS)
    html: str = network.generate_html(notebook=False)
    html = _REMOTE.sub("", html).replace("</head>", f"{_STYLE}</head>", 1)
    title = f"<title>{escape(f'Ego-network: {state.title}')}</title>"
    return html.replace("<head>", f"<!-- made with degnn_explore -->\n<head>{_POLICY}{title}", 1)


def _inert(tip: str) -> str:
    """The text without the letters by which pyvis decides to show a title as markup."""
    return tip.replace("href", "hr\u200bef")
