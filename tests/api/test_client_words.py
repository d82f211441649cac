"""The client speaks of names, ranks and percent, and fails in sentences."""

from pathlib import Path
from typing import Any

import pytest

from plumbline import exits, output
from plumbline.__main__ import main
from plumbline.commands import submissions
from tests.api.test_client import PHASE, SENT, SUBMIT, UPLOADS, Played, site
from tests.leaderboard.small import perfect

__all__ = ["site"]
Printed = pytest.CaptureFixture[str]
Site = type[Played]
API = "/api/v1/"
BOARD = f"{API}tasks/otters/test/board/"
TASK = f"{API}tasks/otters/"


def row(rank: int | None, system: str, value: float, **more: Any) -> dict[str, Any]:
    score = {"value": value, "low": value - 0.02, "high": value + 0.02}
    return {
        "rank": rank,
        "rank_range": [1, 2],
        "cluster": 1,
        "in_words": "not significantly different from rank 2",
        "team": "Bens",
        "system": system,
        "submission": f"{system:1<8}-" + "1" * 27,
        "scores": {"las": score},
        **more,
    }


def board(*rows: dict[str, Any]) -> dict[str, Any]:
    measure = {"name": "las", "percent": True}
    table = {"rule": "The best counts.", "withheld": [], "measures": [measure]}
    return {**table, "rows": list(rows), "rows_in_all": len(rows)}


ROWS = (
    row(1, "gate", 0.8261),
    row(2, "marsh", 0.8, team="Storm"),
    row(3, "reed", 0.5, rank_range=[3, 3], cluster=2),
    row(None, "base", 0.4, rank_range=[None, None], cluster=None),
)


def test_a_board_has_ranks_ranges_lines_and_percent(
    site: Site, capsys: Printed
) -> None:
    site.script[BOARD] = [(200, board(*ROWS))]
    assert main(["board", "otters/test"]) == exits.FINE
    head, gate, marsh, line, reed, base, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["rank", "range", "team", "system", "las"]
    assert gate.split() == ["1", "1–2", "Bens", "gate", "82.61", "[80.6,", "84.6]"]
    assert marsh.startswith("2") and set(line) == {"-"}
    assert reed.split()[:2] == ["3", "3"] and base.split()[:2] == ["–", "Bens"]


def test_systems_are_compared_by_their_names(site: Site, capsys: Printed) -> None:
    site.script[BOARD] = [(200, board(*ROWS))]
    pair = {
        **{"first": ROWS[0]["submission"], "second": ROWS[1]["submission"]},
        **{"difference": 0.0261, "low": -0.01, "high": 0.06},
        **{"p_value": 0.04, "adjusted": 0.08, "measure": "las"},
    }
    site.script[f"{API}tasks/otters/test/compare/"] = [(200, [pair])]
    assert main(["compare", "otters/test", "gate", "Storm/marsh"]) == exits.FINE
    assert capsys.readouterr().out.splitlines()[1].split() == [
        *("gate", "marsh", "+2.61", "-1.00", "+6.00", "0.0400", "0.0800")
    ]
    by_document = {**pair, "compared_by": "document"}
    site.script[f"{API}tasks/otters/test/compare/"] = [(200, [by_document])]
    assert main(["compare", "otters/test", "gate", "Storm/marsh"]) == exits.FINE
    *_table, last = capsys.readouterr().out.splitlines()
    assert last == "compared document by document, units inside one are alike"
    assert main(["compare", "otters/test", "gate", "nobody"]) == exits.USAGE
    told = capsys.readouterr().err
    assert "there is no system 'nobody'" in told and "newer results" not in told
    site.script[BOARD] = [(200, board(*ROWS) | {"newer_results": True})]
    assert main(["compare", "otters/test", "gate", "nobody"]) == exits.USAGE
    assert "newer results are being added to the board" in capsys.readouterr().err


def test_a_result_comes_with_rank_and_address(site: Site, capsys: Printed) -> None:
    own = {**ROWS[0], "submission": SENT["id"]}
    scored = {**SENT, "state": "scored", "scores": own["scores"]}
    site.script[UPLOADS] = [(201, SENT)]
    site.script[f"{API}submissions/{SENT['id']}/"] = [(200, scored)]
    site.script[BOARD] = [(200, board(own, *ROWS[1:]))]
    assert main([*SUBMIT, "--wait"]) == exits.FINE
    printed = capsys.readouterr().out
    assert "las  82.61 [80.6, 84.6]" in printed
    assert "rank 1 of 3: not significantly different from rank 2" in printed
    assert printed.rstrip().endswith(f"/submissions/{SENT['id']}/")


def test_the_status_of_a_scored_submission_has_its_rank(
    site: Site, capsys: Printed
) -> None:
    own = {**ROWS[0], "submission": SENT["id"]}
    scored = {**SENT, "state": "scored", "scores": own["scores"]}
    site.script[f"{API}submissions/{SENT['id']}/"] = [(200, scored)]
    site.script[BOARD] = [(200, board(own, *ROWS[1:]))]
    assert main(["status", SENT["id"]]) == exits.FINE
    assert "rank 1 of 3: not significantly" in capsys.readouterr().out


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_table_is_no_wider_than_the_terminal(
    site: Site, capsys: Printed, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    """Other measures than the one that ranks go first, then names are cut."""
    names = ("las", "uas", "wlas", "f1", "acc")
    scores = {name: ROWS[0]["scores"]["las"] for name in names}
    rows = [{**row, "scores": scores, "system": "gate-" * 12} for row in ROWS]
    measures = [{"name": name, "percent": True} for name in names]
    wide = board(*rows) | {"measures": measures, "ranked_by": "las", "rule": ""}
    site.script[BOARD] = [(200, wide)]
    monkeypatch.setattr(output, "terminal_width", lambda: columns)
    assert main(["board", "otters/test"]) == exits.FINE
    printed = capsys.readouterr().out.splitlines()
    assert max(map(len, printed)) <= columns
    assert all("82.61 [80.6, 84.6]" in line for line in printed[1:2])
    assert (printed[0].split()[4:] == list(names)) == (columns == 200)
    assert ("gate-" * 12 in printed[1]) == (columns == 200)


def test_a_result_that_does_not_count_comes_with_the_rank_of_the_one_that_does(
    site: Site, capsys: Printed
) -> None:
    counting = ROWS[1]
    scored = {**SENT, "state": "scored", "team": counting["team"]}
    site.script[UPLOADS] = [(201, SENT)]
    site.script[f"{API}submissions/{SENT['id']}/"] = [(200, scored)]
    site.script[BOARD] = [(200, board(*ROWS))]
    assert main([*SUBMIT, "--wait"]) == exits.FINE
    said = f"rank 2 of 3 with {counting['system']}, which counts for you: "
    assert said in capsys.readouterr().out


def test_a_rank_is_of_a_board_that_has_the_result(
    site: Site, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board of before it would name the entry that counted until then."""
    monkeypatch.setattr(submissions, "BOARD_REST", 0.0)
    own = {**row(1, "otter", 0.9), "submission": SENT["id"]}
    scored = {**SENT, "state": "scored", "team": own["team"]}
    before = board(*ROWS) | {"newer_results": True}
    site.script[UPLOADS] = [(201, SENT)]
    site.script[f"{API}submissions/{SENT['id']}/"] = [(200, scored)]
    site.script[BOARD] = [(200, before), (200, board(own, *ROWS[1:]))]
    assert main([*SUBMIT, "--wait"]) == exits.FINE
    printed = capsys.readouterr().out
    assert (
        "rank 1 of 3: not significantly" in printed and "counts for you" not in printed
    )


def test_no_rank_is_told_of_a_board_that_newer_results_are_added_to(
    site: Site, capsys: Printed
) -> None:
    scored = {**SENT, "state": "scored", "team": ROWS[0]["team"]}
    site.script[f"{API}submissions/{SENT['id']}/"] = [(200, scored)]
    site.script[BOARD] = [(200, board(*ROWS) | {"newer_results": True})]
    assert main(["status", SENT["id"]]) == exits.FINE
    printed = capsys.readouterr().out
    assert "its rank is being computed" in printed and "rank 1" not in printed


TEAMS = [{"id": 3, "name": "Bens"}, {"id": 4, "name": "Storm"}]
STANDING = {"team": {"name": "Storm"}, "text": "You take part."}


def test_joining_names_a_team_and_accepts_the_terms(
    site: Site, capsys: Printed
) -> None:
    site.script[TASK] = [(200, {"terms": "Share nothing."})]
    site.script[f"{API}teams/"] = [(200, TEAMS)]
    site.script[f"{TASK}team/"] = [(201, STANDING)]
    assert main(["join", "otters"]) == exits.USAGE
    assert "yours are: 'Bens', 'Storm'" in capsys.readouterr().err
    assert main(["join", "otters", "--team", "Storm"]) == exits.USAGE
    assert "Share nothing." in capsys.readouterr().err
    command = ["join", "otters", "--team", "Storm", "--accept-terms"]
    assert main(command) == exits.FINE
    assert capsys.readouterr().out == "Storm: You take part.\n"


def test_the_kit_is_kept_under_the_name_of_the_phase(site: Site) -> None:
    site.script["/tasks/otters/test/kit/"] = [(200, b"zip")]
    assert main(["kit", "otters/test"]) == exits.FINE
    assert Path("otters-test.zip").read_bytes() == b"zip"


def test_nothing_is_withdrawn_by_mistake(site: Site, capsys: Printed) -> None:
    one = {**SENT, "task": "otters", "phase": "test", "system": "gate"}
    site.script[f"{TASK}submissions/"] = [(200, {"submissions": [one]})]
    site.script[f"{API}submissions/{SENT['id']}/"] = [(200, one)]
    site.script[f"{API}submissions/{SENT['id']}/withdraw/"] = [(200, one)]
    assert main(["withdraw", "otters", "gate"]) == exits.USAGE
    assert not any(method == "POST" for method, *_ in site.seen)
    assert main(["withdraw", "otters", "gate", "--sure"]) == exits.FINE
    assert capsys.readouterr().out == "gate: withdrawn\n"


def test_a_file_that_is_not_there_is_told_in_words(site: Site, capsys: Printed) -> None:
    assert main(["check", "otters/test", "absent.conllu"]) == exits.USAGE
    assert capsys.readouterr().err == "plumbline: there is no file absent.conllu\n"


def test_a_phase_that_is_not_there_is_answered_with_those_that_are(
    site: Site, capsys: Printed
) -> None:
    site.script[f"{API}tasks/otters/phases/tst/"] = [(404, {"detail": "Nothing."})]
    site.script[TASK] = [(200, {"phases": [{"name": "dev"}, {"name": "test"}]})]
    assert main(["check", "otters/tst", "north.conllu"]) == exits.REFUSED_BY_SITE
    assert "has no phase 'tst'; its phases: dev, test" in capsys.readouterr().err


def test_a_check_says_first_what_the_file_is(site: Site, capsys: Printed) -> None:
    other = perfect().replace(b"otter", b"heron").replace(b"moss", b"reed")
    Path("north.conllu").write_bytes(other)
    blind = {"name": "south.conllu", "address": "http://elsewhere/other"}
    phases = [{"name": "dev", "title": "Development"}, {"name": "test"}]
    site.script[TASK] = [(200, {"phases": phases})]
    south = {"name": "south", "title": "South", "blind": blind}
    site.script[f"{TASK}dev/test-sets/"] = [(200, [south])]
    site.script["/other"] = [(200, other)]
    files = [{**PHASE["files"][0], "title": "North"}]  # type: ignore[index]
    site.script[f"{TASK}phases/test/"] = [(200, {**PHASE, "files": files})]
    assert main(["check", "otters/test", "north.conllu"]) == exits.UNFIT
    first = capsys.readouterr().err.splitlines()[0]
    assert "This is the file of Development: 2 of its 2 sentences" in first


def test_remarks_do_not_keep_a_file_from_being_fine(
    site: Site, capsys: Printed
) -> None:
    odd = perfect().replace(b"the\t_\t_\t_\t_\t2", b"the\t_\t_\t_\t_\t1", 1)
    Path("north.conllu").write_bytes(odd)
    assert main(["check", "otters/test", "north.conllu"]) == exits.FINE
    printed = capsys.readouterr()
    assert printed.out == "fine\n" and "the word's own ID" in printed.err


def test_who_has_not_joined_is_told_how(site: Site, capsys: Printed) -> None:
    site.script[UPLOADS] = [(404, {"detail": "join the task with a team first"})]
    assert main(SUBMIT) == exits.REFUSED_BY_SITE
    assert "plumbline join otters" in capsys.readouterr().err


def test_a_phase_that_has_not_opened_is_answered_in_words(
    site: Site, capsys: Printed
) -> None:
    table = {"file": "weights.csv", "address": "http://elsewhere/weights"}
    scoring = {"scorer": "attachment", "options": {"weights": [table]}}
    files = [{"name": "north", "blind": None}]
    unopened = {**PHASE, "scoring": scoring, "files": files}
    site.script[f"{TASK}phases/test/"] = [(200, unopened)]
    site.script["/weights"] = [(404, {"detail": "Not found."})]
    assert main(["check", "otters/test", "north.conllu"]) == exits.REFUSED_BY_SITE
    assert capsys.readouterr().err == "plumbline: the phase has not opened yet\n"


def test_only_the_measure_that_ranks_has_its_interval_on_a_board(
    site: Site, capsys: Printed
) -> None:
    """A board of five measures was 230 columns wide."""
    names = ("las", "uas", "wlas", "f1", "acc")
    of_all = {name: ROWS[0]["scores"]["las"] for name in names}
    rows = [row | {"scores": of_all} for row in ROWS]
    measures = [{"name": name, "percent": True} for name in names]
    wide = board(*rows) | {"measures": measures, "ranked_by": "uas"}
    site.script[BOARD] = [(200, wide)]
    assert main(["board", "otters/test"]) == exits.FINE
    printed = capsys.readouterr().out.splitlines()
    assert max(map(len, printed)) < 80
    assert printed[1].split()[4:] == [
        "82.61",
        "82.61",
        "[80.6,",
        "84.6]",
        *["82.61"] * 3,
    ]


def test_the_list_of_a_task_has_score_and_rank_where_the_board_shows_them(
    site: Site, capsys: Printed
) -> None:
    sent = [
        {
            **{"id": row["submission"], "phase": phase, "system": row["system"]},
            **{"state": "scored", "received_at": "2026-11-27T08:06:07.45Z"},
            "scores": row["scores"],
        }
        for row, phase in ((ROWS[0], "test"), (ROWS[3], "test"), (ROWS[1], "blind"))
    ]
    site.script["/api/v1/tasks/otters/submissions/"] = [(200, {"submissions": sent})]
    site.script[BOARD] = [(200, board(*ROWS) | {"ranked_by": "las"})]
    site.script["/api/v1/tasks/otters/blind/board/"] = [(404, {})]
    assert main(["status", "otters"]) == exits.FINE
    first, base, blind = capsys.readouterr().out.splitlines()
    assert "las 82.61 [80.6, 84.6]  rank 1 of 3  2026-11-27T08:06:07Z" in first
    assert "las 40.00" in base and "rank" not in base
    assert "las" not in blind and "rank" not in blind


@pytest.mark.parametrize(
    "command",
    [
        ["status", "otters/test"],
        ["withdraw", "otters/test", "gate"],
        ["join", "otters/test"],
        ["tasks", "otters/test"],
        ["bundle", "pull", "otters/test", "otters.zip"],
    ],
)
def test_a_phase_where_a_task_is_asked_for_is_refused_in_words(
    command: list[str], site: Site, capsys: Printed
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == exits.USAGE
    printed = capsys.readouterr().err
    assert "expected a name without '/', found 'otters/test'" in printed


@pytest.mark.parametrize(
    ("message", "count", "line"),
    [
        ("this is a RAR archive", 1, "a.rar: this is a RAR archive. Unpack it."),
        ("it ends here.", 1, "a.rar: it ends here. Unpack it."),
        ("no answer", 3, "a.rar: no answer (3 times) Unpack it."),
    ],
)
def test_a_hint_begins_after_the_end_of_the_sentence(
    message: str, count: int, line: str
) -> None:
    problem = {"file": "a.rar", "message": message, "hint": "Unpack it."}
    assert output.problem_line({**problem, "count": count}) == line
