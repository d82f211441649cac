"""Probabilities: a share for each class of each item, against classes or shares."""

from scoring.formats.answers import GROUPS_OPTION, INPUTS_OPTION
from scoring.formats.chosen_columns import with_columns
from scoring.formats.forms import converting
from scoring.messages import _
from scoring.options import Option
from scoring.scorer import Scorer
from scoring.scorers.probabilities.counts import (
    count,
    count_answers,
    details,
    gold_remarks,
    inspect,
    remarks,
)
from scoring.scorers.probabilities.figures import MEASURES, of_classes
from scoring.scorers.probabilities.values import (
    blind,
    flat,
    guess,
    ideal,
    outline,
    read_blind,
    read_gold,
    read_system,
    spoil,
    stand_in,
)

EXAMPLE = """\
id,no,yes
post-1,0.2,0.8
post-2,0.55,0.45
post-3,0.9,0.1
"""
GOLD = """\
id,label
post-1,yes
post-2,yes
post-3,no
"""
OPTIONS = (
    Option("labels", "all classes, in this order (default: those of the gold)", "list"),
    Option(
        "sums",
        "whether the probabilities of an item add up to one, or to any number, as "
        "where several classes may hold at once",
        "choice",
        "one",
        ("one", "any"),
    ),
    INPUTS_OPTION,
    GROUPS_OPTION,
)

SCORER = Scorer(
    name="probabilities",
    title=_("Probabilities"),
    summary=_(
        "A probability of each class for each item, or soft labels: log loss, Brier "
        "score, AUC, average precision, calibration error, C@1, and distances between "
        "what systems and people say."
    ),
    formats=("CSV", "TSV", "JSON Lines"),
    example=EXAMPLE,
    example_gold=GOLD,
    units=("item", "document"),
    headline="log_loss",
    options=OPTIONS,
    fixed_measures=MEASURES,
    tag_measures=of_classes,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind,
    ideal=ideal,
    remarks=remarks,
    answered=count_answers,
    gold_remarks=gold_remarks,
    guess=guess,
    spoil=spoil,
    inspect=inspect,
    stand_in=stand_in,
    outline=outline,
)
# Its other columns are called as the classes.
SCORER = with_columns(converting(SCORER, flat), "")
