"""Measures of a ranking, topic by topic, each by the formula of trec_eval."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from scoring.counts import Counts, Flags, Floats, Integers, fixed_point
from scoring.measures import Measure, mean_of_fractions, share_measure
from scoring.messages import Wording, _
from scoring.options import Options
from scoring.scorers.retrieval.judgements import LARGEST_CUTOFF, JudgedTopics, gains
from scoring.scorers.retrieval.trec import Run

UNJUDGED = np.iinfo(np.int64).min
# Logarithms differ in their last bits from machine to machine; these decimals agree.
DECIMALS = 12

TITLES = {
    "ndcg": "nDCG",
    "map": "MAP",
    "mrr": "MRR",
    "p": "P",
    "r": "R",
    "success": "Success",
    "judged": "Judged",
    "rprec": "Rprec",
    "bpref": "bpref",
}
FORMULAS = {
    "ndcg": _(
        "sum of gain / log2(rank + 1)%(at)s, divided by that of the best ranking"
    ),
    "map": _(
        "precision at the rank of each relevant document found%(at)s, summed, / all "
        "relevant documents"
    ),
    "mrr": _("1 / rank of the first relevant document, 0 without one%(at)s"),
    "p": _("relevant documents%(at)s / %(k)s"),
    "r": _("relevant documents%(at)s / all relevant documents"),
    "success": _("1 where a relevant document is%(at)s"),
    "judged": _("judged documents / documents%(at)s"),
    "rprec": _(
        "relevant documents in the first R ranks / R, the number of all relevant"
    ),
    "bpref": _(
        "share of the relevant documents, each less by the share of judged "
        "documents that are not relevant and stand above it"
    ),
}
FAMILIES = ("ndcg", "map", "mrr", "p", "r", "success", "judged")
RIGHT_OR_WRONG = ("success",)
# Always counted; a task may add others.
CUTOFFS = (1, 3, 5, 10, 20, 100, 1000)
WHOLE = "topics"


def _measure(name: str) -> Measure:
    """The measure of that name. One at a cutoff of the task's own is a share of a
    column of that cutoff, so that it is n/a where that was not counted."""
    family, _at, k = name.partition("@")
    cut = Wording(_(" in the first %(k)s ranks"), {"k": k}) if k else ""
    values = {"at": cut, "k": k or "R"}
    each = Wording(FORMULAS[family], values)
    formula = Wording(_("%(formula)s; mean of all judged topics"), {"formula": each})
    whole = f"{WHOLE}@{k}" if k and int(k) not in CUTOFFS else WHOLE
    title = TITLES[family] + (f"@{k}" if k else "")
    kind = share_measure if family in RIGHT_OR_WRONG else mean_of_fractions
    return kind(name, title, (name, whole), formula)


# What boards show where a task does not choose.
FIXED = tuple(
    map(
        _measure,
        (
            "ndcg@10",
            "ndcg",
            "map",
            "mrr",
            "mrr@10",
            "p@10",
            "r@100",
            "r@1000",
            "rprec",
            "bpref",
            "judged@10",
        ),
    )
)
SHOWN = frozenset(measure.name for measure in FIXED)


def _names(cutoffs: Iterable[int]) -> list[str]:
    return [f"{family}@{k}" for k in cutoffs for family in FAMILIES]


USUAL = frozenset(_names(CUTOFFS))


def at_cutoffs(columns: tuple[str, ...]) -> tuple[Measure, ...]:
    """The measures at other cutoffs: those counted, and those of columns `topics@k`."""
    names = [column for column in columns if column in USUAL]
    for column in columns:
        k = column.removeprefix(f"{WHOLE}@")
        plain = k != column and k.isascii() and k.isdecimal() and str(int(k)) == k
        if plain and 1 <= int(k) <= LARGEST_CUTOFF:
            names += _names([int(k)])
    return tuple(_measure(name) for name in dict.fromkeys(names) if name not in SHOWN)


@dataclass(frozen=True)
class Ranked:
    """The judged documents of a run, `j` of them for `m` topics of the gold.

    `topic`, `rank` (from 0) and `grade` (j,) go by topic and rank; `sizes` (m,) are
    the numbers of all documents of the run.
    """

    topic: Integers
    rank: Integers
    grade: Integers
    sizes: Integers

    @classmethod
    def of(cls, gold: JudgedTopics, run: Run) -> "Ranked":
        places = [run.places.get(name, -1) for name in gold.topics]
        starts = [0 if place < 0 else run.of_topic(place).start for place in places]
        lengths = np.diff(run.starts, append=0)[places]
        sizes = np.where(np.array(places) < 0, 0, lengths)
        grades = np.concatenate(
            [
                grades_of(run.documents[start : start + size], gold, name)
                for name, start, size in zip(
                    gold.topics, starts, sizes.tolist(), strict=True
                )
            ]
        )
        judged = np.flatnonzero(grades != UNJUDGED)
        topic = np.repeat(np.arange(len(sizes)), sizes)[judged]
        rank = judged - (np.cumsum(sizes) - sizes)[topic]
        return cls(topic, rank, grades[judged], sizes)

    def total(self, flags: Flags, weights: Floats | None = None) -> Floats:
        """Sum of the weights of these documents, or their number, by topic (m,)."""
        weights = None if weights is None else weights[flags]
        totals = np.bincount(self.topic[flags], weights, minlength=len(self.sizes))
        return totals.astype(np.float64)

    def running(self, flags: Flags) -> Integers:
        """How many of these documents each topic has up to each of its own (j,)."""
        numbers = np.cumsum(flags)
        first = np.searchsorted(self.topic, self.topic)
        return np.asarray(numbers - numbers[first] + flags[first])


def grades_of(documents: list[bytes], gold: JudgedTopics, topic: str) -> Integers:
    """The grades of documents for a topic, UNJUDGED where there is none."""
    grades = map(gold.grades[topic].get, documents, repeat(UNJUDGED))
    return np.fromiter(grades, dtype=np.int64, count=len(documents))


def _over(part: Floats, whole: Floats | float) -> Floats:
    """part / whole, 0 where there is no whole."""
    return np.asarray(part / np.maximum(whole, 1))


def count(gold: JudgedTopics, system: Run, options: Options) -> Counts:
    """One row per judged topic, in the run or not, with the value of each measure."""
    more = sorted({int(k) for k in options["cutoffs"]}.difference(CUTOFFS))
    values = TopicMeasures(gold, Ranked.of(gold, system), options)
    columns: dict[str, Floats] = {}
    names = [measure.name for measure in FIXED]
    for name in dict.fromkeys([*names, *_names((*CUTOFFS, *more))]):
        value = np.round(values.of(name), DECIMALS)
        columns |= fixed_point(name, value)
    ones = np.ones(len(gold.topics))
    columns |= values.facts()
    columns |= {WHOLE: ones, **{f"{WHOLE}@{k}": ones for k in more}}
    groups = {"group": gold.groups} if gold.groups else {}
    return Counts.of_rows(gold.topics, columns, groups)


class TopicMeasures:
    """The measures of one run, each (m,) by topic.

    A topic that the run lacks and one without any relevant document have 0 in all of
    them but Judged; a negative grade is neither relevant nor, for bpref, a judgement.
    """

    def __init__(self, gold: JudgedTopics, ranked: Ranked, options: Options) -> None:
        self.ranked = ranked
        least = int(options["rel"])
        topic, rank, grades = gold.sorted_grades
        self.best = Ranked(topic, rank, grades, np.bincount(topic))
        self.relevant = ranked.grade >= least
        self.all_relevant = self.best.total(grades >= least)
        self.all_others = self.best.total((grades >= 0) & (grades < least))
        self.gains = gains(ranked.grade, options) / np.log2(ranked.rank + 2)
        self.best_gains = gains(grades, options) / np.log2(rank + 2)
        self.found = ranked.running(self.relevant)

    def facts(self) -> dict[str, Floats]:
        """Whole numbers of each topic: what was judged, and what of it was found.

        Every change of the judgements changes one of them, or the best ranking.
        """
        every = np.ones(len(self.best.grade), dtype=np.bool_)
        return {
            "relevant": self.all_relevant,
            "found": self.ranked.total(self.relevant),
            "judgements": self.best.total(every),
            "grades": self.best.total(every, self.best.grade.astype(np.float64)),
        }

    def of(self, name: str) -> Floats:
        family, _at, k = name.partition("@")
        value: Floats = getattr(self, f"_{family}")(int(k) if k else None)
        return value

    def _first(self, k: int | None) -> Flags:
        """Documents in the first k ranks (j,)."""
        ranks = self.ranked.rank
        return np.ones(len(ranks), dtype=np.bool_) if k is None else ranks < k

    def _hits(self, k: int | None) -> Floats:
        return self.ranked.total(self.relevant & self._first(k))

    def _ndcg(self, k: int | None) -> Floats:
        first = self._first(k)
        best = self.best.rank < k if k else np.ones(len(self.best.rank), dtype=np.bool_)
        ideal = self.best.total(best, self.best_gains)
        ours = self.ranked.total(first, self.gains)
        return np.divide(ours, ideal, out=np.zeros_like(ours), where=ideal > 0)

    def _map(self, k: int | None) -> Floats:
        precisions = self.found / (self.ranked.rank + 1)
        hits = self.relevant & self._first(k)
        return _over(self.ranked.total(hits, precisions), self.all_relevant)

    def _mrr(self, k: int | None) -> Floats:
        first = self.relevant & (self.found == 1) & self._first(k)
        return self.ranked.total(first, 1 / (self.ranked.rank + 1))

    def _p(self, k: int) -> Floats:
        return self._hits(k) / k

    def _r(self, k: int) -> Floats:
        return _over(self._hits(k), self.all_relevant)

    def _success(self, k: int) -> Floats:
        return (self._hits(k) > 0).astype(np.float64)

    def _judged(self, k: int) -> Floats:
        depths = np.minimum(self.ranked.sizes, k)
        return _over(self.ranked.total(self._first(k)), depths)

    def _rprec(self, _k: None) -> Floats:
        inside = self.ranked.rank < self.all_relevant[self.ranked.topic]
        return _over(self.ranked.total(self.relevant & inside), self.all_relevant)

    def _bpref(self, _k: None) -> Floats:
        others = (self.ranked.grade >= 0) & ~self.relevant
        of_topic = self.ranked.topic
        least = np.minimum(self.all_relevant, self.all_others)[of_topic]
        above = np.minimum(self.ranked.running(others), self.all_relevant[of_topic])
        worth = 1 - _over(above, least)
        return _over(self.ranked.total(self.relevant, worth), self.all_relevant)
