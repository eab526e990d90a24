"""VolumeBinding: bound claims within reach of the node, waiting ones served by one volume each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model.api import Pod
from ...model.claim_serving import pod_claims
from ...model.profile import Profile
from ...model.storage_scores import NOT_SERVED
from ..bounds.relaxation import Relaxation
from ..cpsat.cp import Expr, total, weighted
from ..cpsat.scope import Scope
from ..preference import preference_term
from ..problem import Problem
from ..relations.claimed import Claimed, Waiting
from ..relations.coupling import Coupling
from ..terms import Term
from .base import Encoder


class VolumeBinding(Encoder):
    """A claim is provisioned on the one node of its pods, or bound to a volume that they all reach."""

    name = "VolumeBinding"

    def applies_to(self, problem: Problem) -> bool:
        """Whether any pod has volumes."""
        return any(pod.spec.volumes for pod in problem.roster.pods)

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes that bound claims cannot be reached from, and where waiting ones cannot be served."""
        claimed = problem.once(Claimed)
        for cls in problem.classes:
            if cls.pod.spec.volumes and self.name in cls.profile.prepared:
                filtered = self.name in cls.profile.filters
                eligible[cls.index] &= claimed.usable(cls.pod) if filtered else claimed.sound(cls.pod)
        for number, claim in enumerate(claimed.waiting):
            eligible[list(claim.classes)] &= claimed.served(number)

    def couple(self, problem: Problem, coupling: Coupling) -> None:
        """Users of claims that are not served wherever they go stay where they are."""
        for claim in problem.once(Claimed).waiting:
            if not _carefree(claim, coupling.eligible):
                coupling.frozen[list(claim.classes)] = True

    def constrain(self, scope: Scope) -> None:
        """Serve every claim whose pods are placed; a volume serves one claim."""
        claimed = scope.problem.once(Claimed)
        given: dict[int, list[Expr]] = {}
        for number, claim in enumerate(claimed.waiting):
            if _placeable(scope, claim) and not _carefree(claim, scope.eligible):
                for pool, bound in _serve(scope, claimed, number).items():
                    given.setdefault(pool, []).append(bound)
        for pool, claims in given.items():
            if len(claims) > claimed.pools[pool].size:
                scope.model.add(total(claims) <= claimed.pools[pool].size)

    def relax(self, relaxation: Relaxation) -> None:
        """Claims that need one of the existing volumes are no more than those."""
        claimed = relaxation.problem.once(Claimed)
        needy = [
            number
            for number, claim in enumerate(claimed.waiting)
            if claim.pods == 1 and not claim.provisionable.any()
        ]
        volumes = sum(pool.size for pool in claimed.pools if not set(needy).isdisjoint(pool.claims))
        users = sorted({c for number in needy for c in claimed.waiting[number].classes})
        stood = int(relaxation.problem.standing[users].sum())
        columns = [j for c in users for j in relaxation.columns(c)]
        relaxation.row(-np.inf, float(volumes + stood), [(j, 1.0) for j in columns])

    def term(self, problem: Problem) -> Term | None:
        """kube-scheduler's raw score in the cluster as given, against the best node that can serve."""
        cluster = problem.cluster

        def values(pod: Pod, profile: Profile) -> NDArray[np.int64] | None:
            if self.name not in profile.filters:
                return None
            claims = pod_claims(cluster.storage, pod)
            return cluster.storage_scores.of(claims, profile.storage_shape) if claims.delayed else None

        return preference_term(problem, self.name, values, unrated=NOT_SERVED)


def _carefree(claim: Waiting, eligible: NDArray[np.bool_]) -> bool:
    """Whether a volume can be made for the claim wherever its only pod goes."""
    return claim.pods == 1 and not (eligible[list(claim.classes)] & ~claim.provisionable).any()


def _placeable(scope: Scope, claim: Waiting) -> bool:
    return any(scope.nodes_of(c) or scope.outside[c].any() for c in claim.classes)


def _serve(scope: Scope, claimed: Claimed, number: int) -> dict[int, Expr]:
    """Serve one claim; returns whether it takes a volume, by pool."""
    claim, model = claimed.waiting[number], scope.model
    pools = [p for p, pool in enumerate(claimed.pools) if number in pool.claims]
    bound: dict[int, Expr] = {p: model.new_bool_var(f"bound{number}_{p}") for p in pools}
    made: dict[int, Expr] = {}
    for c in claim.classes:
        for n in (*scope.nodes_of(c), *np.flatnonzero(scope.outside[c]).tolist()):
            if claim.provisionable[n] and n not in made:
                # A claim of one pod is provisioned wherever that goes.
                made[n] = 1 if claim.pods == 1 else model.new_bool_var(f"made{number}_{n}")
            reached = [bound[p] for p in pools if claimed.pools[p].reach[n]]
            ways = total([*reached, made.get(n, 0)])
            upper, stood = scope.upper(c, n), int(scope.problem.standing[c, n])
            model.add(weighted([ways], [upper]) >= scope.count(c, n) - stood)
    several = [] if claim.pods == 1 else list(made.values())
    model.add(total([*bound.values(), *several]) <= 1)
    return bound
