"""Scorers of other packages: found by entry point, named with their version."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoring import UsageError
from scoring.__main__ import main
from scoring.engine import counted_as, package_in, signature
from scoring.options import parse
from scoring.receipt import load
from scoring.scorers import all_scorers, get, plugins
from scoring.statistics.bootstrap import Plan
from tests.scoring import plugs
from tests.scoring.toy import GOLD, SYSTEM

NAMED = 'SCORER = replace(TOY, name="{}")\n'


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder of packages, of which `plugged-toy` is whole."""
    place = tmp_path / "site-packages"
    plugs.write(place, "plugged-toy", NAMED.format("plugged"), "1.2")
    yield place


def test_a_package_brings_its_scorer_under_its_own_name_and_version(
    place: Path,
) -> None:
    with plugs.on_path(place):
        assert get("plugged").package == "plugged-toy==1.2"
        assert list(all_scorers()) == sorted(all_scorers())
        assert [str(one) for one in plugins()] == ["plugged-toy==1.2 (plugged)"]
    assert "plugged" not in all_scorers()


def test_an_entry_point_may_name_several_scorers(tmp_path: Path) -> None:
    both = 'SCORER = (replace(TOY, name="one"), replace(TOY, name="two"))\n'
    plugs.write(tmp_path, "two-toys", both)
    with plugs.on_path(tmp_path):
        assert {"one", "two"} <= all_scorers().keys()


def test_the_signature_names_package_and_version_of_a_plug_in_alone(
    place: Path,
) -> None:
    with plugs.on_path(place):
        scorer = get("plugged")
        found = signature(scorer, parse(scorer.options, {}), "item", Plan())
    assert found.endswith("|scorer:1|package:plugged-toy==1.2")
    assert package_in(found) == "plugged-toy==1.2"
    shipped = get("attachment")
    found = signature(shipped, parse(shipped.options, {}), "sentence", Plan())
    assert found.endswith("|scorer:1") and package_in(found) == ""


def test_counts_that_are_summarised_again_keep_the_version_that_counted() -> None:
    now = "toy|unit:item|v:0.4.2|scorer:2|package:toys==2.0"
    before = "toy|unit:item|v:0.2.0|scorer:1|package:toys==1.0"
    expected = "toy|unit:item|v:0.4.2|scorer:1|package:toys==1.0"
    assert counted_as(now, before) == expected
    assert counted_as("toy|v:0.4.2|scorer:1", "toy|v:0.1.1") == "toy|v:0.4.2|scorer:1"


BROKEN = {
    "import": ("import no_such_module\nSCORER = None\n", "ModuleNotFoundError"),
    "exit": ("raise SystemExit(3)\n", "SystemExit: 3"),
    "nothing": ("", "AttributeError"),
    "type": ('SCORER = {"name": "plugged-two"}\n', "found dict"),
    "name": ('SCORER = replace(TOY, name="../up")\n', "small letters"),
    "headline": ('SCORER = replace(TOY, headline="f1")\n', "no measure of it"),
    "measures": (
        "SCORER = replace(TOY, fixed_measures=TOY.fixed_measures * 2)\n",
        "one name",
    ),
    "shipped": ('SCORER = replace(TOY, name="spans")\n', "engine has a scorer"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_plug_in_is_left_out_and_named_and_harms_no_other(
    case: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, why = BROKEN[case]
    plugs.write(place, f"broken-{case}", code)
    before = all_scorers().keys()
    with plugs.on_path(place):
        assert all_scorers().keys() == before | {"plugged"}
        (fault,) = [one.fault for one in plugins() if one.fault]
        assert why in fault
        assert main(["list"]) == 0
        printed = capsys.readouterr()
        assert f"left out: broken-{case}==1.0" in printed.err and why in printed.err
        assert "package: plugged-toy==1.2" in printed.out


def test_of_two_packages_with_one_name_none_is_taken(place: Path) -> None:
    plugs.write(place, "other-toy", NAMED.format("plugged"))
    with plugs.on_path(place):
        assert "plugged" not in all_scorers()
        faults = [one.fault for one in plugins()]
        assert (
            faults
            == [
                "two scorers are called plugged, of other-toy==1.0 and plugged-toy==1.2"
            ]
            * 2
        )


@pytest.fixture
def receipt(place: Path, tmp_path: Path) -> list[str]:
    """The words that verify a receipt of the plug-in's scores."""
    files = []
    for word, source in (("--gold", GOLD), ("--system", SYSTEM)):
        (tmp_path / source.name).write_bytes(source.single())
        files += [word, str(tmp_path / source.name)]
    written = tmp_path / "receipt.json"
    with plugs.on_path(place):
        main(["score", "plugged", *files, "--receipt", str(written)])
    return ["verify", str(written), *files]


def test_a_receipt_names_the_package_and_holds_with_it(
    place: Path, receipt: list[str]
) -> None:
    assert load("", Path(receipt[1]).read_bytes()).package == "plugged-toy==1.2"
    with plugs.on_path(place):
        assert main(receipt) == 0


def test_a_receipt_without_its_package_says_what_to_install(
    receipt: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(receipt) == 64
    assert "python -m pip install plugged-toy==1.2" in capsys.readouterr().err


def test_other_numbers_of_another_version_are_told_by_it(
    tmp_path: Path, receipt: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    newer = (
        'SCORER = replace(TOY, name="plugged", count=lambda g, s, o: '
        'TOY.count(g, dict.fromkeys(g, "yes"), o))\n'
    )
    plugs.write(tmp_path / "newer", "plugged-toy", newer, "2.0")
    capsys.readouterr()
    with plugs.on_path(tmp_path / "newer"):
        assert main(receipt) == 2
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert problems[-1]["message"] == (
        "scored with plugged-toy==1.2, this is plugged-toy==2.0"
    )


def test_a_receipt_of_a_shipped_scorer_does_not_speak_of_packages(
    tmp_path: Path,
) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("id,label\na,yes\nb,no\n", "utf-8")
    words = ["--gold", str(gold), "--system", str(gold)]
    main(["score", "classes", *words, "--receipt", str(tmp_path / "r.json")])
    assert "package" not in json.loads((tmp_path / "r.json").read_bytes())


def test_an_unknown_scorer_without_a_known_package_gives_no_such_hint() -> None:
    with pytest.raises(UsageError) as raised:
        get("plugged")
    assert not raised.value.problems[0].hint
