"""Where tasks are carried out: in this process, or by worker processes that may die.

An engine is made for one function and for what all its tasks share, which is shipped once.
Whoever wants another place to work (a cluster of machines, say) implements `Engine`.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, get_context, parent_process
from typing import Any, Protocol, TypeVar

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Answer = TypeVar("Answer")
TaskIn = TypeVar("TaskIn", contravariant=True)
AnswerOut = TypeVar("AnswerOut", covariant=True)

_log = logging.getLogger(__name__)
_START = "fork" if sys.platform == "linux" else "spawn"
"""A fork has what is shared at once; elsewhere it is not safe, and each worker is sent a pickle."""


class Engine(Protocol[TaskIn, AnswerOut]):
    """Carries out independent tasks."""

    def map(self, tasks: Sequence[TaskIn]) -> Sequence[AnswerOut | None]:
        """One answer per task, in the tasks' order; None for a task that was given up."""
        ...

    def close(self) -> None:
        """Let go of all workers; `map` may be called again."""
        ...


def local(function: Callable[[Shared, Task], Answer], shared: Shared, workers: int) -> Engine[Task, Answer]:
    """An engine on this machine.

    Parameters
    ----------
    function : callable
        Of what is shared and of a task; a plain function of a module.
    shared : object
        The same for all tasks.
    workers : int
        Processes; with 1 all work is done in this process.
    """
    return Processes(function, shared, workers) if workers > 1 else Here(function, shared)


class Here:
    """One task after another, in this process."""

    def __init__(self, function: Callable[[Any, Any], Any], shared: Any) -> None:
        self._function, self._shared = function, shared

    def map(self, tasks: Sequence[Any]) -> Sequence[Any]:
        """One answer per task."""
        return [self._function(self._shared, task) for task in tasks]

    def close(self) -> None:
        """Nothing to let go of."""


class Processes:
    """Worker processes, started when there is first more than one task.

    A worker that dies takes its task with it, and the pool is lost for the others. What has no answer
    yet is then carried out again, each task alone, so that it is known which one ends its worker: that
    task is given up.
    """

    def __init__(self, function: Callable[[Any, Any], Any], shared: Any, workers: int) -> None:
        self._function, self._shared, self._workers = function, shared, workers
        self._pool: ProcessPoolExecutor | None = None

    def map(self, tasks: Sequence[Any]) -> Sequence[Any]:
        """One answer per task, None for one that twice ended its worker."""
        if self._pool is None and len(tasks) == 1:
            return [self._function(self._shared, tasks[0])]
        answers, lost = self._attempt(tasks)
        for position in lost:
            again, failed = self._attempt([tasks[position]])
            answers[position] = again[0]
            if failed:
                _log.warning("a worker process died twice over %s: it is left out", tasks[position])
        return answers

    def close(self) -> None:
        """Let the workers end."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _attempt(self, tasks: Sequence[Any]) -> tuple[list[Any], list[int]]:
        """Answers, and the positions of tasks that have none because a worker died."""
        answers: list[Any] = [None] * len(tasks)
        lost: list[int] = []
        for position, future in enumerate(self._submitted(tasks)):
            try:
                answers[position] = future.result()
            except BrokenProcessPool:
                lost.append(position)
        if lost:
            self.close()
        return answers, lost

    def _submitted(self, tasks: Sequence[Any]) -> list[Future[Any]]:
        if self._pool is None:
            context, made_for = get_context(_START), (self._function, self._shared)
            self._pool = ProcessPoolExecutor(self._workers, context, _begin, made_for)
        return [_submit(self._pool, task) for task in tasks]


def _submit(pool: ProcessPoolExecutor, task: Any) -> Future[Any]:
    try:
        return pool.submit(_carry_out, task)
    except BrokenProcessPool as error:
        refused: Future[Any] = Future()
        refused.set_exception(error)
        return refused


_work: tuple[Callable[[Any, Any], Any], Any] | None = None
"""What a worker process was made for."""


def _begin(function: Callable[[Any, Any], Any], shared: Any) -> None:
    global _work
    _work = (function, shared)
    # What came with the fork is not garbage; looking at it would copy it.
    gc.freeze()
    # Ctrl-C is for the process that waits for the answers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """See to it that this process ends when the one that started it does, however that ends."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _carry_out(task: Any) -> Any:
    assert _work is not None
    function, shared = _work
    return function(shared, task)
