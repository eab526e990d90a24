from builders import pod
from kubestow.solver.greedy.queue import Queue, pending


def created(name, second=None, **fields):
    metadata = {} if second is None else {"creationTimestamp": f"2026-01-01T00:00:0{second}Z"}
    return pod(name, metadata=metadata, **fields)


def test_priority_then_age_then_position():
    """A pod without a creationTimestamp is the oldest."""
    pods = [
        created("young", 5),
        created("old", 1),
        created("twin", 1),
        created("ageless"),
        created("urgent", 9, priority=10),
        created("minor", 0, priority=-1),
    ]
    assert [one.name for one in pending(pods)] == ["urgent", "ageless", "old", "twin", "young", "minor"]


def test_only_pods_that_wait_are_queued():
    """Bound and completed pods do not."""
    done = created("done", status={"phase": "Succeeded"})
    assert [one.name for one in pending([created("p"), pod("bound", "n"), done])] == ["p"]


def test_a_pod_that_comes_back_keeps_its_place_and_a_late_one_is_last():
    """Late means behind all pods of its priority, not of lower ones."""
    first, second, minor = created("first"), created("second", 3), created("minor", priority=-1)
    queue = Queue(pending([minor, first, second]))
    assert queue.pop() == "default/first"
    queue.late(created("again"))
    queue.again(first)
    assert [queue.pop() for _ in range(4)] == [
        "default/first",
        "default/second",
        "default/again",
        "default/minor",
    ]
    assert not queue
