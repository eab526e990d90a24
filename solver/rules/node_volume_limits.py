"""NodeVolumeLimits: a volume attaches once per node, and a driver attaches so many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model.claims import claim_uses
from ..cpsat.cp import Expr, total, when
from ..cpsat.scope import Scope
from ..problem import Problem
from ..relations.attachments import Attachments, Volume
from ..relations.coupling import Coupling
from .base import Encoder


class NodeVolumeLimits(Encoder):
    """Pods that share a volume on a node share its attachment."""

    name = "NodeVolumeLimits"

    def applies_to(self, problem: Problem) -> bool:
        """Whether a free pod that is checked has volumes."""
        return any(cls.pod.spec.volumes and self.name in cls.profile.filters for cls in problem.classes)

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes that lack a driver or room, and all nodes of classes whose claims are missing."""
        attachments = problem.once(Attachments)
        users = [c for c, attachables in enumerate(attachments.of_class) if attachables]
        for cls in problem.classes:
            if self.name not in cls.profile.filters:
                continue
            if any(use.claim is None for use in claim_uses(cls.pod, problem.cluster.claims)):
                eligible[cls.index] = False
            if not attachments.of_class[cls.index]:
                continue
            for n in np.flatnonzero(eligible[cls.index]).tolist():
                # Where pods with volumes stand, one of them may have the class's volumes already.
                full = not attachments.fits(cls.index, n) and not problem.standing[users, n].any()
                if attachments.lacks_driver(cls.index, n) or full:
                    eligible[cls.index, n] = False

    def couple(self, problem: Problem, coupling: Coupling) -> None:
        """Users of a limited driver stay where they are."""
        attachments = problem.once(Attachments)
        limited = {driver for n in range(len(problem.nodes)) for driver in attachments.rooms(n)}
        for c, attachables in enumerate(attachments.of_class):
            if any(attachable.driver in limited for attachable in attachables):
                coupling.frozen[c] = True

    def constrain(self, scope: Scope) -> None:
        """Count the volumes that free pods bring to each node, where one that is checked brings one."""
        attachments, checked = scope.problem.once(Attachments), scope.problem.checked(self.name)
        for n in scope.nodes:
            users: dict[Volume, list[int]] = {}
            for c in scope.classes_at(n):
                new = attachments.new(c, n) if attachments.of_class[c] else {}
                for volume in sorted(volume for volumes in new.values() for volume in volumes):
                    users.setdefault(volume, []).append(c)
            for driver, room in attachments.rooms(n).items():
                attached = [
                    _attached(scope, n, classes) for volume, classes in users.items() if volume[0] == driver
                ]
                stood = bool(scope.problem.standing[:, n].any())
                if len(attached) <= (room.free if stood else max(room.free, 0)):
                    continue
                classes = {c for volume, some in users.items() if volume[0] == driver for c in some}
                judged = [
                    c for c in scope.classes_at(n) if checked[c] and attachments.brings(c, n).get(driver)
                ]
                limit = scope.model.add(total(attached) <= room.free)
                if not checked[list(classes)].all() or stood:
                    when(_brought(scope, n, driver, judged), limit)


def _brought(scope: Scope, n: int, driver: str, judged: list[int]) -> Expr:
    """1 when a class brings a volume to node `n` that no pod keeps there; it may be 1 without."""
    attachments, standing = scope.problem.once(Attachments), scope.problem.standing
    brings = {c: attachments.brings(c, n).get(driver, set[Volume]()) for c in scope.classes_at(n)}
    brought = scope.auxiliary(0, 1, f"brought{n}", 1)
    for c in judged:
        arrives = scope.arrival([(c, n)])
        for volume in sorted(brings[c]):
            stays = [scope.present(d, n) for d, some in brings.items() if standing[d, n] and volume in some]
            scope.model.add(total([brought, *stays]) >= arrives)
    return brought


def _attached(scope: Scope, n: int, classes: list[int]) -> Expr:
    """1 when one of the classes has a pod on node `n`; with several it may be 1 without."""
    if len(classes) == 1:
        return scope.present(classes[0], n)
    hint = int(any(scope.counts[c, n] for c in classes))
    attached = scope.auxiliary(0, 1, f"attached{n}", hint)
    for c in classes:
        scope.model.add(scope.count(c, n) <= scope.upper(c, n) * attached)
    return attached
