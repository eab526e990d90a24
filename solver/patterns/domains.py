"""Among which node groups the pods of each class may move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance
from ..terms import Relational

Ints = NDArray[np.int64]


def domains_of_groups(instance: Instance, group_of: Ints) -> list[Ints] | None:
    """Per class, shape (groups,): groups with equal numbers are those among which its pods may move.

    A placement that keeps every class's number of pods in each of these domains is as feasible as before
    where it is so on each node, and costs as much in the terms that relate nodes.

    Parameters
    ----------
    group_of : array, shape (nodes,)

    Returns
    -------
    list or None
        None when a group's nodes are in several domains.
    """
    shared = [
        part.labels for term, _ in instance.terms for part in term.parts if isinstance(part, Relational)
    ]
    first = np.unique(group_of, return_index=True)[1]
    found: list[Ints] = []
    for c, related in enumerate(instance.sharing.tolist()):
        columns = [instance.coupling.domain_of(c)[:, None], *(shared if related >= 0 else ())]
        domain = np.unique(np.concatenate(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
        mine = domain[first]
        if not (mine[group_of] == domain).all():
            return None
        found.append(mine.astype(np.int64))
    return found
