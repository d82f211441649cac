"""Submissions of the past: a list is checked whole, brought once, marked, scored."""

import io
import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.boards.front_page import TaskFilter, grouped_tasks
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.moving.past_submissions import (
    ImportResult,
    folder_reader,
    import_list,
)
from leaderboard.extras.oversight.team_merger import merge
from leaderboard.mail.models import Mail
from leaderboard.organize.baselines import send_baseline
from leaderboard.organize.dashboard import numbers_of
from leaderboard.submissions import accept, dispatch, evaluation
from leaderboard.submissions.models import Evaluation, QuotaCounter, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task, TestSet
from leaderboard.teams.models import Membership, Team, User
from scoring.errors import SetupError
from scoring.formats.bundle import zip_files
from tests.leaderboard.small import (
    both,
    bundle,
    inline,
    one_wrong,
    perfect,
    upload,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
PAGE = "/tasks/otters/organize/past-submissions/"
HEAD = "team,system,time,file,test_set"


@pytest.fixture(autouse=True)
def in_this_process() -> Iterator[None]:
    with inline:
        yield


@pytest.fixture
def then() -> datetime:
    """A moment of the phase that is over, to the minute."""
    return (timezone.now() - timedelta(days=2)).replace(second=0, microsecond=0)


@pytest.fixture
def folder(tmp_path: Path, then: datetime) -> Path:
    """A list of three submissions of two teams, with their files."""
    for name in ("north", "south"):
        (tmp_path / f"{name}.conllu").write_bytes(perfect(name))
        (tmp_path / f"{name}_1.conllu").write_bytes(one_wrong(name))
    later = (then + timedelta(hours=3)).isoformat()
    write(
        tmp_path,
        HEAD,
        f"Voles,first,{then.isoformat()},north_1.conllu,north",
        f"Voles,first,{then.isoformat()},south.conllu,south",
        f"Voles,second,{later},north.conllu,north",
        f"Voles,second,{later},south.conllu,south",
        f"Shrews,only,{later},north.conllu,north",
    )
    return tmp_path


def write(folder: Path, *lines: str) -> None:
    (folder / "list.csv").write_text("\n".join(lines) + "\n")


def command(folder: Path, *more: str) -> str:
    out = io.StringIO()
    path = str(folder / "list.csv")
    arguments = ("otters", "test", path, "--organizer", "ada@example.org", *more)
    call_command("import_submissions", *arguments, stdout=out)
    return out.getvalue()


def refused(folder: Path, *lines: str) -> list[str]:
    write(folder, *lines)
    with pytest.raises(CommandError) as caught:
        command(folder, "--apply")
    assert not Submission.objects.exists()
    return str(caught.value).split("\n")


def test_what_is_wrong_in_every_line_of_a_list_is_said_once(
    task: Task, folder: Path
) -> None:
    lines = [f"Voles {n},s{n},yesterday,north.conllu,north" for n in range(300)]
    (only,) = refused(folder, HEAD, *lines)
    assert "found 'yesterday' (300 times)" in only


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_list_may_part_its_cells_by_other_marks(
    mark: str, task: Task, folder: Path
) -> None:
    path = folder / "list.csv"
    path.write_text("\ufeff" + path.read_text().replace(",", mark))
    assert "3 submissions would be imported" in command(folder)


def test_a_list_without_lines_is_told(task: Task, folder: Path) -> None:
    (only,) = refused(folder, HEAD)
    assert "no submission stands below the names of the columns" in only


def score_all() -> None:
    for sent in Submission.objects.all():
        for waiting in sent.evaluations.filter(state="queued"):
            assert evaluation.run(waiting.pk)


def test_a_list_is_only_checked_until_it_is_to_be_applied(
    task: Task, folder: Path
) -> None:
    said = command(folder)
    assert "3 submissions would be imported" in said
    assert "new teams, without members: 2" in said and "Voles" not in said
    assert not Submission.objects.exists() and not Team.objects.exists()


def test_front_page_and_organizers_page_count_teams_that_were_brought_along(
    task: Task, phase: Phase, ada: User, folder: Path
) -> None:
    command(folder, "--apply")
    score_all()
    now, nobody = timezone.now(), AnonymousUser()
    (group,) = grouped_tasks(TaskFilter.of({}, now, nobody))
    on_board = {row.team for row in board(BoardQuery(phase)).rows}
    assert group.tasks[0].teams == len(on_board) == 2
    assert numbers_of(task)["teams"] == 2


def test_submissions_come_with_their_times_and_are_scored_like_others(
    task: Task, phase: Phase, ada: User, folder: Path, then: datetime
) -> None:
    assert "3 submissions imported" in command(folder, "--apply")
    first = Submission.objects.get(system="first")
    assert first.received_at == then
    assert first.brought_at is not None and not first.late
    assert first.sender == ada and first.participation.team.name == "Voles"
    assert not first.participation.team.memberships.exists()
    score_all()
    # The best of each team: all right, and half of the test sets all right.
    best, other = board(BoardQuery(phase)).rows
    assert (best.system, best.rank, best.brought) == ("second", 1, True)
    assert (other.system, other.complete) == ("only", False)


def test_bringing_it_once_more_changes_nothing(task: Task, folder: Path) -> None:
    command(folder, "--apply")
    again = command(folder, "--apply")
    assert "0 submissions imported" in again and "3 are there already" in again
    assert Submission.objects.count() == 3 and Team.objects.count() == 2


def test_a_line_added_later_brings_just_that_submission(
    task: Task, folder: Path, then: datetime
) -> None:
    command(folder, "--apply")
    with (folder / "list.csv").open("a") as file:
        file.write(f"Voles,third,{then.isoformat()},north.conllu,north\n")
    said = command(folder, "--apply")
    assert "1 submissions imported" in said and "3 are there already" in said


def test_nothing_is_charged_and_nobody_gets_mail(
    task: Task, phase: Phase, folder: Path
) -> None:
    phase.daily_limit = phase.total_limit = 1
    phase.paused = True
    phase.save()
    command(folder, "--apply")
    assert Submission.objects.filter(participation__team__name="Voles").count() == 2
    assert not QuotaCounter.objects.exists()
    score_all()
    assert not Mail.objects.exists()


def test_an_upload_comes_before_everything_that_was_brought_along(
    task: Task, phase: Phase, entry: Participation, folder: Path, then: datetime
) -> None:
    lines = [
        f"Team {i},system,{then.isoformat()},north.conllu,north" for i in range(12)
    ]
    write(folder, HEAD, *lines)
    command(folder, "--apply")
    (brought,) = set(Evaluation.objects.values_list("background", flat=True))
    assert brought
    own = accept.submit(upload(phase, entry, both())).evaluations.get()
    ready = Evaluation.objects.ready()
    assert dispatch.line(own.heavy) == [own.pk]
    assert dispatch.in_turn(ready, most=100)[0] == own.pk
    hinted = Evaluation.objects.exclude(pk=own.pk).earliest("pk")
    assert dispatch.instead_of(hinted.pk) == own.pk


def test_baselines_of_the_organizers_take_turns_as_one_team(
    task: Task, phase: Phase, entry: Participation, ada: User
) -> None:
    for i in range(5):
        files = {t: SimpleUploadedFile("a", perfect(t.name)) for t in two_sets(phase)}
        send_baseline(
            task,
            ada,
            system=f"baseline {i}",
            description="",
            phases=[phase],
            files=files,
            key=f"key {i}",
        )
    own = accept.submit(upload(phase, entry, both())).evaluations.get()
    assert dispatch.line(own.heavy).index(own.pk) <= 1


def two_sets(phase: Phase) -> list[TestSet]:
    return list(phase.test_sets.all())


def next_task(organizer: User) -> Phase:
    """Another task, of the next year."""
    found: Phase = create_task(bundle(slug="stoats"), organizer).phases.get()
    return found


def bring_into(phase: Phase, folder: Path, organizer: User) -> ImportResult:
    data = (folder / "list.csv").read_bytes()
    files = folder_reader(folder)
    return import_list(phase, organizer, "list.csv", data, files, apply=True)


def test_teams_of_the_past_come_back_in_the_next_task(
    task: Task, folder: Path, ada: User
) -> None:
    command(folder, "--apply")
    found = bring_into(next_task(ada), folder, ada)
    assert (list(found.again), list(found.teams)) == (["Voles", "Shrews"], [])
    assert Team.objects.count() == 2
    assert Participation.objects.filter(team__name="Voles").count() == 2
    once_more = bring_into(Phase.objects.get(task__slug="stoats"), folder, ada)
    assert (list(once_more.again), len(once_more.there)) == ([], 3)


def test_teams_of_others_are_not_taken_into_a_task(
    task: Task, phase: Phase, folder: Path, ada: User, ben: User
) -> None:
    command(folder, "--apply")
    # Of somebody else's task; with a member; that sent something itself.
    theirs = next_task(ben)
    with pytest.raises(SetupError, match="is one of another task"):
        bring_into(theirs, folder, ben)
    mine = create_task(bundle(slug="martens"), ada).phases.get()
    voles = Team.objects.get(name="Voles")
    member = Membership.objects.create(team=voles, user=ben)
    with pytest.raises(SetupError, match="'Voles' with members"):
        bring_into(mine, folder, ada)
    member.delete()
    Submission.objects.filter(system="only").update(brought_at=None)
    with pytest.raises(SetupError, match="'Shrews' is one of another task"):
        bring_into(mine, folder, ada)


def test_one_zip_may_hold_a_file_for_each_test_set(
    task: Task, folder: Path, then: datetime
) -> None:
    files = {f"{name}.conllu": perfect(name) for name in ("north", "south")}
    (folder / "all.zip").write_bytes(zip_files("all.zip", files).single())
    write(folder, "team,system,time,file", f"Voles,x,{then.isoformat()},all.zip")
    command(folder, "--apply")
    sent = Submission.objects.get()
    assert {file.test_set.name for file in sent.files.all()} == {"north", "south"}


def test_every_problem_of_a_list_is_said_at_once_with_its_line(
    task: Task, folder: Path, then: datetime
) -> None:
    at = then.isoformat()
    long_ago, to_come = "2001-01-01 12:00", "2099-01-01 12:00"
    said = refused(
        folder,
        HEAD,
        f"Voles,a,{at},nowhere.conllu,north",
        f"Voles,b,{long_ago},north.conllu,north",
        f"Voles,c,{to_come},north.conllu,north",
        "Voles,d,yesterday,north.conllu,north",
        f",e,{at},north.conllu,north",
        f"Voles,f,{at},north.conllu,west",
        f"Voles,g,{at},north.conllu,north",
        f"Voles,g,{at},north_1.conllu,north",
        f"Voles,h,{at}",
        f"Voles,i,{at},../list.csv/../../secret,north",
        f"Vo\u200bles,j,{at},north.conllu,north",
    )
    for line, words in (
        (2, "there is no file 'nowhere.conllu'"),
        (3, "lies outside the phase"),
        (4, "still to come"),
        (5, "expected a time"),
        (6, "'team' is empty"),
        (7, "there is no test set 'west'; the phase has north, south"),
        (9, "a second file for the test set north; the first is on line 8"),
        (10, "expected 5 cells, found 3"),
        (11, "there is no file '../list"),
        (12, "cannot be seen"),
    ):
        assert any(s.startswith(f"list.csv:{line}: ") and words in s for s in said), (
            words
        )


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("team,system,file", "there is no column 'time'"),
        ("team,system,time,file,rank", "'rank': unknown column"),
        ("team,team,system,time,file", "the column 'team' is there twice"),
        ("", "the file is empty"),
    ],
)
def test_a_list_without_the_right_columns_is_refused(
    task: Task, folder: Path, head: str, words: str
) -> None:
    assert any(words in line for line in refused(folder, head))


def test_what_is_wrong_in_the_files_is_said_with_the_line_of_the_list(
    task: Task, folder: Path, then: datetime
) -> None:
    (folder / "bad.conllu").write_bytes(perfect("north")[:40])
    at = then.isoformat()
    said = refused(
        folder,
        HEAD,
        f"Voles,a,{at},north.conllu,north",
        f"Shrews,b,{at},bad.conllu,north",
    )
    assert said and all(line.startswith("list.csv:3: bad.conllu") for line in said)
    assert not Team.objects.exists()


def test_a_team_with_members_is_only_meant_where_one_of_them_is_named(
    task: Task, entry: Participation, folder: Path, then: datetime
) -> None:
    line = f"Bens,a,{then.isoformat()},north.conllu,north"
    (said,) = refused(folder, HEAD, line)
    assert "there is a team 'Bens' with members" in said and "'email'" in said
    (said,) = refused(folder, f"{HEAD},email", f"{line},ada@example.org")
    assert "with members" in said
    write(folder, f"{HEAD},email", f"{line},ben@example.org")
    command(folder, "--apply")
    sent = Submission.objects.get()
    assert sent.participation == entry and sent.sender.name == "ben"


def test_a_team_of_the_past_is_handed_over_by_merging_it(
    task: Task, entry: Participation, ada: User, ben: User, folder: Path
) -> None:
    command(folder, "--apply")
    past = Participation.objects.get(team__name="Voles")
    merge(entry, past, ada, "the same")
    theirs = Submission.objects.by_person(ben)
    assert {sent.system for sent in theirs} == {"first", "second"}
    assert "0 submissions imported" in command(folder, "--apply")


def test_an_address_for_a_team_that_nobody_is_in_is_refused(
    task: Task, ben: User, folder: Path, then: datetime
) -> None:
    line = f"Voles,a,{then.isoformat()},north.conllu,north,ben@example.org"
    (said,) = refused(folder, f"{HEAD},email", line)
    assert "there is no team 'Voles' with a member ben@example.org" in said


def test_names_that_look_alike_are_one_team(
    task: Task, folder: Path, then: datetime
) -> None:
    at = then.isoformat()
    lines = (f"Voles,a,{at},north.conllu,north", f"VOLES,b,{at},south.conllu,south")
    write(folder, HEAD, *lines)
    command(folder, "--apply")
    assert Team.objects.get().name == "Voles"


def test_times_without_an_offset_are_on_the_clocks_of_the_phase(
    task: Task, phase: Phase, folder: Path
) -> None:
    phase.opens = phase.opens.replace(year=2020, month=6, day=1)
    phase.time_zone = "Asia/Tokyo"
    phase.save()
    write(folder, HEAD, "Voles,a,2020-07-01 09:30,north.conllu,north")
    command(folder, "--apply")
    assert (
        Submission.objects.get()
        .received_at.isoformat()
        .startswith("2020-07-01T00:30:00")
    )


def test_a_file_larger_than_an_upload_may_be_is_refused(
    task: Task, folder: Path, settings: Any
) -> None:
    settings.UPLOAD_BYTES = 100
    lines = (folder / "list.csv").read_text().splitlines()
    assert "larger than 0 MiB" in refused(folder, *lines)[0]


def test_a_declared_phase_takes_nothing_any_more(
    task: Task, phase: Phase, folder: Path
) -> None:
    phase.declared_at = timezone.now()
    phase.save()
    with pytest.raises(CommandError, match="final ranking of Test was declared"):
        command(folder, "--apply")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("voles", "test", "ada@example.org"), "there is no task voles"),
        (("otters", "dev", "ada@example.org"), "otters has no phase dev; it has test"),
        (("otters", "test", "cy@example.org"), "may not edit otters"),
        (("otters", "test", "no@example.org"), "nobody has the address"),
    ],
)
def test_the_command_says_what_it_cannot_find(
    task: Task, cy: User, folder: Path, arguments: tuple[str, str, str], words: str
) -> None:
    slug, name, email = arguments
    path = str(folder / "list.csv")
    with pytest.raises(CommandError, match=words):
        call_command("import_submissions", slug, name, path, organizer=email)


def test_the_mark_stands_on_board_page_exports_api_and_receipt(
    task: Task, phase: Phase, ada: User, folder: Path, client: Client
) -> None:
    command(folder, "--apply")
    score_all()
    client.force_login(ada)
    sent = Submission.objects.get(system="second")
    board = client.get("/tasks/otters/test/board/").content.decode()
    assert "imported from another site" in board
    page = client.get(sent.get_absolute_url()).content.decode()
    assert "Imported" in page and "sent to another site" in page
    told = client.get(f"/api/v1/submissions/{sent.pk}/").json()
    assert told["brought_at"] is not None
    receipt = client.get(f"{sent.get_absolute_url()}receipt/north/")
    assert json.loads(receipt.content)["brought_along"] == sent.brought_at.isoformat()
    export = client.get(reverse("board-export", args=["otters", "test", "csv"]))
    head, *lines = export.content.decode().splitlines()
    assert "brought" in head.split(",") and len(lines) == 2


def page(client: Client, phase: Phase, data: bytes, **more: str) -> str:
    """The page after a zip was sent to it."""
    sent = {"phase": phase.pk, "archive": SimpleUploadedFile("past.zip", data), **more}
    return client.post(PAGE, sent).content.decode()


def packed(folder: Path) -> bytes:
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    return zip_files("past.zip", files).single()


def test_an_organizer_brings_a_zip_with_a_list_along(
    phase: Phase, ada: User, folder: Path, client: Client
) -> None:
    client.force_login(ada)
    said = page(client, phase, packed(folder))
    assert "nothing was changed" in said and "3 new submissions" in said
    assert "2 new teams, without members" in said and "Voles" not in said
    assert not Submission.objects.exists()
    said = page(client, phase, packed(folder), apply="on")
    assert "3 submissions were imported" in said
    assert Submission.objects.exclude(brought_at=None).count() == 3
    assert "3 were there already" in page(client, phase, packed(folder), apply="on")


def test_the_page_lists_what_is_wrong(
    phase: Phase, ada: User, folder: Path, client: Client
) -> None:
    client.force_login(ada)
    assert "there is no list.csv at the top" in page(
        client, phase, zip_files("past.zip", {"a.csv": b"x", "b/c.csv": b"y"}).single()
    )
    assert "not a zip" in page(client, phase, b"team,system,time,file")
    write(folder, HEAD, "Voles,a,soon,../etc/passwd,north")
    said = page(client, phase, packed(folder), apply="on")
    assert "expected a time" in said and "there is no file" in said
    assert not Submission.objects.exists()


def test_more_than_a_page_can_check_is_for_the_operator(
    phase: Phase,
    ada: User,
    folder: Path,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("leaderboard.extras.moving.views.MOST", 2)
    client.force_login(ada)
    assert "3 submissions; at most 2 at once" in page(client, phase, packed(folder))
