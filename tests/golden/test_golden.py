import pytest
from golden_cases import cases, differences, recorded, replica


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_every_recorded_field_agrees(case):
    """The replica says what kube-scheduler said, field by field."""
    found = differences(recorded(case), replica(case))
    assert not found, "\n" + "\n".join(found[:20]) + f"\n{len(found)} fields differ"
