"""The layout that docs/adding-a-rule.md promises: one concept, one name on every side."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import kubestow.model.rules as rules
import kubestow.solver.rules as encodings
import pytest
from kubestow.model.rules.base import Rule
from kubestow.solver.rules.base import Encoder

ROOT = Path(__file__).parent.parent


def snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def defined(package, base):
    """Subclasses of `base` by the module of `package` that defines them."""
    found = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        for _, member in inspect.getmembers(module, inspect.isclass):
            if issubclass(member, base) and member is not base and member.__module__ == module.__name__:
                found[member.name] = info.name
    return found


def overrides(instance, base, face):
    return getattr(type(instance), face) is not getattr(base, face)


def test_every_rule_that_is_written_is_registered():
    """A rule without its line in RULES would silently not be checked."""
    assert set(defined(rules, Rule)) == {rule.name for rule in rules.RULES}


def test_every_encoding_that_is_written_is_registered():
    """An encoding without its line in ENCODERS would silently not be enforced."""
    assert set(defined(encodings, Encoder)) == {encoder.name for encoder in encodings.ENCODERS}


def test_rules_and_encodings_come_in_the_same_order():
    """ENCODERS follows RULES, so that a reader finds both at the same place."""
    encoded = [encoder.name for encoder in encodings.ENCODERS]
    assert [rule.name for rule in rules.RULES if rule.name in encoded] == encoded


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.name)
def test_a_rule_has_one_name_on_every_side(rule):
    """Model file, test and docs page bear the rule's name in snake case."""
    name = snake(rule.name)
    assert type(rule).__module__ == f"kubestow.model.rules.{name}"
    assert (ROOT / "tests" / "rules" / f"test_{name}.py").is_file()
    page = ROOT / "docs" / "rules" / f"{name}.md"
    assert page.is_file()
    assert rule.name in page.read_text().partition("\n")[0]


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.name)
def test_a_rule_that_the_solver_must_know_is_encoded(rule):
    """A rule that judges or measures final states has an encoding of that name, with a term for a cost."""
    encoders = {encoder.name: encoder for encoder in encodings.ENCODERS}
    measures = overrides(rule, Rule, "cost")
    if not measures and not overrides(rule, Rule, "violations"):
        return
    assert rule.name in encoders
    assert type(encoders[rule.name]).__module__ == f"kubestow.solver.rules.{snake(rule.name)}"
    assert overrides(encoders[rule.name], Encoder, "term") == measures
