"""Jobs on a Ray cluster. Ray decides which node does which job, and gives those of a worker that died to another one.

Kernel and image go through Ray's object store, once to each node.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import signal
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.installation import PROJECT
from common.write_errors import cannot_write
from virtual_time.cluster import worker
from virtual_time.cluster.own_ray import own_ray
from virtual_time.cluster.worker import Answer, Board, Program
from virtual_time.console import Event
from virtual_time.file_system.layer import DIGITS
from virtual_time.job import BEGINS, Job, Outside, put_files
from virtual_time.session import Session

AUTO = "auto"
"""Instead of an address: a Ray of our own, on this machine alone."""

MODULES = ("virtual_time", "common")
"""Folders of the checkout that every node gets."""

MAX_RETRIES = 3
"""How often Ray does a job again whose worker or node died."""

MOST_AT_ONCE = 256
"""Jobs that Ray is given at a time: more than any cluster does side by side, so that it has something for every node that joins."""

OBJECT_STORE_BYTES = 512 << 20
"""Room for results on their way, besides kernel and image."""

ANSWER_S = 10.0
LOOK_INTERVAL_S = 0.5
GONE_S = 10.0
"""Time for a worker to end a cancelled job."""

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nobody is told that Ray is used
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # Ray prints nothing among our lines
}

REMEDY = "leave CLUSTER out to run on this machine"


class Cluster:
    """A place for jobs (job.py): as a context manager, it is left when all are done.

    Args:
        session: kernel and image.
        address: of a cluster, as Ray takes it (``HOST:PORT`` on a machine that is a node of it, ``ray://HOST:PORT`` elsewhere); or AUTO.
        events: kinds of events that jobs tell the outside of.

    Raises:
        UserError: on entering: Ray is not installed, there is no such cluster, or a node cannot take part.
    """

    def __init__(self, session: Session, address: str, events: Sequence[str] = ()) -> None:
        self._session = session
        self._address = address
        self._events = tuple(events)
        self._numbers = count()
        self._listeners: dict[int, Callable[[Event], None]] = {}
        self._listening = threading.Lock()
        self._times_begun: Counter[int] = Counter()
        self._stack = ExitStack()
        self._left = threading.Event()

    def __enter__(self) -> Cluster:
        os.environ |= SETTINGS
        if find_spec("ray") is None:
            raise UserError("CLUSTER needs Ray, which is not installed", f"`make cluster` installs it; or {REMEDY}")
        with ExitStack() as stack:
            self._join(stack)
            self._check_nodes()
            self._programs = [self._put(file) for file in self._files]
            self._board = self._ray.remote(num_cpus=0, max_restarts=-1)(Board).remote()
            self._work = self._ray.remote(num_cpus=1, max_retries=MAX_RETRIES, scheduling_strategy="SPREAD")(worker.work)
            listening = threading.Thread(target=self._listen, name="events")
            listening.start()
            stack.callback(listening.join)
            stack.callback(self._left.set)
            stack.callback(self._clean_up)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def side_by_side(self) -> int:
        """How many jobs it is to be given at once."""
        return MOST_AT_ONCE

    def run(self, job: Job, outside: Outside) -> int:
        """Run a job on one of the nodes, as :class:`virtual_time.job.Place` says; ``outside`` gets the last lines of its output only.

        Raises:
            UserError: also if too many of its workers died, or its files cannot be written here.
        """
        number = next(self._numbers)
        self._listeners[number] = outside.on_event
        try:
            reference = self._work.remote(number, _with_contents(job), *self._programs, self._board, self._events)
            answer = self._answer(reference, outside.stop)
        finally:
            with self._listening:  # nobody is told of a job that is done
                self._listeners.pop(number)
        for line in answer.text:
            outside.on_text(line)
        if answer.status is None:
            raise UserError(*answer.error)
        if outside.out is not None:
            try:
                put_files(answer.out, outside.out)
            except OSError as error:
                raise cannot_write(error) from None
        return answer.status

    def _answer(self, reference: Any, stop: threading.Event) -> Answer:
        future: Future[Answer] = reference.future()
        while True:
            try:
                return future.result(timeout=LOOK_INTERVAL_S)
            except TimeoutError:
                if stop.is_set():
                    self._ray.cancel(reference)
                    self._ray.wait([reference], timeout=GONE_S)
                    raise UserError("interrupted") from None
            except self._ray.exceptions.RayError as error:
                raise UserError(f"the cluster could not do it, after {MAX_RETRIES} more tries: {_told(error)}") from None

    def _join(self, stack: ExitStack) -> None:
        address, variables = self._address, {}
        if address == AUTO:
            programs_bytes = sum(file.stat().st_size for file in self._files)
            address, folder = stack.enter_context(own_ray(self._session.side_by_side, programs_bytes + OBJECT_STORE_BYTES))
            variables = {"TMPDIR": str(folder)}
        _check_answers(address)
        environment = {"py_modules": [str(PROJECT / name) for name in MODULES], "env_vars": variables}
        with _own_signal_handlers():
            import ray  # only now: it reads its settings from the environment
            import ray.util.scheduling_strategies

            self._ray: Any = ray
            stack.callback(ray.shutdown)
            try:
                ray.init(address, runtime_env=environment, log_to_driver=False, logging_level=logging.CRITICAL)
            except Exception as error:  # not all errors of Ray have a class of their own
                raise UserError(f"CLUSTER={self._address}: {error}", REMEDY) from None

    @property
    def _files(self) -> tuple[Path, Path]:
        return self._session.kernel.program, self._session.image.file

    def _check_nodes(self) -> None:
        """Every node that would be given jobs can do them; otherwise it would only be quick to fail."""
        unfit = {node: why for node, why in self._on_every_node(worker.why_unfit).items() if why is not None}
        if unfit:
            raise UserError(
                "\n".join(f"the cluster's node {node} cannot take part: {why}" for node, why in unfit.items()),
                "take it out of the cluster, or start its Ray with --num-cpus=0",
            )

    def _on_every_node(self, function: Callable[[], Any]) -> dict[str, Any]:
        """The results of a function on all nodes that may be given jobs, by the node's address."""
        nodes = [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        strategy = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        remote = self._ray.remote(num_cpus=0, max_retries=MAX_RETRIES)(function)
        asked = [remote.options(scheduling_strategy=strategy(node["NodeID"], soft=False)).remote() for node in nodes]
        try:
            return dict(zip((str(node["NodeManagerAddress"]) for node in nodes), self._ray.get(asked), strict=True))
        except self._ray.exceptions.RayError as error:
            raise UserError(f"the cluster's nodes do not answer: {_told(error)}", REMEDY) from None

    def _clean_up(self) -> None:
        """Remove the folders that dead workers have left on their nodes."""
        if any(times > 1 for times in self._times_begun.values()):
            with suppress(UserError):
                self._on_every_node(worker.clean_up)

    def _put(self, file: Path) -> Program:
        content = file.read_bytes()
        return Program(hashlib.sha256(content).hexdigest()[:DIGITS], self._ray.put(pickle.PickleBuffer(content)))

    def _listen(self) -> None:
        while not self._left.wait(LOOK_INTERVAL_S):
            try:
                found: Mapping[int, list[Event]] = self._ray.get(self._board.take.remote())
            except self._ray.exceptions.RayError:
                continue  # its node died; another one has it in a moment
            with self._listening:
                for number in found.keys() & self._listeners.keys():
                    for event in found[number]:
                        self._times_begun[number] += event["event"] == BEGINS
                        self._listeners[number](event)


def _check_answers(address: str) -> None:
    """Refuse an address where nobody answers: Ray itself would go on trying for a quarter of an hour."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host, int(port)), ANSWER_S).close()
    except (OSError, ValueError, OverflowError) as error:
        raise UserError(f"CLUSTER={address}: there is no answer: {error}", "CLUSTER is auto, HOST:PORT or ray://HOST:PORT") from None


@contextmanager
def _own_signal_handlers() -> Iterator[None]:
    """Keep our SIGTERM handler. Ray would replace it, and abort on a SIGTERM meanwhile, so the signal waits for the end of the block."""
    before, mask = signal.getsignal(signal.SIGTERM), signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _with_contents(job: Job) -> Job:
    """A job that needs no file of this machine."""
    return replace(job, files={name: one.read_bytes() if isinstance(one, Path) else one for name, one in job.files.items()})


def _told(error: Exception) -> str:
    """The message of an error of Ray, in a line; an error of a program on a node has it in its last line."""
    lines = (str(error).strip() or type(error).__name__).splitlines()
    return lines[-1 if hasattr(error, "traceback_str") else 0]
