import pytest
from builders import node, pod
from cycles import raw_scores
from kubestow.model.api import NodeStatus

MIB = 1024 * 1024


def having(name, **images):
    """A node with images by name (``_`` for ``:``) and MiB."""
    found = [{"names": [image.replace("_", ":")], "sizeBytes": size * MIB} for image, size in images.items()]
    status = NodeStatus.model_validate({"allocatable": {"pods": "110"}, "images": found})
    return node(name).model_copy(update={"status": status})


def running(*images, **spec):
    return pod("p", containers=[{"name": f"c{n}", "image": image} for n, image in enumerate(images)], **spec)


def score(subject, *nodes):
    return raw_scores("ImageLocality", subject, nodes)["n"]


@pytest.mark.parametrize(
    ("size", "expected"), [(0, 0), (23, 0), (24, 0), (33, 1), (500, 48), (1000, 100), (4000, 100)]
)
def test_size_counts_between_two_thresholds(size, expected):
    """23 MiB is nothing, 1000 MiB per container everything."""
    assert score(running("app:1"), having("n", app_1=size)) == expected


def test_a_rare_image_counts_by_the_share_of_all_nodes_that_have_it():
    """On one node of two, half of its size."""
    assert score(running("app:1"), having("n", app_1=1000), having("m")) == (500 - 23) * 100 // 977


def test_the_first_node_that_reports_an_image_says_its_size():
    """Later sizes are ignored."""
    assert score(running("app:1"), having("m", app_1=500), having("n", app_1=1000)) == 48


def test_only_the_tag_is_completed():
    """``nginx`` is ``nginx:latest``, and a port in the registry's name is no tag."""
    assert score(running("nginx"), having("n", nginx_latest=1000)) == 100
    assert score(running("nginx"), having("n", nginx=1000)) == 0
    assert score(running("r:5000/nginx"), having("n", **{"r_5000/nginx_latest": 1000})) == 100


def test_every_container_and_image_volume_raises_the_upper_threshold():
    """The sum is held against 1000 MiB for each."""
    nodes = [having("n", app_1=1000)]
    assert score(running("app:1", "app:1"), *nodes) == 100
    assert score(running("app:1", "other:1"), *nodes) == (1000 - 23) * 100 // (2000 - 23)
    volume = {"name": "v", "image": {"reference": "app:1"}}
    assert score(running("other:1", volumes=[volume]), *nodes) == (1000 - 23) * 100 // (2000 - 23)
    init = [{"name": "i", "image": "app:1"}]
    assert score(running("other:1", initContainers=init), *nodes) == (1000 - 23) * 100 // (2000 - 23)
