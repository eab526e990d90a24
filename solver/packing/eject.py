"""Ejection chains: place one more pod by moving one or two others, all combinations at once.

A chain ends where a pod fits without moving another: ``c`` takes the place of ``q``,
which finds room elsewhere, or takes the place of ``r``, which finds room elsewhere or
goes where ``q`` was.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from .problem import Packing, fitting

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Step = tuple[int, int, int]
"""A class, the node that a pod of it leaves and the one that it goes to; -1 for none."""
_Chain = tuple[Step, ...]
_MANY = 1500


def eject(packing: Packing, content: Ints, deadline: float) -> Ints:
    """Place more pods of the tier while chains are found; classes in conflict with others stay put.

    Parameters
    ----------
    packing : Packing
    content : array of int, shape (classes, nodes)
    deadline : float
        By `time.monotonic`.
    """
    chains = _Chains(packing, content)
    while time.monotonic() < deadline and chains.improve(deadline):
        pass
    return chains.content


class _Chains:
    """A content, its free room, and the chains in it."""

    def __init__(self, packing: Packing, content: Ints) -> None:
        self._packing = packing
        self.content = content.copy()
        self._request = packing.request[:, packing.binding]
        self._free = packing.room[:, packing.binding] - content.T @ self._request
        self._plain: Mask = ~np.any(packing.conflict, axis=1)
        scale = np.maximum(packing.room[:, packing.binding].max(axis=0, initial=1), 1)
        self._size = (self._request / scale).max(axis=1, initial=0.0)
        self._see()

    def _see(self) -> None:
        """Look at the state anew: who fits where, and the slots, which are classes on nodes."""
        packing, free, request = self._packing, self._free, self._request
        self._fits = fitting(request, free) & packing.open
        q, a = np.nonzero(self.content * self._plain[:, None])
        if len(q) > _MANY:
            q, a = q[:0], a[:0]
        self._q, self._a = q, a
        self._leaving = (self.content[q, a] <= packing.own[q, a]).astype(np.int64)
        self._more = free[a] + request[q]
        self._seen: tuple[Mask, Mask] | None = None

    def _pairs(self) -> tuple[Mask, Mask]:
        """Shape (slots, slots): whether one pod may displace another, and whether that one then lands."""
        if self._seen is not None:
            return self._seen
        packing, request, q, a = self._packing, self._request, self._q, self._a
        displaces = packing.open[q[:, None], a[None, :]] & (a[:, None] != a[None, :])
        for r in range(request.shape[1]):
            displaces &= request[q, r][:, None] <= self._more[None, :, r]
        landing = self._fits.sum(axis=1)[q][None, :] - self._fits[q[None, :], a[:, None]]
        self._seen = displaces, displaces & (landing - self._fits[q, a][None, :] > 0)
        return self._seen

    def improve(self, deadline: float) -> bool:
        """One pass over the classes of which pods are missing, small ones first; whether it placed any."""
        placed = False
        missing = self._packing.available - self.content.sum(axis=1)
        wanting = np.flatnonzero((missing > 0) & self._packing.mine & self._plain)
        for c in wanting[np.argsort(self._size[wanting], kind="stable")].tolist():
            for _ in range(int(missing[c])):
                chain = self._best(c)
                if chain is None or time.monotonic() > deadline:
                    break
                self._follow(chain)
                placed = True
        return placed

    def _best(self, c: int) -> _Chain | None:
        direct = np.flatnonzero(self._fits[c])
        if len(direct):
            n = int(direct[self._free[direct].sum(axis=1).argmin()])
            return ((c, -1, n),)
        gives = (self._more >= self._request[c]).all(axis=1) & self._packing.open[c, self._a]
        return self._short(c, gives) or self._long(c, gives) or self._swap(c, gives)

    def _short(self, c: int, gives: Mask) -> _Chain | None:
        """One pod makes way and finds room elsewhere."""
        lands = self._fits.sum(axis=1)[self._q] - self._fits[self._q, self._a] > 0
        slots = np.flatnonzero(gives & lands)
        if not len(slots):
            return None
        slot = int(slots[self._leaving[slots].argmin()])
        q, a = int(self._q[slot]), int(self._a[slot])
        return (q, a, self._landing(q, (a,))), (c, -1, a)

    def _long(self, c: int, gives: Mask) -> _Chain | None:
        """One pod makes way and displaces a second, which finds room elsewhere."""
        first, second = np.nonzero(self._pairs()[1] & gives[:, None])
        chosen = self._cheapest(first, second)
        if chosen is None:
            return None
        (q, a), (r, b) = chosen
        return (r, b, self._landing(r, (a, b))), (q, a, b), (c, -1, a)

    def _swap(self, c: int, gives: Mask) -> _Chain | None:
        """Two pods change places, which leaves room for the new one."""
        back = self._packing.open[self._q[None, :], self._a[:, None]]
        for r in range(self._request.shape[1]):
            wanted = self._request[c, r] + self._request[self._q, r]
            back &= wanted[None, :] <= self._more[:, None, r]
        chosen = self._cheapest(*np.nonzero(self._pairs()[0] & gives[:, None] & back))
        if chosen is None:
            return None
        (q, a), (r, b) = chosen
        return (r, b, a), (q, a, b), (c, -1, a)

    def _cheapest(self, first: Ints, second: Ints) -> tuple[tuple[int, int], tuple[int, int]] | None:
        if not len(first):
            return None
        i = int((self._leaving[first] + self._leaving[second]).argmin())
        one, two = int(first[i]), int(second[i])
        places = [(int(self._q[slot]), int(self._a[slot])) for slot in (one, two)]
        return places[0], places[1]

    def _landing(self, c: int, forbidden: tuple[int, ...]) -> int:
        """The fullest node that has room, or the one that the pod once left."""
        nodes = np.setdiff1d(np.flatnonzero(self._fits[c]), forbidden)
        home = self._packing.own[c, nodes] > self.content[c, nodes]
        return int(nodes[np.lexsort((self._free[nodes].sum(axis=1), ~home))[0]])

    def _follow(self, chain: _Chain) -> None:
        for c, origin, target in chain:
            if origin >= 0:
                self.content[c, origin] -= 1
                self._free[origin] += self._request[c]
            self.content[c, target] += 1
            self._free[target] -= self._request[c]
        self._see()
