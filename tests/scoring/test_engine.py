"""The path of a score, walked with the toy scorer."""

import pytest

from scoring import Job, Plan, Refused, SetupError, Source, UsageError, check, evaluate
from scoring.engine import count, read_pair, summarise
from scoring.options import Options, parse
from tests.scoring.toy import GOLD, SYSTEM, TOY


def options(**raw: str) -> Options:
    return parse(TOY.options, {name: [value] for name, value in raw.items()})


def job(unit: str = "", **raw: str) -> Job:
    return Job(TOY, options(**raw), unit, Plan(resamples=200, seed=1))


def test_a_score_is_the_share_of_right_answers() -> None:
    result = evaluate(job(), GOLD, SYSTEM)
    assert (result.scorer, result.unit, result.units) == ("toy", "item", 4)
    assert result.measures["accuracy"].value == 0.25
    assert result.counts == {"right": 1, "all": 4}
    assert result.tables == {"all": {"<all>": {"right": 1, "all": 4}}}


def test_options_reach_the_count() -> None:
    assert evaluate(job(lower="true"), GOLD, SYSTEM).measures["accuracy"].value == 0.5


def test_remarks_of_engine_and_scorer_stand_side_by_side() -> None:
    remarks = evaluate(job(), GOLD, SYSTEM).remarks
    assert [remark.split(":")[0] for remark in remarks] == [
        "only 4 units bear on accuracy",
        "1 answers are missing",
    ]


def test_a_coarser_unit_keeps_the_value_and_has_fewer_units() -> None:
    fine, coarse = (
        evaluate(job(), GOLD, SYSTEM),
        evaluate(job("document"), GOLD, SYSTEM),
    )
    assert (coarse.unit, coarse.units) == ("document", 2)
    assert coarse.measures["accuracy"].value == fine.measures["accuracy"].value
    assert "unit:document" in coarse.signature


def test_an_unknown_unit_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="knows: item, document"):
        evaluate(job("genre"), GOLD, SYSTEM)


def test_counted_units_can_be_summarised_without_the_files() -> None:
    work = job()
    counts = count(TOY, read_pair(TOY, GOLD, SYSTEM, work.options), work.options)
    result = summarise(TOY, counts, work.options, "", work.plan)
    whole = evaluate(work, GOLD, SYSTEM)
    assert result.measures == whole.measures
    assert result.signature == whole.signature


def test_a_bad_gold_file_is_the_organizers_matter() -> None:
    with pytest.raises(SetupError, match=r"gold\.txt:2"):
        evaluate(job(), Source.of_bytes("gold.txt", b"a b\nc\n"), SYSTEM)


def test_a_bad_system_file_is_refused_with_all_its_problems() -> None:
    bad = Source.of_bytes("bad.txt", b"d1.1\nd1.2 no\nd2.1\n")
    with pytest.raises(Refused) as caught:
        evaluate(job(), GOLD, bad)
    assert [problem.line for problem in caught.value.problems] == [1, 3]


def test_a_check_gives_the_problems_instead_of_raising() -> None:
    blind = TOY.blind(GOLD, options())
    unknown = Source.of_bytes("bad.txt", b"d1.1 yes\nd9.9 no\n")
    assert check(TOY, blind, SYSTEM, options()) == ()
    (problem,) = check(TOY, blind, unknown, options())
    assert (problem.code, problem.line, problem.unit) == ("unknown_id", 2, "d9.9")
