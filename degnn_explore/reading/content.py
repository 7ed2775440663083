"""The bytes of a file: what may be opened at all, unpacked within a budget. All that follows works on these bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..common.errors import GraphError
from ..common.files import readable_size
from ..common.limits import FILE_BUDGET
from ..common.stopping import at

PACKED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zip": zipfile.ZipFile}
READING = "reading the file"
_REMEDY = "Take out what is not needed, or build the graph with de.Graph.from_edges(array)."
_BROKEN = (OSError, ValueError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


@dataclass(frozen=True)
class Content:
    """What is in a file, unpacked."""

    name: str  # as the reader knows it: messages begin with it
    stem: str
    ending: str  # of what is inside: ".csv" for edges.csv.gz
    data: bytes


@contextmanager
def naming(name: str | Path) -> Iterator[None]:
    """Puts the file's name before the message of a GraphError."""
    try:
        yield
    except GraphError as error:
        raise GraphError(f"{name}: {error}") from None
    except MemoryError:
        raise GraphError(f"{name}: there is not enough memory for what is in it. {_REMEDY}") from None


@contextmanager
def expecting(what: str) -> Iterator[None]:
    """Turns whatever a foreign parser raises on a bad file into a GraphError: each has errors of its own."""
    try:
        yield
    except GraphError:
        raise
    except Exception as error:
        said = str(error).strip().splitlines()
        raise GraphError(f"this is not {what}: {type(error).__name__}{': ' + said[0][:200] if said else ''}.") from None


def open_file(path: str | Path) -> Content:
    """The content of a file on disk, read once: what happens to the file afterwards does not matter."""
    file = Path(path)
    with naming(file):
        try:
            about = file.stat()
            kind = about.st_mode
            if stat.S_ISDIR(kind):
                raise GraphError("this is a folder; expected a file, or a folder that holds nodes.csv and edges.csv.")
            if not stat.S_ISREG(kind):
                raise GraphError("this is a pipe, a socket or a device; expected a file.")
            with file.open("rb") as stream:
                data = _within(stream, FILE_BUDGET, _REMEDY, about.st_size)
        except FileNotFoundError:
            where = f"the folder looked in is {file.absolute().parent}"
            if str(path).startswith(("http:", "https:", "ftp:")):
                where = "an address on the web is not opened: download the file first"
            raise GraphError(f"there is no such file; {where}.") from None
        except (OSError, ValueError) as error:
            raise error if isinstance(error, GraphError) else GraphError(f"the file cannot be read: {error}.") from None
    return unpack(str(file), data)


def unpack(name: str, data: bytes, *, budget: int = FILE_BUDGET, remedy: str = _REMEDY) -> Content:
    """The content of a file of this name, unpacked if its ending says that it is packed, within a budget of bytes."""
    file = Path(name)
    with naming(name):
        try:
            if (opener := PACKED.get(file.suffix.casefold())) is not None:
                file = file.with_suffix("")
                with opener(io.BytesIO(data)) as packed:
                    if isinstance(packed, zipfile.ZipFile):
                        inside = _only_member(packed)
                        file = file.with_suffix(Path(inside.filename).suffix)
                        packed = packed.open(inside)
                    data = _within(packed, budget, remedy)
        except _BROKEN as error:
            raise error if isinstance(error, GraphError) else GraphError(f"the file cannot be read: {error}.") from None
        check_size(len(data), budget, remedy)
        if not data or data.isspace():
            raise GraphError("the file is empty; expected a graph.")
    return Content(name, file.stem, file.suffix.casefold(), data)


def _within(stream: IO[bytes], budget: int, remedy: str, size: int | None = None) -> bytes:
    """The whole stream, given up as soon as it is past the budget."""
    data = bytearray()
    while piece := stream.read(2**20):
        data += piece
        at(READING, 0.0 if size is None else 0.1 * min(1.0, len(data) / max(size, 1)))
        check_size(len(data), budget, remedy)
    return bytes(data)


def check_size(size: int, budget: int, remedy: str = _REMEDY) -> None:
    """At most so many bytes."""
    if size > budget:
        raise GraphError(
            f"more than {readable_size(budget)} are in the file once it is unpacked, the most allowed. {remedy}"
        )


def _only_member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    files = [member for member in archive.infolist() if not member.is_dir()]
    if len(files) != 1:
        names = ", ".join(repr(member.filename[:50]) for member in files[:5])
        raise GraphError(f"the archive holds {len(files)} files ({names}); expected one. Unpack it and name the file.")
    return files[0]


def check_members(data: bytes) -> None:
    """A zip archive (as .npz and .pt are) whose members fit the budget together; no more is read than they state."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        check_size(sum(member.file_size for member in archive.infolist()), FILE_BUDGET)


def check_text(content: bytes) -> bytes:
    """The bytes without a byte-order mark, or an error if they are not UTF-8 text."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        if not content.isascii():
            content.decode()
        bad = content.find(b"\0")
    except UnicodeDecodeError as error:
        bad = error.start
    if bad >= 0:
        line = content.count(b"\n", 0, bad) + 1
        raise GraphError(
            f"line {line}: the byte 0x{content[bad]:02x} is not UTF-8 text; expected a text file saved as "
            "UTF-8. For another kind of file, name it with format=."
        )
    return content
