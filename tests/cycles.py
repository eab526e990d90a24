"""One rule's part in a scheduling cycle, asked directly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import admitted
from builders import cluster
from kubestow.model.api import Node, NodeStatus, Pod
from kubestow.model.profile import Profile
from kubestow.model.reasons import Verdict
from kubestow.model.rules import RULE_BY_NAME

DEFAULT = Profile()


def with_room(node: Node, **amounts: str) -> Node:
    """The node with this allocatable (``_`` for ``-``) and nothing else; 110 pods unless said."""
    allocatable = {"pods": "110", **{name.replace("_", "-"): amount for name, amount in amounts.items()}}
    return node.model_copy(update={"status": NodeStatus.model_validate({"allocatable": allocatable})})


def container(**requests: str) -> dict[str, object]:
    """A container that requests this."""
    return {"name": "main", "resources": {"requests": requests}}


def verdict(
    rule: str, pod: Pod, node: Node, running: Iterable[Pod] = (), profile: Profile = DEFAULT
) -> Verdict | None:
    """What the rule says about the pod and the node; None when it does not mind."""
    return admitted.verdict(
        RULE_BY_NAME[rule], cluster([node], [*running, pod]), pod.name, node.name, profile
    )


def raw_scores(
    rule: str, pod: Pod, nodes: Iterable[Node], running: Iterable[Pod] = (), profile: Profile = DEFAULT
) -> Mapping[str, int] | None:
    """Node to what Score returns; None when the rule has nothing to say about the pod."""
    found = admitted.scores(RULE_BY_NAME[rule], cluster(nodes, [*running, pod]), pod.name, profile)
    return None if found is None else found[0]


def scores(
    rule: str, pod: Pod, nodes: Iterable[Node], running: Iterable[Pod] = (), profile: Profile = DEFAULT
) -> Mapping[str, int] | None:
    """Node to the normalized score."""
    found = admitted.scores(RULE_BY_NAME[rule], cluster(nodes, [*running, pod]), pod.name, profile)
    return None if found is None else found[1]
