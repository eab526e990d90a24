"""The score of a final placement: the rules' terms, weighed. ``docs/objective.md`` defines every number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .errors import BadInput
from .final import FinalState
from .profile import Profile, SchedulerConfiguration
from .reasons import TermCost
from .resource_costs import nodes_in_use
from .rules import RULES, Rule

PRESETS = ("spread", "pack")
_SMALLEST = 256
_LARGEST_POWER = 56
_LIMIT = 2**60


@dataclass(frozen=True, slots=True)
class Score:
    """How good a placement is.

    Parameters
    ----------
    total : float
        Weighted mean of the terms' scores, 0 (worst) to 100; 100 when no term applies.
    terms : tuple of TermCost
        The applicable terms, in the order of the rules.
    first : tuple of TermCost
        Terms that the preset minimises on their own, before the others; not in `total`.
    empty : bool
        No pod is on a node: the numbers are right by definition, and say nothing about a placement.
    """

    total: float
    terms: tuple[TermCost, ...]
    first: tuple[TermCost, ...] = ()
    empty: bool = False


def evaluate(
    final: FinalState,
    *,
    preset: str = "spread",
    profile: str | None = None,
    rules: Sequence[Rule] = RULES,
) -> Score:
    """Measure a final placement.

    Parameters
    ----------
    final : FinalState
    preset : str
        ``spread``: the profile as it is. ``pack``: nodes in use first, and MostAllocated as scoring strategy.
    profile : str, optional
        ``schedulerName`` of the profile that gives weights and node terms; default the first.
    rules : sequence of Rule

    Returns
    -------
    Score
        Its costs are exact integers.

    Raises
    ------
    BadInput
        For an unknown preset or profile.
    """
    chosen = preset_profile(profile_named(final.configuration, profile), preset)
    costs = (rule.cost(final, chosen) for rule in rules)
    terms = tuple(cost for cost in costs if cost is not None and cost.worst and cost.weight)
    nodes = nodes_in_use(final) if preset == "pack" else None
    empty = not (final.node_of >= 0).any()
    return Score(weighted_mean(terms), terms, () if nodes is None else (nodes,), empty)


def profile_named(configuration: SchedulerConfiguration, name: str | None) -> Profile:
    """The profile with that ``schedulerName``, or the first one for None.

    Raises
    ------
    BadInput
        For an unknown name.
    """
    found = configuration.profiles[0] if name is None else configuration.profile(name)
    if found is None:
        known = ", ".join(profile.scheduler_name for profile in configuration.profiles)
        raise BadInput(f"no profile is named {name!r}; there are {known}")
    return found


def preset_profile(profile: Profile, preset: str) -> Profile:
    """The profile that a preset evaluates and solves with.

    Raises
    ------
    BadInput
        For an unknown preset.
    """
    if preset not in PRESETS:
        raise BadInput(f"preset {preset!r} is unknown; use one of {', '.join(PRESETS)}")
    if preset == "spread":
        return profile
    return replace(profile, scoring=replace(profile.scoring, type="MostAllocated"))


def weighted_mean(terms: Sequence[TermCost]) -> float:
    """Mean of the terms' scores by weight; 100 when there is none."""
    weights = sum(term.weight for term in terms)
    return sum(term.weight * term.score for term in terms) / weights if weights else 100.0


def stage_coefficients(terms: Sequence[TermCost]) -> Mapping[str, int]:
    """What each term's cost is multiplied by in the last stage's integer objective.

    Parameters
    ----------
    terms : sequence of TermCost
        Each with a positive `worst`.

    Returns
    -------
    mapping of str to int
        By name of the term. The weighted sum stays below 2^60.
    """
    weighted = [term for term in terms if term.weight > 0]
    power = 0
    while (
        power < _LARGEST_POWER
        and min((_coefficient(term, power) for term in weighted), default=_SMALLEST) < _SMALLEST
        and sum(_coefficient(term, power + 1) * term.worst for term in weighted) < _LIMIT
    ):
        power += 1
    return {term.name: _coefficient(term, power) for term in terms}


def _coefficient(term: TermCost, power: int) -> int:
    return ((term.weight << (power + 1)) + term.worst) // (2 * term.worst)
