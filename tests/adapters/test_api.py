"""The Python API: the command line's verbs as functions."""

import doctest

import kubestow
import pytest
from kubestow import scenarios
from kubestow.model.reasons import Violation


@pytest.fixture(scope="module")
def fragmented():
    return kubestow.read(scenario="fragmentation")


def test_the_example_in_the_docstring_holds():
    """What the package's docstring shows is what happens."""
    assert doctest.testmod(kubestow) == doctest.TestResults(failed=0, attempted=3)


def test_every_name_on_offer_exists():
    """`dir(kubestow)` promises nothing that is not there, and other names are errors."""
    for name in dir(kubestow):
        assert getattr(kubestow, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = kubestow.nothing


def test_a_solution_is_verified_by_the_same_words(fragmented):
    """What `solve` places, `verify` accepts; the greedy schedule places less."""
    found = kubestow.solve(fragmented, limits=kubestow.Limits(time=20))
    assert kubestow.verify(fragmented, found.placement).ok
    placed = [node for node in kubestow.schedule(fragmented).placement.values() if node]
    assert (
        len(placed) == 3 < len(found.placement) == sum(node is not None for node in found.placement.values())
    )


def test_a_broken_placement_is_named(fragmented):
    """`verify` says which rule a bad placement breaks."""
    broken = kubestow.verify(fragmented, {"default/big-0": "alpha", "default/big-1": "alpha"}).broken
    assert all(isinstance(violation, Violation) for violation in broken)
    assert {violation.rule for violation in broken} == {"NodeResourcesFit"}


def test_explain_looks_at_the_pods_it_is_asked_about(fragmented):
    """`explain` returns one record per pod asked about."""
    assert [record.pod for record in kubestow.explain(fragmented, ["default/big-0"])] == ["default/big-0"]


def test_a_generated_cluster_needs_no_reading():
    """A bare cluster is taken as it is, with kube-scheduler's defaults."""
    cluster = scenarios.load("spread,nodes=4,pods=12,classes=3")
    assert len(kubestow.schedule(cluster).placement) == 12


def test_files_are_read_by_path(tmp_path):
    """Paths and strings both name files; bad input is an exception of one root."""
    path = tmp_path / "cluster.yaml"
    path.write_text(scenarios.text("picky-pod"))
    assert len(kubestow.read(path).cluster.nodes) == 3
    path.write_text("kind: Node\nmetadata: [")
    with pytest.raises(kubestow.KubestowError, match=r"cluster\.yaml"):
        kubestow.read(str(path))
