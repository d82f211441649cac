"""Messages on files: a way to mend each, short quotes, and what cannot be seen."""

from typing import Any

import pytest

from scoring.engine import Job, evaluate, examine
from scoring.errors import LONGEST_QUOTE, Problem, Refused, ScoringError, SetupError
from scoring.options import parse
from scoring.scorers import all_scorers, get
from scoring.source import Source, brief, printable
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over


def problems(name: str, gold: str, sent: str, **raw: str) -> tuple[Problem, ...]:
    """What is said of a file when it is scored, by the command line too."""
    scorer = get(name)
    options = parse(scorer.options, {option: [value] for option, value in raw.items()})
    job = Job(scorer, options, plan=Plan(resamples=0))
    with pytest.raises(ScoringError) as caught:
        evaluate(job, *(Source.of_bytes("a", one.encode()) for one in (gold, sent)))
    return caught.value.problems


def result(name: str, gold: str, sent: str) -> Any:
    scorer = get(name)
    job = Job(scorer, parse(scorer.options, {}), plan=Plan(resamples=0))
    return evaluate(job, *(Source.of_bytes("a", x.encode()) for x in (gold, sent)))


M2 = "S I has it\nA 1 2|||R:VERB|||have|||REQUIRED|||-NONE-|||0\n"
TAGS = "Ada\tB-NAME\nsings\tO\n"
QRELS = "1 0 d1 1\n1 0 d2 0\n"
KEY = "art.n d0 art%1\n"
# Scorer, gold, what was sent or the gold itself, and a word of the right advice.
MISTAKES = {
    "corrected lines": ("edits", M2, "I have it\n", "errant_parallel"),
    "a number before": ("edits", M2, "A\t2\n", "errant_parallel"),
    "an edit without a type": ("edits", M2, M2.replace("R:VERB", ""), "ERRANT"),
    "an edit beyond": ("edits", M2, M2.replace("1 2|", "1 9|"), "ERRANT"),
    "a tag alone": ("spans", TAGS, TAGS.replace("B-NAME", "NAME"), "B-NAME"),
    "a grade in words": ("retrieval", "1 0 d1 high\n", "", "whole numbers"),
    "a score in words": ("retrieval", QRELS, "1 Q0 d1 1 x a\n", "a number"),
    "a key without senses": ("senseval", "art.n d0\n", "", "spaces"),
    "weights in a key": ("senseval", "art.n d0 art%1/0.5\n", "", "weights out"),
    "a weight in words": ("senseval", KEY, "art.n d0 art%1/x\n", "a slash"),
    "one field": ("senseval", KEY, "d0,1\n", "spaces"),
}


@loop_over("case", MISTAKES)
def test_every_mistake_gets_advice_of_its_own_format(case: str) -> None:
    name, gold, sent, word = MISTAKES[case]
    (problem, *_more) = problems(name, gold, sent or gold)
    assert word in problem.hint
    assert "tabs" not in problem.hint


LONG = "x" * 100_000


@loop_over(
    ("name", "gold", "sent"),
    [
        ("probabilities", f'{{"id": "1", "{LONG}": 1, "b": 0}}\n', "id,b\n1,1\n"),
        ("classes", "id,label\n1,a\n", f"id,{LONG}\n1,a\n"),
        ("classes", "id,label\n1,a\n", f"id,label\n{LONG},a\n"),
        ("classes", "id,label\n1,a\n", f'[{{"id": "1", "label": "a"}}, "{LONG}"]'),
        ("spans", TAGS, f"Ada\t{LONG}\nsings\tO\n"),
        ("edits", M2, f"{LONG}\n"),
        ("numbers", "id,value\n1,1\n", f"id,value\n1,{LONG}\n"),
        ("metrics", "system,segment,score\na,1,1\nb,1,2\n", f"system,{LONG}\na,1\n"),
    ],
)
def test_nothing_quotes_more_than_a_line_holds(name: str, gold: str, sent: str) -> None:
    for problem in problems(name, gold, sent):
        for text in (problem.message, problem.hint):
            assert "x" * (LONGEST_QUOTE + 1) not in text
            assert len(text) < 1200


def test_a_list_of_many_names_stays_a_list() -> None:
    names = [f"label{number:02d}" for number in range(20)]
    gold = f"id,{','.join(names)}\n1,1{',0' * 19}\n"
    assert "label19" in str(problems("probabilities", gold, "id,a\n1,1\n"))


@loop_over(
    ("text", "shown"),
    [
        ("10\u00a0000", "10<U+00A0>000"),
        ("a\u200bb", "a<U+200B>b"),
        ("a\tb\nc\r", "a\\tb\\nc\\r"),
        ("\x1b[2J\x00", "<U+001B>[2J<U+0000>"),
        ("\u202ea", "<U+202E>a"),
        ("\U000e0041", "<U+E0041>"),
        ("Łódź 系统", "Łódź 系统"),
    ],
)
def test_what_cannot_be_seen_is_named_everywhere(text: str, shown: str) -> None:
    assert brief(text) == printable(text) == shown


TREE = "# sent_id = 1\n1\t{}\t10000\tNUM\t_\t_\t0\troot\t_\t_\n\n"


@loop_over(
    ("name", "gold", "sent"),
    [
        ("attachment", TREE.format("10\u00a0000"), TREE.format("10 000")),
        ("labels", "10\u00a0000\tNUM\n", "10000\tNUM\n"),
        ("edits", M2.replace("has", "has\u00a0x"), M2.replace("has", "hasx")),
    ],
)
def test_a_no_break_space_is_named(name: str, gold: str, sent: str) -> None:
    told = problems(name, gold, sent)
    assert "\ufffd" not in str(told)
    if name != "edits":  # whose tokens end at any white space
        assert "U+00A0" in f"{told[0].message} {told[0].hint}"


def test_check_and_score_say_the_same() -> None:
    for name in ("spans", "edits"):
        scorer = get(name)
        options = parse(scorer.options, {})
        gold, sent = (TAGS, "Ada\tx\nsings\tO\n") if name == "spans" else (M2, "a\n")
        sources = [Source.of_bytes("a", one.encode()) for one in (gold, sent)]
        verdict = examine(scorer, *sources, options)
        first = problems(name, gold, sent)[0]
        assert (first.message, first.hint) in [
            (one.message, one.hint) for one in verdict.problems
        ]


JUDGED = "system,segment,score\na,1,0.5\na,2,{}\nb,1,0.2\nb,2,0.4\n"
METRIC = "system,segment,score\na,1,0.4\na,2,0.1\nb,1,0.3\nb,2,0.9\n"


@loop_over("word", ["None", "none", "NA", "null"])
def test_a_row_that_nobody_judged_is_left_out(word: str) -> None:
    found = result("metrics", JUDGED.format(word), METRIC)
    bare = JUDGED.replace("a,2,{}\n", "")
    alike = result("metrics", bare, METRIC)
    assert {name: one.value for name, one in found.measures.items()} == {
        name: one.value for name, one in alike.measures.items()
    }
    assert "1 rows of the gold have no human score: left out" in found.remarks


def test_a_null_of_json_is_no_judgement_either() -> None:
    rows = (
        '{"system": "a", "segment": "1", "score": 0.5}\n'
        '{"system": "a", "segment": "2", "score": null}\n'
        '{"system": "b", "segment": "1", "score": 0.2}\n'
        '{"system": "b", "segment": "2", "score": 0.4}\n'
    )
    assert any("no human score" in x for x in result("metrics", rows, METRIC).remarks)


@loop_over("word", ["nan", "inf", "", "high"])
def test_other_scores_of_people_are_refused_with_their_line(word: str) -> None:
    with pytest.raises(SetupError) as caught:
        result("metrics", JUDGED.format(word), METRIC)
    assert caught.value.problems[0].line == 3


def test_a_metric_has_to_score_everything() -> None:
    with pytest.raises(Refused):
        result("metrics", METRIC, JUDGED.format("None"))


def test_no_scorer_refuses_nonsense_without_advice() -> None:
    for scorer in all_scorers().values():
        if scorer.runs_program or not (scorer.example_gold or scorer.example):
            continue
        options = {one.name: one.default for one in scorer.options}
        blind = Source.of_bytes("b", (scorer.example_gold or scorer.example).encode())
        try:
            published = scorer.read_blind(blind, options)
        except ScoringError:
            continue
        reader = scorer.read_submission or scorer.read_system
        for sent in ("<a>\n", "a b c\n", '{"a": 1}\n', "a,b\n1,2\n", "x\ty\tz\n"):
            try:
                reader(Source.of_bytes("s", sent.encode()), options, published)
            except Refused as refusal:
                for problem in refusal.problems:
                    assert problem.hint or problem.code == "more_problems", (
                        scorer.name,
                        sent,
                        problem,
                    )
