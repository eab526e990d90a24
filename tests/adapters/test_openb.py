"""The openb trace: what its rows become, what is refused, and the bounds of the real one."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from kubestow.adapters.bench.openb import VARIANTS, load, run
from kubestow.adapters.openb import CONFIGURATION, read_openb
from kubestow.model.admission import admit
from kubestow.model.devices import GPU_MILLI, GPU_MODEL
from kubestow.model.eligibility import affinity_admits
from kubestow.model.errors import BadInput
from kubestow.model.resources import pod_requests
from kubestow.model.state import NodeInfo
from kubestow.solver.build import build_problem
from kubestow.solver.devices.bound import upper_bound
from kubestow.solver.devices.instance import grouped

ROOT = Path(__file__).parent.parent.parent
TRACE = Path(os.environ.get("KUBESTOW_SHARED", ROOT.parent / "shared")) / "data" / "openb"
NODES = "sn,cpu_milli,memory_mib,gpu,model\na,64000,262144,2,P100\nb,32000,1024,1,T4\nc,1000,1024,0,\n"
PODS = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n"
    "p,12000,16384,1,1000,,LS\nq,6000,512,1,460,T4|V100M32,BE\nr,1000,0,0,0,,LS\ns,1000,512,2,1000,P100,LS\n"
)


def written(folder: Path, nodes: str = NODES, pods: str = PODS) -> tuple[str, str]:
    paths = (folder / "nodes.csv", folder / "pods.csv.gz")
    paths[0].write_text(nodes)
    paths[1].write_bytes(gzip.compress(pods.encode()))
    return str(paths[0]), str(paths[1])


def test_rows_become_nodes_and_pending_pods(tmp_path):
    """Amounts are the trace's, plain or gzip; a model is a label that node affinity selects."""
    it = admit(read_openb(*written(tmp_path)))
    a, b, c = (NodeInfo.of(node) for node in it.nodes)
    assert a.allocatable == {"cpu": 64000, "memory": 262144 * 2**20, "pods": 4, GPU_MILLI: 2000}
    assert (a.node.labels[GPU_MODEL], c.allocatable[GPU_MILLI]) == ("P100", 0)
    pods = {pod.name: pod for pod in it.pods}
    wanted = {name: pod_requests(pod) for name, pod in pods.items()}
    assert wanted["q"] == {"cpu": 6000, "memory": 512 * 2**20, GPU_MILLI: 460}
    assert [wanted[name].get(GPU_MILLI, 0) for name in "prs"] == [1000, 0, 2000]
    assert all(pod.node_name is None for pod in it.pods)
    assert [affinity_admits(pods["q"], info.node) for info in (a, b, c)] == [False, True, False]
    assert all(affinity_admits(pods["p"], info.node) for info in (a, b, c))


def test_equal_pods_share_one_spec(tmp_path):
    """Eight thousand pods with few different requests stay few specs."""
    pods = PODS + "t,12000,16384,1,1000,,BE\n"
    it = read_openb(*written(tmp_path, pods=pods))
    assert it.pods[0].spec is it.pods[4].spec is not it.pods[1].spec


@pytest.mark.parametrize(
    ("nodes", "pods", "message"),
    [
        (NODES, PODS.replace("gpu_spec", "spec"), "pods.csv.gz: the header lacks gpu_spec"),
        ("", PODS, "nodes.csv: the header lacks sn, cpu_milli"),
        (NODES, PODS.replace("12000", "-1"), "line 2, cpu_milli: '-1' is not a whole number"),
        (NODES, PODS.replace("12000", "1" * 5000), "line 2, cpu_milli"),
        (NODES, PODS.replace("12000", "٣"), "line 2, cpu_milli"),
        (NODES, PODS.replace("460", "1460"), "line 3, gpu_milli: 1 devices with 1460 milli"),
        (NODES, PODS.replace("2,1000,P100", "2,500,P100"), "line 5, gpu_milli: 2 devices with 500 milli"),
        (NODES, PODS.replace("T4|", "T 4|"), "line 3, gpu_spec: 'T 4' is not a model"),
        (NODES, PODS.replace("\nq,", "\np,"), "line 3, name: 'p' is on line 2 already"),
        (NODES, PODS.replace("\nq,", "\n,"), "line 3, name: '' is not a name"),
        (NODES, PODS.replace("\nq,", "\nq\x1b[31m,"), "line 3, name: 'q\\x1b"),
        (NODES + "d,1\n", PODS, "line 5, memory_mib: '' is not a whole number"),
        (NODES, PODS + '"' + "x" * 200_000, "is not CSV"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, nodes, pods, message):
    """File, line, column and value."""
    with pytest.raises(BadInput) as caught:
        read_openb(*written(tmp_path, nodes, pods))
    assert message in str(caught.value)


def test_a_trace_that_is_not_there_says_where_to_get_it(tmp_path):
    """The benchmark needs data that is not shipped."""
    with pytest.raises(BadInput, match="get the trace from https"):
        run(folder=str(tmp_path))
    for wrong in ({"variant": "gpuspec99"}, {"method": "random"}):
        with pytest.raises(BadInput, match="is unknown; there are"):
            run(folder=str(tmp_path), **wrong)


def test_a_row_says_what_was_run_and_what_came_out(tmp_path):
    """All pods of the small trace fit: proven, bound and value agree."""
    nodes, pods = written(tmp_path)
    Path(nodes).rename(tmp_path / "openb_node_list_gpu_node.csv.gz")
    Path(pods).rename(tmp_path / "openb_pod_list_default.csv.gz")
    row = run(time_limit=5.0, workers=1, folder=str(tmp_path))
    assert (row["benchmark"], row["variant"], row["method"], row["seed"]) == (
        "openb",
        "default",
        "kubestow",
        0,
    )
    assert (row["milliGpus"], row["milliGpusBound"], row["podsPlaced"], row["pods"]) == (2460, 2460, 3, 4)
    greedy = run(method="best-fit", folder=str(tmp_path))
    assert greedy["boundPercent"] is None
    assert greedy["milliGpus"] <= row["milliGpus"]


@pytest.mark.skipif(not TRACE.is_dir(), reason="the trace is not in ../shared/data/openb")
@pytest.mark.parametrize(("variant", "percent"), list(zip(VARIANTS, (96.582, 94.716), strict=True)))
def test_the_bound_of_the_trace_is_the_known_one(variant, percent):
    """The linear program over device patterns gives 96.582 and 94.716 % of the GPUs."""
    it = load(variant, str(TRACE))
    instance = grouped(build_problem(it, CONFIGURATION, frozenset(pod.key for pod in it.pods))).instance
    bound = upper_bound(instance, instance.value.tolist(), 60.0).value
    assert 100 * bound / instance.capacity == pytest.approx(percent, abs=1e-3)
