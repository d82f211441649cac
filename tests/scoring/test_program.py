"""Scoring programs: their conventions, what they leave, and how it is counted."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from scoring import Job, Plan, Refused, SetupError, Source, UsageError, evaluate
from scoring.elsewhere import measures_of
from scoring.engine import summarise
from scoring.formats.bundle import zip_files
from scoring.options import parse
from scoring.runner import runner
from scoring.scorers import get, of_task
from scoring.scorers.program import counts_of
from scoring.scorers.program.conventions import (
    ProgramResult,
    program_of,
    run_at_home,
    written_to,
)
from scoring.vocabulary import declared_measures
from tests.loops import loop_over
from tests.scoring.programs import GOLD, SENT, UNITS, program

OPTIONS: Mapping[str, Sequence[str | Source]] = {
    "program": [program()],
    "measure": ["accuracy; percent"],
}


@pytest.fixture
def at_home() -> Iterator[None]:
    token = runner.set(run_at_home)
    yield
    runner.reset(token)


def job(raw: Mapping[str, Sequence[str | Source]] = OPTIONS) -> Job:
    scorer = of_task("program", raw)
    return Job(scorer, parse(scorer.options, raw), "", Plan(200))


def test_a_program_gives_the_score(at_home: None) -> None:
    result = evaluate(job(), GOLD, SENT)
    assert result.measures["accuracy"].value == 0.75
    assert result.measures["accuracy"].low is None
    assert f"program:{program().sha256[:12]}" in result.signature


@pytest.mark.parametrize("text", ["0.85", "0.9893360160965794", "98.6341", "1e-9"])
def test_a_score_is_the_number_that_the_program_wrote(text: str) -> None:
    left = ProgramResult({"scores.txt": f"accuracy: {text}".encode()})
    counts = counts_of(left, declared_measures(["accuracy"]))
    result = summarise(job().scorer, counts, job().options, "", Plan(200))
    assert result.measures["accuracy"].value == float(text)


def test_a_program_with_units_gets_intervals(at_home: None) -> None:
    raw = {
        **OPTIONS,
        "program": [program(UNITS)],
        "measure": ["accuracy = mean(right)"],
    }
    result = evaluate(job(raw), GOLD, SENT)
    accuracy = result.measures["accuracy"]
    assert accuracy.value == 0.75 and result.units == 4
    assert accuracy.low is not None and accuracy.high is not None
    assert accuracy.low < 0.75 < accuracy.high


def test_without_a_sandbox_or_a_command_line_nothing_runs() -> None:
    with pytest.raises(UsageError, match="runs in its sandbox or on the command line"):
        evaluate(job(), GOLD, SENT)


def test_members_of_zips_keep_their_names(at_home: None) -> None:
    gold = zip_files("ref.zip", {"gold.txt": GOLD.single()})
    sent = zip_files("res.zip", {"answers.txt": SENT.single(), "more/notes.txt": b"x"})
    assert evaluate(job(), gold, sent).measures["accuracy"].value == 0.75


def test_a_file_takes_the_name_that_the_program_expects(at_home: None) -> None:
    sent = Source.of_bytes("my system.txt", SENT.single())
    raw = {**OPTIONS, "submission_name": ["answers.txt"]}
    assert evaluate(job(raw), GOLD, sent).measures["accuracy"].value == 0.75


def test_modules_and_wheels_of_the_program_can_be_imported(at_home: None) -> None:
    wheel = zip_files("x.whl", {"counting/__init__.py": b"FULL = 1.0\n"})
    script = """
    import sys, counting, beside
    open(sys.argv[2] + "/scores.txt", "w").write(f"accuracy: {counting.FULL}\\n")
    """
    made = program(script, beside__py=b"", counting__whl=wheel.single())
    raw = {**OPTIONS, "program": [made]}
    assert evaluate(job(raw), GOLD, SENT).measures["accuracy"].value == 1.0


def test_the_metadata_of_codalab_is_there_and_always_the_same(at_home: None) -> None:
    script = """
    import os, sys, yaml
    about = yaml.safe_load(open(os.path.join(sys.argv[1], "metadata")))
    score = about["competition-phase"] / 2
    open(sys.argv[2] + "/scores.txt", "w").write(f"accuracy: {score}")
    """
    raw = {**OPTIONS, "program": [program(script)]}
    assert evaluate(job(raw), GOLD, SENT).measures["accuracy"].value == 0.5


def test_paths_of_codabench_are_those_of_the_run(at_home: None) -> None:
    script = """
    answers = open("/app/input/res/answers.txt").read()
    open("/app/output/scores.json", "w").write('{"accuracy": "0.5"}')
    """
    command = b"command: python3 /app/program/score.py /app/input /app/output\n"
    raw = {**OPTIONS, "program": [program(script, command)]}
    assert evaluate(job(raw), GOLD, SENT).measures["accuracy"].value == 0.5


@pytest.mark.parametrize(
    "command",
    [
        b"command: python $program/score.py $input $output\ndescription: x\n",
        b"title: x\ncommand: 'python3.11 -u score.py ${input} ${output}'\r\n",
        b"command: /usr/bin/python3 score.py\n",
        b"command: python -m score $input $output\n",
        b"\xef\xbb\xbfcommand: python3 score.py $input $output  # as there\r\n",
    ],
)
def test_commands_of_both_generations_are_read(command: bytes) -> None:
    words = program_of(program(metadata=command)).words
    assert "#" not in words
    assert words[0] in (
        "$program/score.py",
        "-u",
        "-m",
        "score.py",
    )


@loop_over(
    ("command", "said"),
    [
        (b"description: x\n", "no line that begins with 'command:'"),
        (b"command:\n", "on the same line"),
        (b"command: >\n  python score.py\n", "on the same line"),
        (b"command: bash run.sh\n", "only Python programs are run"),
        (b"command: java -jar x.jar\n", "begins with 'java'"),
        (b"command: python score.py && ls\n", "not run by a shell"),
        (b"command: python score.py > out.txt\n", "not run by a shell"),
        (b"command: python other.py\n", "'other.py', which is not in the zip"),
        (b"command: python score.py $hidden\n", "there is no $hidden here"),
        (b"command: python score.py /app/ingested\n", "there is no /app/ingested"),
        (b"command: python -u\n", "names no Python file"),
    ],
)
def test_a_command_that_cannot_be_run_is_refused_when_it_comes(
    command: bytes, said: str
) -> None:
    with pytest.raises(SetupError) as caught:
        program_of(program(metadata=command))
    assert said in str(caught.value)


def test_what_is_no_zip_and_a_zip_without_metadata_are_refused() -> None:
    with pytest.raises(SetupError, match="expected a zip"):
        program_of(Source.of_bytes("score.py", b"print()"))
    with pytest.raises(SetupError, match=r"no metadata\.yaml"):
        program_of(zip_files("p.zip", {"score.py": b""}))


def left(**files: str) -> ProgramResult:
    names = {name.replace("_", "."): text.encode() for name, text in files.items()}
    return ProgramResult(names)


ACCURACY = declared_measures(["accuracy = mean(right)"])
UNIT_ROWS = "unit,column,value\nu1,right,1\nu2,right,0\nu3,right,\n"


def test_an_empty_cell_is_a_unit_without_a_value() -> None:
    counts = counts_of(left(units_csv=UNIT_ROWS), ACCURACY)
    value = ACCURACY[0].measure.of(counts.totals, counts.columns)
    assert (counts.units, float(value)) == (("u1", "u2", "u3"), 0.5)


@pytest.mark.parametrize("line", ["a = share(right)", "a = mean(right); lower; most 1"])
def test_a_value_that_no_unit_can_have_is_refused(line: str) -> None:
    rows = UNIT_ROWS + "u4,right,1.5\n"
    with pytest.raises(UsageError, match="1 at the most"):
        counts_of(left(units_csv=rows), declared_measures([line]))


@pytest.mark.parametrize("text", ['{"accuracy": 0.5}', '{"accuracy": "0.50", "x": []}'])
def test_a_score_may_be_written_beside_the_units_it_comes_from(text: str) -> None:
    assert counts_of(left(units_csv=UNIT_ROWS, scores_json=text), ACCURACY).units


def test_a_mark_before_the_first_score_is_no_part_of_its_name() -> None:
    counts = counts_of(left(scores_txt="\ufeffa: 0.5\r\n"), declared_measures(["a"]))
    assert counts.as_numbers()["whole:a"] == 0.5


def test_a_rounded_score_may_differ_in_what_was_rounded() -> None:
    rows = UNIT_ROWS + "u4,right,1\n"
    assert counts_of(left(units_csv=rows, scores_json='{"accuracy": 0.667}'), ACCURACY)
    with pytest.raises(UsageError, match=r"is 0\.66712, but mean"):
        counts_of(left(units_csv=rows, scores_json='{"accuracy": 0.66712}'), ACCURACY)


@loop_over(
    ("files", "measure", "said"),
    [
        ({"scores_json": '{"b": 1}'}, "a", "no score 'a'; it gave: b"),
        ({}, "a", "no score 'a'; it gave: nothing"),
        ({"scores_json": '{"a": NaN}'}, "a", "expected a number, found 'NaN'"),
        ({"scores_json": '{"a": "good"}'}, "a", "expected a number, found 'good'"),
        ({"scores_json": '{"a": 1e300}'}, "a", "is beyond"),
        ({"scores_json": "[1]"}, "a", "expected one object"),
        ({"scores_json": "{"}, "a", "is no JSON"),
        ({"scores_json": '{"a": [0.5], "b": {"c": 1}}'}, "a", "found '[\"0.5\"]'"),
        ({"scores_json": '{"a": true}'}, "a", "expected a number, found 'true'"),
        ({"scores_json": '{"a": "1_0"}'}, "a", "expected a number, found '1_0'"),
        ({"scores_json": '{"a": "\\ud800"}'}, "a", "found '<U+D800>'"),
        ({"scores_json": '{"\\u0000": 1}'}, "a", "it gave: <U+0000>"),
        ({"scores_txt": "a 1"}, "a", "expected 'name: value'"),
        ({"scores_txt": "a: inf"}, "a", "expected a number"),
        ({"scores_txt": "a: 1", "units_csv": "u"}, "a", "no measure of the task"),
        ({"scores_txt": "a: 1"}, "a = mean(x)", "wrote no units.csv"),
        ({"units_csv": "a,b,c\n"}, "a = mean(x)", "unit,column,value"),
        ({"units_csv": "unit,column,value\n"}, "a = mean(x)", "names no unit"),
        ({"units_csv": "unit,column,value\nu,y,1"}, "a = mean(x)", "a column 'y'"),
        ({"units_csv": "unit,column,value\nu,x,nan"}, "a = mean(x)", "found 'nan'"),
        ({"units_csv": "unit,column,value\nu,x"}, "a = mean(x)", "3 cells, found 2"),
        ({"units_csv": "unit,column,value\n,x,1"}, "a = mean(x)", "a unit's name"),
        (
            {"units_csv": 'unit,column,value\n"u\nv",x,1'},
            "a = mean(x)",
            "a unit's name",
        ),
        (
            {"units_csv": "unit,column,value\nu,x,1\nu,x,1"},
            "a = mean(x)",
            "a second value of 'x'",
        ),
        ({"units_csv": "unit,column,value\nu,x,1e12"}, "a = mean(x)", "too large"),
    ],
)
def test_an_outcome_that_is_not_what_was_declared_is_told_to_the_organizer(
    files: dict[str, str], measure: str, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        counts_of(left(**files), declared_measures([measure]))
    assert said in str(caught.value)


def values(result: ProgramResult, *lines: str) -> dict[str, float]:
    measures = declared_measures(lines)
    counts = counts_of(result, measures)
    return {
        one.name: float(one.measure.of(counts.totals, counts.columns))
        for one in measures
    }


SUBTASKS = ("a_f1; optional", "b_f1; optional; lower")


@pytest.mark.parametrize(
    "text", ["a_f1: 0.5", "a_f1: 0.5\nb_f1: nan", "a_f1: 0.5\nb_f1: N/A"]
)
def test_an_optional_score_that_is_not_written_has_no_value(text: str) -> None:
    found = values(left(scores_txt=text), *SUBTASKS)
    assert found["a_f1"] == 0.5 and math.isnan(found["b_f1"])


def test_an_optional_score_that_is_written_counts_and_is_checked() -> None:
    assert values(left(scores_txt="a_f1: 1\nb_f1: 2"), *SUBTASKS)["b_f1"] == 2
    with pytest.raises(UsageError, match="expected a number, found 'good'"):
        values(left(scores_txt="a_f1: 1\nb_f1: good"), *SUBTASKS)


def test_optional_measures_of_units_may_lack_their_units() -> None:
    lines = ("f1", "right = mean(right); optional")
    found = values(left(scores_txt="f1: 0.5"), *lines)
    assert found["f1"] == 0.5 and math.isnan(found["right"])
    found = values(left(scores_txt="f1: 0.5", units_csv=UNIT_ROWS), *lines)
    assert found["right"] == 0.5


def test_a_program_that_writes_none_of_its_optional_scores_fails() -> None:
    with pytest.raises(UsageError) as caught:
        values(left(scores_txt="c_f1: 1"), *SUBTASKS)
    said = str(caught.value)
    assert "gave none of the scores 'a_f1', 'b_f1'; it gave: c_f1" in said


def test_a_measure_is_read_under_the_key_that_the_program_writes() -> None:
    line = "forward_auc; title Forward AUC; key Forward AUC (%)"
    (measure,) = declared_measures([line])
    assert (measure.title, measure.measure.name) == ("Forward AUC", "forward_auc")
    text = '{"Forward AUC (%)": 81.5, "forward_auc": 3}'
    assert values(left(scores_json=text), line) == {"forward_auc": 81.5}
    with pytest.raises(UsageError, match=r"no score 'Forward AUC \(%\)'"):
        values(left(scores_txt="Forward: 1"), line)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["a; key b", "b"], "'b' is the key of two measures"),
        (["a; key"], "is none of"),
        (["a; optionally"], "is none of: lower, higher, percent, optional"),
    ],
)
def test_what_is_wrong_with_keys_and_options_is_told(
    lines: list[str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        declared_measures(lines)


@pytest.mark.parametrize("word", ["optional", "key other"])
def test_what_is_for_programs_is_refused_of_tables(word: str) -> None:
    with pytest.raises(UsageError, match="is for scoring programs"):
        measures_of([f"a = mean(b); {word}"])


def test_a_program_refuses_a_submission_in_its_own_words() -> None:
    text = "line 3: no such id\n\nline 9: no such id\n\0\n"
    with pytest.raises(Refused) as caught:
        counts_of(left(problems_txt=text, scores_json="{"), ACCURACY)
    assert [p.message for p in caught.value.problems] == [
        "line 3: no such id",
        "line 9: no such id",
        "<U+0000>",
    ]


def test_a_blind_file_that_is_made_holds_nothing_of_the_gold() -> None:
    blind = get("program").blind(Source.of_bytes("g", b"kanariya"), {})
    assert b"kanariya" not in blind.single()


def test_code_that_is_sent_runs_on_the_input_before_the_program(at_home: None) -> None:
    """It writes the input in small letters, three of which are the gold's."""
    script = (
        b"import os, sys\nfrom pathlib import Path\nsource = Path(sys.argv[1])\n"
        b"words = (source / 'words.txt').read_text().lower()\n"
        b"assert os.listdir(source) == ['words.txt']\n"
        b"Path(sys.argv[2], 'answers.txt').write_text(words)\n"
    )
    folders = {"input/words.txt": b"A B C X\n", "ref/gold.txt": b"a b c d\n"}
    raw = {**OPTIONS, "run_code": ["true"]}
    sent = zip_files("code.zip", {"predict.py": script})
    result = evaluate(job(raw), zip_files("gold.zip", folders), sent)
    assert result.measures["accuracy"].value == 0.75
    failing = zip_files("code.zip", {"predict.py": b"raise ValueError"})
    with pytest.raises(UsageError, match="exit code 1"):
        evaluate(job(raw), zip_files("gold.zip", folders), failing)


def test_links_that_code_leaves_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("gold")
    place = tmp_path / "output"
    (place / "deep").mkdir(parents=True)
    (place / "deep" / "a.txt").write_text("a")
    (place / "link").symlink_to(tmp_path / "secret")
    (place / "folder").symlink_to(tmp_path)
    assert written_to(place) == {"deep/a.txt": b"a"}


def test_only_empty_files_and_broken_zips_are_refused_before_it_runs() -> None:
    scorer = get("program")
    options = parse(scorer.options, {})
    for name, data in (("a.txt", b""), ("a.zip", b"PK\x03\x04 no zip")):
        with pytest.raises(Refused):
            scorer.read_system(Source.of_bytes(name, data), options, None)


def test_the_program_of_the_handbook_scores_and_refuses(at_home: None) -> None:
    page = Path(__file__).parents[2] / "docs" / "organizers" / "programs.md"
    script = page.read_text("utf-8").split("```python\n")[1].split("```")[0]
    measure = ["accuracy = mean(right); percent; title Accuracy"]
    raw = {**OPTIONS, "program": [program(script)], "measure": measure}
    assert evaluate(job(raw), GOLD, SENT).measures["accuracy"].value == 0.75
    short = Source.of_bytes("answers.txt", b"a b\n")
    with pytest.raises(Refused, match="expected 4 answers, found 2"):
        evaluate(job(raw), GOLD, short)
