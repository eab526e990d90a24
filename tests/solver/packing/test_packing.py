"""The parts of the packing search against brute force, on packings with two or three nodes."""

from itertools import product

import numpy as np
import pytest
from kubestow.solver.packing.columns import Columns
from kubestow.solver.packing.effort import Effort
from kubestow.solver.packing.eject import eject
from kubestow.solver.packing.few import fewest_moves, most_placed
from kubestow.solver.packing.improve import improve
from kubestow.solver.packing.patterns import patterns_of
from kubestow.solver.packing.problem import Demand, Packing

SEEDS = range(24)
FOREVER = float("inf")


def random_packing(seed):
    """A packing of a few classes and nodes with a bit of everything, and a valid content."""
    draw = np.random.default_rng(seed)
    classes, nodes = [(2, 2), (2, 3), (3, 2), (4, 2)][seed % 4]
    conflict = np.triu(draw.random((classes, classes)) < 0.1)
    packing = Packing(
        classes=np.arange(classes),
        nodes=np.arange(nodes),
        request=draw.integers(1, 6, size=(classes, 2)),
        available=draw.integers(1, 4, size=classes),
        room=draw.integers(3, 9, size=(nodes, 2)),
        own=np.zeros((classes, nodes), dtype=np.int64),
        open=draw.random((classes, nodes)) < 0.9,
        conflict=conflict | conflict.T,
        mine=np.arange(classes) >= (seed % 3 == 0),
        demands=(),
        settled=np.zeros((classes, nodes), dtype=np.int64),
    )
    content = draw.choice(everything(packing))
    own = np.minimum(content, draw.integers(0, 3, size=content.shape))
    higher = ~packing.mine
    kept = int(np.minimum(content, own)[higher].sum())
    demands = (Demand(higher, int(content[higher].sum())), Demand(higher, kept, kept=True))
    return Packing(**{**packing.__dict__, "own": own, "demands": demands if higher.any() else ()}), content


def valid(packing, content):
    present = content > 0
    clash = any(
        (present[c] & present[d]).any() if c != d else (content[c] > 1).any()
        for c, d in np.argwhere(packing.conflict)
    )
    return (
        (content.T @ packing.request <= packing.room).all()
        and (content.sum(axis=1) <= packing.available).all()
        and not content[~packing.open].any()
        and not clash
    )


def meets(packing, content):
    return all(
        (np.minimum(content, packing.own) if demand.kept else content)[demand.classes].sum() >= demand.least
        for demand in packing.demands
    )


def everything(packing):
    """Every valid content."""
    rows = [list(class_rows(packing, c)) for c in range(len(packing.classes))]
    contents = (np.array(content) for content in product(*rows))
    return [content for content in contents if valid(packing, content)]


def class_rows(packing, c):
    """Every way to put the pods of one class that would do if they were alone."""
    most = [
        int((packing.room[n] // packing.request[c]).min()) * int(packing.open[c, n])
        for n in range(len(packing.nodes))
    ]
    for row in product(*(range(number + 1) for number in most)):
        if sum(row) <= packing.available[c]:
            yield row


def best(packing):
    """(placed, kept) of the best content that meets the demands."""
    found = [content for content in everything(packing) if meets(packing, content)]
    return max((packing.placed(content), packing.kept(content)) for content in found)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("patterns", [10_000, 0], ids=["patterns", "direct"])
def test_improve_finds_and_proves_the_optimum(seed, patterns):
    """By patterns and by counts: as brute force, with bounds that say so."""
    packing, content = random_packing(seed)
    verdict = improve(packing, content, Effort(FOREVER, deterministic=10.0, patterns=patterns))
    assert valid(packing, verdict.content)
    assert meets(packing, verdict.content)
    reached = packing.placed(verdict.content), packing.kept(verdict.content)
    assert reached == best(packing) == (verdict.most_placed, verdict.most_kept)


@pytest.mark.parametrize("seed", SEEDS)
def test_ejection_chains_keep_what_is_valid(seed):
    """A content stays valid, and the tier never loses a pod."""
    packing, content = random_packing(seed)
    found = eject(packing, content, FOREVER)
    assert valid(packing, found)
    assert packing.placed(found) >= packing.placed(content)
    assert (found.sum(axis=1) >= content.sum(axis=1)).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_fewest_moves_are_never_more_than_needed(seed):
    """The bound that takes no search stays below every packing's moves."""
    packing, _ = random_packing(seed)
    running = int(packing.own[packing.mine].sum())
    for content in everything(packing):
        moves = running - packing.kept(content)
        assert fewest_moves(packing, packing.placed(content)) <= moves


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_bound_what_is_placed(seed):
    """No packing that meets the demands has more pods of the tier than sums of requests allow."""
    packing, _ = random_packing(seed)
    assert best(packing)[0] <= most_placed(packing) <= packing.available[packing.mine].sum()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("keep", [False, True])
def test_the_bound_holds_before_and_after_generation(seed, keep):
    """Prices from any stage of column generation prove a true bound."""
    packing, _ = random_packing(seed)
    placed, _ = best(packing)
    most = max(
        (packing.kept if keep else packing.placed)(other)
        for other in everything(packing)
        if meets(packing, other) and packing.placed(other) >= placed
    )
    columns = Columns(packing, patterns_of(packing, 10_000), keep=keep, placed=placed)
    columns.generate(0.0, -1)
    early = columns.bound
    columns.generate(FOREVER, -1)
    assert most <= columns.bound <= early


@pytest.mark.parametrize("seed", SEEDS)
def test_patterns_are_what_single_nodes_can_hold(seed):
    """Every content of a node occurs once, apart from nodes that are closed for a class."""
    packing, _ = random_packing(seed)
    patterns = patterns_of(packing, 10_000)
    found = patterns.contents(np.arange(patterns.number), len(packing.classes))
    assert len(np.unique(found, axis=0)) == len(found)
    wanted = {tuple(content[:, n]) for content in everything(packing) for n in range(len(packing.nodes))}
    assert wanted <= {tuple(row) for row in found.tolist()}
    assert patterns.number == 1 or patterns_of(packing, patterns.number - 1) is None
