import pytest
from kubestow import scenarios
from kubestow.model.errors import BadInput


def test_every_name_has_one_line_that_describes_it():
    """`kubestow scenarios` shows a sentence for each."""
    for name in scenarios.names():
        line = scenarios.describe(name)
        assert "\n" not in line
        assert 20 < len(line) < 160


def test_a_file_comes_as_text():
    """A scenario that is a file is handed on as it is, comment included."""
    assert scenarios.load("shop") == scenarios.text("shop")
    assert scenarios.text("shop").startswith("# ")


def test_a_generator_takes_parameters():
    """Parameters after the name reach the generator."""
    cluster = scenarios.load("spread,nodes=7,pods=40,classes=5,seed=3")
    assert (len(cluster.nodes), len(cluster.pods)) == (7, 40)


def test_a_size_sets_nodes_pods_and_classes():
    """`size=` stands for three parameters, and later ones override it."""
    cluster = scenarios.load("soft,size=small,pods=500")
    assert (len(cluster.nodes), len(cluster.pods)) == (100, 500)


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("", "there are"),
        ("shopp", "shop"),
        ("../shop", "there is no scenario"),
        ("shop,seed=1", "takes no parameters"),
        ("spread,colour=1", "nodes, pods, classes, load, seed"),
        ("spread,nodes=many", "whole number"),
        ("spread,nodes", "whole number"),
        ("spread,nodes=0", "1 to"),
        ("spread,pods=9999999999", "1 to"),
        ("spread,classes=0", "at least 1"),
        ("spread,pods=3", "at least as many pods"),
        ("spread,load=nan", "at most 1"),
        ("spread,size=huge", "small, medium, large"),
    ],
)
def test_a_bad_reference_says_what_would_do(reference, says):
    """Every mistake in a reference is bad input with a way out."""
    with pytest.raises(BadInput, match=says):
        scenarios.load(reference)
