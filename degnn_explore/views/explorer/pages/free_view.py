"""A subtree as a free-moving page of pyvis: for the sandboxed frame in the Explorer, and as a file for slides."""

from __future__ import annotations

import re
from typing import Any

from ....common.palette import ACCENT, text_on
from ....expressive.subtrees import Subtree
from ...widgets.html import node_name, text
from ..trees import Forest, tree_tip

# pyvis asks a CDN for Bootstrap even with cdn_resources="in_line"; a page may load nothing at all.
_REMOTE = re.compile(r"<(?:script\b[^>]*\bsrc=[^>]*>\s*</script>|link\b[^>]*>)", re.IGNORECASE)
# In the Explorer the ground shows through, whatever its theme; a page of its own follows the reader's.
_STYLE = (
    "<style>body { margin: 0 } body, .card, #mynetwork { background: transparent !important } "
    ".card, #mynetwork { border: none !important; padding: 0 } h1, center { display: none } "
    "@media (prefers-color-scheme: dark) { .de-alone body { background: #1b1f24 !important } }</style>"
    "<script>if (window.top === window) document.documentElement.className = 'de-alone'</script>"
)
_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:\">"
)


_OPTIONS = """{
"layout": {"hierarchical": {"sortMethod": "directed", "shakeTowards": "roots", "levelSeparation": 110,
                            "nodeSpacing": 64, "treeSpacing": 150}},
"interaction": {"hover": true},
"physics": {"solver": "hierarchicalRepulsion", "hierarchicalRepulsion": {"nodeDistance": 64, "avoidOverlap": 0.4}}}"""
_SIDES = (ACCENT, "#0072b2")
_LABEL = {"size": 18, "background": "#ffffff", "color": "#1f2328", "strokeWidth": 0}  # reads on any ground


def page(shown: Forest, title: str = "Unrolled subtree") -> str:
    """A standalone HTML page with the trees of the Explorer; it works without a network."""
    from pyvis.network import Network

    network = Network(height="100vh", width="100%", cdn_resources="in_line")
    start = 0
    for k, tree in enumerate(shown.trees):
        letter = "AB"[shown.sides[k]] if len(set(shown.sides)) > 1 else "S"
        _add(network, tree, k, shown, start, letter)
        start += len(tree)
    network.set_options(_OPTIONS)
    html: str = network.generate_html(notebook=False)
    html = _REMOTE.sub("", html).replace("</head>", f"{_STYLE}</head>", 1)
    return html.replace("<head>", f"<!-- made with degnn_explore -->\n<head>{_POLICY}<title>{text(title)}</title>", 1)


def _add(network: Any, tree: Subtree, k: int, shown: Forest, start: int, letter: str) -> None:
    codes, side = shown.codes(k), _SIDES[shown.sides[k]]
    for i, parts in enumerate(shown.parts(k).tolist()):
        entry = shown.colouring.entries[codes[i]]
        root = i == 0
        name = f"{letter}: {node_name(tree.graph, tree.root)}\n" if root else ""
        network.add_node(
            start + i,
            label=name + (entry.mark or "·"),
            title=_inert(tree_tip(tree, i)),
            level=int(tree.depth[i]),
            shape="ellipse" if root else "circle",
            color={"background": entry.colour, "border": side if root else "#8b949e"},
            borderWidth=5 if root else 1,
            font={"color": text_on(entry.colour), "size": 20},
        )
        if not root:
            colour, width = (side, 4) if parts else ("#8b949e", 2)
            times = {"label": f"×{tree.multiplicity[i]}", "font": _LABEL} if tree.multiplicity[i] > 1 else {}
            ends = start + int(tree.parent[i]), start + i
            network.add_edge(*ends, dashes=parts, color=colour, width=width, **times)


def _inert(tip: str) -> str:
    """The text without the letters by which pyvis decides to show a title as markup."""
    return tip.replace("href", "hr\u200bef")


def frame(html: str) -> str:
    """The page inside a frame that may run its own scripts and reach nothing else."""
    return (
        '<iframe class="de-free" title="Free view of the subtrees" sandbox="allow-scripts" '
        f'srcdoc="{text(html)}"></iframe>'
    )
