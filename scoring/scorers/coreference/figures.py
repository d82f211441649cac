"""Measures of coreference, with the names of the field; 0/0 is 0, as it has it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from scoring.counts import Counts, Floats
from scoring.measures import (
    Measure,
    f1_measure,
    f1_or_zero,
    ratio_or_zero,
    share_measure,
)
from scoring.messages import Wording, _
from scoring.options import Options
from scoring.scorer import Tables


@dataclass(frozen=True)
class Family:
    """A measure with precision, recall and F1.

    `right` are the columns that are counted right in the gold and in the system, `of`
    those that they are a part of. `fractions`: what is right has fractions.
    """

    name: str
    title: str
    right: tuple[str, str]
    of: str
    formula: str
    fractions: bool = False

    @property
    def columns(self) -> tuple[str, str, str, str]:
        """Right and all of the system, right and all of the gold."""
        return self.right[1], f"{self.of}_system", self.right[0], f"{self.of}_gold"


FAMILIES = (
    Family(
        "muc",
        "MUC",
        ("muc_gold", "muc_system"),
        "steps",
        _("links, one fewer than an entity has mentions, that the other side has, too"),
    ),
    Family(
        "bcub",
        "B³",
        ("bcub_gold", "bcub_system"),
        "mentions",
        _("for each mention the share of its entity that the other side puts with it"),
        fractions=True,
    ),
    Family(
        "ceafe",
        "CEAF-e",
        ("ceafe", "ceafe"),
        "entities",
        _("entities paired one to one: 2 x shared mentions / mentions of both"),
        fractions=True,
    ),
    Family(
        "ceafm",
        "CEAF-m",
        ("ceafm", "ceafm"),
        "mentions",
        _("entities paired one to one: shared mentions"),
    ),
    Family(
        "lea",
        "LEA",
        ("lea_gold", "lea_system"),
        "mentions",
        _(
            "for each entity its mentions x the share of its links that the other"
            " side has"
        ),
        fractions=True,
    ),
    Family(
        "mor",
        "MOR",
        ("words_shared", "words_shared"),
        "words",
        _("words that mentions share, each paired with one of the other side"),
    ),
)
OF = {
    "steps": _("steps"),
    "mentions": _("mentions"),
    "entities": _("entities"),
    "words": _("words"),
}
# Those whose F1 are averaged in CoNLL-2012.
CONLL = FAMILIES[:3]
LINKS = ("links_shared", "links_system", "links_gold")
APART = ("apart_shared", "apart_system", "apart_gold")


def harmonic(
    right_system: Floats, system: Floats, right_gold: Floats, gold: Floats
) -> Floats:
    """F1 of a precision and a recall with parts of their own; 0 where both are 0."""
    precision, recall = (
        ratio_or_zero(right_system, system),
        ratio_or_zero(right_gold, gold),
    )
    return ratio_or_zero(2 * precision * recall, precision + recall)


def conll(*columns: Floats) -> Floats:
    """Mean of the F1 of MUC, B³ and CEAF-e."""
    each = [harmonic(*columns[i : i + 4]) for i in range(0, len(columns), 4)]
    return np.asarray(sum(each) / len(each))


def blanc(of_kind: Callable[..., Floats]) -> Callable[..., Floats]:
    """Mean of a figure over the kinds of links, linked and apart, that either side has;
    0 where there are none."""

    def score(*columns: Floats) -> Floats:
        kinds = columns[:3], columns[3:]
        exist = [np.asarray(system) + gold > 0 for _, system, gold in kinds]
        values = [
            np.where(exists, of_kind(*kind), 0)
            for exists, kind in zip(exist, kinds, strict=True)
        ]
        number = exist[0].astype(np.float64) + exist[1]
        return ratio_or_zero(values[0] + values[1], number)

    return score


def _precision(shared: Floats, system: Floats, _gold: Floats) -> Floats:
    # Mentions of several entities can make more shared pairs than there are.
    return np.minimum(ratio_or_zero(shared, system), 1)


def _recall(shared: Floats, _system: Floats, gold: Floats) -> Floats:
    return np.minimum(ratio_or_zero(shared, gold), 1)


def _f1_of_pairs(shared: Floats, system: Floats, gold: Floats) -> Floats:
    return np.minimum(f1_or_zero(shared, system, gold), 1)


def _measures() -> Iterator[Measure]:
    columns = tuple(name for family in CONLL for name in family.columns)
    formula = _("mean of the F1 of MUC, B³ and CEAF-e")
    yield Measure("conll_f1", "CoNLL F1", columns, conll, formula, bounds=(0, 1))
    for family in FAMILIES:
        yield _f1(family)
    yield from _blanc(
        "f1",
        "F1",
        _f1_of_pairs,
        _(
            "mean of two figures, the F1 of pairs of mentions that are linked, and of "
            "pairs that are kept apart"
        ),
    )
    for family in FAMILIES:
        right_system, system, right_gold, gold = family.columns
        values = {"formula": Wording(family.formula), "of": Wording(OF[family.of])}
        for part, mark, own, template in (
            (
                "precision",
                "P",
                (right_system, system),
                _("%(formula)s; part of %(of)s of the system"),
            ),
            (
                "recall",
                "R",
                (right_gold, gold),
                _("%(formula)s; part of %(of)s of the gold"),
            ),
        ):
            formula = Wording(template, values)
            measure = share_measure(
                f"{family.name}_{part}",
                f"{family.title} {mark}",
                own,
                formula,
                ratio_or_zero,
            )
            yield replace(measure, fractions=family.fractions)
    yield from _blanc(
        "precision",
        "P",
        _precision,
        _(
            "mean of two figures, the precision of pairs of mentions that are linked, "
            "and of pairs that are kept apart"
        ),
    )
    yield from _blanc(
        "recall",
        "R",
        _recall,
        _(
            "mean of two figures, the recall of pairs of mentions that are linked, and "
            "of pairs that are kept apart"
        ),
    )


def _f1(family: Family) -> Measure:
    name, title = f"{family.name}_f1", f"{family.title} F1"
    formula = Wording(
        _("harmonic mean of precision and recall: %(formula)s"),
        {"formula": Wording(family.formula)},
    )
    right_system, system, right_gold, gold = family.columns
    if right_system != right_gold:
        return Measure(name, title, family.columns, harmonic, formula, bounds=(0, 1))
    measure = f1_measure(name, title, (right_gold, system, gold), formula, f1_or_zero)
    return replace(measure, fractions=family.fractions)


def _blanc(
    part: str, mark: str, of_kind: Callable[..., Floats], formula: str
) -> Iterator[Measure]:
    yield Measure(
        f"blanc_{part}",
        f"BLANC {mark}",
        (*LINKS, *APART),
        blanc(of_kind),
        formula,
        bounds=(0, 1),
    )


MEASURES = tuple(_measures())


def tables(counts: Counts, _options: Options) -> Tables:
    """Recall, precision and F1 of each measure, as papers print them."""
    totals, names = counts.totals, counts.columns
    values = {measure.name: float(measure.of(totals, names)) for measure in MEASURES}
    families = [*(family.name for family in FAMILIES), "blanc"]
    rows: dict[str, dict[str, float | None]] = {
        family: {
            part: values[f"{family}_{part}"] for part in ("recall", "precision", "f1")
        }
        for family in families
    }
    return {"scores": rows}
