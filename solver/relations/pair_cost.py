"""Preferred pod affinity as a term: a sum over topology domains of products of counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..bounds.relaxation import Relaxation
from ..cpsat.cp import Expr, total, weighted
from ..cpsat.scope import Scope
from ..problem import Problem
from ..terms import Floats, Price, Relational
from .pairs import Pairs
from .partition import Bundle, Partition, Tally
from .skew import hard_skews

Ints = NDArray[np.int64]
_TANGENTS = 32


@dataclass(frozen=True, eq=False)
class PairCost(Relational):
    """A sum of `Pairs`.

    Parameters
    ----------
    problem : Problem
    pairs : tuple of Pairs
    """

    problem: Problem
    pairs: tuple[Pairs, ...]

    @cached_property
    def _parts(self) -> dict[str, Partition]:
        return {pair.key: pair.partition for pair in self.pairs}

    @property
    def labels(self) -> Ints:
        """Domains of the keys that are coarser than a node."""
        coarse = [part.of_node for part in self._parts.values() if part.size < len(part.known)]
        return np.stack(coarse, axis=1) if coarse else np.zeros((len(self.problem.nodes), 0), dtype=np.int64)

    @property
    def related(self) -> list[Ints]:
        """Both sides of each term."""
        return [np.union1d(pair.owners, pair.selected) for pair in self.pairs]

    @property
    def gathered(self) -> list[tuple[str, Ints]]:
        """Both sides of each term that wants its pods together."""
        wanted = (pair for pair in self.pairs if pair.coefficient < 0)
        return [(pair.key, np.union1d(pair.owners, pair.selected)) for pair in wanted]

    def value(self, counts: Ints) -> int:
        """The exact value."""
        return sum(pair.of_sides(*pair.sides(counts)) for pair in self.pairs)

    def prices(self, counts: Ints) -> list[Price]:
        """A pod pairs up with the other side of each of its terms."""
        shapes = {key: (len(counts), part.size + 1) for key, part in self._parts.items()}
        enter = {key: np.zeros(shape) for key, shape in shapes.items()}
        leave = {key: np.zeros(shape) for key, shape in shapes.items()}
        concerned = {key: np.zeros(len(counts), dtype=bool) for key in shapes}
        for pair in self.pairs:
            concerned[pair.key][[*pair.owners, *pair.selected]] = True
            owners, selected = pair.sides(counts)
            for change, sign in ((enter[pair.key], 1), (leave[pair.key], -1)):
                change[pair.owners, :-1] += sign * pair.coefficient * (selected - pair.itself)
                change[pair.selected, :-1] += sign * pair.coefficient * owners
                change[pair.both, :-1] += pair.coefficient
        return [
            Price(part.of_node, enter[key], leave[key], np.zeros(shapes[key]), concerned[key], separate=True)
            for key, part in self._parts.items()
        ]

    def entering(self, c: int, counts: Ints) -> Floats:
        """The terms that concern class `c` alone."""
        change = np.zeros(counts.shape[1])
        for pair in self.pairs:
            owns, chosen = c in pair.owners, c in pair.selected
            if owns or chosen:
                owners, selected = pair.sides(counts)
                pairs = owns * (selected - pair.itself) + chosen * owners + (owns and chosen)
                change += pair.coefficient * np.append(pairs, 0)[pair.partition.of_node]
        return change

    def encode(self, scope: Scope) -> Expr:
        """Products per domain; squares that cost are bounded from below only."""
        return total([expression for pair in self.pairs for expression in _encode(scope, pair)])

    def relax(self, relaxation: Relaxation, coefficient: int) -> None:
        """Tangents of squares that cost, and products no larger than McCormick's envelopes."""
        for pair in self.pairs:
            bundles = pair.partition.bundles(relaxation)
            if pair.coefficient > 0:
                for bundle in bundles:
                    _unwanted(self.problem, relaxation, pair, bundle, coefficient)
            else:
                gains = [_wanted(self.problem, relaxation, pair, bundle, coefficient) for bundle in bundles]
                _limit_gains(self.problem, relaxation, pair, gains)


def _encode(scope: Scope, pair: Pairs) -> Iterator[Expr]:
    owners = pair.partition.tally(scope, pair.owners, pair.owned)
    selected = pair.partition.tally(scope, pair.selected, pair.taken)
    touched = sorted({*owners.variables, *selected.variables})
    settled = np.ones(pair.partition.size, dtype=bool)
    settled[touched] = False
    yield pair.of_sides(owners.fixed[settled], selected.fixed[settled])
    for domain in touched:
        if domain not in owners.variables:
            yield weighted(
                [selected.count(domain) - pair.itself], [pair.coefficient * int(owners.fixed[domain])]
            )
        elif domain not in selected.variables:
            others = int(selected.fixed[domain]) - pair.itself
            yield weighted([owners.count(domain)], [pair.coefficient * others])
        else:
            product = _product(scope, pair, owners, selected, domain)
            yield weighted(
                [product, owners.count(domain)], [pair.coefficient, -pair.coefficient * pair.itself]
            )


def _product(scope: Scope, pair: Pairs, owners: Tally, selected: Tally, domain: int) -> Expr:
    """Owners times selected pods."""
    one = _variable(scope, owners, domain)
    other = one if pair.alike else _variable(scope, selected, domain)
    lower = int(owners.fixed[domain] * selected.fixed[domain])
    upper = owners.upper(domain) * selected.upper(domain)
    hint = owners.now(domain) * selected.now(domain)
    product = scope.auxiliary(lower, upper, f"pairs{domain}", hint)
    steps = range(int(owners.fixed[domain]), owners.upper(domain))
    if pair.alike and pair.coefficient > 0 and len(steps) <= _TANGENTS:
        for k in steps:
            scope.model.add(product >= (2 * k + 1) * one - k * (k + 1))
    else:
        scope.model.add_multiplication_equality(product, [one, other])
    return product


def _variable(scope: Scope, tally: Tally, domain: int) -> Expr:
    fixed, upper = int(tally.fixed[domain]), tally.upper(domain)
    variable = scope.auxiliary(fixed, upper, f"in{domain}", tally.now(domain))
    scope.model.add(variable == tally.count(domain))
    return variable


def _columns(relaxation: Relaxation, classes: Ints, groups: list[int]) -> list[int]:
    return [j for c in classes.tolist() for j in relaxation.columns(c, groups)]


def _unwanted(
    problem: Problem, relaxation: Relaxation, pair: Pairs, bundle: Bundle, coefficient: int
) -> None:
    """Pairs cost: those with pinned pods are linear, those among owners bounded by tangents of the square."""
    factor = float(coefficient * pair.coefficient)
    owned = pair.owned[bundle.domains]
    others = pair.taken[bundle.domains] - pair.itself * owned
    relaxation.constant += coefficient * pair.coefficient * int(owned @ others)
    columns = _columns(relaxation, pair.owners, bundle.inner)
    relaxation.charge(columns, factor * int(others.min()))
    strangers = np.setdiff1d(pair.selected, pair.owners)
    relaxation.charge(_columns(relaxation, strangers, bundle.inner), factor * int(owned.min()))
    if not pair.itself:
        return
    base = int(owned.sum())
    most = base + int(problem.count[pair.owners].sum())
    cost = relaxation.column(0.0, float(most * most), factor)
    for k in _places(-(-most // bundle.size)):
        # Integers n have n (n - 1) >= 2 k n - k (k + 1), whatever the integer k.
        row = [(cost, 1.0), *((j, -2.0 * k) for j in columns)]
        relaxation.row(2.0 * k * base - float(bundle.size * k * (k + 1)), np.inf, row)


def _places(most: int) -> list[int]:
    """Where tangents touch: close for small means, further apart for large ones, none beyond the largest."""
    means = np.geomspace(1, max(most, 1), _TANGENTS // 2)
    return [0, *np.unique(means.astype(np.int64)).tolist()]


def _wanted(problem: Problem, relaxation: Relaxation, pair: Pairs, bundle: Bundle, coefficient: int) -> int:
    """Pairs are a gain: no more than each side times the largest possible other side; its column."""
    domains = bundle.domains
    room = _room(problem, relaxation, pair)[:, domains]
    owners = int((pair.owned[domains] + room[pair.owners].sum(axis=0)).max())
    selected = int((pair.taken[domains] + room[pair.selected].sum(axis=0)).max())
    base, other = int(pair.owned[domains].sum()), int(pair.taken[domains].sum())
    gain = relaxation.column(
        0.0, float(owners * selected * bundle.size), float(coefficient * pair.coefficient)
    )
    others = max(selected - pair.itself, 0)
    row = [(gain, 1.0), *((j, -float(others)) for j in _columns(relaxation, pair.owners, bundle.touching))]
    relaxation.row(-np.inf, float(others * base), row)
    row = [(gain, 1.0), *((j, -float(owners)) for j in _columns(relaxation, pair.selected, bundle.touching))]
    relaxation.row(-np.inf, float(owners * other), row)
    return gain


def _limit_gains(problem: Problem, relaxation: Relaxation, pair: Pairs, gains: Sequence[int]) -> None:
    """All gains together: no more than everybody of one side in the largest domain of the other."""
    sides = ((pair.owners, pair.owned), (pair.selected, pair.taken))
    for (classes, pinned), (others, beside) in (sides, sides[::-1]):
        everybody = int(problem.count[classes].sum() + pinned.sum())
        row = [*((gain, 1.0) for gain in gains), (relaxation.peak(pair.key, others), -float(everybody))]
        relaxation.row(-np.inf, float(everybody * int(beside.max(initial=0))), row)


def _room(problem: Problem, relaxation: Relaxation, pair: Pairs) -> Ints:
    """Shape (classes, domains): how many pods of a class a domain holds at most, by room and hard spread."""
    partition = pair.partition
    fit = np.where(relaxation.eligible, problem.fit, 0)
    room = np.minimum(partition.sums(fit), problem.count[:, None])
    for hard in problem.once(hard_skews):
        skew = hard.skew
        if skew.key != pair.key or not len(skew.limited):
            continue
        free = partition.sums(fit[skew.limited] * (skew.partition.of_node < 0))
        capped = np.zeros(partition.size, dtype=np.int64)
        inside = skew.partition.known
        capped[partition.of_node[inside]] = skew.most_in_domain(problem)[skew.partition.of_node[inside]]
        room[skew.limited] = np.minimum(room[skew.limited], free + capped)
    return room
