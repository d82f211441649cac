"""Measures of classes: shares of items, and averages over classes.

An average over classes is over those that gold or system holds, as in scikit-learn. In
a slice, and in a resample, these are the classes of its own items: one that was not
drawn says nothing there.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Floats, Integers
from scoring.measures import (
    ClassShares,
    Measure,
    f1_measure,
    f1_of_any,
    mean_of_fractions,
    ratio,
    ratio_or_zero,
    share_measure,
    simple_share,
)
from scoring.messages import Wording, _
from scoring.options import Options
from scoring.scorer import Tables
from scoring.scorers.classes.counts import (
    ABOVE,
    CLASS_SUMS,
    DISTANCE,
    GROUP_ITEMS,
    GROUP_RIGHT,
    HIERARCHY,
    LEFT_OUT,
    NEIGHBOURS,
    RANK_SUMS,
    RANKED,
)
from scoring.statistics.averages import in_order

TAG = re.compile(r"gold\[(.+)\]", re.DOTALL)
CORRECT, SYSTEM, GOLD = CLASS_SUMS
OF_CLASSES = tuple(name + "[]" for name in CLASS_SUMS)
MOST_WITH_INTERVALS = 50
KAPPAS = (-1.0, 1.0)  # the lowest and highest agreement
OF_EVERY_CLASS = (*OF_CLASSES, *(LEFT_OUT + name for name in OF_CLASSES))
OfClass = Callable[[Floats, Floats, Floats], Floats]


def precision(correct: Floats, system: Floats, gold: Floats) -> Floats:
    """correct / system; 0 where only gold has the class, nan where neither has."""
    held = np.asarray(system) + gold > 0
    return np.where(held, ratio_or_zero(correct, system), np.nan)


def recall(correct: Floats, system: Floats, gold: Floats) -> Floats:
    """correct / gold; 0 where only the system has the class, nan where neither has."""
    return precision(correct, gold, system)


KINDS: dict[str, tuple[str, OfClass, str]] = {
    "precision": (_("precision"), precision, _("correct / those that the system gave")),
    "recall": (_("recall"), recall, _("correct / those in gold")),
    "f1": ("F1", f1_of_any, _("2 correct / (those in gold + those of the system)")),
}


def f_half(correct: Floats, system: Floats, gold: Floats) -> Floats:
    """F with precision twice as weighty; nan where neither side has the class."""
    return ratio(5 * correct, 4 * np.asarray(system) + gold)


def f_two(correct: Floats, system: Floats, gold: Floats) -> Floats:
    """F with recall twice as weighty; nan where neither side has the class."""
    return ratio(5 * correct, np.asarray(system) + 4 * np.asarray(gold))


WEIGHTED_F: dict[str, tuple[str, OfClass, str]] = {
    "f05": ("F0.5", f_half, _("5 correct / (those in gold + 4 of the system)")),
    "f2": ("F2", f_two, _("5 correct / (4 of those in gold + those of the system)")),
}


def mean_over_classes(of_class: OfClass, by_gold: bool) -> OfClass:
    """Mean of a measure over the classes that either side holds; each counts once, or
    as often as gold has it. Where gold has none the mean is 0, as in scikit-learn."""

    def score(correct: Floats, system: Floats, gold: Floats) -> Floats:
        held = np.asarray(system + gold > 0, dtype=np.float64)
        values = np.nan_to_num(of_class(correct, system, gold))
        weights = gold if by_gold else held
        mean = ratio_or_zero(in_order(values * weights), in_order(weights))
        return np.where(in_order(held) > 0, mean, np.nan)

    return score


def shares_of(name: str, by_gold: bool) -> Callable[..., ClassShares]:
    """The shares that an average over classes is of; `name`: of KINDS or WEIGHTED_F."""

    def shares(correct: Floats, system: Floats, gold: Floats) -> ClassShares:
        held = system + gold
        parts = {
            "precision": (correct, system),
            "recall": (correct, gold),
            "f1": (2 * correct, held),
            "f05": (5 * correct, 4 * system + gold),
            "f2": (5 * correct, system + 4 * gold),
        }
        weight = gold if by_gold else np.asarray(held > 0, dtype=np.float64)
        return ClassShares(*parts[name], held, weight)

    return shares


def shares_of_gold(*of_classes: Floats) -> ClassShares:
    """The shares that the balanced accuracy is the average of."""
    correct, _, gold = join_classes(of_classes)
    held = np.asarray(gold > 0, dtype=np.float64)
    return ClassShares(correct, gold, gold, held)


def mean_recall(*of_classes: Floats) -> Floats:
    """Mean recall over the classes that gold has."""
    correct, _, gold = join_classes(of_classes)
    held = np.asarray(gold > 0, dtype=np.float64)
    return ratio(in_order(ratio_or_zero(correct, gold)), in_order(held))


def join_classes(of_classes: tuple[Floats, ...]) -> list[Floats]:
    """Sums of all classes, those left out of averages behind the others."""
    pairs = zip(of_classes[:3], of_classes[3:], strict=True)
    return [np.concatenate(pair, axis=-1) for pair in pairs]


def mcc(items: Floats, right: Floats, *of_classes: Floats) -> Floats:
    """Correlation of gold and system, 0 where one of them has a single class."""
    _, system, gold = join_classes(of_classes)
    square = np.asarray(items) ** 2
    over = items * right - in_order(system * gold)
    under = np.sqrt(square - in_order(system**2)) * np.sqrt(square - in_order(gold**2))
    return np.where(np.asarray(items) > 0, ratio_or_zero(over, under), np.nan)


def _chosen(kinds: npt.NDArray[np.uint64], of: Integers) -> Integers:
    """A number from 0 to below `of` for each of the random numbers."""
    high = kinds >> np.uint64(32)
    scaled = (high * of.astype(np.uint64)) >> np.uint64(32)
    return np.asarray(scaled, dtype=np.int64)


def with_item(
    masses: Floats,
    kinds: npt.NDArray[np.uint64],
    whole: list[Floats],
    drawn: list[Floats],
) -> list[Floats]:
    """The sums behind `mcc` and `kappa` with an item of a random pair of the classes
    that the file holds."""
    _, returned, wanted = join_classes(tuple(whole[2:]))
    held = returned + wanted > 0
    # Where a file holds a single class, another one may yet come up.
    held = np.concatenate([held, np.zeros((*held.shape[:-1], 1), dtype=bool)], axis=-1)
    sizes = np.maximum(held.sum(axis=-1), 2)
    # Of each system only the classes of its own file, whoever else used others.
    places = np.argsort(~held, axis=-1, kind="stable")
    gold_of, system_of = np.divmod(_chosen(kinds, sizes * sizes), sizes)
    systems = np.arange(len(sizes))
    gold_of, system_of = places[systems, gold_of], places[systems, system_of]
    masses = np.broadcast_to(masses, gold_of.shape)
    another = np.zeros((*drawn[2].shape[:-1], 1))
    correct, system, gold = (
        np.concatenate([side, another], axis=-1)
        for side in join_classes(tuple(drawn[2:]))
    )
    draws = np.arange(len(gold_of))[:, None]
    gold[draws, systems, gold_of] += masses
    system[draws, systems, system_of] += masses
    right = np.where(gold_of == system_of, masses, 0.0)
    correct[draws, systems, gold_of] += right
    nothing = np.zeros((*gold.shape[:-1], 0))
    sums = [drawn[0] + masses, drawn[1] + right, correct, system, gold]
    return [*sums, nothing, nothing, nothing]


def with_rank(
    masses: Floats,
    kinds: npt.NDArray[np.uint64],
    whole: list[Floats],
    drawn: list[Floats],
) -> list[Floats]:
    """The sums behind `linear_kappa` with an item of random ranks, from the lowest of
    the file to the highest."""
    items, _, gold, system = whole
    above = gold + system
    lowest = (above == 2 * np.asarray(items)[..., None]).sum(axis=-1)
    ranks = (above > 0).sum(axis=-1) - lowest + 1
    gold_of, system_of = np.divmod(_chosen(kinds, ranks * ranks), ranks)
    # The steps of ranks from the lowest: fewer and fewer items are above.
    step = np.argsort(np.argsort(-above, axis=-1, kind="stable"), axis=-1)
    sums = []
    for side, rank in ((drawn[2], gold_of), (drawn[3], system_of)):
        over = step < (lowest + rank)[..., None]
        sums.append(side + np.where(over, np.asarray(masses)[..., None], 0.0))
    distance = drawn[1] + masses * np.abs(gold_of - system_of)
    return [drawn[0] + masses, distance, *sums]


def kappa(items: Floats, right: Floats, *of_classes: Floats) -> Floats:
    """Agreement beyond what the classes' frequencies give by chance."""
    _, system, gold = join_classes(of_classes)
    by_chance = in_order(system * gold)
    return ratio(items * right - by_chance, np.asarray(items) ** 2 - by_chance)


def quadratic_kappa(*sums: Floats) -> Floats:
    """Kappa in which an error counts as the square of its distance in ranks."""
    items, distance, gold, gold_squared, system, system_squared = sums
    by_chance = items * (gold_squared + system_squared) - 2 * gold * system
    return 1 - ratio(items * distance, by_chance)


def linear_kappa(
    items: Floats, distance: Floats, gold: Floats, system: Floats
) -> Floats:
    """Kappa in which an error counts as its distance in ranks.

    The distance of two ranks is the number of steps between them. By chance, items of
    gold above a step meet those of the system that are not, and the other way round.
    """
    every = np.asarray(items)[..., None]
    by_chance = in_order(gold * (every - system) + system * (every - gold))
    return 1 - ratio(items * distance, by_chance)


def _share_of_class(name: str, tag: str, prefix: str = "", title: str = "") -> Measure:
    """Precision, recall or F1 of one class, or of all classes together."""
    of_kind, score, formula = KINDS[name]
    title = title or of_kind[:1].upper() + of_kind[1:]
    columns = CORRECT + tag, SYSTEM + tag, GOLD + tag
    if name == "f1":
        return f1_measure(prefix + name + tag, title, columns, formula, score)
    whole = 1 if name == "precision" else 2
    return Measure(
        prefix + name + tag,
        title,
        columns,
        score,
        formula,
        share=lambda *sums: simple_share(sums[0], sums[whole]),
    )


def of_tags(columns: Iterable[str]) -> tuple[Measure, ...]:
    """Precision, recall and F1 of each class that the columns know. Of very many
    classes the table has them without an interval, and a task those that it names."""
    tags = [match[1] for match in map(TAG.fullmatch, columns) if match]
    if len(tags) > MOST_WITH_INTERVALS:
        return ()
    return tuple(
        _share_of_class(name, f"[{tag}]", title=f"{_title(KINDS[name][0])} of {tag}")
        for tag in tags
        for name in KINDS
    )


def _title(words: str) -> str:
    return words[:1].upper() + words[1:]


def _average(name: str, *, by_gold: bool) -> Measure:
    """The mean over classes of one of KINDS or WEIGHTED_F."""
    of_kind, score, _formula = (KINDS | WEIGHTED_F)[name]
    how, template = "Macro", _("mean %(measure)s of the classes")
    if by_gold:
        how, template = (
            "Weighted",
            _("mean %(measure)s of the classes, each as often as gold has it"),
        )
    return Measure(
        f"{how.lower()}_{name}",
        f"{how} {of_kind}",
        OF_CLASSES,
        mean_over_classes(score, by_gold=by_gold),
        Wording(template, {"measure": Wording(of_kind)}),
        classes=shares_of(name, by_gold=by_gold),
    )


def _averages() -> tuple[Measure, ...]:
    return (
        *(_average(name, by_gold=False) for name in KINDS),
        *(
            _share_of_class(name, "", "micro_", f"Micro {KINDS[name][0]}")
            for name in KINDS
        ),
        *(_average(name, by_gold=True) for name in KINDS),
        *_weighted_f(),
    )


def _weighted_f() -> Iterator[Measure]:
    """F0.5 and F2, averaged and of all classes together."""
    for name, (of_kind, score, formula) in WEIGHTED_F.items():
        yield _average(name, by_gold=False)
        yield Measure(
            f"micro_{name}",
            f"Micro {of_kind}",
            (CORRECT, SYSTEM, GOLD),
            score,
            formula,
            share=partial(_first_two, shares_of(name, by_gold=False)),
        )


def _first_two(
    shares: Callable[..., ClassShares], *sums: Floats
) -> tuple[Floats, Floats]:
    ratios = shares(*(np.asarray(column) for column in sums))
    return ratios.part, ratios.whole


def worst_group(_items: Floats, right: Floats, items: Floats) -> Floats:
    """The lowest share of right items, of the groups (..., groups) that have any."""
    shares = np.where(items > 0, ratio_or_zero(right, items), np.inf)
    lowest = shares.min(axis=-1, initial=np.inf)
    return np.where(np.isfinite(lowest), lowest, np.nan)


NEEDS_PARENTS = _(
    "%(formula)s, each label with all above it, as the option parents says"
)


def _hierarchical(formula: str) -> Wording:
    return Wording(NEEDS_PARENTS, {"formula": Wording(formula)})


BESIDE = (
    Measure(
        "worst_group_accuracy",
        "Accuracy of the worst group",
        ("items", f"{GROUP_RIGHT}[]", f"{GROUP_ITEMS}[]"),
        worst_group,
        _(
            "the lowest accuracy of the groups that the option worst names; few items "
            "make it lower than it is"
        ),
        bounds=(0.0, 1.0),
    ),
    f1_measure(
        "hierarchical_f1",
        "Hierarchical F1",
        (HIERARCHY[0], HIERARCHY[1], HIERARCHY[2]),
        _hierarchical(_("2 common / (those in gold + those of the system)")),
        f1_of_any,
    ),
    share_measure(
        "hierarchical_precision",
        "Hierarchical precision",
        (HIERARCHY[0], HIERARCHY[1]),
        _hierarchical(_("common / those of the system")),
    ),
    share_measure(
        "hierarchical_recall",
        "Hierarchical recall",
        (HIERARCHY[0], HIERARCHY[2]),
        _hierarchical(_("common / those in gold")),
    ),
)
AVERAGES = _averages()
ACCURACY = share_measure(
    "accuracy", "Accuracy", ("right", "items"), _("items with the right label / items")
)
OF_ONE = (
    ACCURACY,
    Measure(
        "balanced_accuracy",
        "Balanced accuracy",
        OF_EVERY_CLASS,
        mean_recall,
        _("mean recall of the classes that gold has"),
        classes=shares_of_gold,
    ),
    *AVERAGES,
    Measure(
        "mcc",
        "MCC",
        ("items", "right", *OF_EVERY_CLASS),
        mcc,
        _(
            "Matthews correlation coefficient of gold and system, of any number "
            "of classes"
        ),
        percent=False,
        with_item=with_item,
        bounds=KAPPAS,
    ),
    Measure(
        "kappa",
        "Cohen's kappa",
        ("items", "right", *OF_EVERY_CLASS),
        kappa,
        _("(accuracy - agreement by chance) / (1 - agreement by chance)"),
        percent=False,
        with_item=with_item,
        bounds=KAPPAS,
    ),
    Measure(
        "quadratic_kappa",
        "Quadratic kappa",
        ("items", *RANK_SUMS),
        quadratic_kappa,
        _(
            "kappa with errors weighted by their squared distance in the order of the "
            "option labels; without it for labels that are numbers from 0 to 99"
        ),
        percent=False,
        bounds=KAPPAS,
    ),
    Measure(
        "linear_kappa",
        "Linear kappa",
        ("items", DISTANCE, *(f"{name}[]" for name in ABOVE)),
        linear_kappa,
        _(
            "kappa with errors weighted by their distance in the order of the option "
            "labels; without it for labels that are numbers from 0 to 99"
        ),
        percent=False,
        with_item=with_rank,
        bounds=KAPPAS,
    ),
    share_measure(
        "adjacent_accuracy",
        "Accuracy within one grade",
        (NEIGHBOURS, RANKED),
        _(
            "items with the right label or one next to it in the order of the option "
            "labels / items; without it for labels that are numbers from 0 to 99"
        ),
    ),
    *BESIDE,
)
OF_SEVERAL = (
    share_measure(
        "subset_accuracy",
        "Subset accuracy",
        ("right", "items"),
        _("items with just the right labels / items"),
    ),
    *AVERAGES,
    mean_of_fractions(
        "item_f1",
        "F1 of items",
        ("item_f1", "items"),
        _(
            "mean over items of 2 correct / (labels of gold + of system), 1 where"
            " neither side has a label"
        ),
    ),
    mean_of_fractions(
        "item_jaccard",
        "Jaccard of items",
        ("item_jaccard", "items"),
        _(
            "mean over items of correct / labels of either side, 1 where neither "
            "side has a label"
        ),
    ),
    Measure(
        "hamming_loss",
        "Hamming loss",
        ("errors", "cells"),
        ratio,
        _("labels missing or too many / (items * labels)"),
        higher_is_better=False,
        share=simple_share,
    ),
    *BESIDE,
)


def tables(counts: Counts, _options: Options) -> Tables:
    """One row per class with its sums and its precision, recall and F1."""
    rows: dict[str, dict[str, float | None]] = {}
    numbers = counts.as_numbers()
    for tag in (match[1] for match in map(TAG.fullmatch, counts.columns) if match):
        sums = {name: numbers[f"{name}[{tag}]"] for name in CLASS_SUMS}
        values = (np.array(number) for number in sums.values())
        correct, system, gold = values
        scores = {n: float(f(correct, system, gold)) for n, (_, f, _) in KINDS.items()}
        rows[tag] = {**sums, **{n: None if v != v else v for n, v in scores.items()}}
    return {"class": rows}
