"""Clusterings: which items belong together, whatever the clusters are called."""

import re
from collections import Counter
from collections.abc import Sequence

from scoring import outlines
from scoring.answered import SHIFTED
from scoring.errors import Problem
from scoring.formats.answers import (
    GROUPS_OPTION,
    INPUTS_OPTION,
    Layout,
    blinder,
    spoiler,
)
from scoring.formats.chosen_columns import with_columns
from scoring.messages import Messages, _
from scoring.oddities import LEAST_NEXT, MOST_NEXT
from scoring.options import Options
from scoring.scorer import Scorer, asked_and_answered
from scoring.scorers.classes import items
from scoring.scorers.clusterings.counts import count, details, inspect
from scoring.scorers.clusterings.figures import MEASURES
from scoring.source import brief

MESSAGES = Messages(
    shares=_(
        "clusters are called by several numbers, such as '%(name)s': each is one."
    ),
    alone=_("every item has a cluster of its own (%(count)s): nothing is grouped."),
    noise=_(
        "%(count)s of %(all)s items are in the cluster '%(name)s': it counts as "
        "one, also where it stands for items of none."
    ),
)
# What programs call those that they could not put into any.
NOISE = frozenset(("-1", "noise", "none", "None", "outlier", "outliers", "nan", "NaN"))
LEAST = 3  # items
SHARES = re.compile(r"[\[(]?\d*\.\d+(?:[ ,;|]+\d*\.\d+)+[\])]?")
LAYOUT = Layout("cluster")
EXAMPLE = """\
id,cluster
bank-1,river
bank-2,money
bank-3,river
"""
# Clusters are labels of which no list exists, and as many as there may be.
ANY_NAMES = {"labels": (), "ignore": (), "many": True}


def _any_names(options: Options) -> Options:
    return {**options, **ANY_NAMES}


def notes(system: items.Labels, _options: Options) -> list[Problem]:
    """Remarks on clusters of one item each, and on one of all that belong to none."""
    file, size = system.answers.name, len(system)
    if LEAST <= len(system.names) == size:
        return [Problem("alone", MESSAGES("alone", count=size), file)]
    problems = []
    if system.names and all(map(SHARES.fullmatch, system.names)):
        text = MESSAGES("shares", name=brief(system.names[0], 40))
        problems.append(Problem("shares", text, file))
    for place, name in enumerate(system.names):
        count = int((system.codes == place).sum())
        if name in NOISE and count > 1:
            text = MESSAGES("noise", count=count, all=size, name=name)
            problems.append(Problem("noise", text, file))
    return problems


def remarks(gold: items.Labels, system: items.Labels, _options: Options) -> list[str]:
    """A remark on clusters that are right for the items next to theirs."""
    own, asked = (side.codes[:MOST_NEXT].tolist() for side in (system, gold))
    here, above, below = (
        _purity(own, [*asked[step:], *asked[:step]]) for step in (0, 1, -1)
    )
    moved = 5 * (max(above, below) - here) >= 2 * len(own)
    return [SHIFTED] * (moved and len(own) >= LEAST_NEXT)


def _purity(own: Sequence[int], asked: Sequence[int]) -> int:
    """How many items are in the cluster of the gold that most of theirs are in."""
    held: dict[int, Counter[int]] = {}
    for code, other in zip(own, asked, strict=True):
        held.setdefault(code, Counter())[other] += 1
    return sum(max(counts.values()) for counts in held.values())


def gold_remarks(gold: items.Labels, _options: Options) -> list[str]:
    """A remark on gold that groups nothing."""
    size = len(gold)
    if len(gold.names) == 1 < size:
        return [f"all {size} items of the gold are in one cluster"]
    return ["every item of the gold has a cluster of its own"] * (
        len(gold.names) == size
    )


read_gold, read_blind, read_system = items.readers(LAYOUT)
guess = items.guesser(LAYOUT)
SCORER = Scorer(
    name="clusterings",
    title=_("Clusterings"),
    summary=_(
        "A cluster for each item, as in topics or induced word senses: adjusted Rand "
        "index, V-measure and B-cubed. Clusters may have any names."
    ),
    formats=("CSV", "TSV", "JSON Lines"),
    example=EXAMPLE,
    units=("item", "document"),
    headline="ari",
    options=(INPUTS_OPTION, GROUPS_OPTION),
    fixed_measures=MEASURES,
    read_gold=lambda source, options: read_gold(source, _any_names(options)),
    read_blind=read_blind,
    read_system=lambda source, options, gold: read_system(
        source, _any_names(options), gold
    ),
    outline=outlines.items(LAYOUT),
    count=count,
    details=details,
    blind=blinder(LAYOUT),
    answered=items.count_answers,
    notes=notes,
    remarks=remarks,
    gold_remarks=gold_remarks,
    guess=lambda files, options: guess(files, _any_names(options)),
    spoil=spoiler(LAYOUT),
    inspect=inspect,
    stand_in=asked_and_answered,
)
SCORER = with_columns(SCORER, "cluster")
