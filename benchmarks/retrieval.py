"""`retrieval` on 1,000 topics of 1,000 documents, against pytrec_eval and ranx.

Reading is included, for pytrec_eval by splitting each line. Ours counts all its
measures, the peers nDCG alone. ranx is no requirement: its row is there where it is
installed.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytrec_eval

from benchmarks._timing import row
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

TOPICS, DOCUMENTS, JUDGED = 1_000, 1_000, 120
COLLECTION = 10_000_000
TARGET = "1.5 x"


def rows() -> list[dict[str, Any]]:
    qrels, run = made(Random(1))
    ours, peer = ours_on(qrels, run), peer_on(qrels, run)
    if abs(ours() - peer()) > 1e-9:
        raise ValueError(f"{ours()} and {peer()}")
    work = f"retrieval, {TOPICS:,} topics of {DOCUMENTS:,} documents, from TREC"
    first = row(work, ours, ("pytrec_eval", peer), TARGET)
    if not find_spec("ranx"):
        return [first]
    with TemporaryDirectory() as folder:
        ranx = by_ranx(Path(folder), qrels, run)
        return [first, row(work, ours, ("ranx", ranx), "2 x")]


def made(dice: Random) -> tuple[Source, Source]:
    """Judgements, two thirds of them of documents that the run found, and the run."""
    qrels, run = [], []
    for topic in range(1, TOPICS + 1):
        documents = dice.sample(range(COLLECTION), DOCUMENTS)
        scores = sorted((dice.random() * 20 for _ in documents), reverse=True)
        run += [
            f"{topic} Q0 passage_{document:08d} {rank} {score:.6f} system"
            for rank, (document, score) in enumerate(
                zip(documents, scores, strict=True), 1
            )
        ]
        others = dice.sample(range(COLLECTION), JUDGED // 3)
        judged = {*dice.sample(documents, JUDGED - len(others)), *others}
        qrels += [f"{topic} 0 passage_{d:08d} {dice.randint(0, 3)}" for d in judged]
    return (
        Source.of_bytes("qrels", "\n".join(qrels).encode()),
        Source.of_bytes("run", "\n".join(run).encode()),
    )


def ours_on(qrels: Source, run: Source) -> Callable[[], float]:
    scorer = get("retrieval")
    options = parse(scorer.options, {})

    def work() -> float:
        pair = read_pair(scorer, qrels, run, options)
        counts = count(scorer, pair, options)
        measure = scorer.measure("ndcg", counts.columns)
        return float(measure.of(counts.totals, counts.columns))

    return work


def by_ranx(folder: Path, qrels: Source, run: Source) -> Callable[[], object]:
    import ranx

    for name, source in (("qrels.trec", qrels), ("run.trec", run)):
        (folder / name).write_bytes(source.single())

    def work() -> object:
        judged = ranx.Qrels.from_file(str(folder / "qrels.trec"), kind="trec")
        ranked = ranx.Run.from_file(str(folder / "run.trec"), kind="trec")
        return ranx.evaluate(judged, ranked, "ndcg")

    return work


def peer_on(qrels: Source, run: Source) -> Callable[[], float]:
    def work() -> float:
        judged: dict[str, dict[str, int]] = {}
        ranked: dict[str, dict[str, float]] = {}
        for line in qrels.single().decode().splitlines():
            topic, _, document, grade = line.split()
            judged.setdefault(topic, {})[document] = int(grade)
        for line in run.single().decode().splitlines():
            topic, _, document, _rank, score, _tag = line.split()
            ranked.setdefault(topic, {})[document] = float(score)
        evaluator = pytrec_eval.RelevanceEvaluator(judged, {"ndcg"})
        values = [topic["ndcg"] for topic in evaluator.evaluate(ranked).values()]
        return sum(values) / len(judged)

    return work
