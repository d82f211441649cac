"""Metrics of metrics: scores of systems on segments, against those of people."""

from scoring.formats.answers import GROUPS_OPTION, INPUTS_OPTION
from scoring.formats.chosen_columns import with_columns
from scoring.messages import _
from scoring.scorer import Scorer
from scoring.scorers.metrics.counts import (
    count,
    count_answers,
    details,
    gold_remarks,
    inspect,
    notes,
    remarks,
    thresholds,
)
from scoring.scorers.metrics.figures import MEASURES
from scoring.scorers.metrics.scores import (
    SYSTEM,
    blind,
    guess,
    outline,
    read_blind,
    read_gold,
    read_system,
    spoil,
    stand_in,
)

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
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind,
    tables=thresholds,
    remarks=remarks,
    notes=notes,
    answered=count_answers,
    gold_remarks=gold_remarks,
    guess=guess,
    spoil=spoil,
    inspect=inspect,
    stand_in=stand_in,
    outline=outline,
)
SCORER = with_columns(SCORER, "score", has_id=False, called=("", SYSTEM))
