"""Metrics of metrics: scores of systems on segments, against those of people."""

from scoring.formats.answers import GROUPS_OPTION, INPUTS_OPTION
from scoring.formats.chosen_columns import with_columns
from scoring.messages import _
from scoring.scorer import Scorer
from scoring.scorers.metrics import counts, scores
from scoring.scorers.metrics.figures import MEASURES
from scoring.scorers.numbers.counts import count_answers

EXAMPLE = """\
system,segment,score
online-a,1,0.71
online-a,2,0.35
online-a,3,0.52
baseline,1,0.44
baseline,2,0.31
baseline,3,0.58
"""

SCORER = Scorer(
    name="metrics",
    title=_("Metrics"),
    summary=_(
        "Scores that a metric gives to the outputs of systems, against those of "
        "people: accuracy with calibrated ties, Pearson and Kendall over all, by "
        "segment and by system, and soft pairwise accuracy of systems."
    ),
    formats=("CSV", "TSV", "JSON Lines"),
    example=EXAMPLE,
    units=("segment", "document"),
    headline="acc_eq_item",
    options=(INPUTS_OPTION, GROUPS_OPTION),
    fixed_measures=MEASURES,
    read_gold=scores.read_gold,
    read_blind=scores.read_blind,
    read_system=scores.read_system,
    count=counts.count,
    details=counts.details,
    blind=scores.blind,
    tables=counts.thresholds,
    remarks=counts.remarks,
    notes=counts.notes,
    answered=count_answers,
    gold_remarks=counts.gold_remarks,
    guess=scores.guess,
    spoil=scores.spoil,
    inspect=counts.inspect,
    stand_in=scores.stand_in,
    outline=scores.outline,
)
SCORER = with_columns(SCORER, "score", has_id=False, called=("", scores.SYSTEM))
