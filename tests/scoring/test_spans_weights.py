"""Severities, detections in pieces and weights of characters, by their definitions."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from scipy.stats import spearmanr

from scoring.engine import Job, check, count, evaluate, read_pair
from scoring.errors import Refused, SetupError
from scoring.examples import make_guess
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from scoring.statistics.runs import value_of
from tests.loops import loop_over

SPANS = get("spans")
LABELS = ("minor", "major")
Label = str | float
Span = tuple[int, int, Label]
Text = tuple[int, list[Span], list[Span]]
RAW = {"severities": ["true"], "plagdet": ["true"], "weights": ["soft"]}
OPTIONS = parse(SPANS.options, RAW)


def file(texts: Sequence[Text], *, published: bool = True) -> Source:
    rows = []
    for number, (size, spans, weights) in enumerate(texts):
        soft = [{"start": a, "end": b, "prob": value} for a, b, value in weights]
        own = {"text": "é" * size} if published else {}
        rows.append({"id": f"t{number}", **own, "spans": spans, "soft": soft})
    return Source.of_bytes("file.jsonl", "\n".join(map(json.dumps, rows)).encode())


NAMES = (
    *("severity_precision", "severity_recall", "severity_f1"),
    *("granularity", "plagdet", "correlation", "character_f1"),
)
MEASURES = [SPANS.measure(name) for name in NAMES]


def values(gold: Source, system: Source) -> dict[str, float]:
    counts = count(SPANS, read_pair(SPANS, gold, system, OPTIONS), OPTIONS)
    return {measure.name: value_of(counts, measure) for measure in MEASURES}


def severity(texts: Sequence[tuple[Text, Text]]) -> tuple[float, float, float]:
    """WMT25's task of error spans, character by character."""
    right, of_gold, of_system = 0.0, 0, 0
    for (size, gold, _), (_, system, _) in texts:
        for place in range(size):
            own, other = (
                Counter(label for a, b, label in set(spans) if a <= place < b)
                for spans in (gold, system)
            )
            same = own & other
            left = min((own - same).total(), (other - same).total())
            right += same.total() + 0.5 * left
            of_gold, of_system = of_gold + own.total(), of_system + other.total()
    precision = right / of_system if of_system else 1.0
    recall = right / of_gold if of_gold else 1.0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def detection(texts: Sequence[tuple[Text, Text]]) -> tuple[float, float]:
    """PAN's granularity, and its plagdet over sums of characters, of each label."""
    found, of_gold, of_system, met, pairs = 0, 0, 0, 0, 0
    for (_, gold, _), (_, system, _) in texts:
        own, other = (
            {(place, label) for a, b, label in side for place in range(a, b)}
            for side in (gold, system)
        )
        found, of_gold = found + len(own & other), of_gold + len(own)
        of_system += len(other)
        for a, b, label in set(gold):
            hits = sum(x < b and a < y and label == z for x, y, z in set(system))
            met, pairs = met + (hits > 0), pairs + hits
    precision = found / of_system if of_system else 1.0
    recall = found / of_gold if of_gold else 1.0
    both = precision + recall
    granularity = pairs / met if met else 1.0
    f1 = 2 * precision * recall / both if both else 0.0
    return granularity, f1 / math.log2(1 + granularity)


def correlation(texts: Sequence[tuple[Text, Text]]) -> float:
    """Mu-SHROOM's, with the largest weight where several overlap."""
    each = []
    for (size, _, gold), (_, _, system) in texts:
        own, other = (
            [
                max([float(w) for a, b, w in side if a <= i < b], default=0)
                for i in range(size)
            ]
            for side in (gold, system)
        )
        flat = [len({round(w, 8) for w in side}) <= 1 for side in (own, other)]
        if any(flat):
            each.append(float(all(flat)))
        else:
            each.append(float(spearmanr(own, other).statistic))
    return sum(each) / len(each)


def side(random: Random, size: int) -> Text:
    def stretches(kinds: Sequence[Label]) -> list[Span]:
        spans: list[Span] = []
        for _ in range(random.choice((0, 1, 2, 5)) if size else 0):
            start = random.randrange(size)
            end = random.randint(start + 1, size)
            spans.append((start, end, random.choice(kinds)))
        return [*dict.fromkeys(spans)]

    weights = (0, 0.25, 0.5, 1, 1e-9, 3)
    return size, stretches(LABELS), stretches(weights)


def test_figures_are_those_of_their_definitions() -> None:
    for seed in range(300):
        random = Random(seed)
        sizes = [random.choice((0, 1, 2, 9, 25)) for _ in range(random.randint(1, 4))]
        texts = [(side(random, size), side(random, size)) for size in sizes]
        texts.append((side(random, 5), side(random, 5)))
        gold, system = (file([pair[at] for pair in texts]) for at in (0, 1))
        if b'"prob"' not in gold.single():
            continue
        found = values(gold, system)
        precision, recall, f1 = severity(texts)
        granularity, plagdet = detection(texts)
        expected = {
            "severity_precision": precision,
            "severity_recall": recall,
            "severity_f1": f1,
            "granularity": granularity,
            "plagdet": plagdet,
            "correlation": correlation(texts),
        }
        own = {name: found[name] for name in expected}
        assert own == pytest.approx(expected, abs=1e-9), seed


def test_severities_worked_by_hand() -> None:
    # Four characters are major, of which two are called minor, and two are missed.
    gold, system = (
        file([(9, [(0, 4, "major")], [])]),
        file([(9, [(2, 4, "minor")], [])]),
    )
    found = values(gold, system)
    assert (found["severity_precision"], found["severity_recall"]) == (0.5, 0.25)
    assert found["severity_f1"] == pytest.approx(1 / 3)


def test_a_detection_in_pieces_is_worth_less() -> None:
    gold = file([(9, [(0, 6, "x")], [])])
    whole = values(gold, file([(9, [(0, 6, "x")], [])]))
    parts = values(gold, file([(9, [(0, 3, "x"), (3, 6, "x")], [])]))
    assert (whole["plagdet"], whole["granularity"]) == (1, 1)
    assert (parts["character_f1"], parts["granularity"]) == (1, 2)
    assert parts["plagdet"] == pytest.approx(1 / math.log2(3))


def test_nothing_is_gained_by_repeats_and_pieces() -> None:
    random = Random(4)
    names = ("severity_f1", "plagdet", "correlation")
    for _ in range(40):
        gold, (size, spans, weights) = side(random, 12), side(random, 12)
        taken = [{place for place in range(a, b)} for a, b, _ in spans]
        alone = len(set().union(*taken)) == sum(map(len, taken))
        spans = spans if alone else spans[:1]
        own = values(file([gold]), file([(size, spans, weights)]))
        for more in (
            [*spans, *spans],
            [cut for a, b, label in spans for cut in pieces(a, b, label)],
        ):
            parted = [cut for a, b, w in weights for cut in pieces(a, b, w)]
            other = values(file([gold]), file([(size, more, parted * 2)]))
            assert all(other[n] <= own[n] + 1e-12 for n in names)


def pieces(start: int, end: int, label: Label) -> list[Span]:
    if end - start < 2:
        return [(start, end, label)]
    return [(start, start + 1, label), (start + 1, end, label)]


def test_without_the_options_nothing_more_is_counted() -> None:
    texts = file([(9, [(0, 4, "major")], [(0, 2, 0.5)])])
    job = Job(SPANS, parse(SPANS.options, {}), plan=Plan(resamples=0))
    found = evaluate(job, texts, texts).measures
    for name in ("severity_f1", "plagdet", "granularity", "correlation"):
        assert found[name].value is None


def test_the_published_file_has_lists_without_weights_and_can_be_sent_back() -> None:
    gold = file([(9, [(0, 4, "major")], [(0, 2, 0.5)])])
    blind = SPANS.blind(gold, OPTIONS)
    row = json.loads(blind.single())
    assert (row["spans"], row["soft"]) == ([], [])
    example = make_guess(SPANS, blind, OPTIONS)
    assert not check(SPANS, blind, example, OPTIONS)


@loop_over(
    "weights",
    [
        "{}",
        '[{"start": 0, "end": 4}]',
        '[{"start": 0, "end": 4, "prob": -1}]',
        '[{"start": 0, "end": 4, "prob": "high"}]',
        '[{"start": 4, "end": 4, "prob": 1}]',
        '[{"start": 0, "end": 99, "prob": 1}]',
        "[[0, 4]]",
        "[7]",
    ],
)
def test_weights_that_are_none_are_refused_with_their_line(weights: str) -> None:
    gold = file([(9, [], [(0, 2, 0.5)]), (9, [], [])])
    rows = [
        '{"id": "t0", "spans": [], "soft": [[0, 4, 0.5]]}',
        f'{{"id": "t1", "spans": [], "soft": {weights}}}',
    ]
    with pytest.raises(Refused) as caught:
        values(gold, Source.of_bytes("mine.jsonl", "\n".join(rows).encode()))
    assert caught.value.problems[0].line == 2


def test_a_gold_without_weights_is_a_set_up_error() -> None:
    text = '{"id": "t0", "text": "abc", "spans": []}'
    with pytest.raises(SetupError, match="no text of the reference has a list 'soft'"):
        SPANS.read_gold(Source.of_bytes("gold.jsonl", text.encode()), OPTIONS)
