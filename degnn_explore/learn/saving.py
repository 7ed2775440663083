"""Models on disk: weights and how the model was built, in one safetensors file that checks itself."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.errors import ParameterError
from ..common.files import write_whole

if TYPE_CHECKING:
    from torch import Tensor

    from .nets.base import SetNet

__all__ = ["load_model", "read_tensors", "save", "write_tensors"]

_FORMAT = "degnn_explore 1"


def save(model: SetNet, path: str | os.PathLike[str]) -> Path:
    """Write a model to one file: its weights, and a JSON text of how it was built.

    The file appears whole or not at all, and holds no code.

    Parameters
    ----------
    model
        A model made by :func:`degnn_explore.build`.
    path
        Where to; an existing file is replaced.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> task = de.link_task(de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = de.save(de.build("GCN", task, hidden=8), folder + "/gcn.safetensors")
    ...     de.load_model(path).hyper["hidden"]
    8
    """
    from .nets.base import SetNet

    if not isinstance(model, SetNet):
        raise ParameterError(f"save needs a model made by de.build, not {type(model).__name__}.")
    how = {
        "kind": "model",
        "name": model.name,
        "hyper": model.hyper,
        "shape": [model.shape.p, model.shape.num_classes, model.shape.num_attributes],
        "classes": model.shape.classes,
    }
    return write_tensors(path, dict(model.state_dict()), how)


def load_model(path: str | os.PathLike[str]) -> SetNet:
    """The model that :func:`save` wrote, ready for :func:`degnn_explore.predict`.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> G = de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)])
    >>> model = de.build("GCN", de.link_task(G), hidden=8)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load_model(de.save(model, folder + "/gcn.safetensors"))
    >>> bool((de.predict(again, G, [{0, 9}]) == de.predict(model, G, [{0, 9}])).all())
    True
    """
    from .nets import from_shape
    from .nets.base import Shape

    tensors, how = read_tensors(path)
    if how.get("kind") != "model":
        raise ParameterError(
            f"{os.fspath(path)} is a {how.get('kind')}, not a saved model; pass it to fit(..., checkpoint=) instead."
        )
    p, num_classes, num_attributes = how["shape"]
    shape = Shape(p, num_classes, num_attributes, tuple(how.get("classes", ())))
    model = from_shape(how["name"], shape, 0, how["hyper"])
    load_state(model, tensors)
    return model.eval()


def load_state(model: SetNet, tensors: Mapping[str, Tensor]) -> None:
    """Weights and buffers into the model; a buffer (an embedding, anchors) takes the size it was saved with."""
    for name, buffer in list(model.named_buffers()):
        owner, _, leaf = name.rpartition(".")
        if name in tensors and tensors[name].shape != buffer.shape:
            setattr(model.get_submodule(owner), leaf, tensors[name].to(buffer.device))
    model.load_state_dict(dict(tensors))


def write_tensors(path: str | os.PathLike[str], tensors: Mapping[str, Tensor], how: Mapping[str, Any]) -> Path:
    """Tensors and a JSON text in one safetensors file with a checksum, in one step."""
    from safetensors.torch import save as to_bytes

    target = Path(path)
    plain = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    text = json.dumps(how)
    content = to_bytes(plain, {"format": _FORMAT, "how": text, "sha256": _checksum(plain, text)})
    check_place(target)
    try:
        write_whole(target, content)
    except OSError as error:
        raise ParameterError(
            f"{target} could not be written ({error.strerror or error}); what was there before is "
            "unchanged. Make room or choose another place."
        ) from error
    return target


def check_place(target: Path) -> None:
    """A ParameterError if a file cannot be written there."""
    if target.is_dir():
        raise ParameterError(f"{str(target)!r} is a folder; give the name of a file in it.")
    if not target.parent.is_dir():
        raise ParameterError(f"There is no folder {str(target.parent)!r} to save into; make it first.")
    if not os.access(target.parent, os.W_OK):
        raise ParameterError(f"The folder {str(target.parent)!r} may not be written to; choose another.")


def read_tensors(path: str | os.PathLike[str]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What :func:`write_tensors` wrote, checked; a ParameterError if it is not that, or changed."""
    from safetensors import SafetensorError, safe_open

    name = os.fspath(path)
    if not Path(path).is_file():
        raise ParameterError(f"There is no file {name!r}.")
    try:
        with safe_open(name, framework="pt") as file:
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 (not a dict)
            meta = file.metadata() or {}
    except (SafetensorError, OSError, ValueError) as error:
        raise ParameterError(
            f"{name} cannot be read as a saved model; it is truncated or something else ({error}). Save it again."
        ) from None
    if meta.get("format") != _FORMAT:
        raise ParameterError(
            f"{name} was not written by this version of degnn_explore (format {meta.get('format')!r}, "
            f"expected {_FORMAT!r})."
        )
    if meta.get("sha256") != _checksum(tensors, meta.get("how", "")):
        raise ParameterError(f"{name} was changed after it was saved: its checksum does not fit. Save it again.")
    how: dict[str, Any] = json.loads(meta["how"])
    return tensors, how


def _checksum(tensors: Mapping[str, Tensor], text: str) -> str:
    content = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        array = tensors[name].numpy()
        content.update(f"{name} {array.dtype} {array.shape}".encode())
        content.update(array.tobytes())
    return content.hexdigest()
