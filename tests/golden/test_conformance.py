import conformance
import pytest


@pytest.fixture(scope="module")
def counts():
    return conformance.count()


def test_the_page_is_what_a_run_of_the_cases_gives(counts):
    """``python tests/conformance.py`` writes it; nobody edits it."""
    assert conformance.PAGE.read_text() == conformance.page(counts)


def test_every_case_agrees(counts):
    """A case that does not would silently drop out of every count."""
    assert counts.agreeing == counts.cases > 0


def test_every_rule_says_what_it_reads_and_every_field_is_proven(counts):
    """No rule without its fields, no field without a case."""
    assert not conformance.unmapped()
    unproven = [path for paths in conformance.FIELDS.values() for path in paths if not counts.paths[path]]
    assert not unproven
