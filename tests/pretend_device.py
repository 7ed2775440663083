"""A pretend accelerator, for machines without one: importing this registers a torch device called "pretend".

Its tensors are in host memory: an operation that mixes them with the CPU's fails as on a GPU, and every transfer is
counted. The numbers are real. It uses torch's experimental Python backend.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

_setup_privateuseone_for_python_backend("pretend")
_HERE, _CPU = torch.device("pretend:0"), torch.device("cpu")

counts: Counter[str] = Counter()  # to_device, bytes_to_device, to_host


def reset() -> None:
    """All counts to zero."""
    counts.clear()


class Pretend(torch.Tensor):
    """A tensor on the pretend device; ``raw`` is where its numbers are."""

    raw: torch.Tensor

    @staticmethod
    def __new__(cls, raw: torch.Tensor) -> Pretend:
        how = {"strides": raw.stride(), "storage_offset": raw.storage_offset(), "dtype": raw.dtype, "device": _HERE}
        made = torch.Tensor._make_wrapper_subclass(cls, raw.size(), **how)
        made.raw = raw
        return made

    def __repr__(self) -> str:
        return f"Pretend({self.raw})"

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(func, args, kwargs or {})


def _raw(x: Any) -> Any:
    return x.raw if isinstance(x, Pretend) else x


def _copied(source: torch.Tensor, into_pretend: bool) -> None:
    """Counts a transfer, if it is one."""
    if into_pretend and not isinstance(source, Pretend):
        counts["to_device"] += 1
        counts["bytes_to_device"] += source.nbytes
    elif isinstance(source, Pretend) and not into_pretend:
        counts["to_host"] += 1


def _run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    name = func._schema.name
    if name == "aten::_to_copy":
        wanted = kwargs.pop("device", None) or args[0].device
        there = torch.device(wanted).type == "pretend"
        _copied(args[0], there)
        plain = {key: value for key, value in kwargs.items() if key not in ("non_blocking", "pin_memory")}
        raw = func(_raw(args[0]), **plain)
        return Pretend(raw) if there else raw
    if name == "aten::copy_":
        _copied(args[1], isinstance(args[0], Pretend))
        _raw(args[0]).copy_(_raw(args[1]))
        return args[0]
    if name == "aten::_local_scalar_dense":
        counts["to_host"] += 1
        return args[0].raw.item()
    tensors = [x for x in tree_flatten((args, kwargs))[0] if isinstance(x, torch.Tensor)]
    there = [x for x in tensors if isinstance(x, Pretend)]
    if there and any(not isinstance(x, Pretend) and x.dim() for x in tensors):
        raise RuntimeError(f"{name}: tensors on pretend and on cpu are mixed")
    if name in _WAITING and not kwargs.get("output_size"):
        counts["to_host"] += 1  # its size depends on values: the host waits for them
    if kwargs.get("device") is not None:
        kwargs = {**kwargs, "device": _CPU}
    out = func(*tree_map(_raw, args), **tree_map(_raw, kwargs))
    known = {id(x.raw): x for x in there}  # an operation in place gives its own tensor back
    return tree_map(lambda x: (known[id(x)] if id(x) in known else Pretend(x)) if torch.is_tensor(x) else x, out)


_WAITING = {"aten::nonzero", "aten::masked_select", "aten::_unique2", "aten::bincount", "aten::repeat_interleave"}


def _made_there(name: str) -> None:
    """Registers an operation that makes a tensor from nothing."""
    base, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.aten, base), overload or "default")

    def make(*args: Any, **kwargs: Any) -> Pretend:
        return Pretend(op(*args, **{**kwargs, "device": _CPU}))

    torch.library.impl(f"aten::{name}", "PrivateUse1")(make)


for _name in ("empty.memory_format", "empty_strided", "arange", "arange.start", "arange.start_step", "triu_indices"):
    _made_there(_name)
for _name in ("randperm", "full", "ones", "zeros"):
    _made_there(_name)


@torch.library.impl("aten::_copy_from", "PrivateUse1")
def _copy_from(source: torch.Tensor, into: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    _copied(source, isinstance(into, Pretend))
    _raw(into).copy_(_raw(source))
    return into
