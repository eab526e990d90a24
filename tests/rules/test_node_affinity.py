from dataclasses import replace

import pytest
from builders import node, pod
from cycles import DEFAULT, raw_scores, scores, verdict
from kubestow.model.api import NodeAffinity
from kubestow.model.rules.base import CycleError

NODE = node("n", labels={"disk": "ssd", "gen": "7"})
REJECTED = ("node(s) didn't match Pod's node affinity/selector",)


def expression(key, operator, *values):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def field(operator, *values):
    return {"matchFields": [{"key": "metadata.name", "operator": operator, "values": list(values)}]}


def required(*terms):
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}


def preferred(*weighted):
    terms = [{"weight": weight, "preference": term} for weight, term in weighted]
    return {"preferredDuringSchedulingIgnoredDuringExecution": terms}


@pytest.mark.parametrize(
    ("term", "matches"),
    [
        (expression("disk", "In", "ssd", "nvme"), True),
        (expression("disk", "In", "hdd"), False),
        (expression("disk", "NotIn", "hdd"), True),
        (expression("absent", "NotIn", "hdd"), True),
        (expression("disk", "Exists"), True),
        (expression("disk", "DoesNotExist"), False),
        (expression("gen", "Gt", "5"), True),
        (expression("gen", "Lt", "7"), False),
        (expression("absent", "Gt", "5"), False),
        (expression("disk", "Gt", "5"), False),
        (expression("disk", "In", "-1"), False),
        (expression("-1", "DoesNotExist"), False),
        (field("In", "n"), True),
        (field("NotIn", "n"), False),
        (field("In", "n", "m"), False),
        ({}, False),
    ],
)
def test_a_required_term_admits_the_nodes_it_matches(term, matches):
    """Six operators on labels, two on the name; an empty or broken term matches nothing."""
    found = verdict("NodeAffinity", pod("p", affinity={"nodeAffinity": required(term)}), NODE)
    assert (found is None) == matches
    if found is not None:
        assert (found.code, found.reasons) == ("UnschedulableAndUnresolvable", REJECTED)


def test_one_term_must_match_and_the_node_selector_too():
    """Terms are alternatives; the selector is another condition."""
    either = {"nodeAffinity": required(expression("disk", "In", "hdd"), expression("disk", "In", "ssd"))}
    assert verdict("NodeAffinity", pod("p", affinity=either), NODE) is None
    both = pod("p", affinity=either, nodeSelector={"gen": "8"})
    assert verdict("NodeAffinity", both, NODE).reasons == REJECTED


def test_terms_that_name_no_common_node_turn_the_pod_down_at_once():
    """A term that wants two names at once contradicts itself."""
    contradiction = {"matchFields": field("In", "n")["matchFields"] + field("In", "m")["matchFields"]}
    found = verdict("NodeAffinity", pod("p", affinity={"nodeAffinity": required(contradiction)}), NODE)
    assert found.reasons == ("pod affinity terms conflict",)


def test_the_profile_can_demand_affinity_of_all_pods():
    """``addedAffinity`` has a reason of its own."""
    added = NodeAffinity.model_validate(required(expression("disk", "In", "hdd")))
    found = verdict("NodeAffinity", pod("p"), NODE, profile=replace(DEFAULT, added_affinity=added))
    assert found.reasons == ("node(s) didn't match scheduler-enforced node affinity",)


def test_weights_of_matching_preferences_add_up():
    """The profile's preferences count like the pod's."""
    own = preferred((2, expression("disk", "In", "ssd")), (5, expression("gen", "Exists")), (9, {}))
    added = NodeAffinity.model_validate(preferred((1, expression("disk", "Exists"))))
    profile = replace(DEFAULT, added_affinity=added)
    nodes = [NODE, node("half", labels={"disk": "ssd"}), node("none")]
    wants = pod("p", affinity={"nodeAffinity": own})
    assert raw_scores("NodeAffinity", wants, nodes, profile=profile) == {"n": 8, "half": 3, "none": 0}
    assert scores("NodeAffinity", wants, nodes, profile=profile) == {"n": 100, "half": 37, "none": 0}


def test_without_preferences_the_score_is_skipped():
    """Nothing to say."""
    assert raw_scores("NodeAffinity", pod("p"), [NODE]) is None


def test_a_preference_that_cannot_be_parsed_fails_the_cycle():
    """The API lets it pass, kube-scheduler does not."""
    broken = preferred((1, expression("disk", "In", "ssd")), (1, expression("disk", "In", "-1")))
    with pytest.raises(
        CycleError, match=r'^\[1\].matchExpressions\[0\].values\[0\]\[disk\]: Invalid value: "-1"'
    ):
        raw_scores("NodeAffinity", pod("p", affinity={"nodeAffinity": broken}), [NODE])
