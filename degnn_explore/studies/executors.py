"""Where runs are trained: worker processes on this machine (loky) or a Dask cluster, each as a futures Executor.

:func:`executor_for` returns one of two executors. Both call :func:`run_one` in a worker. They differ in how a graph
gets there (a file or a Dask future), and only the local one reports epochs while a run is in progress.

Many runs share a graph, a user's task or model: these are sent once, as a *bundle*; a run is sent as its spec without
them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import os
import pickle
import platform
import signal
import sys
import tempfile
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from copy import copy
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import degnn_explore

from ..common.errors import ParameterError, check_int, short_repr
from ..common.progress import cores, limit_cores, on_compiling
from ..encodings.base import Encoding
from ..encodings.custom import REGISTRY, FunctionEncoding
from ..learn.fingerprint import is_installed
from ..learn.registry import MODELS, mark_of, own_encoding
from ..learn.tasks import Task
from .runs import Run, RunSpec, run_one

_IDLE = 600.0  # seconds after which an idle worker process ends
_KEPT = 2  # idle workers kept for the next race or study
_CONNECT = 15.0  # seconds to wait for a Dask scheduler
_PACKAGES = ("torch", "numpy", "dask", "distributed")


def executor_for(workers: Any = None) -> LocalExecutor | DaskExecutor:
    """The executor for ``workers``: a number of processes here (None: one for each core), or a Dask cluster.

    A cluster is given by the address of its scheduler, such as "tcp://10.0.0.7:8786", or a ``Client`` of it.

    Examples
    --------
    >>> with executor_for(1) as executor:
    ...     executor.submit(abs, -3).result()
    3
    """
    distributed = sys.modules.get("distributed")
    is_client = distributed is not None and isinstance(workers, distributed.Client)
    if is_client or (isinstance(workers, str) and "://" in workers):
        return DaskExecutor(workers)
    if workers is None or isinstance(workers, bool | int | float):
        return LocalExecutor(cores() if workers is None else check_int("workers", workers, least=1))
    raise ParameterError(
        f"workers={short_repr(workers)} cannot be used: expected a whole number of processes, the address of a "
        "Dask scheduler such as 'tcp://10.0.0.7:8786', or a dask.distributed.Client (cluster.get_client())."
    )


# ---- what is sent ---------------------------------------------------------------------------------


class RunExecutor(Executor):
    """What the two executors have in common: how a run is sent."""

    live: bool  # epochs are reported during a run, which can be stopped within a batch; else they arrive with the run
    places: int  # runs at once

    def __init__(self) -> None:
        self._bundles: dict[tuple[str, int, str], tuple[str, Any]] = {}

    def share(self, name: str, content: bytes, scratch: Path) -> Any:
        """Send the content to the workers; what they are given to find it."""
        raise NotImplementedError

    def forget_shared(self) -> None:
        """Send shared data again when needed."""
        self._bundles.clear()

    def _packed(self, spec: RunSpec, scratch: Path) -> tuple[RunSpec, str, Any]:
        """The spec without what is shared, and the name and place of its bundle."""
        about = (spec.digest, id(spec.graph), mark_of(spec.model))
        task = spec.task if isinstance(spec.task, Task) else None
        if about not in self._bundles:
            content = pickle.dumps((spec.graph, task, pack_model(spec.model)))
            name = hashlib.sha256(content).hexdigest()[:20]
            self._bundles[about] = name, self.share(name, content, scratch)
        spec.key, spec.catalog  # noqa: B018 (cached now, and pickled with the rest)
        light = copy(spec)
        object.__setattr__(light, "graph", None)
        if task is not None:
            object.__setattr__(light, "task", None)
        return light, *self._bundles[about]


def _restored(light: RunSpec, name: str, bundle: Callable[[], bytes]) -> RunSpec:
    """In a worker: the spec with its graph, its model registered. The last bundles are cached."""
    if name not in _BUNDLES:
        while len(_BUNDLES) >= 8:
            del _BUNDLES[next(iter(_BUNDLES))]
        _BUNDLES[name] = pickle.loads(bundle())
    graph, task, packed = _BUNDLES[name]
    if packed and _REGISTERED.get(light.model) != name:
        unpack_model(packed)
        _REGISTERED[light.model] = name
    spec = copy(light)
    object.__setattr__(spec, "graph", graph)
    if task is not None:
        object.__setattr__(spec, "task", task)
    return spec


_BUNDLES: dict[str, tuple[Any, Any, bytes]] = {}  # by their digests
_REGISTERED: dict[str, str] = {}  # users' models, and the bundle that each came with last


def pack_model(name: str) -> bytes:
    """A user's model or encoding, pickled by cloudpickle; b"" for a model of this package.

    Examples
    --------
    >>> pack_model("GCN")
    b''
    """
    import cloudpickle

    own: Any
    if own := REGISTRY.get(own_encoding(name)):
        written: Any = own.fn if isinstance(own, FunctionEncoding) else type(own)
    elif not isinstance(MODELS[name].home, str):
        own, written = MODELS[name], MODELS[name].load()
    else:
        return b""
    with _by_value(getattr(written, "__module__", None) or "__main__"):
        try:
            return pickle.dumps((name, cloudpickle.dumps(own)))
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise ParameterError(
                f"{name} cannot be sent to another process ({why}). Its code must not hold files, locks or threads."
            ) from error


def unpack_model(packed: bytes) -> None:
    """Register a model from :func:`pack_model`."""
    if packed:
        name, pickled = pickle.loads(packed)
        own = pickle.loads(pickled)
        if isinstance(own, Encoding):
            REGISTRY[name.split("-GNN-", 1)[1]] = own
        else:
            MODELS[name] = own


@contextlib.contextmanager
def _by_value(module: str) -> Iterator[None]:
    """Pickle code of the user's module by value: a worker may have imported an older version."""
    import cloudpickle

    registered = cloudpickle.list_registry_pickle_by_value()
    if module == "__main__" or module not in sys.modules or module in registered or is_installed(module):
        yield
        return
    cloudpickle.register_pickle_by_value(sys.modules[module])
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[module])


# ---- worker processes of this machine -------------------------------------------------------------


class LocalExecutor(RunExecutor):
    """``workers`` slots, each a loky executor with one process, so that a process that dies affects no other.

    A future whose process died raises ``BrokenExecutor``; its slot is replaced.
    """

    live = True

    def __init__(self, workers: int) -> None:
        super().__init__()
        self.places = workers
        self._slots: list[_Slot] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._slots = [slot for slot in self._slots if slot.usable]
        slot = min(self._slots, key=lambda slot: len(slot.pending), default=None)
        if slot is None or (slot.pending and len(self._slots) < self.places):
            slot = _acquire()
            self._slots.append(slot)
        try:
            return slot.submit(fn, *args, **kwargs)
        except BrokenExecutor:  # its idle process just died
            slot.close()
            return self.submit(fn, *args, **kwargs)

    def train(self, spec: RunSpec, models: Path, scratch: Path) -> Future[tuple[Run, dict[str, bytes]]]:
        """Train a run in a worker process, which writes its files to ``models``."""
        light, name, file = self._packed(spec, scratch)
        return self.submit(train_here, light, name, file, models, scratch)

    def share(self, name: str, content: bytes, scratch: Path) -> Path:
        file = scratch / f"{name}.bundle"
        file.write_bytes(content)
        return file

    def kill(self, future: Future[Any]) -> None:
        """End the process that works on this future."""
        for slot in self._slots:
            if future in slot.pending:
                slot.close()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for slot in self._slots:
            _release(slot)
        self._slots = []


class _Slot:
    """One worker process."""

    def __init__(self) -> None:
        from loky import ProcessPoolExecutor

        environment = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        self._executor = ProcessPoolExecutor(
            1, timeout=_IDLE, initializer=_begin, initargs=(os.getpid(),), env=environment
        )
        self.pending: set[Future[Any]] = set()
        _ALL.add(self)

    def submit(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        self.pending.add(future)
        future.add_done_callback(self.pending.discard)
        return future

    @property
    def usable(self) -> bool:
        """Whether its process is alive or not started yet; an idle one that was killed must not get a run.

        A sentinel is readable once its process is dead; ``is_alive`` may be wrong while loky collects the process.
        """
        flags, processes = self._executor._flags, list(self._executor._processes.values())
        return not (flags.broken or flags.shutdown or wait([process.sentinel for process in processes], 0))

    def close(self) -> None:
        """Kill the process."""
        _ALL.discard(self)
        self._executor.shutdown(wait=False, kill_workers=True)


_ALL: set[_Slot] = set()
_SPARE: list[_Slot] = []
_SPARE_LOCK = threading.Lock()


def warm() -> None:
    """Start a worker in the background if none is idle, so that the next race starts at once."""
    with _SPARE_LOCK:
        if _SPARE:
            return
        slot = _Slot()
        _SPARE.append(slot)
    with contextlib.suppress(Exception):
        slot.submit(_warm_up)


def _acquire() -> _Slot:
    with _SPARE_LOCK:
        while _SPARE:
            if (slot := _SPARE.pop()).usable:
                return slot
            slot.close()
    return _Slot()


def _release(slot: _Slot) -> None:
    """Keep an idle worker for the next race; end it if it is busy or broken, or if enough are kept."""
    with _SPARE_LOCK:
        if not slot.pending and slot.usable and len(_SPARE) < _KEPT:
            _SPARE.append(slot)
            return
    slot.close()


def _close_all() -> None:
    """At exit; loky would wait for unfinished runs."""
    for slot in list(_ALL):
        with contextlib.suppress(Exception):
            slot.close()


def _forget_all() -> None:
    """In a forked child: the workers belong to its parent."""
    global _SPARE_LOCK
    _SPARE_LOCK = threading.Lock()
    _SPARE.clear()
    _ALL.clear()


def _at_exit() -> None:
    import loky  # noqa: F401 (it registers its exit handler first, so ours is called before it)

    threading._register_atexit(_close_all)  # type: ignore[attr-defined]


_at_exit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


# ---- in a worker process of this machine ----------------------------------------------------------


def _begin(client: int) -> None:
    """Leave Ctrl-C to the client, and exit when the client is gone, even if it died while this process started."""
    from loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = 10**12  # loky would take cached graphs and torch for a memory leak
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == client:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="ends with the client").start()


_IS_WARM = threading.Event()


def _warm_up(tell: Callable[[str], object] = lambda words: None) -> None:
    """Load torch and the compiled loops before the first run is timed; ``tell`` is called while compiling."""
    if _IS_WARM.is_set():
        return
    _IS_WARM.set()
    from ..engine import _fill  # noqa: F401 (loads numba)
    from ..graphs.graph import Graph
    from ..learn.registry import build
    from ..learn.tasks import link_task
    from ..learn.training import fit

    with contextlib.suppress(Exception), on_compiling(tell):  # an error will appear in the run itself
        task = link_task(Graph.from_edges([(i, (i + step) % 20) for i in range(20) for step in (1, 2)]))
        list(fit(build("DE-GNN-SPD", task, hidden=2), task, 1, device="cpu", progress=False))


def train_here(light: RunSpec, name: str, bundle: Path, models: Path, scratch: Path) -> tuple[Run, dict[str, bytes]]:
    """In a worker process: train one run, and append its progress to ``scratch/KEY.progress``."""
    progress = open(scratch / f"{light.key}.progress", "a", encoding="utf-8")  # noqa: SIM115
    began = time.process_time()

    def tell(message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # a full disk is reported when the run is stored
            progress.write(json.dumps({**message, "cpu_seconds": time.process_time() - began}) + "\n")
            progress.flush()

    with progress:
        tell({"doing": ""})
        _warm_up(lambda words: tell({"doing": words}))
        try:
            spec = _restored(light, name, bundle.read_bytes)
        except Exception as error:
            raise ParameterError(
                f"A worker process cannot load {light.model}: {type(error).__name__}: {error}"
            ) from None
        return run_one(spec, models, tell, StopFile(scratch / f"{light.key}.stop")), {}


class StopFile:
    """A stop event that is set when a file exists; checked at most 20 times a second."""

    def __init__(self, file: Path) -> None:
        self._file, self._checked, self._set = str(file), 0.0, False

    def is_set(self) -> bool:
        if not self._set and (now := time.monotonic()) - self._checked > 0.05:
            self._checked, self._set = now, os.path.exists(self._file)
        return self._set


# ---- a Dask cluster -------------------------------------------------------------------------------


class DaskExecutor(RunExecutor):
    """The workers of a Dask cluster with the same versions as this process; others are left out with a warning."""

    live = False

    def __init__(self, workers: Any) -> None:
        super().__init__()
        self._ours = isinstance(workers, str)
        self.client = _connected(workers) if self._ours else workers
        if self.client.asynchronous:
            raise ParameterError("workers is an asynchronous Client; give one made without asynchronous=True.")
        if self.client.status == "closed":
            raise ParameterError("workers is a Client that is closed; make a new one: Client(address).")
        self._executor = self.client.get_executor(pure=False)
        self._usable: dict[str, bool] = {}
        self._looked, self._threads = -9.0, 0
        self._look()
        if self._usable and not any(self._usable.values()):
            self.shutdown()
            raise ParameterError(
                "No worker of this cluster can be used (see the warnings). Install the same versions there and here, "
                "e.g. pip install 'degnn_explore[cluster]' -c constraints.txt, and start the workers again."
            )

    @property
    def places(self) -> int:  # type: ignore[override]
        """Runs at once, by the present number of workers."""
        self._look()
        return self._threads

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._look()
        usable = [address for address, good in self._usable.items() if good]
        only = {"workers": usable, "allow_other_workers": False} if len(usable) < len(self._usable) else {}
        future: Future[Any] = self._executor.submit(fn, *args, key=f"degnn-{uuid.uuid4().hex}", **only, **kwargs)
        return future

    def train(self, spec: RunSpec, models: Path, scratch: Path) -> Future[tuple[Run, dict[str, bytes]]]:
        """Train a run on a worker, from its checkpoint in ``models`` if there is one; its files come back with it."""
        light, name, bundle = self._packed(spec, scratch)
        checkpoint = models / f"{spec.key}.checkpoint"
        content_so_far = checkpoint.read_bytes() if checkpoint.exists() else b""
        return self.submit(train_there, light, name, bundle, content_so_far, versions_here())

    def share(self, name: str, content: bytes, scratch: Path) -> Any:
        """A future of the content. It is a task, so that workers that join later can get it, too."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            return self.client.submit(bytes, content, key=f"degnn-graph-{uuid.uuid4().hex}")

    def leave_out(self, address: str, why: str) -> None:
        """Send nothing more to this worker."""
        if self._usable.get(address) is not False:
            self._usable[address] = False
            warnings.warn(f"{why} It is left out.", stacklevel=3)

    def _look(self) -> None:
        """Update the list of workers; check the versions of new ones."""
        if self.client.status in ("closing", "closed"):
            raise ParameterError("The connection to the cluster was lost. What is finished is kept; run it again.")
        if time.monotonic() - self._looked < 2:
            return
        self._looked = time.monotonic()
        try:
            threads = self.client.nthreads() if self.client.status == "running" else {}
            if new := [address for address in threads if address not in self._usable]:
                for address, has in self.client.run(versions_here, workers=new, on_error="return").items():
                    if why := _difference(address, has):
                        self.leave_out(address, why)
                    elif isinstance(has, dict):
                        self._usable[address] = True
        except OSError:  # it is reconnecting
            threads = {}
        self._usable = {address: good for address, good in self._usable.items() if address in threads}
        self._threads = sum(threads[address] for address, good in self._usable.items() if good)

    def kill(self, future: Future[Any]) -> None:
        """Cancel the task: Dask cannot end a single one."""
        future.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._executor.shutdown(wait=False)
        self.forget_shared()
        if self._ours:
            with contextlib.suppress(Exception):
                self.client.close(timeout=_CONNECT)


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ParameterError(
            "Workers on a cluster need the package distributed, which is not installed: "
            "pip install 'degnn_explore[cluster]'. Without it give the number of processes on this machine."
        ) from None
    try:
        return Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ParameterError(
            f"No Dask scheduler answers at {short_repr(address)} "
            f"({' '.join(str(error).split()) or type(error).__name__}). "
            "Give the address that 'dask scheduler' prints when it starts, such as tcp://10.0.0.7:8786."
        ) from None


def versions_here() -> dict[str, str]:
    """Versions of Python, this package, and the packages that affect results or communication.

    Without the build of torch: a laptop's CPU build and a cluster's CUDA build of one version agree.

    Examples
    --------
    >>> list(versions_here())
    ['Python', 'degnn_explore', 'torch', 'numpy', 'dask', 'distributed']
    """
    return {**_installed(), "degnn_explore": degnn_explore.__version__}


@functools.cache
def _installed() -> dict[str, str]:
    versions = {"Python": ".".join(platform.python_version_tuple()[:2]), "degnn_explore": ""}
    for name in _PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "missing"
    return versions


def _difference(worker: str, has: Any, expected: Mapping[str, str] | None = None) -> str:
    """One sentence on which versions of a worker differ from the client's, by default ours; "" if none do.

    >>> _difference("tcp://10.0.0.7:41", {**versions_here(), "numpy": "1.0"}).startswith("The worker tcp://10.0.0.7:41")
    True
    """
    expected = expected or versions_here()
    if isinstance(has, ImportError):
        return f"The worker {worker} has no degnn_explore ({has})."
    if not isinstance(has, Mapping):  # it has left again
        return ""
    differing = [name for name in expected if has.get(name) != expected[name]]
    theirs = ", ".join(f"{name} {has.get(name, 'missing')}" for name in differing)
    ours = ", ".join(expected[name] for name in differing)
    return f"The worker {worker} has {theirs}; here it is {ours}." if differing else ""


# ---- in a worker of a cluster ---------------------------------------------------------------------


class OtherVersions(Exception):
    """A worker that joined has other versions: its address, and a sentence."""


def train_there(
    light: RunSpec, name: str, bundle: bytes, checkpoint: bytes, expected: dict[str, str]
) -> tuple[Run, dict[str, bytes]]:
    """In a worker of a cluster: train one run; returns it with the files that the client keeps."""
    from distributed import get_worker

    worker = get_worker()
    if why := _difference(worker.address, versions_here(), expected):
        raise OtherVersions(worker.address, why)
    with _ONE_AT_A_TIME:
        spec = _restored(light, name, lambda: bundle)
    task = worker.state.tasks.get(worker.get_current_task())
    with tempfile.TemporaryDirectory(dir=worker.local_directory) as folder, limit_cores(1):
        own = Path(folder) / f"{spec.key}.checkpoint"
        if checkpoint:
            own.write_bytes(checkpoint)
        run = run_one(spec, Path(folder), stop=_Unwanted(task))
        kept = [*Path(folder).glob("[!.]*.safetensors"), *([own] if spec.rung and own.exists() else [])]
        return run, {file.name: file.read_bytes() for file in kept}


_ONE_AT_A_TIME = threading.Lock()


class _Unwanted:
    """A stop event that is set when the client has cancelled the task or is gone."""

    def __init__(self, task: Any) -> None:
        self._task = task

    def is_set(self) -> bool:
        return self._task is not None and self._task.state in ("cancelled", "released", "forgotten")
