"""Models on disk: weights and how the model was built, in one safetensors file that checks itself."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.errors import ParameterError, did_you_mean, shown
from ..common.files import write_whole

if TYPE_CHECKING:
    from torch import Tensor

    from .nets.base import SetNet, Shape

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
    from .choosing.ensemble import Ensemble
    from .nets.base import SetNet

    if not isinstance(model, SetNet):
        raise ParameterError(f"save needs a model made by de.build, not {type(model).__name__}.")
    members = model.nets if isinstance(model, Ensemble) else []
    for net in members or [model]:
        _needs_known(net)
    *counts, classes = astuple(model.shape)
    how = {"kind": "model", "name": model.name, "hyper": model.hyper, "shape": counts, "classes": classes}
    if members:
        how["members"] = [[net.name, net.hyper] for net in members]
    return write_tensors(path, dict(model.state_dict()), how)


def _needs_known(model: SetNet) -> None:
    """A ParameterError if the file would not tell what to make of it."""
    from .nets import MODELS

    if model.name not in MODELS or _called(MODELS[model.name].load()) != _called(type(model)):
        kind = type(model).__qualname__.rpartition("<locals>.")[2]
        raise ParameterError(
            f"No {kind} is registered as {model.name!r}, so load_model would not know what to make of the file; "
            f"call de.register_model({kind}, name={model.name!r}) first."
        )


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
    skeleton: list[SetNet] = []  # the model that the file describes, without memory for its weights

    def check(how: dict[str, Any], kinds: Kinds) -> None:
        if how.get("kind") != "model":
            raise ParameterError(
                f"{path} is a {how.get('kind')}, not a saved model; pass it to fit(..., checkpoint=) instead."
            )
        skeleton.append(_skeleton(path, how))
        need_kinds(path, skeleton[0].state_dict(), kinds, skeleton[0].grows)

    tensors, _ = read_tensors(path, check)
    (model,) = skeleton
    load_state(model, {name: tensor.clone() for name, tensor in tensors.items()}, assign=True)
    return model.eval()


def _skeleton(path: Where, how: Mapping[str, Any]) -> SetNet:
    """The model that a file describes, without memory for its weights."""
    from .choosing.ensemble import NAME, Ensemble
    from .nets import MODELS, on_meta

    shape, members = _shape_of(path, how), how.get("members")
    listed = [[how.get("name"), how.get("hyper")]] if members is None else members
    if not (isinstance(listed, list) and listed and all(isinstance(it, list) and len(it) == 2 for it in listed)):
        raise _changed(path, "it does not say which networks are in it")
    for name, _ in listed:
        if str(name) not in MODELS:
            raise ParameterError(
                f"{os.fspath(path)} holds a model named {shown(name)}, which is not known here. If it is one of "
                f"your own, run the code that defines it and de.register_model(...) first.{did_you_mean(name, MODELS)}"
            )
    nets = [on_meta(name, shape, hyper) for name, hyper in listed]
    return Ensemble(nets) if members is not None and how.get("name") == NAME else nets[0]


def _called(kind: type[SetNet]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"  # a cell that is run again defines another class of that name


def _shape_of(path: Where, how: Mapping[str, Any]) -> Shape:
    from .nets.base import Shape

    counts, classes = how.get("shape"), how.get("classes", [])
    match counts, classes:
        case [int(p), int(num_classes), int(num_attributes)], list() if (
            min(p, num_classes) > 0 <= num_attributes
            and len(classes) in (0, num_classes)
            and all(type(label) is int for label in classes)
        ):
            return Shape(p, num_classes, num_attributes, tuple(classes))
    raise ParameterError(f"{path} does not say what it is for: shape={shown(counts)}, classes={shown(classes)}.")


Kinds = Mapping[str, tuple[str, list[int]]]
"""For each tensor of a file, by name: its type as safetensors calls it, and its shape."""
_TYPES = {"float32": "F32", "float64": "F64", "int64": "I64", "int32": "I32", "uint8": "U8", "bool": "BOOL"}


def need_kinds(path: Where, wanted: Mapping[str, Tensor], kinds: Kinds, grows: Collection[str] = ()) -> None:
    """A ParameterError unless the file holds tensors like the wanted ones; those in ``grows`` may have any length."""
    for name in sorted({*wanted, *kinds}):
        if name not in wanted or name not in kinds:
            raise _changed(path, f"it {'lacks' if name in wanted else 'holds'} {shown(name)}")
        kind, shape = kinds[name]
        tensor, free = wanted[name], name.rpartition(".")[2] in grows
        like = [*(shape[:1] if free and tensor.dim() else tensor.shape[:1]), *tensor.shape[1:]]
        type_name = _TYPES.get(str(tensor.dtype).removeprefix("torch."), str(tensor.dtype))
        if (kind, list(shape)) != (type_name, like):
            raise _changed(path, f"its {name} is {kind} {shape}, not {type_name} {like}")


def _changed(path: Where, what: str) -> ParameterError:
    return ParameterError(f"{os.fspath(path)} was changed after it was saved, or is not ours: {what}. Save it again.")


def load_state(model: SetNet, tensors: Mapping[str, Tensor], assign: bool = False) -> None:
    """Weights and buffers into the model; a buffer (an embedding, anchors) takes the size it was saved with."""
    for name, buffer in list(model.named_buffers()):
        owner, _, leaf = name.rpartition(".")
        if tensors[name].shape != buffer.shape:
            setattr(model.get_submodule(owner), leaf, tensors[name].to(buffer.device))
    model.load_state_dict(dict(tensors), assign=assign)


def write_tensors(path: Where, tensors: Mapping[str, Tensor], how: Mapping[str, Any]) -> Path:
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


def read_tensors(
    path: Where, check: Callable[[dict[str, Any], Kinds], None]
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What :func:`write_tensors` wrote; ``check`` may refuse its text and kinds of tensors before any is read."""
    from safetensors import SafetensorError, safe_open

    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"A saved model is the path of a file, not {shown(path)}.")
    name = os.fspath(path)
    if not Path(path).is_file():
        raise ParameterError(f"There is no file {name!r}.")
    try:
        with safe_open(name, framework="pt") as file:
            meta = file.metadata() or {}
            if meta.get("format") != _FORMAT:
                raise ParameterError(
                    f"{name} was not written by this version of degnn_explore (format {meta.get('format')!r}, "
                    f"expected {_FORMAT!r})."
                )
            how = _described(name, meta.get("how", ""))
            slices = {key: file.get_slice(key) for key in file.keys()}  # noqa: SIM118 (not a dict)
            check(how, {key: (piece.get_dtype(), piece.get_shape()) for key, piece in slices.items()})
            tensors = {key: file.get_tensor(key) for key in slices}
    except (SafetensorError, OSError) as error:
        raise ParameterError(
            f"{name} cannot be read as a saved model; it is truncated or something else ({error}). Save it again."
        ) from None
    if meta.get("sha256") != _checksum(tensors, meta["how"]):
        raise _changed(path, "its checksum does not fit")
    return tensors, how


def _described(name: str, text: str) -> dict[str, Any]:
    try:
        how = json.loads(text)
    except (ValueError, RecursionError):  # not JSON, or nested without end
        how = None
    if not isinstance(how, dict):
        raise _changed(name, "it does not say how it was made")
    return how


def _checksum(tensors: Mapping[str, Tensor], text: str) -> str:
    content = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        array = tensors[name].numpy()
        content.update(f"{name} {array.dtype} {array.shape}".encode())
        content.update(array.tobytes())
    return content.hexdigest()
