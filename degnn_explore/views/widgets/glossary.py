"""The words of this field, a line each: shown where a word is used, in the ? panel, and in docs/glossary.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import traitlets

from .html import text
from .messages import PageWidget, script

__all__ = ["TERMS", "Glossary", "as_html", "as_markdown", "explain"]


class Term(NamedTuple):
    """A word, the line that explains it, and a pattern (the same in Python and JavaScript) of how it is written."""

    name: str
    line: str
    pattern: str


# name | pattern, then its line; an earlier pattern wins where two fit
_LINES = r"""
target set S | [Tt]arget sets?
The nodes that the question is about: one for the role of a node, two for a link, three for a triangle.

p | p = \d+
How many nodes the target set S has.

distance encoding ζ(u|S) | [Dd]istance encodings?|ζ\(u\|S\)|ζ
What each node u is told about where it stands towards S: by distances, or by random walks, from every node of S.

SPD | SPD|shortest[- ]path distances?|shortest paths
Shortest-path distance: how many links lead from one node to another, at least. ∞ where no path does.

landing probability (LP) | [Ll]anding probabilit(?:y|ies)|\bLP\b
How likely a random walk from the target is to stand at a node after k steps: not only how far, but by how many ways.

PageRank | PageRank
A random walk from the target that may stop at every step: how likely it is to stop at a node.

DRNL | DRNL
Double-radius node labelling: SEAL's way to write a node's distances to two targets as one number. For p = 2 only.

1-WL | 1-WL|[Ww]eisfeiler(?: and|-) ?[Ll]e(?:h)?man|[Cc]olou?r refinement
The test of Weisfeiler and Leman (1968): nodes are told apart by their neighbours' colours, again and again. No plain
GNN (GCN, GraphSAGE, GIN) sees more.

2-WL | 2-WL
The same test on pairs of nodes, in its "folklore" form: stronger than 1-WL, and costly, for it looks at all triples.

DE-p | DE-(?:\d+|SPD|LP)(?: SPD| LP)?
A GNN that is given the distance encoding of a target set of p nodes as features: DE-1 of a node, DE-2 of a pair.

DEA-p | DEA-(?:\d+|SPD|GNN)(?:, K=\d+)?|K hops
As DE-p, and each layer also gathers from all nodes within K hops, with their distance.

layer | [Ll]ayers? \d+|\d+ layers?
One round of messages between neighbours. After L layers a node knows what lies within L links.

class | [Cc]olou?r class(?:es)?|class (?!as\b|by\b|in\b|is\b|of\b)[a-z]{1,2}\b|classes
Nodes with the same letter, such as class f: no GNN of that kind with so many layers can tell them apart. Letters mean
no more than that.

unrolled subtree | [Uu]nrolled subtrees?|[Ss]ubtrees?
The tree a GNN computes along: a node, its neighbours, their neighbours, and so on, a level for each layer.

folded | [Ff]olded
The subtree with equal branches drawn once; ×m on a line says how many times.

cubic | [Cc]ubic|\d+-regular
Every node has three neighbours (r-regular: r of them). To 1-WL all nodes of such a graph look alike.

strongly regular (n, k, λ, μ) | [Ss]trongly regular(?: \([\d, ]+\))?
n nodes with k neighbours each; two linked nodes have λ neighbours in common, two others μ.

distance-regular | [Dd]istance-regular|intersection arrays?
How many neighbours of a node are nearer to the target, and how many further, depends on its distance alone. The list of
these numbers is the intersection array.

Theorem 3.7 | Theorem 3\.7
Nodes of distance-regular graphs with the same intersection array are all alike to DE-1.

automorphism | [Aa]utomorphisms?|[Ii]somorphisms?|[Ii]somorphic
A renaming of nodes that keeps every link, of a graph onto itself. Between two graphs it is an isomorphism. What it maps
onto each other no method can tell apart.

ego-network | [Ee]go-networks?
The nodes within a few hops of S and the links between them, with the links inside S cut: what a model is given.

cut | edges inside S(?: are)?(?: cut)?
Links between nodes of S are taken out first, so that a link in question does not give itself away.

random walk | [Rr]andom walks?|walk profiles?
Go from node to node, each time along a link chosen by chance.
"""


def _read(block: str) -> Term:
    head, *line = block.splitlines()
    name, pattern = head.split(" | ", 1)
    return Term(name, " ".join(line), pattern)


TERMS = tuple(_read(block) for block in _LINES.strip().split("\n\n"))


class Glossary(PageWidget):
    """Explains every term inside the Explorer that it stands in, on hover, tap or focus; draws nothing else."""

    _esm = script("late", "glossary")
    _css = Path(__file__).with_name("explorer.css")

    terms: Any = traitlets.List([list(term) for term in TERMS]).tag(sync=True)  # [name, line, pattern] each

    def __init__(self) -> None:
        super().__init__()
        self.add_class("de-nothing")


def explain(word: str) -> str:
    """The line of a word as it is written somewhere; "" if it is none of the terms.

    Examples
    --------
    >>> explain("p = 2")
    'How many nodes the target set S has.'
    """
    return next((term.line for term in TERMS if re.fullmatch(term.pattern, word)), "")


def as_html() -> str:
    """All terms, as a list for the ? panel."""
    rows = "".join(f"<dt>{text(term.name)}</dt><dd>{text(term.line)}</dd>" for term in TERMS)
    return f'<dl class="de-keys de-glossary">{rows}</dl>'


def as_markdown() -> str:
    """docs/glossary.md, which ``python -m degnn_explore.views.widgets.glossary`` writes."""
    head = (
        "# Glossary\n\nThe words that the Explorer, the notebooks and the verdicts use. In the Explorer, point at an "
        "underlined word, or tap it.\nWritten from `degnn_explore/views/widgets/glossary.py`.\n\n"
        "| word | what it is |\n|---|---|\n"
    )
    return head + "".join(f"| **{term.name.replace('|', '&#124;')}** | {term.line} |\n" for term in TERMS)


if __name__ == "__main__":
    (Path(__file__).parents[3] / "docs" / "glossary.md").write_text(as_markdown(), encoding="utf-8")
