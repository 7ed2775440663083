"""Models on disk: weights and how the model was built, in one safetensors file with a checksum."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.errors import ParameterError, did_you_mean, short_repr
from ..common.files import write_whole

if TYPE_CHECKING:
    from torch import Tensor

    from .nets.base import SetNet

Where = str | os.PathLike[str]
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
    from .ensemble import Ensemble
    from .nets.base import SetNet
    from .registry import MODELS

    if not isinstance(model, SetNet):
        raise ParameterError(f"save needs a model made by de.build, not {type(model).__name__}.")
    members = model.nets if isinstance(model, Ensemble) else []
    for net in members or [model]:
        if net.name not in MODELS or _full_name(MODELS[net.name].load()) != _full_name(type(net)):
            kind = type(net).__qualname__.rpartition("<locals>.")[2]
            raise ParameterError(
                f"No {kind} is registered as {net.name!r}, so load_model could not rebuild it from the file; call "
                f"de.register_model({kind}, name={net.name!r}) first."
            )
    *counts, classes = astuple(model.shape)
    header = {"kind": "model", "name": model.name, "hyper": model.hyper, "shape": counts, "classes": classes}
    if members:
        header["members"] = [[net.name, net.hyper] for net in members]
    return write_tensors(path, dict(model.state_dict()), header)


def _full_name(kind: type[SetNet]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"  # running a cell again defines a new class of the same name


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
    tensors, header = read_tensors(path, "model")
    try:
        model = _skeleton(header)
        load_state(model, tensors, assign=True)
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None
    except (LookupError, TypeError, ValueError, RuntimeError) as error:
        raise _unreadable(path, error) from None
    return model.eval()


def _skeleton(header: Mapping[str, Any]) -> SetNet:
    """The model that a header describes, without memory for its weights."""
    from .ensemble import Ensemble
    from .nets.base import Shape
    from .registry import MODELS, on_meta

    p, num_classes, num_attributes = header["shape"]
    shape = Shape(p, num_classes, num_attributes, tuple(header["classes"]))
    listed = header.get("members") or [(header["name"], header["hyper"])]
    for name, _ in listed:
        if name not in MODELS:
            raise ParameterError(
                f"it holds a model named {short_repr(name)}, which is not known here. If it is one of your own, run "
                f"the code that defines it and de.register_model(...) first.{did_you_mean(name, MODELS)}"
            )
    nets = [on_meta(name, shape, hyper) for name, hyper in listed]
    return Ensemble(nets) if "members" in header else nets[0]


def load_state(model: SetNet, tensors: Mapping[str, Tensor], assign: bool = False) -> None:
    """Weights and buffers into the model; a buffer (an embedding, anchors) takes the size it was saved with."""
    for name, buffer in list(model.named_buffers()):
        owner, _, leaf = name.rpartition(".")
        if tensors[name].shape != buffer.shape:
            setattr(model.get_submodule(owner), leaf, tensors[name].to(buffer.device))
    model.load_state_dict(dict(tensors), assign=assign)


# ---- files -----------------------------------------------------------------------------------------------------------


def write_tensors(path: Where, tensors: Mapping[str, Tensor], header: Mapping[str, Any]) -> Path:
    """Tensors and a JSON header in one safetensors file with a checksum, in one step."""
    from safetensors.torch import save as to_bytes

    target = Path(path)
    plain = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    text = json.dumps(header)
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
        raise ParameterError(f"The folder {str(target.parent)!r} is not writable; choose another.")


def read_tensors(path: Where, kind: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What :func:`write_tensors` wrote, a "model" or a "checkpoint"; the checksum covers tensors and header."""
    from safetensors import SafetensorError, safe_open

    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"A saved model is the path of a file, not {short_repr(path)}.")
    if not Path(path).is_file():
        raise ParameterError(f"There is no file {os.fspath(path)!r}.")
    try:
        with safe_open(os.fspath(path), framework="pt") as file:
            meta = file.metadata() or {}
            tensors = {key: file.get_tensor(key).clone() for key in file.keys()}  # noqa: SIM118 (not a dict)
    except (SafetensorError, OSError) as error:
        raise _unreadable(path, error) from None
    if meta.get("format") != _FORMAT:
        raise ParameterError(
            f"{path} was not written by this version of degnn_explore (format {meta.get('format')!r}, expected "
            f"{_FORMAT!r})."
        )
    if meta.get("sha256") != _checksum(tensors, meta.get("how", "")):
        raise ParameterError(f"{path} was changed after it was saved: its checksum does not match. Save it again.")
    header = json.loads(meta["how"])
    if header["kind"] != kind:
        raise ParameterError(f"{path} is a {header['kind']}, not a {kind}.")
    return tensors, header


def _unreadable(path: Where, error: Exception) -> ParameterError:
    return ParameterError(
        f"{path} cannot be read as a saved model or checkpoint: it is damaged, or something else ({error})."
    )


def _checksum(tensors: Mapping[str, Tensor], text: str) -> str:
    content = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        array = tensors[name].numpy()
        content.update(f"{name} {array.dtype} {array.shape}".encode())
        content.update(array.tobytes())
    return content.hexdigest()
