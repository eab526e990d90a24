"""The published boolean model against kubestow's own proofs."""

import pytest
from kubestow.adapters.bench.priority_matters import instance
from kubestow.model.profile import SchedulerConfiguration
from kubestow.solver.cpsat.encode import feasible
from kubestow.solver.cpsat.naive import naive
from kubestow.solver.result import Limits, Status
from kubestow.solver.solve import solve
from kubestow.solver.task import pose

CONFIGURATION = SchedulerConfiguration()


@pytest.mark.parametrize("seed", range(4))
def test_two_models_prove_the_same_optimum(seed):
    """Where both are proven, every stage has the same value."""
    cluster = instance(3, 3, 2, 0.95, seed)
    task = pose(cluster, CONFIGURATION, stages="published")
    found = naive(task.instance.problem, 20.0, workers=1)
    result = solve(cluster, CONFIGURATION, stages="published", limits=Limits(time=20, workers=1))
    assert found.optimal
    assert result.status is Status.OPTIMAL
    assert feasible(task.instance, found.counts)
    assert [stage.value(task.instance, found.counts) for stage in task.stages] == [
        stage.value for stage in result.stages
    ]


def test_without_time_there_is_no_answer():
    """A deadline that has passed gives no placement and no proof."""
    task = pose(instance(4, 8, 1, 0.95, 0), CONFIGURATION, stages="published")
    found = naive(task.instance.problem, 0.0, workers=1)
    assert not found.optimal
