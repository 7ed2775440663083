"""Where runs are trained: worker processes on this machine (loky) or a Dask cluster, each as a futures Executor.

:func:`executor_for` returns one of two executors. Both call :func:`run_one` in a worker. They differ in how a graph
gets there (a file or a Dask future), and only the local one reports epochs while a run is in progress.
"""

from __future__ import annotations

import contextlib
import functools
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
from ..learn.registry import MODELS, own_encoding
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


# ---- what is sent: a spec without its graph, and once for many runs a bundle with the graph --------


def without_graph(spec: RunSpec) -> RunSpec:
    """The spec without its graph and user's task, which are sent in a bundle; its key is computed first."""
    spec.key, spec.catalog  # noqa: B018 (cached now, and pickled with the rest)
    light = copy(spec)
    for name in ("graph", "task") if isinstance(spec.task, Task) else ("graph",):
        object.__setattr__(light, name, None)
    return light


def bundle_of(spec: RunSpec) -> bytes:
    """What many runs share, pickled: graph, and a user's task, model or encoding."""
    task = spec.task if isinstance(spec.task, Task) else None
    return pickle.dumps((spec.graph, task, pack_model(spec.model)))


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
            raise ParameterError(f"{name} cannot be sent to another process ({why}).") from error


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


class LocalExecutor(Executor):
    """``workers`` slots, each a loky executor with one process, so that a process that dies affects no other.

    A future whose process died raises ``BrokenExecutor``; its slot is replaced.
    """

    live = True  # epochs are reported during a run, which can be stopped within a batch

    def __init__(self, workers: int) -> None:
        self.places = workers
        self._slots: list[_Slot] = []
        self._running: dict[Future[Any], _Slot] = {}
        self._process, self._lock = os.getpid(), threading.Lock()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with self._lock:
            if self._process != os.getpid():  # a forked child does not have its parent's worker processes
                self._slots, self._running, self._process = [], {}, os.getpid()
            self._slots = [slot for slot in self._slots if slot.usable]
            slot = min(self._slots, key=lambda slot: slot.pending, default=None)
            if slot is None or (slot.pending and len(self._slots) < self.places):
                slot = _acquire()
                self._slots.append(slot)
            try:
                future = slot.submit(fn, *args, **kwargs)
            except BrokenExecutor:  # its idle process just died
                self._slots.remove(slot)
                slot = _Slot()
                self._slots.append(slot)
                future = slot.submit(fn, *args, **kwargs)
            self._running[future] = slot
        future.add_done_callback(lambda future: self._running.pop(future, None))
        return future

    def share(self, name: str, content: bytes, scratch: Path) -> str:
        """Write the content to a file for the workers; return its path."""
        file = scratch / f"{name}.bundle"
        file.write_bytes(content)
        return str(file)

    def kill(self, future: Future[Any]) -> None:
        """End the process that works on this future."""
        if slot := self._running.get(future):
            slot.close()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            for slot in self._slots if self._process == os.getpid() else ():
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
        self.pending, self.broken = 0, False
        _ALL.add(self)

    def submit(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        self.pending += 1
        future.add_done_callback(self._ended)
        return future

    @property
    def usable(self) -> bool:
        """Whether its process is alive or not started yet; an idle one that was killed must not get a run.

        A sentinel is readable once its process is dead; ``is_alive`` may be wrong while loky collects the process.
        """
        processes = list(self._executor._processes.values())
        return not self.broken and not wait([process.sentinel for process in processes], 0)

    def _ended(self, future: Future[Any]) -> None:
        self.pending -= 1
        if not future.cancelled() and isinstance(future.exception(), BrokenExecutor):
            self.broken = True

    def close(self) -> None:
        """Kill the process."""
        self.broken = True
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


def train_here(light: RunSpec, bundle: str, name: str, folder: str, scratch: str) -> Run:
    """In a worker process: train one run, and append its progress to ``scratch/KEY.progress``."""
    progress = open(Path(scratch) / f"{light.key}.progress", "a", encoding="utf-8")  # noqa: SIM115
    began = time.process_time()

    def tell(message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # a full disk is reported when the run is stored
            progress.write(json.dumps({**message, "cpu_seconds": time.process_time() - began}) + "\n")
            progress.flush()

    with progress:
        tell({"doing": ""})
        _warm_up(lambda words: tell({"doing": words}))
        try:
            spec = _restored(light, name, Path(bundle).read_bytes)
        except Exception as error:
            words = f"A worker process cannot load {light.model}: {type(error).__name__}: {error}"
            return Run(light.key, "", "", light.model, light.seed, status="failed", error=words)
        return run_one(spec, Path(folder), tell, StopFile(Path(scratch) / f"{light.key}.stop"))


class StopFile:
    """A stop event that is set when a file exists; checked at most 20 times a second."""

    def __init__(self, file: Path) -> None:
        self._file, self._checked, self._set = str(file), 0.0, False

    def is_set(self) -> bool:
        if not self._set and (now := time.monotonic()) - self._checked > 0.05:
            self._checked, self._set = now, os.path.exists(self._file)
        return self._set


# ---- a Dask cluster -------------------------------------------------------------------------------


class DaskExecutor(Executor):
    """The workers of a Dask cluster with the same versions as this process; others are left out with a warning."""

    live = False  # epochs arrive with the run

    def __init__(self, workers: Any) -> None:
        self._ours = isinstance(workers, str)
        self.client = _connected(workers) if self._ours else workers
        if self.client.asynchronous:
            raise ParameterError("workers is an asynchronous Client; give one made without asynchronous=True.")
        if self.client.status == "closed":
            raise ParameterError("workers is a Client that is closed; make a new one: Client(address).")
        self._executor = self.client.get_executor(pure=False)
        self._shared: dict[str, Any] = {}
        self._usable: dict[str, bool] = {}
        self._looked, self._places = -9.0, 0
        self._look()
        if self._usable and not any(self._usable.values()):
            self.shutdown()
            raise ParameterError(
                "No worker of this cluster can be used (see the warnings). Install the same versions there and here, "
                "e.g. pip install 'degnn_explore[cluster]' -c constraints.txt, and start the workers again."
            )

    @property
    def places(self) -> int:
        """Runs in progress, and as many again that are queued, so that no worker waits for the client."""
        self._look()
        return max(2, 2 * self._places)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._look()
        usable = [address for address, good in self._usable.items() if good]
        only = {"workers": usable, "allow_other_workers": False} if len(usable) < len(self._usable) else {}
        future: Future[Any] = self._executor.submit(fn, *args, key=f"degnn-{uuid.uuid4().hex}", **only, **kwargs)
        return future

    def share(self, name: str, content: bytes, scratch: Path) -> Any:
        """A future of the content. It is a task, so that workers that join later can get it, too."""
        if name not in self._shared:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")
                self._shared[name] = self.client.submit(bytes, content, key=f"degnn-graph-{uuid.uuid4().hex}")
        return self._shared[name]

    def forget_shared(self) -> None:
        """The Dask scheduler restarted: send shared data again when needed."""
        self._shared.clear()

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
        self._places = sum(threads[address] for address, good in self._usable.items() if good)

    def kill(self, future: Future[Any]) -> None:
        """Cancel the task: Dask cannot end a single one."""
        future.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._executor.shutdown(wait=False)
        self._shared.clear()
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


def _difference(worker: str, has: Any) -> str:
    """One sentence on which versions of a worker differ from ours; "" if none do.

    >>> _difference("tcp://10.0.0.7:41", {**versions_here(), "numpy": "1.0"}).startswith("The worker tcp://10.0.0.7:41")
    True
    """
    expected = versions_here()
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
    """A worker that joined has other versions: address, and what differs."""


def train_there(
    light: RunSpec, bundle: bytes, name: str, checkpoint: bytes, expected: dict[str, str]
) -> tuple[Run, dict[str, bytes]]:
    """In a worker of a cluster: train one run; returns it with the files that the client keeps."""
    from distributed import get_worker

    worker = get_worker()
    if (has := versions_here()) != expected:
        raise OtherVersions(worker.address, has)
    with _ONE_AT_A_TIME:
        spec = _restored(light, name, lambda: bundle)
    task = worker.state.tasks.get(worker.get_current_task())
    with tempfile.TemporaryDirectory(dir=worker.local_directory) as folder, limit_cores(1):
        own = Path(folder) / f"{spec.key}.checkpoint"
        if checkpoint:
            own.write_bytes(checkpoint)
        run = run_one(spec, Path(folder), stop=_Unwanted(task))
        wanted = [
            file for file in Path(folder).iterdir() if file.suffix == ".safetensors" or (file == own and spec.rung)
        ]
        return run, {file.name: file.read_bytes() for file in wanted if not file.name.startswith(".")}


_ONE_AT_A_TIME = threading.Lock()


class _Unwanted:
    """A stop event that is set when the client has cancelled the task or is gone."""

    def __init__(self, task: Any) -> None:
        self._task = task

    def is_set(self) -> bool:
        return self._task is not None and self._task.state in ("cancelled", "released", "forgotten")
