"""Soft topology spread as a term: excess over the smallest domain and ``maxSkew``, summed over domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...model.spread_constraints import SOFT
from ...model.spread_groups import SpreadGroup, spread_groups
from ..bounds.relaxation import Relaxation
from ..cpsat.cp import Expr, total
from ..cpsat.scope import Scope
from ..problem import Problem
from ..terms import Floats, Price, Relational
from .partition import Tally
from .skew import Skew

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SkewCost(Relational):
    """Sum over constraints and domains of ``max(0, count - least - maxSkew)``. Convex.

    Parameters
    ----------
    problem : Problem
    skews : tuple of Skew
    """

    problem: Problem
    skews: tuple[Skew, ...]

    @property
    def labels(self) -> Ints:
        """Domains of the keys that are coarser than a node."""
        columns = {skew.partition.of_node.tobytes(): skew.partition.of_node for skew in self._coarse()}
        none = np.zeros((len(self.problem.nodes), 0), dtype=np.int64)
        return np.stack(list(columns.values()), axis=1) if columns else none

    def _coarse(self) -> list[Skew]:
        return [skew for skew in self.skews if skew.partition.size < len(skew.partition.known)]

    @property
    def related(self) -> list[Ints]:
        """Classes that a constraint counts."""
        return [skew.selected for skew in self.skews]

    def value(self, counts: Ints) -> int:
        """The exact value."""
        return sum(int(_excess(skew.counts(counts), skew.most).sum()) for skew in self.skews)

    def prices(self, counts: Ints) -> list[Price]:
        """Entering is negative where the pod lifts the smallest domain."""
        found: dict[tuple[bytes, bool], Price] = {}
        for skew in self.skews:
            of_node, count = skew.partition.of_node, skew.counts(counts)
            # Where several hosts are smallest, trades of other nodes change the minimum for the better only.
            separate = skew.partition.size == len(skew.partition.known) and (count == count.min()).sum() > 1
            identity = of_node.tobytes(), bool(separate)
            if identity not in found:
                nothing = np.zeros((3, len(counts), skew.partition.size + 1))
                nobody = np.zeros(len(counts), dtype=bool)
                found[identity] = Price(of_node, nothing[0], nothing[1], nothing[2], nobody, identity[1])
            price = found[identity]
            price.concerned[skew.selected] = True
            price.enter[skew.selected, :-1] += _entering(count, skew.most)
            price.leave[skew.selected, :-1] += _leaving(count, skew.most)
            price.doubt[skew.selected, :-1] += _doubt(count, skew.most)
        return list(found.values())

    def entering(self, c: int, counts: Ints) -> Floats:
        """The constraints that count class `c` alone."""
        change = np.zeros(counts.shape[1])
        for skew in self.skews:
            if c in skew.selected:
                excess = _entering(skew.counts(counts), skew.most)
                change += np.append(excess, 0.0)[skew.partition.of_node]
        return change

    def encode(self, scope: Scope) -> Expr:
        """Sums of excesses, each bounded from below."""
        return total([expression for skew in self.skews for expression in _encode(scope, skew)])

    def relax(self, relaxation: Relaxation, coefficient: int) -> None:
        """The same function of the averages over bundles of domains (Jensen), and of the largest domain."""
        for skew in self.skews:
            bundles = skew.partition.bundles(relaxation)
            least = skew.lowest(self.problem, relaxation, bundles)
            everybody = float(skew.base.sum() + self.problem.count[skew.selected].sum())
            excesses: list[int] = []
            for bundle in bundles:
                excess = relaxation.column(0.0, everybody, float(coefficient))
                pods = [(j, 1.0) for c in skew.selected.tolist() for j in relaxation.columns(c, bundle.inner)]
                limit = bundle.size * skew.most - int(skew.base[bundle.domains].sum())
                row = [*pods, (excess, -1.0), (least, -float(bundle.size))]
                relaxation.row(-np.inf, float(limit), row)
                excesses.append(excess)
            _limit_peak(relaxation, skew, least, excesses)


def _limit_peak(relaxation: Relaxation, skew: Skew, least: int, excesses: Sequence[int]) -> None:
    """The largest domain has an excess of its own, and leaves the less to the smallest one."""
    inside = skew.partition.of_node >= 0
    if (relaxation.eligible[skew.selected] & ~inside).any():
        return
    peak = relaxation.peak(skew.key, skew.selected)
    row = [(peak, 1.0), (least, -1.0), *((excess, -1.0) for excess in excesses)]
    relaxation.row(-np.inf, float(skew.most), row)
    pods = [(j, -1.0) for c in skew.selected.tolist() for j in relaxation.columns(c)]
    row = [(peak, 1.0), (least, float(skew.partition.size - 1)), *pods]
    relaxation.row(-np.inf, float(skew.base.sum()), row)


def _excess(count: Ints, most: int) -> Ints:
    return np.maximum(count - count.min() - most, 0)


def _entering(count: Ints, most: int) -> Floats:
    """Shape (domains,): change of the excess when the domain gets one more pod."""
    least = count.min()
    smallest = np.flatnonzero(count == least)
    prices = (count + 1 > least + most).astype(float)
    if len(smallest) == 1:
        prices[smallest[0]] = -float((count - least > most).sum())
    return prices


def _leaving(count: Ints, most: int) -> Floats:
    """Shape (domains,): change of the excess when the domain loses a pod."""
    least = count.min()
    lowered = float((count - least + 1 > most).sum()) - float(most < 1)
    return np.where(count == least, lowered, -(count - least > most).astype(float))


def _doubt(count: Ints, most: int) -> Floats:
    """Shape (domains,): what a move costs beyond leaving and entering, at most."""
    least = count.min()
    found = np.where(count == least, float((count - least + 1 == most).any()), 0.0)
    if (count == least).sum() == 1:
        # Its pod would lift the smallest domain, but then this one is the smallest.
        found[count == least + 1] += float((count - least > most).sum())
    return found


def _encode(scope: Scope, skew: Skew) -> list[Expr]:
    counted = skew.partition.tally(scope, skew.selected, skew.base)
    if not counted.variables:
        return [int(_excess(counted.fixed, skew.most).sum())]
    now = skew.counts(scope.counts)
    settled = np.ones(len(now), dtype=bool)
    settled[list(counted.variables)] = False
    lowest = int(counted.fixed.min())
    highest = min(
        int(counted.fixed[settled].min(initial=np.iinfo(np.int64).max)),
        *(counted.upper(domain) for domain in counted.variables),
    )
    least = scope.auxiliary(lowest, highest, "least", int(now.min()))
    for domain in counted.variables:
        scope.model.add(least <= counted.count(domain))
    inside = [
        _excess_of(scope, counted, domain, least, lowest, skew.most, now) for domain in counted.variables
    ]
    steps = np.arange(lowest, highest + 1)
    values: Ints = np.maximum(counted.fixed[settled][:, None] - skew.most - steps, 0).sum(axis=0)
    return [*inside, _falling(scope, least, lowest, values.tolist(), int(now.min()))]


def _excess_of(
    scope: Scope, counted: Tally, domain: int, least: Expr, lowest: int, most: int, now: Ints
) -> Expr:
    upper = counted.upper(domain) - lowest - most
    if upper <= 0:
        return 0
    hint = int(now[domain] - now.min()) - most
    excess = scope.auxiliary(0, upper, f"excess{domain}", hint)
    scope.model.add(excess >= counted.count(domain) - least - most)
    return excess


def _falling(scope: Scope, least: Expr, lowest: int, values: Sequence[int], now: int) -> Expr:
    """A convex falling function of `least`: ``values[0]`` where it is `lowest`, and so on."""
    if values[0] == values[-1]:
        return values[0]
    excess = scope.auxiliary(values[-1], values[0], "outside", values[now - lowest])
    slopes = [after - before for before, after in pairwise(values)]
    for step, slope in enumerate(slopes):
        if step == 0 or slope != slopes[step - 1]:
            scope.model.add(excess >= slope * (least - lowest - step) + values[step])
    return excess


def skew_cost(problem: Problem) -> tuple[SkewCost | None, int, int]:
    """The term's part, its constant, and its worst value."""
    roster = problem.roster
    groups = spread_groups(problem.cluster, roster.pods, roster.index, roster.profile_of, SOFT)
    skews: list[Skew] = []
    constant = worst = 0
    for group in groups:
        skew = Skew.of(problem, group)
        most = max(0, roster.total(group.selected) - skew.most)
        if not most or skew.partition.size < 2 or not _alive(problem, group):
            continue
        worst += most
        if len(skew.selected):
            skews.append(skew)
        else:
            constant += int(_excess(skew.base, skew.most).sum())
    return SkewCost(problem, tuple(skews)) if skews else None, constant, worst


def _alive(problem: Problem, group: SpreadGroup) -> bool:
    owners: list[int] = group.owners.tolist()
    return any(not problem.roster.pods[row].terminating for row in owners)
