"""Scorers are found by existing; one added on the fly is found everywhere."""

import json

import pytest

from scoring import UsageError
from scoring.__main__ import main
from scoring.report import scorer_description as described
from scoring.scorers import all_scorers, get
from tests.scoring.toy import registered


def test_a_scorer_added_on_the_fly_is_found_by_name() -> None:
    with registered() as scorer:
        assert get("toy") is scorer
        assert "toy" in all_scorers()
    assert "toy" not in all_scorers()


def test_a_scorer_added_on_the_fly_is_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with registered("toy-two"):
        assert main(["list", "--format", "json"]) == 0
        names = [scorer["name"] for scorer in json.loads(capsys.readouterr().out)]
        assert "toy-two" in names
        main(["list"])
        assert "toy-two: Answers that are right or wrong." in capsys.readouterr().out


def test_an_unknown_name_lists_the_known_ones() -> None:
    with registered(), pytest.raises(UsageError, match=r"there are: .*toy"):
        get("toys")


def test_scorers_come_in_the_order_of_their_names() -> None:
    assert list(all_scorers()) == sorted(all_scorers())


def test_every_scorer_describes_itself_in_plain_values() -> None:
    for scorer in all_scorers().values():
        back = json.loads(json.dumps(described(scorer)))
        assert back["name"] == scorer.name
        assert back["headline"] in {measure["name"] for measure in back["measures"]}
        for option in back["options"]:
            assert option["help"]
            if option["kind"] == "choice":
                assert option["default"] in option["choices"]
        assert back["formats"] and back["units"] and back["summary"].endswith(".")
        assert len({m["name"] for m in back["measures"]}) == len(back["measures"])
