"""Probabilities: a share for each class of each item, against classes or shares."""

from scoring.formats.answers import GROUPS_OPTION, INPUTS_OPTION
from scoring.formats.chosen_columns import with_columns
from scoring.formats.forms import converting
from scoring.messages import _
from scoring.options import Option
from scoring.scorer import Scorer, asked_and_answered
from scoring.scorers.probabilities import counts, values
from scoring.scorers.probabilities.figures import MEASURES, of_classes

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
    read_gold=values.read_gold,
    read_blind=values.read_blind,
    read_system=values.read_system,
    count=counts.count,
    details=counts.details,
    blind=values.blind,
    ideal=values.ideal,
    remarks=counts.remarks,
    notes=counts.notes,
    answered=counts.count_answers,
    gold_remarks=counts.gold_remarks,
    guess=values.guess,
    spoil=values.spoil,
    inspect=counts.inspect,
    stand_in=asked_and_answered,
    outline=values.outline,
)
# Its other columns are called as the classes.
SCORER = with_columns(converting(SCORER, values.flat), "")
