"""Files that are not ours to ship: found in a folder or the cache, or downloaded; always checked by SHA-256.

The one source is the struc2vec repository (Ribeiro, Saverese & Figueiredo 2017) with its three airport networks.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import queue
import threading
import time
import urllib.error
import urllib.request
import warnings
from pathlib import Path
from typing import Any

from ..common.errors import GraphError
from ..common.files import write_whole

BASE_URL = "https://raw.githubusercontent.com/leoribeiro/struc2vec/master/graph/"
TIMEOUT = 30.0  # seconds without an answer
DEADLINE = 300.0  # seconds for all of a file
LARGEST = 10_000_000  # bytes; the largest file has 163 kB, so more is not what was asked for

SHA256 = {
    "brazil-airports.edgelist": "896b7bd460ad2da9160888d99bc9099ffe8ed7de3e410833889ea393831bcaa7",
    "europe-airports.edgelist": "bd202178d0d1253c15bd3c9a22cc2a25f630244bbef9060bc30adbf0a5e130f6",
    "usa-airports.edgelist": "c73fec3eef27ed6d6ef4d8dfa7fd1604b959601a38d399eeaa1f87e8d8d58fc0",
    "labels-brazil-airports.txt": "8f9d19f10192fbaeb91dfb46dd7eae0fef28bfe1272d41ab96a4494a0d06785f",
    "labels-europe-airports.txt": "92bace031cc02937ac9629d6c69387458e5d5016a7dab98490fbf33e392cec4e",
    "labels-usa-airports.txt": "d4062ff3b3a67c3ae72b581bb68228433223e35d6f0b2d41844d197ad3772195",
}


def named_folder() -> Path | None:
    """The folder named by the environment variable ``DEGNN_DATA``, or None where it is not set or empty."""
    value = os.environ.get("DEGNN_DATA")
    return Path(value).expanduser() if value else None


def cache_folder() -> Path:
    """The folder in the platform's user cache directory where downloads are kept; it need not exist yet."""
    import platformdirs

    return platformdirs.user_cache_path("degnn_explore", appauthor=False)


def checked_file(name: str) -> bytes:
    """The content of the file, one of those in ``SHA256``, from ``DEGNN_DATA``, the cache or the internet.

    A download is put into the cache. A wrong file in the cache is deleted; one in ``DEGNN_DATA`` is the user's and
    left alone. Both are errors, as is a download that fails.
    """
    folder = named_folder()
    if folder is not None and (folder / name).is_file():
        content = _read(folder / name)
        if wrong := _difference(name, content):
            raise GraphError(
                f"{folder / name} is not the file it should be: {wrong}. Replace it by {BASE_URL}{name}, "
                "or delete it so that it is downloaded."
            )
        return content
    kept = cache_folder() / name
    if kept.is_file():
        content = _read(kept)
        if wrong := _difference(name, content):
            try:
                kept.unlink()
            except OSError as error:
                raise GraphError(f"{kept} is damaged: {wrong}. Delete it; that failed here ({error}).") from error
            raise GraphError(
                f"{kept} was damaged and has been deleted: {wrong}. Load the graph again to download the file anew."
            )
        return content
    content = _download(name)
    _keep(kept, content)
    return content


def is_here(name: str) -> bool:
    """Whether :func:`checked_file` would find the right file without the internet."""
    for folder in (named_folder(), cache_folder()):
        if folder is not None and (folder / name).is_file():
            try:
                return not _difference(name, _read(folder / name))
            except GraphError:
                return False
    return False


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise GraphError(f"{path} cannot be read ({_reason(error)}); check its permissions.") from error


def _difference(name: str, content: bytes) -> str:
    """What is wrong with the content, or nothing."""
    found = hashlib.sha256(content).hexdigest()
    return "" if found == SHA256[name] else f"{len(content):,} bytes with SHA-256 {found}, expected {SHA256[name]}"


class _WebOnly(urllib.request.HTTPRedirectHandler):
    """Follows a redirect to another page of the web, and to nothing else."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if not newurl.lower().startswith(("http:", "https:")):
            raise urllib.error.URLError(f"redirected to {newurl[:200]}, which is not on the web (http or https)")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _download(name: str) -> bytes:
    from tqdm.auto import tqdm

    end = time.monotonic() + DEADLINE
    try:
        with _answer(BASE_URL + name) as answer:
            stated = answer.headers.get("Content-Length", "")
            total = int(stated) if stated.isdecimal() and len(stated) < 20 else None
            content = bytearray()
            with tqdm(desc=name, total=total, unit="B", unit_scale=True) as bar:
                # read1: what has come, without waiting for more
                while len(content) <= LARGEST and (piece := answer.read1(16_384)):
                    content += piece
                    bar.update(len(piece))
                    if time.monotonic() > end:
                        raise TimeoutError(f"{len(content):,} bytes in {DEADLINE:g} seconds; given up")
    except (OSError, http.client.HTTPException) as error:
        raise GraphError(f"{BASE_URL}{name} could not be downloaded ({_reason(error)}). {_by_hand(name)}") from error
    if total is not None and len(content) < total <= LARGEST:
        raise GraphError(
            f"The download of {BASE_URL}{name} broke off after {len(content):,} of {total:,} bytes; "
            f"nothing was kept. Try again. {_by_hand(name)}"
        )
    if wrong := _difference(name, bytes(content)):
        raise GraphError(f"{BASE_URL}{name} is not the file it should be: {wrong}; nothing was kept. {_by_hand(name)}")
    return bytes(content)


def _answer(url: str) -> Any:
    """The server's answer once its headers are here. TIMEOUT bounds one wait; all of them together have DEADLINE."""
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(urllib.request.build_opener(_WebOnly).open(url, timeout=TIMEOUT))
        except BaseException as error:
            answers.put(error)

    threading.Thread(target=ask, name="download", daemon=True).start()
    try:
        answer = answers.get(timeout=DEADLINE)
    except queue.Empty:
        raise TimeoutError(f"0 bytes in {DEADLINE:g} seconds; given up") from None
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _by_hand(name: str) -> str:
    """Where to put both files of the network, for a machine without internet."""
    network = name.removeprefix("labels-").rsplit(".", 1)[0]
    folder = named_folder() or cache_folder()
    if folder.is_relative_to(Path.home()):
        folder = "~" / folder.relative_to(Path.home())
    return (
        f"By hand: get {BASE_URL}{network}.edgelist and {BASE_URL}labels-{network}.txt on a machine with internet, "
        f"and put these two files into the folder {folder} (or into any folder, named by the environment variable "
        "DEGNN_DATA)."
    )


def _keep(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        # The graph itself is fine: a read-only home is no reason to refuse it.
        warnings.warn(f"{path} could not be written ({error}); it will be downloaded again next time.", stacklevel=2)
