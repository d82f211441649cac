"""Published scores become boards, and a report says what their order supports."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.published.tables import read
from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import Team, User
from scoring.errors import SetupError
from tests.leaderboard.small import inline

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
# Means by hand: of en-de 0.5, 0.25 and 0.75 (comet), 10, 20 and 30 (TER); of en-cs
# Alder 0.5 and 10, Birch 1 and 40. Cedar has nothing of en-cs.
ROWS = """\
system,team,lp,segment,comet,TER
Alder,North,en-de,s1,0.25,5
Alder,North,en-de,s2,0.75,15
Birch,South,en-de,s1,0.25,20
Birch,South,en-de,s2,0.25,20
Cedar,South,en-de,s1,0.5,30
Cedar,South,en-de,s2,1,30
Alder,North,en-cs,c1,0.5,10
Birch,South,en-cs,c1,1,40
"""


@pytest.fixture(autouse=True)
def in_this_process() -> Iterator[None]:
    with inline:
        yield


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "autumn-2025.csv"
    path.write_text(ROWS, "utf-8")
    return path


def imported(path: Path, *words: str) -> Task:
    call_command("import_scores", path, *words, organizer="ada@example.org")
    task = Task.objects.latest("pk")
    for waiting in Evaluation.objects.filter(submission__phase__task=task):
        assert evaluation.run(waiting.pk)
    return task


def shown(task: Task, phase: str) -> dict[str, tuple[Any, ...]]:
    """Printed scores of the systems of a board, best first."""
    found = board(BoardQuery(task.phases.get(name=phase)))
    return {
        row.system: tuple(score.printed for score in row.scores) for row in found.rows
    }


def report(task: Task) -> list[str]:
    out = io.StringIO()
    call_command("import_scores", report=task.slug, stdout=out)
    return out.getvalue().splitlines()


def test_each_test_set_has_a_board_of_the_means(table: Path, ada: User) -> None:
    task = imported(table, "--lower", "TER")
    assert task.draft and task.slug == "autumn-2025"
    assert shown(task, "en-de") == {
        "Cedar": ("0.750", "30.000"),
        "Alder": ("0.500", "10.000"),
        "Birch": ("0.250", "20.000"),
    }
    assert list(shown(task, "en-cs")) == ["Birch", "Alder"]
    measures = {m.name: m.higher_is_better for m in task.scorer.measures(())}
    assert measures == {"comet": True, "TER": False}


def test_a_team_of_one_system_has_its_name_and_others_that_of_the_system(
    table: Path, ada: User
) -> None:
    Team.build("Cedar").save()
    task = imported(table)
    teams = dict(
        Submission.objects.filter(phase__name="en-de").values_list(
            "system", "participation__team__name"
        )
    )
    assert teams == {"Alder": "North", "Birch": "Birch", "Cedar": "Cedar (autumn-2025)"}
    assert Submission.objects.filter(phase__task=task, brought_at=None).count() == 0


def long(rows: str) -> str:
    """The same with a line for each measure."""
    _head, *lines = rows.splitlines()
    found = ["lp,seg_id,model,metric,score"]
    for line in lines:
        system, _team, pair, segment, comet, ter = line.split(",")
        found += [f"{pair},{segment},{system},comet,{comet}"]
        found += [f"{pair},{segment},{system},TER,{ter}"]
    return "\n".join(found)


def apart(folder: Path) -> Path:
    """The same, one file a system, as JSON Lines in a folder for each test set."""
    for line in ROWS.splitlines()[1:]:
        system, _team, pair, segment, comet, ter = line.split(",")
        (folder / pair).mkdir(parents=True, exist_ok=True)
        with (folder / pair / f"{system}.jsonl").open("a") as file:
            values = {"segment": segment, "comet": float(comet), "TER": float(ter)}
            file.write(json.dumps(values) + "\n")
    return folder


def test_long_tables_and_a_file_a_system_say_the_same(
    table: Path, tmp_path: Path
) -> None:
    whole = read(table).values
    other = tmp_path / "long.tsv"
    other.write_text(long(ROWS).replace(",", "\t"), "utf-8")
    assert read(other).values == whole
    numbers = {
        key: {
            system: {
                segment: {name: float(text) for name, text in cells.items()}
                for segment, cells in of_system.items()
            }
            for system, of_system in of_set.items()
        }
        for key, of_set in read(apart(tmp_path / "apart")).values.items()
    }
    assert numbers["en-de"]["Cedar"]["s2"] == {"comet": 1, "TER": 30}
    assert {k: set(v) for k, v in numbers.items()} == {
        k: set(v) for k, v in whole.items()
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Alder,North,en-de,s1,0.5,7", "autumn-2025.csv:10: 'Alder' has a second"),
        ("Alder,North,en-de,s3,high,7", "'comet': expected a number, found 'high'"),
        (",North,en-de,s3,1,7", "autumn-2025.csv:10: 'system' is empty"),
        ("Alder,North,en-de,s3,1", "autumn-2025.csv:10: expected 6 columns"),
    ],
)
def test_what_is_wrong_is_said_by_line_and_nothing_is_made(
    table: Path, ada: User, line: str, said: str
) -> None:
    table.write_text(ROWS + line + "\n", "utf-8")
    before = Task.objects.count(), Team.objects.count()
    with pytest.raises(CommandError) as refused:
        imported(table)
    assert said in str(refused.value)
    assert (Task.objects.count(), Team.objects.count()) == before


@pytest.mark.parametrize("cell", ["n/a", "30,5", "30.5%", "inf", "-"])
def test_scores_that_are_no_numbers_are_told_how_they_are_written(
    cell: str, tmp_path: Path
) -> None:
    """No line speaks of an input file or of ids, of which an import has none."""
    path = tmp_path / "a.csv"
    path.write_text(f"system;test_set;bleu\nA;x;{cell}\nB;x;{cell}\n")
    with pytest.raises(SetupError) as refused:
        read(path)
    (only,) = map(str, refused.value.problems)
    assert "'bleu' holds words" in only and "Write scores as 30.5" in only
    assert "input file" not in only


@pytest.mark.parametrize(
    "header",
    ["System,Test set,bleu", "SYSTEM,test-set,bleu", "Model,Language Pair,bleu"],
)
def test_columns_are_known_in_other_spellings(header: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\nA,x,30.5\nB,x,31\n")
    scores = read(path)
    assert [*scores.measures] == ["bleu"] and [*scores.values] == ["x"]
    assert scores.systems == ["A", "B"]


def test_a_second_score_of_a_test_set_is_named_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("system,test_set,bleu\nA,x,30.5\nA,x,31\n")
    with pytest.raises(SetupError, match="'A' has a second 'bleu' of 'x'"):
        read(path)


def test_a_column_of_words_is_one_problem_with_the_measures_that_would_do(
    tmp_path: Path,
) -> None:
    head = "system,lp,segment,domain,comet,TER 2,note"
    for name in ("a", "b", "c"):
        rows = [f"{name},en-de,s{i},news,0.{i},1{i},fine words" for i in range(30)]
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *rows]), "utf-8")
    with pytest.raises(SetupError) as refused:
        read(tmp_path)
    first, second = map(str, refused.value.problems)
    assert first.startswith("a.csv:2: 'domain' holds words, not scores, as 'news'")
    assert "--measure comet --measure 'TER 2'" in first and "'note' holds" in second
    assert list(read(tmp_path, ["comet", "TER 2"]).measures) == ["comet", "TER 2"]
    with pytest.raises(SetupError) as refused:
        read(tmp_path, ["domain"])
    (only,) = refused.value.problems
    assert "'domain' holds words" in str(only)
    # The same of lines with the measure's name, and of one word among numbers.
    long = tmp_path / "long.tsv"
    lines = [f"A\ts{i}\t{m}\t{v}" for i in range(3) for m, v in (("f", i), ("d", "x"))]
    long.write_text("\n".join(["system\tsegment\tmeasure\tscore", *lines]), "utf-8")
    with pytest.raises(SetupError) as refused:
        read(long)
    assert "'d' holds words" in str(refused.value.problems[0])
    assert "--measure f" in str(refused.value.problems[0])


def test_a_draft_that_an_ended_call_left_stands_in_nobodys_way(
    table: Path, ada: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    made = Task.objects.filter(slug="autumn-2025")
    with monkeypatch.context() as patch:
        patch.setattr("leaderboard.extras.published.task.take", killed)
        with pytest.raises(KeyboardInterrupt):
            imported(table)
        assert not made.exists() and not Team.objects.exists()
        # A process that is killed removes nothing.
        patch.setattr("leaderboard.extras.published.task.delete_draft", print)
        with pytest.raises(KeyboardInterrupt):
            imported(table)
    assert made.exists()
    with pytest.raises(CommandError):  # which is ada's to remove
        call_command("import_scores", table, organizer=ben.email)
    task = imported(table)
    assert list(shown(task, "en-cs")) == ["Birch", "Alder"]
    names = set(Team.objects.values_list("name", flat=True))
    assert names == {"North", "Birch", "Cedar"}


def test_a_task_that_is_another_one_is_never_removed(table: Path, ada: User) -> None:
    imported(table)
    ones = Task.objects.latest("pk")
    for change in ({"draft": False}, {"draft": True}):
        Task.objects.filter(pk=ones.pk).update(**change)
        with pytest.raises(CommandError, match="autumn-2025"):
            imported(table)
    Evaluation.objects.all().update(state="awaiting")
    other = table.with_name("other.csv")
    other.write_text(ROWS.replace("comet", "bleu"), "utf-8")
    with pytest.raises(CommandError, match="autumn-2025"):
        imported(other, "--slug", "autumn-2025")
    assert Task.objects.get(slug="autumn-2025") == ones


def test_teams_come_back_in_the_next_campaign(table: Path, ada: User) -> None:
    imported(table)
    out = io.StringIO()
    other = table.rename(table.with_name("autumn-2026.csv"))
    call_command("import_scores", other, organizer="ada@example.org", stdout=out)
    assert "taken again: Birch, Cedar, North" in out.getvalue()
    assert Team.objects.count() == 3


def test_a_file_of_answers_is_checked_once_for_each_test_set(
    table: Path, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = []
    find = accept.find_problems

    def counted(*words: Any) -> Any:
        checked.append(words)
        return find(*words)

    monkeypatch.setattr(accept, "find_problems", counted)
    imported(table)
    assert (len(checked), Submission.objects.count()) == (2, 5)


def test_measures_that_no_file_has_are_named(table: Path) -> None:
    with pytest.raises(SetupError) as refused:
        read(table, ["bleu"])
    assert "no file has a measure 'bleu'" in str(refused.value.problems[0])


def test_a_slug_that_is_taken_leaves_everything_as_it_was(
    table: Path, ada: User
) -> None:
    imported(table)
    before = Task.objects.count(), Phase.objects.count(), Team.objects.count()
    with pytest.raises(CommandError, match="autumn-2025"):
        call_command("import_scores", table, organizer="ada@example.org")
    after = Task.objects.count(), Phase.objects.count(), Team.objects.count()
    assert after == before


def written(path: Path, scores: dict[str, Any]) -> None:
    rows = ["system,segment,quality"]
    for system, values in scores.items():
        rows += [f"{system},s{i},{value}" for i, value in enumerate(values)]
    path.write_text("\n".join(rows), "utf-8")


def test_the_report_says_which_printed_orders_are_resolved(
    tmp_path: Path, ada: User
) -> None:
    """Of four systems one is far below; three differ by noise of equal means."""
    rng = np.random.default_rng(7)
    base = rng.normal(0, 1, 200)
    scores = {
        name: np.round(base + rng.normal(0, 0.5, 200) + mean, 3)
        for name, mean in (("a", 5), ("b", 5), ("c", 5), ("d", 2))
    }
    written(tmp_path / "table.csv", scores)
    task = imported(tmp_path / "table.csv")
    (line,) = report(task)
    assert "systems: 4, printed orders: 6, resolved: 3 (50%)" in line
    assert sorted(line.rpartition(": ")[2].split(", ")) == ["a", "b", "c"]


def test_scores_of_whole_test_sets_have_an_order_and_nothing_to_say_how_sure(
    tmp_path: Path, ada: User
) -> None:
    path = tmp_path / "published.csv"
    path.write_text("model,language,F1\nA,de,81.2\nB,de,80.9\nA,en,90\n", "utf-8")
    task = imported(path)
    first, second = report(task)
    assert first == "de: systems: 2, printed orders: 1; nothing says how sure"
    assert second == "en: systems: 1, printed orders: 0; nothing says how sure"


def test_exported_results_come_back_with_the_same_scores(
    table: Path, ada: User, client: Client, tmp_path: Path
) -> None:
    """Through the export of boards in Every Eval Ever."""
    task = imported(table, "--lower", "TER")
    Task.objects.update(draft=False)
    address = f"/tasks/{task.slug}/en-de/board.every-eval-ever.zip"
    answer = client.get(address)
    assert answer.status_code == 200
    results = tmp_path / "results.zip"
    results.write_bytes(b"".join(answer) if answer.streaming else answer.content)
    import zipfile

    with zipfile.ZipFile(results) as archive:
        archive.extractall(tmp_path / "results")
    found = read(tmp_path / "results")
    (of_set,) = found.values.values()
    assert {s: cells["whole"]["comet"] for s, cells in of_set.items()} == {
        "Cedar": "0.75",
        "Alder": "0.5",
        "Birch": "0.25",
    }
    assert found.lower == {"TER"} and found.teams["Alder"] == "North"
