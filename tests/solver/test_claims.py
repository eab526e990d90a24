"""The solver's terms against the evaluation, for placements of any quality."""

from __future__ import annotations

from random import Random

import pytest
from final_states import GPU, random_cluster
from hypothesis import given, settings
from hypothesis import strategies as st
from kubestow.model.evaluate import evaluate, stage_coefficients
from kubestow.model.profile import Profile, SchedulerConfiguration, ScoringStrategy
from kubestow.solver.assign import counts_of
from kubestow.solver.task import pose
from kubestow.solver.terms import coefficients

THREE = (("cpu", 1), ("memory", 2), (GPU, 5))
PROFILES = [
    Profile(),
    Profile(scoring=ScoringStrategy("MostAllocated", THREE), balanced_resources=THREE),
    Profile(scoring=ScoringStrategy("RequestedToCapacityRatio", THREE, ((0, 10), (40, 0), (100, 7)))),
]


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.scoring.type)
@pytest.mark.parametrize("question", ["pending", "scratch"])
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), preset=st.sampled_from(["spread", "pack"]), stated=st.booleans())
def test_claims_equal_the_evaluation(
    profile: Profile, question: str, seed: int, preset: str, stated: bool
) -> None:
    """Costs, worst costs and coefficients agree to the last digit, node-level terms of all strategies."""
    drawn = random_cluster(seed, stated=stated)
    task = pose(drawn, SchedulerConfiguration((profile,)), question=question, preset=preset)
    random, names = Random(seed), [None, *drawn.node_index]
    placement = {key: random.choice(names) for key in sorted(task.free.free)}
    terms = evaluate(task.final(placement), preset=preset).terms
    claimed = task.instance.costs(counts_of(task.instance.problem, placement))
    worst = {term.name: term.worst for term, _ in task.instance.terms}
    assert claimed == {term.name: term.cost for term in terms}
    assert worst == {term.name: term.worst for term in terms}
    theirs = coefficients(tuple((term.weight, term.worst) for term in terms))
    assert tuple(stage_coefficients(terms).values()) == theirs
