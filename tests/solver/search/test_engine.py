import logging
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from kubestow.model.admission import admit
from kubestow.model.profile import SchedulerConfiguration
from kubestow.model.verify import verify
from kubestow.scenarios import generators
from kubestow.solver.cpsat import exact
from kubestow.solver.result import Limits
from kubestow.solver.search import rounds, search
from kubestow.solver.search.engine import local
from kubestow.solver.solve import solve_task
from kubestow.solver.task import pose


def double(shared, task):
    return shared * task


def dies_once(folder: Path, task: int) -> tuple[int, int]:
    """Ends its process when it is first given the task 3."""
    mark = folder / "mark"
    if task == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return task, os.getpid()


def dies_always(_: object, task: int) -> int:
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def fails(_: object, task: int) -> int:
    raise ValueError(f"task {task}")


@pytest.fixture
def engine():
    """Makes engines and lets go of their workers at the end."""
    made = []

    def make(*arguments):
        made.append(local(*arguments))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_answers_come_in_the_order_of_the_tasks(engine, workers):
    """Whatever the number of workers, and as often as asked."""
    mapping = engine(double, 7, workers)
    assert list(mapping.map(range(9))) == [7 * task for task in range(9)]
    assert list(mapping.map([1, 2])) == [7, 14]
    assert list(mapping.map([])) == []
    mapping.close()
    assert list(mapping.map([3, 4])) == [21, 28]


def test_tasks_run_in_other_processes(engine, tmp_path):
    """Several tasks leave this process; a single one is not worth starting workers."""
    (tmp_path / "mark").touch()
    mapping = engine(dies_once, tmp_path, 2)
    assert mapping.map([0]) == [(0, os.getpid())]
    assert os.getpid() not in {process for _, process in mapping.map([0, 1, 2, 3])}


def test_a_task_whose_worker_dies_is_carried_out_again(engine, tmp_path, caplog):
    """Every task has its answer, and nothing is said."""
    found = engine(dies_once, tmp_path, 2).map(range(6))
    assert [task for task, _ in found] == list(range(6))
    assert (tmp_path / "mark").exists()
    assert not caplog.records


def test_a_task_that_ends_every_worker_is_given_up_and_said(engine, caplog):
    """The others have their answers, and the engine goes on."""
    mapping = engine(dies_always, None, 2)
    with caplog.at_level(logging.WARNING):
        assert mapping.map(range(6)) == [0, 1, 2, None, 4, 5]
    (record,) = caplog.records
    assert "died twice over 3" in record.getMessage()
    assert mapping.map([7, 8]) == [7, 8]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_is_raised_where_the_answers_are_awaited(engine, workers):
    """A mistake in a task is no dead worker."""
    with pytest.raises(ValueError, match="task 0"):
        engine(fails, None, workers).map([0, 1])


def task_of(name: str = "random", seed: int = 0, nodes: int = 16, pods: int = 48):
    cluster = admit(getattr(generators, name)(nodes, pods, 6, load=0.9, seed=seed))
    return pose(cluster, SchedulerConfiguration())


def placement(limits: Limits, name: str = "random", seed: int = 0) -> dict[str, str | None]:
    return dict(solve_task(task_of(name, seed), limits, {}).placement)


@pytest.fixture
def neighbourhoods_only(monkeypatch):
    """No model of the whole problem and no exchange, so that everything is left to short rounds."""
    monkeypatch.setattr(search, "small_enough", lambda _: False)
    monkeypatch.setattr(search.Search, "_improve_cost", lambda *_: None)
    monkeypatch.setattr(rounds, "_SECONDS", 0.05)


@pytest.mark.usefixtures("neighbourhoods_only")
@pytest.mark.parametrize("name", ["random", "soft"])
def test_the_number_of_workers_does_not_change_what_is_counted(name):
    """Under a deterministic limit the same seed gives the same placement."""
    found = [placement(Limits(deterministic=0.5, workers=workers), name) for workers in (1, 3)]
    assert found[0] == found[1]


@pytest.mark.usefixtures("neighbourhoods_only")
def test_a_killed_worker_does_not_change_what_is_counted(monkeypatch, tmp_path):
    """Its neighbourhood is solved again, with the same result."""
    limits = Limits(deterministic=0.5, workers=2)
    expected = placement(limits)
    solve_stage = exact.solve_stage

    def killed_once(*arguments):
        mark = tmp_path / "mark"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return solve_stage(*arguments)

    monkeypatch.setattr(rounds, "solve_stage", killed_once)
    assert placement(limits) == expected
    assert (tmp_path / "mark").exists()


@pytest.mark.usefixtures("neighbourhoods_only")
@pytest.mark.parametrize("name", ["random", "relational", "soft"])
def test_rounds_improve_and_keep_the_rules(name):
    """What disjoint neighbourhoods find goes together: nothing is broken, and the cost falls."""
    task = task_of(name)
    start = search.Search(task.instance, task.stages, Limits(time=0.1), task.instance.problem.origin.copy())
    start._begin()
    found = solve_task(task, Limits(deterministic=0.5, workers=2), {})
    assert verify(task.final(found.placement), may_move=frozenset(found.placement)).ok
    values = tuple(stage.value for stage in found.stages)
    before = tuple(stage.value(task.instance, start.counts) for stage in task.stages)
    assert values[:-1] >= before[:-1]
    assert values[:-1] > before[:-1] or values[-1] < before[-1]


def test_placements_that_use_the_same_pod_are_not_merged():
    """A pod that two neighbourhoods have placed is there once."""
    instance = task_of("spread").instance
    nothing = instance.problem.origin
    c = int(np.argmax(instance.eligible.sum(axis=1)))
    here, there = np.flatnonzero(instance.eligible[c])[:2].tolist()
    one, other = nothing.copy(), nothing.copy()
    one[c, here] = other[c, there] = instance.problem.count[c]
    assert rounds.merged(instance, nothing, one, other) is None
    one[c, here] = other[c, there] = 1
    both = rounds.merged(instance, nothing, one, other)
    assert both is not None
    assert (both == one + other).all()
    assert rounds.merged(instance, nothing, one, nothing) is None


def test_tasks_can_be_sent_anywhere():
    """What is shared, and a task, survive a pickle: they could go to another machine."""
    task = task_of("soft", nodes=6, pods=30)
    counts = task.instance.problem.origin.copy()
    job = rounds.Neighbourhood(tuple(range(6)), counts, len(task.stages) - 2, Limits(deterministic=1.0), 1.0)
    sent = pickle.loads(pickle.dumps(((task.instance, task.stages), job)))
    here = rounds.improve((task.instance, task.stages), job)
    there = rounds.improve(*sent)
    assert here.counts is not None
    assert there.counts is not None
    assert here.counts.any()
    assert (here.counts == there.counts).all()


def test_workers_end_with_their_parent(tmp_path):
    """Even where the parent is killed and can tell nobody."""
    program = """
import os, sys, time
from kubestow.solver.search.engine import local

def work(folder, task):
    open(os.path.join(folder, str(os.getpid())), "w").close()
    time.sleep(0 if task else 60)

local(work, sys.argv[1], 2).map([1, 0])
"""
    script = tmp_path / "program.py"
    script.write_text(program)
    folder = tmp_path / "workers"
    folder.mkdir()
    parent = subprocess.Popen([sys.executable, str(script), str(folder)])
    waited(lambda: len(list(folder.iterdir())) > 0)
    parent.kill()
    parent.wait()
    workers = [int(path.name) for path in folder.iterdir()]
    waited(lambda: not any(alive(worker) for worker in workers))


def waited(condition: Callable[[], bool]) -> None:
    """Waits, for a minute at most."""
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("that never happened")


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")
