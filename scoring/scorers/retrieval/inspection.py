"""Error browser of retrieval: each topic's ranking with the grades of its documents."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.counts import Flags
from scoring.inspection import Inspection, ItemTable, Picture
from scoring.options import Options
from scoring.scorers.retrieval.figures import UNJUDGED, grades_of
from scoring.scorers.retrieval.judgements import JudgedTopics
from scoring.scorers.retrieval.trec import Run

# Ranks that nearly everybody looks at, and those that a topic's page shows.
TOP, SHOWN = 10, 100
KINDS = ("not_relevant", "unjudged", "low", "missed")
COLUMNS = ("rank", "document", "score", "grade", "verdict")


@dataclass(frozen=True)
class Graded:
    """A document of a topic, where it was ranked and how it was judged."""

    rank: int | None
    document: str
    score: float | None
    grade: int | None

    def kind(self, least: int) -> str:
        """How it is wrong, if it is; documents far down are not but relevant ones."""
        relevant = self.grade is not None and self.grade >= least
        if self.rank is None or self.rank > TOP:
            return ("missed" if self.rank is None else "low") if relevant else ""
        if relevant:
            return ""
        return "unjudged" if self.grade is None else "not_relevant"


def grades_of_topic(gold: JudgedTopics, run: Run, topic: str) -> Iterator[Graded]:
    """A topic's documents by rank, then judged ones that the run lacks, best first."""
    grades = gold.grades[topic]
    lacking = dict(grades)
    place = run.places.get(topic)
    if place is not None:
        rows = run.of_topic(place)
        # As short as single precision tells them apart: 0.1 and not 0.10000000149.
        scores = (float(str(score)) for score in run.scores[rows])
        pairs = zip(run.documents[rows], scores, strict=True)
        for rank, (document, score) in enumerate(pairs, 1):
            yield Graded(rank, document.decode(), score, lacking.pop(document, None))
    for document in sorted(lacking, key=lambda name: (-lacking[name], name)):
        yield Graded(None, document.decode(), None, lacking[document])


def inspect(gold: JudgedTopics, system: Run, options: Options) -> Inspection:
    """Items are the first documents of each topic and all that are relevant.

    A topic's page sets its relevant documents beside the first ones of the run.
    """
    least = int(options["rel"])
    unit_of: list[int] = []
    kinds: list[int] = []
    for unit, topic in enumerate(gold.topics):
        own = _kinds(gold, system, topic, least)
        kinds += own
        unit_of += [unit] * len(own)
    sizes = [
        0 if place is None else int(np.diff(system.starts)[place])
        for place in map(system.places.get, gold.topics)
    ]
    codes = np.array(kinds, dtype=np.int64)
    wrong: dict[str, Flags] = {kind: codes == i for i, kind in enumerate(KINDS)}

    def picture(unit: int) -> Picture:
        return _picture(gold, system, gold.topics[unit], least)

    return Inspection(
        np.array(sizes, dtype=np.int64),
        np.array(unit_of, dtype=np.int64),
        wrong,
        picture,
    )


def _kinds(gold: JudgedTopics, run: Run, topic: str, least: int) -> list[int]:
    """The place in KINDS of the error of each item of a topic, -1 without one."""
    place = run.places.get(topic)
    documents = [] if place is None else run.documents[run.of_topic(place)]
    grades = grades_of(documents, gold, topic)
    relevant = grades >= least
    first = np.where(grades == UNJUDGED, KINDS.index("unjudged"), 0)
    places = np.where(relevant, -1, first)[:TOP].tolist()
    low = int(relevant[TOP:].sum())
    judged = sum(grade >= least for grade in gold.grades[topic].values())
    missed = judged - int(relevant.sum())
    return [*places, *[KINDS.index("low")] * low, *[KINDS.index("missed")] * missed]


def _picture(gold: JudgedTopics, run: Run, topic: str, least: int) -> Picture:
    everything = [*grades_of_topic(gold, run, topic)]
    rows = [
        (row, kind)
        for row in everything
        for kind in [row.kind(least)]
        if kind or (row.rank is not None and row.rank <= SHOWN)
    ]
    grades = gold.grades[topic]
    best = sorted(grades, key=lambda name: (-grades[name], name))
    wanted = [name.decode() for name in best if grades[name] >= least]
    first = [row.document for row in everything[:TOP] if row.rank is not None]
    cells = tuple(
        (row.rank, row.document, row.score, row.grade, kind) for row, kind in rows
    )
    marks = tuple((kind,) if kind else () for _, kind in rows)
    sheet = ItemTable(COLUMNS, cells, marks, ("grade", "verdict"))
    return Picture(sheet, lines=(tuple(wanted[:SHOWN]), tuple(first)))
