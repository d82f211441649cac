"""The command line is a contract: participants script against it."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plumbline.__main__ import parser as plumbline_parser
from scoring.__main__ import main, parser
from scoring.version import VERSION
from tests.loops import loop_over
from tests.scoring.toy import GOLD, SYSTEM, TOY, registered

ROOT = Path(__file__).parents[2]
REFUSED, USAGE = 2, 64
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

Called = tuple[int, str, str]


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Called]]:
    """Run one command line in a directory with the toy scorer's files."""
    monkeypatch.chdir(tmp_path)
    blind = TOY.blind(GOLD, {})
    files = {
        "gold.txt": GOLD.single(),
        "blind.txt": blind.single(),
        "a.txt": SYSTEM.single(),
        "b.txt": b"d1.1 yes\nd1.2 no\nd2.1 yes\n",
        "bad.txt": b"d1.1 yes\nd1.2\n",
        "unknown.txt": b"d9.9 yes\n",
        "binary.txt": b"\x1f\x8b\x08\xff",
        "empty.txt": b"",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)

    def run(line: str) -> Called:
        try:
            code = main(line.split())
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    with registered():
        yield run


def test_every_promised_subcommand_is_there() -> None:
    promised = ("list", "check", "score", "details", "compare", "wde", "sttr", "verify")
    text = parser().format_help()
    assert [name for name in promised if f"    {name} " not in text] == []


@loop_over(
    ("line", "meant"),
    [
        ("scor toy", "score"),
        ("chekc toy", "check"),
        ("seperate toy", "separate"),
        ("score toy --gold gold.txt --system a.txt --format jsn", "json"),
    ],
    ids=["score", "check", "separate", "json"],
)
def test_a_name_that_is_not_there_is_answered_with_the_one_meant(
    line: str, meant: str, call: Callable[[str], Called]
) -> None:
    code, _out, err = call(line)
    assert code == USAGE and f"Did you mean '{meant}'?" in err


def test_the_client_answers_a_command_that_is_not_there_with_the_one_meant(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        plumbline_parser().parse_args(["submitt"])
    assert "Did you mean 'submit'?" in capsys.readouterr().err


def test_a_score_as_json_has_the_promised_keys(call: Callable[[str], Called]) -> None:
    line = "score toy --gold gold.txt --system a.txt --format json --resamples 50"
    code, out, err = call(line)
    found = json.loads(out)
    assert (code, err) == (0, "")
    keys = "scorer signature units measures counts tables remarks"
    assert set(keys.split()) <= found.keys()
    assert list(found["measures"]["accuracy"])[:10] == NUMBERS
    assert found["measures"]["accuracy"]["value"] == 0.25
    assert found["counts"] == {"right": 1, "all": 4}


def test_the_same_line_prints_the_same_bytes(call: Callable[[str], Called]) -> None:
    line = "score toy --gold gold.txt --system a.txt --format json"
    assert call(line) == call(line)


def test_options_unit_resamples_seed_and_level_are_heard(
    call: Callable[[str], Called],
) -> None:
    line = "score toy --gold gold.txt --system a.txt -o lower=true --unit document "
    code, out, _ = call(line + "--resamples 9 --seed 4 --level 0.9 --format json")
    found = json.loads(out)
    assert code == 0
    assert found["units"] == 2
    assert found["measures"]["accuracy"]["value"] == 0.5
    parts = "lower:true|unit:document|bs:9|seed:4|level:0.9|"
    assert parts in found["signature"]


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("text", "measure "),
        ("csv", "measure,value,low,high"),
        ("latex", r"\begin{tabular}"),
        ("json", "{"),
    ],
)
def test_every_format_prints(
    call: Callable[[str], Called], form: str, begins: str
) -> None:
    code, out, _ = call(f"score toy --gold gold.txt --system a.txt --format {form}")
    assert code == 0
    assert out.startswith(begins)


def test_a_refusal_is_an_error_object_and_exit_code_two(
    call: Callable[[str], Called],
) -> None:
    code, out, err = call("score toy --gold gold.txt --system bad.txt --format json")
    assert (code, err) == (REFUSED, "")
    assert json.loads(out)["error"] == {
        "code": "columns",
        "message": "expected an id and an answer",
        "file": "bad.txt",
        "line": 2,
    }


def test_on_a_terminal_problems_are_lines_to_read(
    call: Callable[[str], Called], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    code, out, err = call("check toy --gold blind.txt --system bad.txt")
    assert (code, err) == (REFUSED, "")
    assert out.startswith("bad.txt:2: expected an id and an answer\n    d1.2\n")


@pytest.mark.parametrize("command", ["score", "details", "check", "compare"])
@pytest.mark.parametrize("file", ["bad", "unknown", "binary", "empty"])
def test_every_command_refuses_what_cannot_be_read(
    call: Callable[[str], Called], command: str, file: str
) -> None:
    second = "--system a.txt" if command == "compare" else ""
    line = f"{command} toy --gold gold.txt --system {file}.txt {second}"
    code, out, _ = call(line)
    assert code == REFUSED
    assert json.loads(out)["error"]["file"] == f"{file}.txt"


def test_a_problem_of_the_gold_is_refused_too(call: Callable[[str], Called]) -> None:
    code, out, _ = call("score toy --gold bad.txt --system a.txt")
    assert code == REFUSED
    assert json.loads(out)["error"]["file"] == "bad.txt"


def test_a_check_needs_the_blind_file_only(call: Callable[[str], Called]) -> None:
    assert call("check toy --gold blind.txt --system a.txt") == (0, "fine\n", "")


def test_details_are_csv(call: Callable[[str], Called]) -> None:
    code, out, _ = call("details toy --gold gold.txt --system a.txt")
    assert code == 0
    assert out.splitlines()[:2] == ["id,gold,system", "d1.1,yes,yes"]


def test_a_comparison_as_json_is_a_list_of_pairs(call: Callable[[str], Called]) -> None:
    line = "compare toy --gold gold.txt --system a.txt --system b.txt --format json"
    code, out, _ = call(line)
    (pair,) = json.loads(out)
    assert code == 0
    assert (pair["first"], pair["second"], pair["measure"]) == (
        "a.txt",
        "b.txt",
        "accuracy",
    )
    assert pair["difference"] == -0.5
    keys = "low high probability p_value adjusted randomization"
    assert set(keys.split()) <= pair.keys()
    assert (pair["won"], pair["lost"], pair["tied"]) == (0, 2, 2)


def test_a_margin_says_who_is_equivalent(call: Callable[[str], Called]) -> None:
    line = "compare toy --gold gold.txt --system a.txt --system b.txt"
    assert "equivalent" not in call(line)[1]
    code, out, _ = call(f"{line} --margin 0.005")
    assert code == 0
    head, pair = out.splitlines()
    assert (head.split()[-1], pair.split()[-1]) == ("equivalent", "no")
    (found,) = json.loads(call(f"{line} --margin 2.5 --format json")[1])
    assert (found["margin"], found["equivalent"]) == (2.5, True)


@pytest.mark.parametrize("margin", ["0", "-1", "nan", "inf", "wide"])
def test_a_margin_is_a_number_above_nothing(
    call: Callable[[str], Called], margin: str
) -> None:
    line = "compare toy --gold gold.txt --system a.txt --system b.txt"
    code, _, err = call(f"{line} --margin={margin}")
    assert code == USAGE
    assert "argument --margin: expected a number from 1e-09 to " in err


def test_three_systems_are_three_pairs(call: Callable[[str], Called]) -> None:
    systems = "--system a.txt --system b.txt --system gold.txt"
    line = f"compare toy --gold gold.txt {systems} --measure accuracy --format json"
    assert len(json.loads(call(line)[1])) == 3


def test_a_comparison_as_text_is_a_table(call: Callable[[str], Called]) -> None:
    code, out, _ = call("compare toy --gold gold.txt --system a.txt --system b.txt")
    assert code == 0
    assert out.splitlines()[1].split()[:3] == ["a.txt", "b.txt", "accuracy"]


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("id,adequacy\ns1,3/5\n", "'adequacy': expected a number, found '3/5'"),
        (
            "id,fluency\ns1,3\n",
            "no column 'adequacy' found",
        ),
        ("id,adequacy\ns1,1\ns1,2\n", "unit 's1' was judged in line 2 already"),
    ],
)
def test_a_table_of_values_is_refused_as_that_and_not_as_answers(
    call: Callable[[str], Called], system: str, message: str
) -> None:
    Path("units.csv").write_text("id,source\ns1,text\n")
    Path("values.csv").write_text(system)
    argv = ["score", "table", "--gold", "units.csv", "--system", "values.csv"]
    code, out, _ = call(" ".join([*argv, "-o", "measure=adequacy=mean(adequacy)"]))
    refused = json.loads(out)
    assert code == REFUSED and "diagnosis" not in refused
    assert message in refused["problems"][0]["message"]


GOOD = "--gold gold.txt --system a.txt"


@loop_over(
    "line",
    [
        "",
        "rank",
        "score",
        "score toy --gold gold.txt",
        "score toy --system a.txt",
        f"score toys {GOOD}",
        f"score toy {GOOD} --format yaml",
        f"score toy {GOOD} --unit genre",
        f"score toy {GOOD} --resamples -1",
        f"score toy {GOOD} --resamples 100001",
        f"score toy {GOOD} --resamples many",
        f"score toy {GOOD} --seed -1",
        f"score toy {GOOD} --seed {2**63}",
        f"score toy {GOOD} --level 1",
        f"score toy {GOOD} --level 0",
        f"score toy {GOOD} -o lower",
        f"score toy {GOOD} -o lower=maybe",
        f"score toy {GOOD} -o colour=red",
        f"score toy {GOOD} b.txt --format csv",
        f"score toy {GOOD} b.txt --receipt receipt.json",
        f"score toy {GOOD} --measure recall",
        f"details toy {GOOD} b.txt",
        "score toy --gold - --system -",
        f"compare toy {GOOD}",
        f"compare toy {GOOD} --system a.txt",
        f"separate toy {GOOD} --system b.txt --power 2",
        f"separate toy {GOOD} --system b.txt --power 0.01",
        f"separate toy {GOOD} --system b.txt --difference -1",
        f"separate toy {GOOD} --system b.txt --difference 0",
        f"separate toy {GOOD} --system b.txt --difference nan",
        f"separate toy {GOOD} --system b.txt --systems 10001",
        f"score toy {GOOD} --ref-suffix-off .a",
        f"compare toy {GOOD} --system b.txt --measure recall",
        f"compare toy {GOOD} --system b.txt --format csv",
        "score toy --gold gold.txt --system missing.txt",
        "check toy --gold missing.txt --system a.txt",
    ],
)
def test_a_wrong_call_exits_with_64_and_says_why(
    call: Callable[[str], Called], line: str
) -> None:
    code, out, err = call(line)
    assert code == USAGE
    assert out == ""
    assert "scoring" in err
    assert "Traceback" not in err


def test_several_systems_are_a_list_of_answers(call: Callable[[str], Called]) -> None:
    line = "score toy --gold gold.txt --system a.txt bad.txt --system b.txt"
    code, out, _ = call(f"{line} --format json --resamples 9")
    first, refused, second = json.loads(out)
    assert code == REFUSED
    assert [first["system"], refused["system"], second["system"]] == [
        "a.txt",
        "bad.txt",
        "b.txt",
    ]
    assert first["measures"]["accuracy"]["value"] == 0.25
    assert refused["error"]["line"] == 2
    assert second["measures"]["accuracy"]["value"] == 0.75
    code, out, _ = call("check toy --gold blind.txt --system a.txt bad.txt")
    assert code == REFUSED
    assert [bool(answer["problems"]) for answer in json.loads(out)] == [False, True]
    code, out, _ = call("check toy --gold blind.txt --system a.txt b.txt --format text")
    assert (code, out) == (0, "a.txt: fine\nb.txt: fine\n")


def test_a_dash_is_standard_input(
    call: Callable[[str], Called], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = io.TextIOWrapper(io.BytesIO(SYSTEM.single()))
    monkeypatch.setattr(sys, "stdin", given)
    code, out, _ = call("score toy --gold gold.txt --system - --measure accuracy")
    assert (code, out) == (0, "0.25\n")


def test_a_named_measure_is_a_bare_number(call: Callable[[str], Called]) -> None:
    line = "score toy --gold gold.txt --measure accuracy --system"
    assert call(f"{line} a.txt b.txt") == (0, "a.txt\t0.25\nb.txt\t0.75\n", "")
    found = json.loads(call(f"{line} a.txt --format json")[1])
    assert list(found["measures"]) == ["accuracy"]
    assert found["measures"]["accuracy"]["low"] is not None


def test_without_resamples_there_are_values_alone(
    call: Callable[[str], Called],
) -> None:
    pair = "--gold gold.txt --system a.txt b.txt --resamples 0 --format json"
    code, out, err = call(f"score toy {pair}")
    assert (code, err) == (0, "")
    numbers = json.loads(out)[0]["measures"]["accuracy"]
    known = {name: n for name, n in numbers.items() if n is not None}
    assert known == {"value": 0.25, "left_out": 0, "informative_units": 4}
    code, out, err = call(f"compare toy {pair}")
    assert (code, err) == (0, "")
    (compared,) = json.loads(out)
    assert compared["difference"] == -0.5
    assert compared["p_value"] is not None
    assert [compared[n] for n in ("low", "high", "probability")] == [None] * 3


def test_every_json_object_begins_with_its_schema(
    call: Callable[[str], Called],
) -> None:
    for command in ("score", "check", "details"):
        for system in ("a", "bad"):
            line = f"{command} toy --gold gold.txt --system {system}.txt --format json"
            first = next(iter(json.loads(call(line)[1]).items()))
            assert first[0] == "schema"
            assert first[1].startswith("plumbline.scoring.")
    for line in ("list", "compare toy --gold gold.txt --system a.txt b.txt"):
        for listed in json.loads(call(f"{line} --format json")[1]):
            assert next(iter(listed)) == "schema"


def test_a_refused_score_quotes_the_line_as_a_check_does(
    call: Callable[[str], Called],
) -> None:
    pair = "toy --gold gold.txt --system bad.txt --format json"
    scored, checked = (json.loads(call(f"{c} {pair}")[1]) for c in ("score", "check"))
    assert scored["problems"][0] == checked["problems"][0]
    assert scored["problems"][0]["excerpt"] == "d1.2"


def test_the_version_is_the_engine_s(call: Callable[[str], Called]) -> None:
    assert call("--version") == (0, f"scoring {VERSION}\n", "")


def test_help_says_of_every_argument_and_command_how_to_use_it() -> None:
    top = parser()
    assert "example:" in top.format_help()
    (commands,) = (a for a in top._actions if isinstance(a.choices, dict))
    for name, command in dict(commands.choices or {}).items():
        text = command.format_help()
        assert f"example:\n  python -m scoring {name}" in text
        silent = [action.dest for action in command._actions if not action.help]
        assert silent == [], name
    score = dict(commands.choices or {})["score"].format_help()
    for default in ("1000", "2026", "0.95", "text"):
        assert f"(default: {default})" in score


def test_it_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scoring", "list", "--format", "json"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    assert {"attachment"} <= {s["name"] for s in json.loads(done.stdout)}
    done = subprocess.run(
        [sys.executable, "-m", "scoring", "score"], cwd=ROOT, capture_output=True
    )
    assert done.returncode == USAGE


def test_a_score_imports_one_scorer_and_nothing_of_other_commands(
    tmp_path: Path,
) -> None:
    (tmp_path / "gold").write_bytes(b"1\tone" + b"\t_" * 4 + b"\t0\troot\t_\t_\n\n")
    words = ["score", "attachment", "--gold", "gold", "--system", "gold"]
    script = f"import sys, scoring.__main__ as c; c.main({words}); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    imported = set(done.stdout.decode().split())
    assert "scoring.scorers.attachment" in imported
    slow = (
        "scorers.spans",
        "laws",
        "scorers.treebanks.commands",
        "statistics.comparison",
    )
    assert imported.isdisjoint({f"scoring.{name}" for name in slow})
    assert imported.isdisjoint({"importlib.metadata", "subprocess", "zipfile"})


@pytest.mark.parametrize("gold", ["good", "bad"])
def test_a_reader_who_has_seen_enough_gets_no_traceback(
    gold: str, tmp_path: Path
) -> None:
    for name, rest in (("good", b"\t_" * 8), ("bad", b"")):
        (tmp_path / name).write_bytes(b"1\tone" + rest + b"\n\n")
    words = ["check", "attachment", "--gold", gold, "--system", "bad"]
    with subprocess.Popen(
        [sys.executable, "-m", "scoring", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()  # long before a program that imports can write
        assert process.stderr.read() == b""


def test_where_uncertainty_comes_from_as_json_and_text(
    call: Callable[[str], Called],
) -> None:
    line = "uncertainty toy --gold gold.txt --system a.txt b.txt"
    code, out, err = call(line + " --format json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["schema"] == "plumbline.scoring.uncertainty/1"
    accuracy = found["measures"][0]["uncertainty"]
    assert (accuracy["runs"], accuracy["prompts"], accuracy["judges"]) == (2, 1, 1)
    shares = accuracy["shares"]
    assert (shares["prompts"], shares["judges"]) == (None, None)
    assert sum(filter(None, shares.values())) == pytest.approx(1)
    code, text, _err = call(line)
    head, first, *_rest = text.splitlines()
    names = "measure value error units runs prompts judges rest"
    assert head.split() == names.split()
    assert first.split()[0] == found["measures"][0]["measure"]
    assert "one run" not in text


def test_one_run_says_that_nothing_tells_how_runs_differ(
    call: Callable[[str], Called],
) -> None:
    _code, text, _err = call("uncertainty toy --gold gold.txt --system a.txt")
    assert "! one run: how much runs of this system differ is not known" in text


def test_prompts_name_those_of_all_runs(call: Callable[[str], Called]) -> None:
    line = "uncertainty toy --gold gold.txt --system a.txt b.txt --prompt one"
    code, _out, err = call(line)
    assert code == 64
    assert "expected the prompt of each of 2 runs, found 1" in err
    code, out, _err = call(f"{line} two --format json")
    assert json.loads(out)["measures"][0]["uncertainty"]["prompts"] == 2
