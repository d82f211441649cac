"""Numbers: a value for each item, as in similarity, quality or regression."""

from scoring import outlines
from scoring.formats.answers import (
    GROUPS_OPTION,
    INPUTS_OPTION,
    blinder,
    guesser,
    spoiler,
)
from scoring.formats.chosen_columns import with_columns
from scoring.messages import _
from scoring.options import Option
from scoring.scorer import Scorer, asked_and_answered
from scoring.scorers.numbers import counts, values
from scoring.scorers.numbers.figures import MEASURES

EXAMPLE = """\
id,value
pair-1,4.5
pair-2,0.8
pair-3,3
"""

OPTIONS = (
    Option(
        "within",
        "how far from the gold an answer may be for accuracy_within, as the steps "
        "between grades",
        "text",
        "1",
    ),
    Option(
        "deviation",
        "column of the gold with how far an answer to this item may be, if that is "
        "more, such as the deviation of the people asked; it is not published",
        "text",
        "",
    ),
    INPUTS_OPTION,
    GROUPS_OPTION,
)

SCORER = Scorer(
    name="numbers",
    title=_("Numbers"),
    summary=_(
        "A number for each item, as in similarity, readability or quality estimation: "
        "Pearson's, Spearman's, Kendall's and the concordance correlation with the "
        "gold, RMSE, MAE, R², and the share of answers within a distance."
    ),
    formats=("CSV", "TSV", "JSON Lines", _("a number a line")),
    example=EXAMPLE,
    units=("item", "document"),
    headline="pearson",
    options=OPTIONS,
    fixed_measures=MEASURES,
    read_gold=values.read_gold,
    read_blind=values.read_blind,
    read_system=values.read_system,
    outline=outlines.items(values.LAYOUT),
    require_options=values.require_options,
    count=counts.count,
    details=counts.details,
    blind=blinder(values.LAYOUT),
    remarks=counts.remarks,
    notes=values.notes,
    answered=counts.count_answers,
    guess=guesser(values.LAYOUT, values.any_number),
    spoil=spoiler(values.LAYOUT),
    inspect=counts.inspect,
    stand_in=asked_and_answered,
    version=4,  # 2: errors of far values; 3: of farther ones; 4: CCC, within
)
SCORER = with_columns(SCORER, "value")
