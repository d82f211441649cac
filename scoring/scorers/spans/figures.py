"""Measures of the counts and the two tables, by SCORING.md's rules for empty cells."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Counts, Floats
from scoring.measures import Measure, mean_of_fractions, ratio
from scoring.messages import Wording, _
from scoring.options import Options
from scoring.scorer import Tables
from scoring.scorers.spans import weights
from scoring.scorers.spans.annotations import TOTAL
from scoring.scorers.spans.counts import (
    CHARACTERS,
    COUNTED,
    DETECTED,
    DETECTED_COUNTED,
    DOCUMENTS,
    EXACT,
    IF_EMPTY,
    IOU,
    IOU_UNITS,
    KINDS,
    PARTIAL,
    SEVERITIES,
    SEVERITIES_COUNTED,
    TAG_LEVEL,
    TOKEN_LEVEL,
    TOKENS,
    TYPED,
    column,
    tags_of,
)

Row = dict[str, float | None]
Both = tuple[Floats, Floats]
Score = Callable[..., Floats]
Share = Callable[..., Both]


def over(part: Floats, whole: Floats, if_empty: Floats, units: Floats) -> Floats:
    """part / whole; where whole is 0, what the task gives for that: 1, 0 or nan."""
    worth = np.where(np.asarray(if_empty) < 0, np.nan, np.sign(if_empty))
    worth = np.where(np.asarray(units) == 0, np.nan, worth)
    return np.where(whole == 0, worth, ratio(part, whole))


def of_share(share: Share) -> Score:
    """The measure that is this share of spans or tokens."""

    def score(*counts: Floats) -> Floats:
        *_, if_empty, documents, tokens = counts
        return over(*share(*counts), if_empty, documents + tokens)

    return score


def precise(*counts: Floats) -> Both:
    match, _, _, hypclash, spurious, *_ = counts
    return match, match + hypclash + spurious


def recall_sums(*counts: Floats) -> Both:
    match, refclash, missing, *_ = counts
    return match, match + refclash + missing


def matched_sums(*counts: Floats) -> Both:
    match, refclash, missing, hypclash, spurious, *_ = counts
    return 2 * match, 2 * match + refclash + missing + hypclash + spurious


precision, recall = of_share(precise), of_share(recall_sums)


def fmeasure(*counts: Floats) -> Floats:
    """Harmonic mean of precision and recall; 0 where both are.

    One division of whole numbers, so that equal scores are the same number; where one
    side is empty, precision and recall are what the task says.
    """
    hyps, refs = precise(*counts)[1], recall_sums(*counts)[1]
    first, second = precision(*counts), recall(*counts)
    mean = np.where(first + second == 0, 0, ratio(2 * first * second, first + second))
    return np.where((hyps == 0) | (refs == 0), mean, ratio(*matched_sums(*counts)))


def rightly_tagged(*counts: Floats) -> Both:
    """Tokens that are tagged as in the reference, or as there not."""
    _, refclash, missing, _, spurious, _, _, tokens = counts
    return tokens - refclash - missing - spurious, tokens


def wrongly_tagged(*counts: Floats) -> Both:
    right, tokens = rightly_tagged(*counts)
    return tokens - right, tokens


def rightly_marked(*counts: Floats) -> Both:
    """Tokens that bear a tag, any tag, just where the reference's do."""
    _, _, missing, _, spurious, _, _, tokens = counts
    return tokens - missing - spurious, tokens


def wrongly_marked(*counts: Floats) -> Both:
    right, tokens = rightly_marked(*counts)
    return tokens - right, tokens


sensitive_accuracy = of_share(rightly_tagged)
blind_accuracy = of_share(rightly_marked)


def sensitive_error(*counts: Floats) -> Floats:
    return np.asarray(1 - sensitive_accuracy(*counts))


def blind_error(*counts: Floats) -> Floats:
    return np.asarray(1 - blind_accuracy(*counts))


@dataclass(frozen=True)
class SpanRatio:
    """One ratio of a table, and `column`, its name there where that is another."""

    name: str
    title: str
    score: Score
    share: Share
    formula: str
    column: str = ""


OVER_SPANS, OVER_TOKENS = _("%(formula)s, over spans"), _("%(formula)s, over tokens")
RATIOS = (
    SpanRatio("precision", "Precision", precision, precise, _("match / hyptotal")),
    SpanRatio("recall", "Recall", recall, recall_sums, _("match / reftotal")),
    SpanRatio(
        "f1",
        "F1",
        fmeasure,
        matched_sums,
        _("harmonic mean of precision and recall"),
        "fmeasure",
    ),
)
ACCURACIES = (
    SpanRatio(
        "tag_sensitive_accuracy",
        "Tag-sensitive accuracy",
        sensitive_accuracy,
        rightly_tagged,
        _("(tokens - refclash - missing - spurious) / tokens"),
    ),
    SpanRatio(
        "tag_sensitive_error_rate",
        "Tag-sensitive error rate",
        sensitive_error,
        wrongly_tagged,
        "1 - tag_sensitive_accuracy",
    ),
    SpanRatio(
        "tag_blind_accuracy",
        "Tag-blind accuracy",
        blind_accuracy,
        rightly_marked,
        _("(tokens - missing - spurious) / tokens"),
    ),
    SpanRatio(
        "tag_blind_error_rate",
        "Tag-blind error rate",
        blind_error,
        wrongly_marked,
        "1 - tag_blind_accuracy",
    ),
)


def where_counted(score: Score) -> Score:
    """The score, n/a for counts of an earlier version, which lack its columns."""

    def of_counted(counted: Floats, *counts: Floats) -> Floats:
        return np.where(np.asarray(counted) > 0, score(*counts), np.nan)

    return of_counted


def share_of_counted(share: Share) -> Share:
    """Part and whole of what is behind the column of units that were counted."""

    def of_counted(_counted: Floats, *counts: Floats) -> Both:
        return share(*counts)

    return of_counted


def f_beta(refs: float, hyps: float) -> Share:
    """F with a weight for what is missed and one for what is too many."""

    def share(*counts: Floats) -> Both:
        match, refclash, missing, hypclash, spurious, *_ = counts
        weighed = (refs + hyps) * match
        lost = refs * (refclash + missing) + hyps * (hypclash + spurious)
        return weighed, weighed + lost

    return share


def harmonic(share: Share) -> Score:
    """The share, and by precision and recall where a side has no span."""

    def score(*counts: Floats) -> Floats:
        hyps, refs = precise(*counts)[1], recall_sums(*counts)[1]
        neither = (hyps == 0) | (refs == 0)
        return np.where(neither, fmeasure(*counts), ratio(*share(*counts)))

    return score


def _beside(
    name: str, title: str, what: str, extra: str, per_pair: float = 1.0
) -> tuple[Measure, ...]:
    """Precision, recall and F1 of pairs of spans that another rule counts as right:
    the column `extra` over `per_pair`."""
    kinds = tuple(column(TAG_LEVEL, kind) for kind in KINDS)

    def right(counts: tuple[Floats, ...]) -> Floats:
        return np.asarray(counts[len(KINDS)]) / per_pair

    def of_system(*counts: Floats) -> Both:
        return right(counts), precise(*counts)[1]

    def of_gold(*counts: Floats) -> Both:
        return right(counts), recall_sums(*counts)[1]

    def of_both(*counts: Floats) -> Both:
        return 2 * right(counts), precise(*counts)[1] + recall_sums(*counts)[1]

    ratios = (
        (
            "precision",
            "precision",
            of_system,
            of_share(of_system),
            _("%(pairs)s / spans of the system"),
        ),
        (
            "recall",
            "recall",
            of_gold,
            of_share(of_gold),
            _("%(pairs)s / spans of the gold"),
        ),
        (
            "f1",
            "F1",
            of_both,
            harmonic(of_both),
            _("%(pairs)s / spans of both; pairs count twice"),
        ),
    )
    return tuple(
        Measure(
            f"{name}_{own}",
            f"{title} {of}",
            (COUNTED, *kinds, extra, IF_EMPTY, DOCUMENTS, TOKENS),
            where_counted(score),
            Wording(whole, {"pairs": Wording(what)}),
            share=share_of_counted(share),
            fractions=per_pair != 1,
        )
        for own, of, share, score, whole in ratios
    )


def _of_system(*counts: Floats) -> Both:
    return counts[0], counts[2]


def _of_gold(*counts: Floats) -> Both:
    return counts[0], counts[1]


def _of_both(*counts: Floats) -> Both:
    return 2 * counts[0], counts[1] + counts[2]


def _mean_of_characters(*counts: Floats) -> Floats:
    """F1 of characters of both sides, of the gold and of the system."""
    first, second = of_share(_of_system)(*counts), of_share(_of_gold)(*counts)
    both = ratio(2 * first * second, first + second)
    worth = np.where(first + second == 0, 0, both)
    neither = (np.asarray(counts[1]) == 0) | (np.asarray(counts[2]) == 0)
    return np.where(neither, worth, ratio(*_of_both(*counts)))


def _of_characters(
    name: str, title: str, columns: tuple[str, ...], formulas: Sequence[str]
) -> Iterator[Measure]:
    """Precision, recall and F1 of characters under their labels."""
    of_one = (_of_system, _of_gold, _of_both)
    scores = (of_share(_of_system), of_share(_of_gold), _mean_of_characters)
    for own, share, score, formula in zip(
        ("precision", "recall", "F1"), of_one, scores, formulas, strict=True
    ):
        yield Measure(
            f"{name}_{own.lower()}",
            f"{title} {own}",
            (*columns, IF_EMPTY, DOCUMENTS, TOKENS),
            where_counted(score),
            formula,
            share=share_of_counted(share),
            fractions=columns[1:] != CHARACTERS,
        )


UNDER_LABELS = (
    _("characters that both sides have under a label / those of the system"),
    _("characters that both sides have under a label / those of the gold"),
    _(
        "characters that both sides have under a label / those of both; shared ones "
        "count twice"
    ),
)
BY_SEVERITY = (
    _(
        "characters of the same label, and half of those of another one / those of the "
        "system (option severities)"
    ),
    _(
        "characters of the same label, and half of those of another one / those of the "
        "gold (option severities)"
    ),
    _("harmonic mean of severity_precision and severity_recall (option severities)"),
)


def granularity(cases: Floats, pairs: Floats) -> Floats:
    """Spans of the system for each span of the gold that any meets; 1 where none is."""
    return np.asarray(np.maximum(pairs, 1) / np.maximum(cases, 1))


def plagdet(*counts: Floats) -> Floats:
    """F1 of characters, less for what is detected in pieces."""
    *detected, cases, pairs = counts
    pieces = np.log2(1 + granularity(cases, pairs))
    return np.asarray(_mean_of_characters(*detected) / pieces)


DETECTIONS = (
    Measure(
        "plagdet",
        "Plagdet",
        (DETECTED_COUNTED, *CHARACTERS, IF_EMPTY, DOCUMENTS, TOKENS, *DETECTED),
        where_counted(plagdet),
        _("character_f1 / log2(1 + granularity) (option plagdet)"),
        bounds=(0.0, 1.0),
    ),
    Measure(
        "granularity",
        "Granularity",
        (DETECTED_COUNTED, *DETECTED),
        where_counted(granularity),
        _(
            "spans of the system under the same label for each span of the gold that "
            "any meets (option plagdet)"
        ),
        higher_is_better=False,
        percent=False,
        bounds=(1.0, math.inf),
    ),
)


def _weighted_f(
    name: str, title: str, refs: float, hyps: float, formula: str
) -> Measure:
    share = f_beta(refs, hyps)
    return Measure(
        name,
        title,
        (*(column(TAG_LEVEL, k) for k in KINDS), IF_EMPTY, DOCUMENTS, TOKENS),
        harmonic(share),
        formula,
        share=share,
    )


def measures_of_all() -> tuple[Measure, ...]:
    """All measures that are over all tags."""
    return (
        *measures_of(None),
        _weighted_f(
            "f05",
            "F0.5",
            1,
            4,
            _(
                "weighted harmonic mean of precision and recall, precision counts"
                " twice as much, over spans"
            ),
        ),
        _weighted_f(
            "f2",
            "F2",
            4,
            1,
            _(
                "weighted harmonic mean of precision and recall, recall counts "
                "twice as much, over spans"
            ),
        ),
        *_beside(
            "exact", "Exact", _("pairs of the same extent, whatever the label"), EXACT
        ),
        *_beside(
            *("partial", "Partial"),
            _("pairs of the same extent, and half of those that overlap"),
            *(PARTIAL, 2.0),
        ),
        *_beside("type", "Type", _("pairs of the same label that overlap"), TYPED),
        *_of_characters("character", "Character", (COUNTED, *CHARACTERS), UNDER_LABELS),
        mean_of_fractions(
            "character_iou",
            "Character IoU",
            (IOU, IOU_UNITS),
            _(
                "mean over texts, or sentences of columns: characters that both sides "
                "have under a label / those that either has; 1 where neither has any"
            ),
        ),
        *_of_characters(
            "severity",
            "Severity-weighted",
            (SEVERITIES_COUNTED, *SEVERITIES),
            BY_SEVERITY,
        ),
        *DETECTIONS,
        *weights.MEASURES,
    )


def measures_of_tags(columns: tuple[str, ...]) -> tuple[Measure, ...]:
    """Measures of each tag that the columns know."""
    return tuple(measure for tag in tags_of(columns) for measure in measures_of(tag))


def measures_of(tag: str | None) -> tuple[Measure, ...]:
    """Measures of one tag, or of `<all>`.

    A resample without any span of the tag (at token level: any token) is left out;
    for `<all>` every resample counts, as in the worked cases.
    """
    suffix, of_tag = ("", "") if tag is None else (f"[{tag}]", f" of {tag}")

    def measure(level: str, ratio: SpanRatio, word: str, unit: str) -> Measure:
        kinds = tuple(column(level, kind, tag) for kind in KINDS)
        # The accuracies are of tokens only: their names need not say so.
        prefix = level if word else ""
        return Measure(
            f"{prefix}{ratio.name}{suffix}",
            f"{word}{ratio.title}{of_tag}",
            (*kinds, IF_EMPTY, DOCUMENTS, TOKENS),
            ratio.score,
            Wording(unit, {"formula": Wording(ratio.formula)}),
            higher_is_better=not ratio.name.endswith("error_rate"),
            present=() if tag is None else kinds,
            share=ratio.share,
        )

    return (
        *(measure(TAG_LEVEL, ratio, "", OVER_SPANS) for ratio in RATIOS),
        *(measure(TOKEN_LEVEL, ratio, "Token ", OVER_TOKENS) for ratio in RATIOS),
        *(measure(TOKEN_LEVEL, ratio, "", "%(formula)s") for ratio in ACCURACIES),
    )


def tables(counts: Counts, _options: Options) -> Tables:
    """The tag and token tables: rows by tag, `<all>` last; None stands for n/a."""
    tags: list[str | None] = [*tags_of(counts.columns), None]
    return {
        "tag": _table(counts, TAG_LEVEL, tags),
        "token": _table(counts, TOKEN_LEVEL, tags),
    }


def _table(counts: Counts, level: str, tags: Sequence[str | None]) -> dict[str, Row]:
    """Every column for all tags at once, then cut into rows."""
    numbers = dict(zip(counts.columns, counts.totals.tolist(), strict=True))
    columns = {
        kind: np.array([numbers[column(level, kind, tag)] for tag in tags])
        for kind in KINDS
    }
    every = np.ones(len(tags))
    sizes = {name: numbers[name] * every for name in (IF_EMPTY, DOCUMENTS, TOKENS)}
    given = [*columns.values(), *sizes.values()]
    columns = {
        DOCUMENTS: sizes[DOCUMENTS],
        TOKENS: sizes[TOKENS],
        **_with_sums(columns),
        **{ratio.column or ratio.name: ratio.score(*given) for ratio in RATIOS},
    }
    if level == TOKEN_LEVEL:
        columns |= {ratio.name: ratio.score(*given) for ratio in ACCURACIES}
    cells = zip(*(_numbers(values) for values in columns.values()), strict=True)
    rows = (dict(zip(columns, row, strict=True)) for row in cells)
    return dict(zip((tag or TOTAL for tag in tags), rows, strict=True))


def _with_sums(columns: Mapping[str, Floats]) -> dict[str, Floats]:
    match, refclash, missing, hypclash, spurious = (columns[kind] for kind in KINDS)
    refonly, hyponly = refclash + missing, hypclash + spurious
    return {
        "match": match,
        "refclash": refclash,
        "missing": missing,
        "refonly": refonly,
        "reftotal": refonly + match,
        "hypclash": hypclash,
        "spurious": spurious,
        "hyponly": hyponly,
        "hyptotal": hyponly + match,
    }


def _numbers(values: Floats) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]
