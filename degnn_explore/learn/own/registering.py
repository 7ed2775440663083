"""A model of your own: tried, then known by its name everywhere."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any

from ...common.errors import ParameterError, one_of, shown, whole_number
from ...common.fingerprint import fingerprint
from ...common.palette import distinct
from ..nets import BASELINE, DE, HEURISTIC, MODELS, Entry
from ..nets.base import Hyper, SetNet
from ..nets.pyg_nets import PyGNet
from .trying import try_model

_TRIED = (1, 2, 3)  # set sizes, of a model that takes any
_MOST_NODES = 10  # of a set
_TAKEN = ("name", "task", "seed", "learning_rate")  # arguments of build and fit beside the hyperparameters


def register_model(
    cls: Any,
    *,
    name: str | None = None,
    group: str = BASELINE,
    about: str | None = None,
    sizes: tuple[int, ...] | None = None,
    colour: str | None = None,
) -> None:
    """Make a model of your own known by its name: to build, fit, tune, explain, save and load, and to boards.

    It is tried first, on small tasks for each set size, and what it does wrong is said: logits of another shape or not
    finite, weights without gradient, other numbers from the same seed, sets of a batch that are mixed, what is lost
    when it is saved. Where the order of S or an edge inside it counts, a warning says so. docs/own_model.md has the
    contract and a template. Registering a name again replaces the class, as when a cell is run again; runs of the
    former code are no longer taken for its own.

    Parameters
    ----------
    cls
        A subclass of :class:`degnn_explore.SetNet`, or what :func:`degnn_explore.PyGModel` makes of a PyG network.
    name
        By default that of the class.
    group
        "baseline", or "distance encoding" if it is not to be counted among what that is compared with;
        "heuristic" for one that has nothing to learn.
    about
        What it is, in a few words; by default the first line of the class's docstring.
    sizes
        The set sizes p that it takes; None: any.
    colour
        "#rrggbb", of its curves; by default one unlike the other models'.

    Examples
    --------
    >>> import torch, degnn_explore as de
    >>> class Degrees(de.SetNet):
    ...     "A linear layer on the sum of the degrees"
    ...     def __init__(self, name, shape, **hyper):
    ...         super().__init__(name, shape, hyper)
    ...         self.out = torch.nn.Linear(1, shape.outputs)
    ...     def prepare(self, graph, sets, *, stop=None, progress=True):
    ...         return de.Rows((torch.tensor(graph.degrees[sets].sum(axis=1, keepdims=True)).float(),))
    ...     def forward(self, batch):
    ...         return self.out(batch).squeeze(1)
    >>> de.register_model(Degrees, name="my degrees", sizes=(1,))
    >>> de.build("my degrees", de.role_task(de.load("karate"))).name
    'my degrees'
    >>> del MODELS["my degrees"]
    """
    if not isinstance(cls, type) or not issubclass(cls, SetNet):
        given = cls.__name__ if isinstance(cls, type) else f"a {type(cls).__name__}"
        raise ParameterError(
            f"register_model needs a class that is a subclass of de.SetNet, not {given}. A PyG network is made one by "
            "de.PyGModel."
        )
    known = cls.__name__ if name is None else name
    if not isinstance(known, str) or not 0 < len(known) <= 40 or not known.isprintable() or known != known.strip():
        raise ParameterError(f"name must be a word or a few, at most 40 letters, not {shown(name)}.")
    former = MODELS.get(known)
    if former is not None and not former.mark:
        raise ParameterError(f"name={known!r} is the name of a model of degnn_explore; choose another.")
    entry = Entry(
        cls,
        _group(cls, group),
        _colour(colour, former),
        _about(cls, about),
        _sizes(cls, sizes),
        own=("hops",) if issubclass(cls, PyGNet) else (),  # of its ego-networks, not of an aggregation
        mark=fingerprint(cls),
    )
    _check_hyper(cls)
    MODELS[known] = entry  # so that it is tried by the same ways on which it will be used
    try:
        doubts: dict[str, str] = {}
        for p in entry.sizes or _TRIED:
            try:
                doubts = try_model(known, p) | doubts
            except ParameterError as error:
                others = tuple(q for q in _TRIED if q != p)
                rest = f" If it is not for sets of {p}, say so: sizes={others}." if sizes is None else ""
                raise ParameterError(f"Tried with sets of p={p}: {error}{rest}") from error.__cause__
    except BaseException:
        if former is None:
            del MODELS[known]
        else:
            MODELS[known] = former
        raise
    for doubt in doubts.values():
        warnings.warn(doubt, stacklevel=2)


def _group(cls: type[SetNet], group: str) -> Any:
    fitting = (BASELINE, DE) if cls.learns else (HEURISTIC,)
    if group == BASELINE and not cls.learns:
        return HEURISTIC
    return one_of("group", group, fitting)


def _colour(colour: str | None, former: Entry | None) -> str:
    if colour is None:
        return former.colour if former is not None else distinct(entry.colour for entry in MODELS.values())
    if not isinstance(colour, str) or not re.fullmatch("#[0-9a-fA-F]{6}", colour):
        raise ParameterError(f"colour must be like '#1f77b4', not {shown(colour)}.")
    return colour


def _about(cls: type[SetNet], about: str | None) -> str:
    if about is not None and not isinstance(about, str):
        raise ParameterError(f"about must be a few words, not {shown(about)}.")
    own = (cls.__doc__ or "") if cls.__doc__ != SetNet.__doc__ else ""
    told = (own.strip().splitlines() or [""])[0].rstrip(".") if about is None else about
    return told or "a model of your own"


def _sizes(cls: type[SetNet], sizes: Any) -> tuple[int, ...] | None:
    if sizes is None:
        fixed = cls.encoding.num_targets if issubclass(cls, PyGNet) and cls.encoding is not None else None
        return None if fixed is None else (fixed,)
    if not isinstance(sizes, tuple | list) or not sizes:
        raise ParameterError(
            f"sizes must name the set sizes that it takes, such as (2,) or (2, 3), not {shown(sizes)}."
        )
    return tuple(sorted({whole_number("sizes", p, least=1, most=_MOST_NODES) for p in sizes}))


def _check_hyper(cls: type[SetNet]) -> None:
    if not isinstance(cls.HYPER, Mapping) or not all(isinstance(hyper, Hyper) for hyper in cls.HYPER.values()):
        raise ParameterError(
            f"{cls.__name__}.HYPER must name its hyperparameters, {{'hidden': de.Hyper(32, least=1)}} for example, "
            f"not {shown(cls.HYPER)}."
        )
    for key, hyper in cls.HYPER.items():
        if not isinstance(key, str) or not key.isidentifier() or key in _TAKEN:
            raise ParameterError(f"{cls.__name__}.HYPER: {shown(key)} cannot be the name of a hyperparameter.")
        for p in _TRIED:
            hyper.checked(f"{cls.__name__}.HYPER[{key!r}].default", hyper.default_for(p))
