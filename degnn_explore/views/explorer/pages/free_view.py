"""A subtree as a free-moving page of pyvis: for the sandboxed frame in the Explorer, and as a file for slides."""

from __future__ import annotations

import re
from typing import Any

from ....common.palette import ACCENT, text_on
from ....expressive.subtrees import Subtree
from ...widgets.html import text
from ..trees import Forest, tree_tip

# pyvis asks a CDN for Bootstrap even with cdn_resources="in_line"; a page may load nothing at all.
_REMOTE = re.compile(r"<(?:script\b[^>]*\bsrc=[^>]*>\s*</script>|link\b[^>]*>)", re.IGNORECASE)
_STYLE = (
    "<style>body { margin: 0 } .card, #mynetwork { border: none !important; padding: 0 } "
    "h1, center { display: none }</style>"
)
_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:\">"
)


def page(shown: Forest, title: str = "Unrolled subtree") -> str:
    """A standalone HTML page with the trees of the Explorer; it works without a network."""
    from pyvis.network import Network

    network = Network(height="100vh", width="100%", cdn_resources="in_line", bgcolor="#ffffff")
    start = 0
    for k, tree in enumerate(shown.trees):
        letter = "AB"[shown.sides[k]] if len(set(shown.sides)) > 1 else "S"
        _add(network, tree, k, shown, start, letter)
        start += len(tree)
    network.set_options(
        '{"interaction": {"hover": true}, "physics": {"solver": "forceAtlas2Based", '
        '"forceAtlas2Based": {"springLength": 60}, "stabilization": {"iterations": 120}}}'
    )
    html: str = network.generate_html(notebook=False)
    html = _REMOTE.sub("", html).replace("</head>", f"{_STYLE}</head>", 1)
    return html.replace("<head>", f"<!-- made with degnn_explore -->\n<head>{_POLICY}<title>{text(title)}</title>", 1)


def _add(network: Any, tree: Subtree, k: int, shown: Forest, start: int, letter: str) -> None:
    codes = shown.codes(k)
    for i, parts in enumerate(shown.parts(k).tolist()):
        entry = shown.colouring.entries[codes[i]]
        times = f" ×{tree.multiplicity[i]}" if tree.multiplicity[i] > 1 else ""
        root = i == 0
        network.add_node(
            start + i,
            label=f"{letter}: {entry.mark}" if root else f"{entry.mark or '·'}{times}",
            title=_inert(tree_tip(tree, i)),
            shape="circle",
            color={"background": entry.colour, "border": ACCENT if root else entry.colour},
            borderWidth=4 if root else 1,
            font={"color": text_on(entry.colour)},
        )
        if not root:
            colour, width = (ACCENT, 2) if parts else ("#98a2b3", 1)
            ends = start + int(tree.parent[i]), start + i
            network.add_edge(*ends, dashes=parts, color=colour, width=width)


def _inert(tip: str) -> str:
    """The text without the letters by which pyvis decides to show a title as markup."""
    return tip.replace("href", "hr\u200bef")


def frame(html: str) -> str:
    """The page inside a frame that may run its own scripts and reach nothing else."""
    return (
        '<iframe class="de-free" title="Free view of the subtrees" sandbox="allow-scripts" '
        f'srcdoc="{text(html)}"></iframe>'
    )
