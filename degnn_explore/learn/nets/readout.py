"""From the p vectors of a target set to its logits."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .base import Hyper, Shape

COMMON_HYPER = {
    "layers": Hyper(2, paper="1, 2, 3", least=1, most=100),
    "hidden": Hyper(100, paper="20, 50, 80, 100", least=1),
    "dropout": Hyper(0.0, paper="0, 0.2", below=1.0),
    "readout": Hyper("joined", paper="difference", choices=("joined", "difference")),
}


def difference_pooling(h: Tensor) -> Tensor:
    """z = Σ |h_u − h_v| over the pairs {u, v} of S; the paper's ordered pairs give twice that. [k, p, c] -> [k, c]

    >>> difference_pooling(torch.tensor([[[1.0], [4.0], [2.0]]]))
    tensor([[6.]])
    """
    i, j = torch.triu_indices(h.shape[1], h.shape[1], offset=1, device=h.device)
    return (h[:, i] - h[:, j]).abs().sum(dim=1)


class Readout(nn.Module):
    """The logits of S from the h_v of its nodes, whatever their order. [k, p, hidden] -> [k] or [k, C]

    ``"difference"`` is the paper's readout (appendix, "Baseline Details"): ⟨w, Σ|h_u − h_v|⟩. ``"joined"`` adds
    mean and maximum of the h_v, so that *what* the nodes are counts as well as how they differ.

    Examples
    --------
    >>> Readout("joined", 16, Shape(p=2, num_classes=2))(torch.zeros(5, 2, 16)).shape
    torch.Size([5])
    """

    def __init__(self, kind: str, hidden: int, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        parts = 3 if kind == "joined" and shape.p > 1 else 1
        self.join = nn.Linear(parts * hidden, hidden) if parts > 1 else None
        self.out = nn.Linear(hidden, shape.outputs)

    def forward(self, h: Tensor) -> Tensor:
        if self.shape.p == 1:
            z = h[:, 0]  # a single node is its own representation [k, hidden]
        else:
            z = difference_pooling(h)
            if self.join is not None:
                z = torch.relu(self.join(torch.cat([z, h.mean(dim=1), h.amax(dim=1)], dim=1)))
        return self.out(z).squeeze(1)  # [k] or [k, C]
