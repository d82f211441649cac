"""Results on paper: JSON, text, CSV, LaTeX, refusals, comparisons."""

import csv
import io
import json
from dataclasses import replace

import pytest

from scoring import Plan, Problem, report
from scoring.engine import Job, Result, evaluate
from scoring.options import parse
from scoring.scorer import Details
from scoring.statistics.comparison import Comparison
from tests.loops import loop_over
from tests.scoring.toy import GOLD, SYSTEM, TOY

NUMBERS = [
    "value",
    "low",
    "high",
    "percentile_low",
    "percentile_high",
    "bca_low",
    "bca_high",
    "mean",
    "variance",
    "stddev",
]


@pytest.fixture
def result() -> Result:
    plan = Plan(resamples=200, seed=1)
    return evaluate(Job(TOY, parse(TOY.options, {}), "", plan), GOLD, SYSTEM)


@pytest.fixture
def undefined(result: Result) -> Result:
    from dataclasses import replace

    from scoring import Estimate

    return replace(result, measures={"accuracy": Estimate(None)})


def test_json_holds_what_the_contract_names(result: Result) -> None:
    found = json.loads(report.as_json(result))
    names = {
        "scorer",
        "signature",
        "signatures",
        "units",
        "measures",
        "counts",
        "tables",
        "remarks",
    }
    assert names <= found.keys()
    assert list(found["measures"]["accuracy"])[:10] == NUMBERS
    assert found["units"] == 4
    assert found["counts"] == {"right": 1, "all": 4}


def test_json_keeps_every_digit(result: Result) -> None:
    found = json.loads(report.as_json(result))["measures"]["accuracy"]
    assert found == result.measures["accuracy"].as_dict()


def test_undefined_is_null_in_json_and_na_elsewhere(undefined: Result) -> None:
    assert json.loads(report.as_json(undefined))["measures"]["accuracy"]["low"] is None
    assert "NaN" not in report.as_json(undefined)
    for form in ("text", "csv", "latex"):
        assert "n/a" in report.FORMATS[form](undefined)
    assert "accuracy & n/a & n/a " in report.as_latex(undefined)


def test_text_is_a_table_with_its_signature_and_remarks(result: Result) -> None:
    lines = report.as_text(result).splitlines()
    assert lines[0].split() == ["measure", "value", "low", "high", "units"]
    assert lines[1].split()[:2] == ["accuracy", "0.250000"]
    assert "4 units (item)" in lines
    assert result.signature in lines
    assert lines[-1] == "! 1 answers are missing"


def test_csv_has_one_row_per_measure(result: Result) -> None:
    head, row = csv.reader(io.StringIO(report.as_csv(result)))
    assert head == ["measure", *NUMBERS, "informative_units"]
    assert row[:2] == ["accuracy", "0.25"]
    assert float(row[-2]) == result.measures["accuracy"].stddev


def test_latex_is_a_whole_table(result: Result) -> None:
    text = report.as_latex(result)
    for part in (r"\begin{tabular}", r"\toprule", r"\midrule", r"\bottomrule"):
        assert text.count(part) == 1
    assert "accuracy & 0.250000 & " in text
    assert r"95\,\% interval" in text


def test_latex_names_no_level_that_the_intervals_have_not(result: Result) -> None:
    other = result.signature.replace("level:0.95", "level:0.955")
    assert "95" not in report.as_latex(replace(result, signature=other))


def test_latex_text_is_never_a_command() -> None:
    assert report.latex_text(r"a_b & 50% \x {y} ~ ^ <z> # $") == (
        r"a\_b \& 50\% \textbackslash{}x \{y\} \textasciitilde{} \textasciicircum{} "
        r"\textless{}z\textgreater{} \# \$"
    )


@loop_over(
    ("cell", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("@sum", "'@sum"),
        ("+x", "'+x"),
        ("\t=1", "'\t=1"),
        ("-0.5", "-0.5"),
        ("+1e3", "+1e3"),
        ("word", "word"),
        (-0.5, "-0.5"),
    ],
)
def test_a_spreadsheet_runs_nothing_from_our_csv(cell: object, shown: str) -> None:
    ((found,),) = csv.reader(io.StringIO(report.csv_text([[cell]])))
    assert found == shown


def test_details_are_a_head_and_rows() -> None:
    details = Details(("id", "score"), iter([("a,b", 0.5), ("=x", None)]))
    assert report.details_csv(details) == 'id,score\n"a,b",0.5\n\'=x,\n'


def test_a_refusal_names_the_first_problem_and_lists_all() -> None:
    problems = [
        Problem("columns", "too few", "a.txt", 3, hint="Use tabs."),
        Problem("head", "no number", "a.txt", 5),
    ]
    found = json.loads(report.refusal_json(problems))
    assert found["error"] == {
        "code": "columns",
        "message": "too few",
        "file": "a.txt",
        "line": 3,
    }
    assert [problem["line"] for problem in found["problems"]] == [3, 5]


def test_comparisons_are_a_list_or_a_table() -> None:
    numbers = (0.1, 0.05, 0.15, 0.99, 0.01, 0.02, 0.03)
    known = Comparison("a", "b", "las", *numbers, won=7, lost=0, tied=3)
    unknown = Comparison("a", "c", "las", None)
    found = json.loads(report.comparisons_json([known, unknown]))
    schemas = {pair.pop("schema") for pair in found}
    assert schemas == {"plumbline.scoring.comparison/1"}
    assert found == [known.as_dict(), unknown.as_dict()]
    head, first, second = report.comparisons_text([known, unknown]).splitlines()
    assert head.split()[:4] == ["first", "second", "measure", "difference"]
    assert first.split()[3:][:5] == [
        "0.100000",
        "0.050000",
        "0.150000",
        "0.990000",
        "0.010000",
    ]
    assert head.split()[-3:] == ["won", "lost", "tied"]
    assert first.split()[-3:] == ["7", "0", "3"]
    assert second.split()[-3:] == ["n/a"] * 3
