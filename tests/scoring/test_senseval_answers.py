"""Which answers count, which instances are scored, and what is shown of it."""

import json
from pathlib import Path

import pytest

from scoring.__main__ import main
from tests.loops import loop_over
from tests.scoring.senses import (
    GRAINS,
    KEY,
    MAP,
    SCORER,
    counted,
    measured,
    numbers,
    options,
    result,
    source,
)


def test_the_first_answer_of_an_instance_counts_and_the_others_are_reported() -> None:
    found = result(KEY, "oak.n oak.1 2\noak.n oak.1 1\n")
    assert found.counts["score"] == 0
    assert found.remarks[-1] == (
        "1 answer for an instance answered before (the first answer counts): "
        "oak.n oak.1 (line 2)"
    )


def test_a_line_without_tags_is_no_answer() -> None:
    found = result(KEY, "oak.n oak.1 !! to do\noak.n oak.1 1\n")
    assert found.counts["score"] == 1
    assert "1 answer without a tag" in found.remarks[-1]


def test_unknown_instances_are_reported_and_not_attempted() -> None:
    answers = "".join(f"yew.n yew.{i} 1\n" for i in range(7))
    found = result(KEY, answers + "oak.n elm.1 1\noak.n oak.1 1\n")
    assert found.counts["attempted"] == 1
    assert found.remarks[-1].startswith("8 answers for an instance that does not exist")
    assert "yew.n yew.0 (line 1)" in found.remarks[-1]
    assert found.remarks[-1].endswith("…")


def test_answers_to_filtered_instances_are_ignored_without_a_word() -> None:
    found = result(KEY, "oak.n oak.1 1\nelm.n elm.1 1.1\n", instances="oak.1\n")
    assert (found.counts["instances"], found.counts["attempted"]) == (1, 1)
    assert not any("elm" in remark for remark in found.remarks)


@pytest.mark.parametrize("entry", ["oak.n oak.2", "oak.2", " oak.n\toak.2 !! why"])
def test_the_instance_filter_takes_both_ways_to_name_one(entry: str) -> None:
    assert counted(KEY, "oak.n oak.1 9\n", instances=entry).units == ("oak.n oak.2",)


def test_filter_entries_that_name_nothing_are_reported() -> None:
    found = result(KEY, "oak.n oak.1 1\n", instances="oak.1\nash.1\n")
    expected = "1 on the instance filter but not in the key: ash.1"
    assert expected in found.remarks


def test_the_sense_filter_takes_senses_out_and_then_emptied_instances() -> None:
    answers = "oak.n oak.1 1\noak.n oak.2 2\nelm.n elm.1 1.1\n"
    found = counted(KEY, answers, senses="3\n1.1\n", policy="conjunctive")
    assert found.units == ("oak.n oak.2", "elm.n elm.1")
    assert found.as_numbers()["total"] == 2
    assert found.as_numbers()["score"] == 1


def test_minimal_looks_at_the_key_that_the_sense_filter_leaves() -> None:
    found = counted(KEY, "oak.n oak.1 9\n", senses="3 1", minimal="true")
    assert found.units == ("oak.n oak.1", "oak.n oak.2")


def test_the_sense_filter_looks_at_senses_as_written() -> None:
    given = {"granularity": "coarse", "sensemap": MAP, "senses": "1\n"}
    assert counted(KEY, "oak.n oak.1 9\n", **given).units == ("oak.n oak.1",)


def test_an_unknown_sense_is_wrong_unless_the_task_discards_it() -> None:
    answers = "oak.n oak.1 1/0.5 nonsense/0.5\n"
    kept = numbers(KEY, answers, sensemap=MAP)
    assert (kept["score"], kept["attempted"]) == (0.5, 1)
    remark = "1 answer with a sense that is not in the sense map: oak.n oak.1 (line 1)"
    assert remark in result(KEY, answers, sensemap=MAP).remarks
    dropped = numbers(KEY, answers, sensemap=MAP, unknown_senses="discard")
    assert (dropped["score"], dropped["attempted"]) == (0, 0)


def test_a_discarded_answer_makes_room_for_the_next() -> None:
    answers = "oak.n oak.1 nonsense\noak.n oak.1 1\n"
    found = result(KEY, answers, sensemap=MAP, unknown_senses="discard")
    assert found.counts["score"] == 1
    assert "1 answer with an unknown sense (not attempted)" in found.remarks[-1]


@pytest.mark.parametrize("tag", ["U", "P", "TYPO"])
def test_special_tags_are_known_senses(tag: str) -> None:
    given = {"sensemap": MAP, "unknown_senses": "discard"}
    found = numbers(f"w w.1 {tag}\n", f"w w.1 {tag}\n", **given)
    assert found["score"] == 1


def test_without_a_map_nothing_is_unknown_and_a_remark_says_so() -> None:
    found = result(KEY, "oak.n oak.1 nonsense\n", unknown_senses="discard")
    assert found.counts["attempted"] == 1
    assert any("without a sense map" in remark for remark in found.remarks)


def test_key_senses_outside_the_map_are_reported() -> None:
    found = result("w w.1 9\n", "w w.1 9\n", granularity="coarse", sensemap=MAP)
    assert found.counts["score"] == 1
    assert "1 in the key but not in the sense map: 9" in found.remarks


@loop_over(
    "text",
    [
        "\ufeffoak.n oak.1 1\n",
        "oak.n oak.1 1\r\n\r\n",
        "oak.n oak.1 1",
        "  oak.n\toak.1   1\t\n",
        "oak.n oak.1 1!!glued / comment\n",
        "!! a head / line\noak.n oak.1 1\n",
        "oak.n oak.1 1 !! a \x0b b \x0c c \x85 d \u2028 e \x1c f\n",
    ],
)
def test_text_is_read_however_it_was_saved(text: str) -> None:
    assert numbers(KEY, text)["score"] == 1


def test_units_are_instances_and_lexelts_group_them() -> None:
    found = counted(KEY, "elm.n elm.1 1.1\n")
    assert found.units == ("oak.n oak.1", "oak.n oak.2", "elm.n elm.1")
    coarser = found.by("lexelt")
    assert coarser.units == ("oak.n", "elm.n")
    assert coarser.total("instances") == 3


def test_counts_have_the_four_names_of_the_contract() -> None:
    assert list(numbers(KEY, "oak.n oak.1 9\n")) == [
        "score",
        "attempted",
        "total",
        "instances",
    ]


def test_the_trace_has_a_row_for_every_scored_instance() -> None:
    parsed = options(granularity="coarse", sensemap=MAP)
    gold = SCORER.read_gold(source("key", KEY), parsed)
    answers = source("answers", "oak.n oak.2 2.1/1 3/3\n")
    found = SCORER.details(gold, SCORER.read_system(answers, parsed, gold), parsed)
    assert ",".join(found.columns) == "lexelt,instance,score,attempted,key,guess"
    assert list(found.rows) == [
        ("oak.n", "oak.1", 0.0, 0.0, "1", ""),
        ("oak.n", "oak.2", 1.0, 1.0, "2 3", "2/0.25 3/0.75"),
        ("elm.n", "elm.1", 0.0, 0.0, "1", ""),
    ]


def test_the_key_as_answers_is_right_everywhere() -> None:
    for policy in ("disjunctive", "conjunctive"):
        for grain in GRAINS:
            given = {"policy": policy, "granularity": grain, "sensemap": MAP}
            found = measured(KEY, KEY, **given)
            assert set(found.values()) == {1.0}


def test_the_blind_file_shows_instances_and_nothing_else() -> None:
    given = options(instances="oak.1\nelm.1\n", minimal="true", senses="9")
    published = SCORER.blind(source("key", KEY), given)
    assert published.single() == b"oak.n oak.1\nelm.n elm.1\n"


def test_the_format_check_needs_only_the_blind_file() -> None:
    published = SCORER.read_blind(source("blind", "oak.n oak.1\n"), options())
    system = source("answers", "oak.n oak.1 1/0.4\nyew.n yew.1 1\n")
    found = SCORER.read_system(system, options(), published)
    assert found.tags == ["1"]
    assert "1 answer for an instance that does not exist" in found.remarks[0]


def test_the_example_of_the_scorer_is_a_valid_answer_file() -> None:
    key = "bank.n bank.n.17 bank%1\nplant.v plant.v.3 plant%4\n"
    assert numbers(key, SCORER.example)["score"] == 1.5


def test_the_command_line_prints_the_numbers_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = {"key": KEY, "answers": "elm.n elm.1 1\n", "map": MAP}
    for name, text in paths.items():
        (tmp_path / name).write_text(text)
    call = (
        f"score senseval --gold {tmp_path}/key --system {tmp_path}/answers "
        f"-o granularity=mixed -o sensemap={tmp_path}/map --unit lexelt "
        "--resamples 10 --format json"
    )
    code = main(call.split())
    printed = json.loads(capsys.readouterr().out)
    assert (code, printed["unit"], printed["units"]) == (0, "lexelt", 2)
    assert printed["counts"] == {
        "score": 0.5,
        "attempted": 1.0,
        "total": 3.0,
        "instances": 3.0,
    }
    assert list(printed["measures"]) == ["precision", "recall", "f1", "attempted"]


def test_instances_are_grouped_by_lexelt_and_part_of_speech() -> None:
    key = "oak.n oak.1 1\nrun.v run.1 1\nart art.1 1\na.b.a x.1 1\n"
    groups = counted(key, "oak.n oak.1 1\n").groups
    assert groups["lexelt"] == ("oak.n", "run.v", "art", "a.b.a")
    assert groups["pos"] == ("n", "v", "", "a")
