import pytest
from golden_cases import COMMITTED, ROOT, recorded

SUBJECT, NODE = "default/subject", "n0"
PROBES = {
    "NodeResourcesFit": "probe-node-resources-fit",
    "NodePorts": "probe-node-ports",
    "VolumeRestrictions": "probe-volume-restrictions",
    "NodeVolumeLimits": "probe-node-volume-limits",
    "PodTopologySpread": "probe-pod-topology-spread",
    "InterPodAffinity": "probe-inter-pod-affinity",
    "DefaultPreemption": "probe-default-preemption",
}


def table():
    """The rows of docs/lifecycle.md, as dicts."""
    lines = [
        line for line in (ROOT / "docs" / "lifecycle.md").read_text().splitlines() if line.startswith("|")
    ]
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(header, row, strict=True)) for row in rows]


def said(row):
    """What the real scheduler said about each pod of the row's case."""
    case = COMMITTED / f"{row['case'].strip('`')}.yaml"
    return {record["pod"]: record for record in recorded(case)["independent"]}


def found(rule, record):
    """The cell that a probe's record amounts to."""
    if rule == "DefaultPreemption":
        victims = record.get("preemption", {}).get("victims", [])
        return "victim" if victims == [SUBJECT] else "no"
    verdict = record["filter"][NODE]
    assert verdict == "ok" or verdict["plugin"] == rule, "the probe fails for another reason"
    return "no" if verdict == "ok" else "counts"


@pytest.mark.parametrize("row", table(), ids=lambda row: row["state of the subject"])
def test_every_cell_is_what_the_real_scheduler_said(row):
    """The table claims nothing that its case does not show."""
    records = said(row)
    turn = records[SUBJECT]["outcome"] if SUBJECT in records else "none"
    claimed = {name: row[name] for name in ("its own turn", *PROBES)}
    shown = {rule: found(rule, records[f"default/{probe}"]) for rule, probe in PROBES.items()}
    assert claimed == {"its own turn": turn, **shown}


def test_the_table_has_a_column_per_rule_that_pods_influence_and_distinguishes_states():
    """Each column says different things about different states."""
    rows = table()
    assert len({row["case"] for row in rows}) == len(rows) == len(list((COMMITTED / "states").glob("*.yaml")))
    assert all(len({row[rule] for row in rows}) == 2 for rule in PROBES)
