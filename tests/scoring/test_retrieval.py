"""`retrieval` against pytrec_eval and ir_measures."""

from collections.abc import Mapping
from random import Random
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from scoring import Job, Plan, Refused, SetupError, Source, check
from scoring.counts import Counts
from scoring.engine import count, evaluate, read_pair
from scoring.options import Options, parse
from scoring.scorers import get
from tests.loops import loop_over

SCORER = get("retrieval")
Judged = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]
# Our names and trec_eval's, as pytrec_eval asks for them and answers.
NAMES = {
    "ndcg": ("ndcg", "ndcg"),
    "map": ("map", "map"),
    "mrr": ("recip_rank", "recip_rank"),
    "rprec": ("Rprec", "Rprec"),
    "bpref": ("bpref", "bpref"),
    **{f"ndcg@{k}": (f"ndcg_cut.{k}", f"ndcg_cut_{k}") for k in (1, 3, 5, 10, 1000)},
    **{f"map@{k}": (f"map_cut.{k}", f"map_cut_{k}") for k in (10, 100)},
    **{f"p@{k}": (f"P.{k}", f"P_{k}") for k in (1, 5, 10, 100)},
    **{f"r@{k}": (f"recall.{k}", f"recall_{k}") for k in (5, 10, 100)},
    **{f"success@{k}": (f"success.{k}", f"success_{k}") for k in (1, 5, 10)},
    **{f"{n}@7": (f"{m}.7", f"{m}_7") for n, m in (("p", "P"), ("ndcg", "ndcg_cut"))},
}


def options(**raw: str) -> Options:
    return parse(SCORER.options, {name: [value] for name, value in raw.items()})


def qrels_of(judged: Judged) -> Source:
    lines = [f"{t} 0 {d} {g}" for t, of in judged.items() for d, g in of.items()]
    return Source.of_bytes("qrels", "\n".join(lines).encode())


def run_of(ranked: Ranked) -> Source:
    rows = [(t, d, s) for t, of in ranked.items() for d, s in of.items()]
    lines = [f"{t} Q0 {d} {i} {s!r} tag" for i, (t, d, s) in enumerate(rows)]
    return Source.of_bytes("run", "\n".join(lines).encode())


def counted(gold: Source, run: Source, chosen: Options | None = None) -> Counts:
    chosen = chosen or options()
    return count(SCORER, read_pair(SCORER, gold, run, chosen), chosen)


def values(counts: Counts, name: str) -> dict[str, float]:
    found = SCORER.measure(name, counts.columns).of(counts.table, counts.columns)
    return dict(zip(counts.units, found.tolist(), strict=True))


def whole(counts: Counts, name: str) -> float:
    return float(SCORER.measure(name, counts.columns).of(counts.totals, counts.columns))


def campaign(seed: int) -> tuple[Judged, Ranked]:
    """Ties, unjudged documents, negative grades, topics of one side only."""
    dice = Random(seed)
    names = [f"d{i}" if i % 3 else f"D-{i}é" for i in range(60)]
    judged: Judged = {}
    ranked: Ranked = {}
    for topic in map(str, range(12)):
        pool = dice.sample(names, 30)
        judged[topic] = {d: dice.choice([-1, 0, 0, 1, 2, 3]) for d in pool}
        if topic == "3":
            judged[topic] = dict.fromkeys(pool, 0)
        if topic != "5":
            best = dice.sample(names, dice.randint(1, 50))
            ranked[topic] = {d: dice.randint(-4, 9) / 3 for d in best}
    ranked["unjudged"] = {"d1": 1.0}
    return judged, ranked


def without_ties(judged: Judged, ranked: Ranked) -> tuple[Judged, Ranked]:
    """RR@k and Judged@k of ir_measures order ties otherwise than trec_eval."""
    return judged, {
        topic: {d: -float(i) for i, d in enumerate(of)} for topic, of in ranked.items()
    }


@loop_over("level", [1, 2])
@loop_over("seed", [1, 2, 3])
def test_every_topic_has_the_numbers_of_trec_eval(seed: int, level: int) -> None:
    judged, ranked = campaign(seed)
    wanted = {asked for asked, _ in NAMES.values()}
    oracle = pytrec_eval.RelevanceEvaluator(judged, wanted, relevance_level=level)
    expected = oracle.evaluate(ranked)
    chosen = options(rel=str(level), cutoffs="7")
    counts = counted(qrels_of(judged), run_of(ranked), chosen)
    assert set(counts.units) == set(judged)
    for name, (_, theirs) in NAMES.items():
        for topic, value in values(counts, name).items():
            of_topic = expected.get(topic, dict.fromkeys([theirs], 0))
            assert value == pytest.approx(of_topic[theirs], abs=1e-9), (name, topic)


def test_means_are_over_all_judged_topics_as_those_of_ir_measures() -> None:
    judged, ranked = without_ties(*campaign(4))
    names = {
        "nDCG@10": "ndcg@10",
        "nDCG": "ndcg",
        "AP": "map",
        "AP@100": "map@100",
        "RR": "mrr",
        "RR@10": "mrr@10",
        "P@10": "p@10",
        "R@10": "r@10",
        "Rprec": "rprec",
        "Bpref": "bpref",
        "Success@5": "success@5",
        "Judged@10": "judged@10",
    }
    asked = [ir_measures.parse_measure(name) for name in names]
    expected = ir_measures.calc_aggregate(asked, judged, ranked)
    counts = counted(qrels_of(judged), run_of(ranked))
    for measure, value in expected.items():
        ours = whole(counts, names[str(measure)])
        assert ours == pytest.approx(value, abs=1e-9), measure


def test_exponential_gain_is_that_of_grades_raised_beforehand() -> None:
    judged, ranked = campaign(6)
    raised = {
        t: {d: 2 ** max(g, 0) - 1 for d, g in j.items()} for t, j in judged.items()
    }
    oracle = pytrec_eval.RelevanceEvaluator(raised, {"ndcg_cut.10"}).evaluate(ranked)
    counts = counted(qrels_of(judged), run_of(ranked), options(gain="exponential"))
    found = values(counts, "ndcg@10")
    for topic in ranked.keys() & judged.keys():
        assert found[topic] == pytest.approx(oracle[topic]["ndcg_cut_10"], abs=1e-9)


def test_scores_that_differ_behind_single_precision_are_ties() -> None:
    """trec_eval holds scores in 32 bits; among equals the last name comes first."""
    judged: Judged = {"q": {"a": 1, "b": 0}}
    ranked: Ranked = {"q": {"a": 1.0 + 1e-12, "b": 1.0}}
    oracle = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(ranked)
    counts = counted(qrels_of(judged), run_of(ranked))
    assert whole(counts, "mrr") == oracle["q"]["recip_rank"] == 0.5


def test_a_ranking_by_hand() -> None:
    """Gains 0 and 2 at ranks 1 and 2, the best being 2 and 1: 2 / log2(3) over
    2 + 1 / log2(3)."""
    gold, run = b"q 0 x 2\nq 0 y 1\n", b"q Q0 n 1 5 t\nq Q0 x 2 4 t\n"
    counts = counted(Source.of_bytes("g", gold), Source.of_bytes("r", run))
    expected = (2 / np.log2(3)) / (2 + 1 / np.log2(3))
    assert whole(counts, "ndcg") == pytest.approx(expected, abs=1e-12)
    assert whole(counts, "map") == 0.25
    assert whole(counts, "r@5") == 0.5


def test_boards_show_a_few_measures_and_a_task_may_name_the_others() -> None:
    shown = [measure.name for measure in SCORER.measures(())]
    assert (shown[0], len(shown)) == ("ndcg@10", 11)
    assert [SCORER.measure(name).title for name in ("p@5", "mrr@20")] == [
        "P@5",
        "MRR@20",
    ]


def test_a_cutoff_of_the_tasks_own_is_a_measure_and_one_not_counted_is_none() -> None:
    gold, run = Source.of_bytes("g", b"q 0 x 1\n"), Source.of_bytes("r", RUN)
    counts = counted(gold, run, options(cutoffs="50"))
    known = {measure.name for measure in SCORER.measures(counts.columns)}
    assert {"ndcg@50", "map@50", "judged@50"} <= known
    assert whole(counts, "p@50") == pytest.approx(1 / 50)
    assert np.isnan(whole(counts, "p@70"))
    for name in ("p@07", "p@0", "p@x", "p@99999", "q@10"):
        with pytest.raises(KeyError):
            SCORER.measure(name)


RUN = b"q Q0 x 1 2.5 t\nq Q0 y 2 1.5 t\n"
GOLD = Source.of_bytes("qrels", b"q 0 x 1\nr 0 y 1\n")
TOPICS = Source.of_bytes("topics", b"q\twhere do boats sleep\nr\tfog\n\n")


def problems(run: bytes, **raw: str) -> list[tuple[str, int | None]]:
    source = Source.of_bytes("run", run)
    found = check(SCORER, TOPICS, source, options(**raw))
    return [(problem.code, problem.line) for problem in found]


WRONG: Mapping[str, tuple[bytes, list[tuple[str, int | None]]]] = {
    "five fields": (b"q Q0 x 1 2.5\n", [("columns", 1)]),
    "a word too many in one, a field too few in the next": (
        b"q Q0 x 1 2.5 t t\nq Q0 y 2 1.5\n",
        [("columns", 2)],
    ),
    "NaN": (RUN + b"r Q0 x 1 NaN t\n", [("score", 3)]),
    "infinite": (b"q Q0 x 1 -inf t\n" + RUN[15:], [("score", 1)]),
    "too large": (RUN + b"r Q0 x 1 1e39 t\n", [("score", 3)]),
    "a word": (RUN + b"r Q0 x 1 high t\n", [("score", 3)]),
    "digits grouped": (RUN + b"r Q0 x 1 1_000 t\n", [("score", 3)]),
    "a document twice": (RUN + b"q Q0 x 3 1 t\n", [("repeated", 3)]),
    "twice, far apart": (RUN + b"r Q0 x 1 1 t\nq Q0 y 3 1 t\n", [("repeated", 4)]),
    "an unknown topic": (RUN + b"Q Q0 x 1 1 t\n", [("unknown_topic", 3)]),
    "a very long name": (RUN + b"r Q0 " + b"x" * 501 + b" 1 1 t\n", [("long_name", 3)]),
    "nothing": (b"", [("empty_file", None)]),
    "no text": (b"q Q0 x 1 2.5 \xff\n", [("encoding", 1)]),
}


@pytest.mark.parametrize("run, expected", WRONG.values(), ids=WRONG)
def test_what_is_no_run_is_refused_with_its_line(
    run: bytes, expected: list[tuple[str, int | None]]
) -> None:
    assert problems(run) == expected


def test_every_problem_is_named_at_once() -> None:
    run = b"q Q0 x 1 nan t\nq Q0 x\nz Q0 x 1 1 t\nq Q0 y 1 1 t\nq Q0 y 1 1 t\n"
    assert sorted(code for code, _ in problems(run)) == [
        "columns",
        "repeated",
        "score",
        "unknown_topic",
    ]


def test_the_first_document_beyond_the_depth_is_named() -> None:
    lines = [f"q Q0 d{i} {i} {-i} t\n" for i in range(11)]
    lines.insert(4, "r Q0 x 1 1 t\n")
    run = "".join(lines).encode()
    assert problems(run) == []
    assert problems(run, depth="10") == [("depth", 12)]


def test_white_space_and_blank_lines_do_not_matter() -> None:
    run = b"\xef\xbb\xbfq\tQ0  x 1\t2.5 t \r\n\r\n  q Q0 y 2 1.5 t"
    assert problems(run) == []
    plain = counted(GOLD, Source.of_bytes("run", RUN))
    found = counted(GOLD, Source.of_bytes("run", run))
    assert np.array_equal(found.table, plain.table)


def test_comments_of_both_files_are_read_over_as_by_trec_eval() -> None:
    qrels = "# judged in May\n1 0 a#b 1\n#\n1 0 c 0\n"
    run = "# a run with six words here\n1 Q0 c 1 2.5 x\n# end\n1 Q0 a#b 2 1.5 x\n"
    said = [Source.of_bytes("file", text.encode()) for text in (qrels, run)]
    judged: Judged = {"1": {"a#b": 1, "c": 0}}
    bare = qrels_of(judged), run_of({"1": {"c": 2.5, "a#b": 1.5}})
    own, other = counted(said[0], said[1]), counted(*bare)
    assert np.array_equal(own.table, other.table)
    wrong = Source.of_bytes("file", run.replace("1.5", "high").encode())
    with pytest.raises(Refused) as caught:
        counted(said[0], wrong)
    assert caught.value.problems[0].line == 4


def test_topics_without_judgements_are_published_and_left_out() -> None:
    """As trec_eval does: not every topic of a campaign is judged."""
    topics = Source.of_bytes("topics", b"q\nr\ns\n")
    run = Source.of_bytes("run", RUN + b"s Q0 y 1 1 t\n")
    assert list(check(SCORER, topics, run, options())) == []
    result = evaluate(Job(SCORER, options(), "", Plan(resamples=20)), GOLD, run)
    assert result.measures["mrr"].value == 0.5
    assert "1 topics of the run have no judgements: left out" in result.remarks
    assert "1 topics have no documents in the run: they count 0" in result.remarks


BAD_GOLD = {
    "a grade that is no number": (b"q 0 x yes\n", "grade"),
    "a fraction": (b"q 0 x 0.5\n", "grade"),
    "judged twice": (b"q 0 x 1\nq 0 x 0\n", "repeated"),
    "three fields": (b"q x 1\n", "columns"),
}


@pytest.mark.parametrize("gold, code", BAD_GOLD.values(), ids=BAD_GOLD)
def test_judgements_that_cannot_be_used_are_the_organizers_matter(
    gold: bytes, code: str
) -> None:
    with pytest.raises(SetupError) as error:
        SCORER.read_gold(Source.of_bytes("qrels", gold), options())
    assert [problem.code for problem in error.value.problems] == [code]


@loop_over("cutoffs", ["0", "ten", "20000", "1.5", "007", "²"])
def test_cutoffs_are_whole_numbers(cutoffs: str) -> None:
    with pytest.raises(SetupError, match="cutoffs"):
        SCORER.read_gold(GOLD, options(cutoffs=cutoffs))


def with_groups(data: bytes) -> Options:
    raw = {"groups": [Source.of_bytes("groups", data)]}
    return parse(SCORER.options, raw)


def test_groups_of_topics_are_slices_and_each_topic_has_one() -> None:
    counts = counted(GOLD, Source.of_bytes("run", RUN), with_groups(b"q one\nr two\n"))
    assert counts.groups == {"group": ("one", "two")}
    with pytest.raises(SetupError, match="'r' has no group"):
        SCORER.read_gold(GOLD, with_groups(b"q one\n"))


def test_the_error_browser_shows_ranks_grades_and_what_was_missed() -> None:
    gold = Source.of_bytes("qrels", b"q 0 x 2\nq 0 n 0\nq 0 m 1\nq 0 low 1\n")
    lines = ["q Q0 n 1 99.1 t", "q Q0 u 2 98 t", "q Q0 x 3 97 t"]
    lines += [f"q Q0 f{i} 4 {90 - i} t" for i in range(8)] + ["q Q0 low 12 1 t"]
    run = Source.of_bytes("run", "\n".join(lines).encode())
    assert SCORER.inspect is not None
    found = SCORER.inspect(*read_pair(SCORER, gold, run, options()), options())
    errors: Any = {kind: of.tolist() for kind, of in found.errors_of_units.items()}
    # In the first ten: n is judged, u and seven of the eight f are not.
    assert errors == {"not_relevant": [1], "unjudged": [8], "low": [1], "missed": [1]}
    sheet = found.picture(0).sheet
    assert sheet.rows[0] == (1, "n", 99.1, 0, "not_relevant")
    assert sheet.rows[2] == (3, "x", 97.0, 2, "")
    assert sheet.rows[11] == (12, "low", 1.0, 1, "low")
    assert sheet.rows[12:] == ((None, "m", None, 1, "missed"),)


def test_a_run_is_refused_as_a_whole_where_it_is_several_files() -> None:
    both = Source("runs", {"a": RUN, "b": RUN})
    with pytest.raises(Refused, match="one file"):
        SCORER.read_system(both, options(), SCORER.read_gold(GOLD, options()))


def test_topics_of_which_nothing_is_relevant_score_0_as_in_trec_eval() -> None:
    judged: Judged = {"q1": {"d1": 0, "d2": 0}, "q2": {"d1": 0}}
    ranked: Ranked = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}}
    counts = counted(qrels_of(judged), run_of(ranked))
    names = {"map": "map", "mrr": "recip_rank", "p@10": "P_10", "r@100": "recall_100"}
    theirs = pytrec_eval.RelevanceEvaluator(
        judged, {"map", "recip_rank", "P", "recall"}
    )
    for topic, found in theirs.evaluate(ranked).items():
        for name, other in names.items():
            assert values(counts, name)[topic] == found[other] == 0
    gold = SCORER.read_gold(qrels_of(judged), options())
    assert SCORER.gold_remarks(gold, options()) == [
        "no document of any topic is relevant: every run scores 0"
    ]


def test_a_level_of_relevance_above_all_grades_scores_0_as_in_trec_eval() -> None:
    judged: Judged = {"q1": {"d1": 2, "d2": 1}, "q2": {"d1": 0}}
    ranked: Ranked = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}}
    names = {"map": "map", "mrr": "recip_rank", "p@10": "P_10"}
    for rel in (3, 4, 5):
        asked = options(rel=str(rel))
        theirs = pytrec_eval.RelevanceEvaluator(
            judged, {"map", "recip_rank", "P"}, relevance_level=rel
        )
        counts = counted(qrels_of(judged), run_of(ranked), asked)
        for topic, found in theirs.evaluate(ranked).items():
            for name, other in names.items():
                assert values(counts, name)[topic] == found[other] == 0
        (remark,) = SCORER.gold_remarks(
            SCORER.read_gold(qrels_of(judged), asked), asked
        )
        assert f"the grade {rel} or a higher one" in remark
        assert "Choose a lower 'rel'" in remark
