from __future__ import annotations

import pytest
from builders import cluster, pod
from kubestow.model.api import Node
from kubestow.model.errors import BadInput
from kubestow.model.quantity import MOST
from kubestow.model.sizes import check_sizes


def sized(name: str, **amounts: object):
    """A node that offers these amounts."""
    allocatable = {key: str(value) for key, value in amounts.items()}
    return Node.model_validate({"metadata": {"name": name}, "status": {"allocatable": allocatable}})


def asking(name: str, **amounts: object):
    """A pod that requests these amounts."""
    requests = {key: str(value) for key, value in amounts.items()}
    return pod(name, containers=[{"name": "main", "resources": {"requests": requests}}])


def test_sums_up_to_the_limit_are_fine() -> None:
    """The largest sums that fit are no mistake."""
    check_sizes(cluster([sized("a", memory=MOST - 1), sized("b", memory=1)], [asking("p", memory=MOST)]))


def test_nodes_that_offer_too_much_together() -> None:
    """The sum, the largest node and the limit are named."""
    with pytest.raises(BadInput) as caught:
        check_sizes(cluster([sized("a", memory=1), sized("b", memory=MOST)], []))
    assert (caught.value.object, caught.value.field) == ("Node/b", "memory")
    assert f"all nodes together offer {MOST + 1} of memory, this one {MOST}" in caught.value.message


def test_pods_that_request_too_much_together() -> None:
    """Cpu counts in milli, and a completed pod not at all."""
    half = f"{MOST // 2 + 1}m"
    pods = [asking("default/p", cpu=half), asking("default/q", cpu=half)]
    with pytest.raises(BadInput) as caught:
        check_sizes(cluster([], pods))
    assert (caught.value.object, caught.value.field) == ("Pod/default/p", "cpu")
    assert f"all pods together request {MOST + 1}m of cpu, this one {half}" in caught.value.message
    done = pods[1].model_copy(update={"status": pod("q", "n", status={"phase": "Succeeded"}).status})
    check_sizes(cluster([], [pods[0], done]))
