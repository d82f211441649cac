"""Joining, new tasks, bundles and gold through the API; POSTs that are repeated."""

import gzip
import io
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.api.models import KeptAnswer
from leaderboard.api.views import tasks as views_of_tasks
from leaderboard.tasks.models import GoldRevision, Participation, Phase, Task
from leaderboard.teams.models import Team, User
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import both, bundle, one_wrong, scored

pytestmark = [
    pytest.mark.usefixtures("no_queue"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("sandbox_inline"),
]
TASKS, TASK = "/api/v1/tasks/", "/api/v1/tasks/otters/"
TEAM, BUNDLE, GOLD = f"{TASK}team/", f"{TASK}bundle/", f"{TASK}gold-revisions/"


def zipped(
    files: dict[str, bytes], **changes: tuple[bytes, bytes]
) -> SimpleUploadedFile:
    """A zip of these files, with texts of the manifest replaced."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data.replace(*changes.get(name[:4], (b"", b""))))
    return SimpleUploadedFile("task.zip", whole.getvalue())


def post(client: Client, address: str, fields: Any, key: str = "", **more: str) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(address, fields, headers=headers | more)


def test_a_team_is_founded_once_however_often_the_request_comes(
    phase: Phase, ben: User
) -> None:
    client = bearer(ben, "submit")
    answers = [post(client, TEAM, {"name": "Bens"}, "k") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert answers[1]["Idempotent-Replayed"] == "true"
    assert answers[0].json()["team"]["name"] == "Bens"
    assert Team.objects.count() == 1
    assert client.get(TEAM).json()["status"] == "active"
    assert [one["name"] for one in client.get("/api/v1/teams/").json()] == ["Bens"]


def test_a_key_is_good_for_one_request_alone(phase: Phase, ben: User) -> None:
    client = bearer(ben, "submit")
    post(client, TEAM, {"name": "Bens"}, "k")
    other = post(client, TEAM, {"name": "Others"}, "k")
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert post(client, TEAM, {"name": "x"}, "k" * 65).status_code == 422


def test_a_refusal_leaves_the_key_free(phase: Phase, ben: User) -> None:
    client = bearer(ben, "submit")
    assert post(client, TEAM, {"name": ""}, "k").status_code == 422
    assert post(client, TEAM, {"name": "Bens"}, "k").status_code == 201


def test_a_claim_of_a_version_that_kept_them_apart_holds_nobody_up(
    phase: Phase, ben: User
) -> None:
    row = {"user": ben, "address": TEAM, "key": "k", "request_sha256": "0" * 64}
    KeptAnswer.objects.create(**row)
    assert post(bearer(ben, "submit"), TEAM, {"name": "Bens"}, "k").status_code == 201


def test_of_two_at_once_the_second_has_the_answer_of_the_first(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, data = bearer(ada, "organize"), zipped(bundle().files).read()
    opened, firsts = views_of_tasks.open_bundle, []

    def send() -> Any:
        sent = {"bundle": SimpleUploadedFile("task.zip", data)}
        return post(client, TASKS, sent, "k")

    def overtaken(*given: Any) -> Any:
        monkeypatch.setattr(views_of_tasks, "open_bundle", opened)
        firsts.append(send())
        return opened(*given)

    monkeypatch.setattr(views_of_tasks, "open_bundle", overtaken)
    second = send()
    assert firsts[0].status_code == second.status_code == 201
    assert firsts[0].json() == second.json()
    assert second["Idempotent-Replayed"] == "true" and Task.objects.count() == 1


def test_two_people_may_choose_the_same_key(phase: Phase, ben: User, cy: User) -> None:
    for user, name in ((ben, "Bens"), (cy, "Cys")):
        answer = post(bearer(user, "submit"), TEAM, {"name": name}, "k")
        assert answer.json()["team"]["name"] == name


def test_a_team_that_cannot_enter_is_told_why(
    phase: Phase, entry: Participation, ben: User
) -> None:
    answer = post(bearer(ben, "submit"), TEAM, {"name": "Second"})
    assert (answer.status_code, answer.json()["code"]) == (409, "cannot_join")
    assert not Team.objects.filter(name="Second").exists()


def test_a_task_comes_out_of_a_bundle_once(ada: User) -> None:
    client = bearer(ada, "organize")
    data = zipped(bundle().files).read()
    sent = [
        post(client, TASKS, {"bundle": SimpleUploadedFile("task.zip", data)}, "k")
        for _ in range(2)
    ]
    assert [answer.status_code for answer in sent] == [201, 201]
    assert Task.objects.get().organizers.get() == ada
    again = post(client, TASKS, {"bundle": zipped(bundle().files)})
    assert (again.status_code, again.json()["code"]) == (422, "unfit_bundle")
    broken = post(client, TASKS, {"bundle": SimpleUploadedFile("x.zip", b"no zip")})
    assert broken.json()["problems"]
    assert post(client, TASKS, {}).json()["code"] == "invalid"


def test_a_bundle_is_pulled_changed_looked_at_and_pushed(task: Task, ada: User) -> None:
    client = bearer(ada, "organize")
    pulled = client.get(BUNDLE)
    files = members(pulled.content)
    change = {"task": (b"Otter Parsing", b"Otter Trees")}
    looked = post(client, BUNDLE, {"bundle": zipped(files, **change)}).json()
    assert [(one["before"], one["after"]) for one in looked["changes"]] == [
        ("Otter Parsing", "Otter Trees")
    ]
    assert looked["applied"] is False and looked["etag"] == pulled["ETag"]
    match = {"If-Match": pulled["ETag"]}
    done = post(client, BUNDLE, {"bundle": zipped(files, **change)}, **match)
    assert done.json()["applied"] is True
    assert Task.objects.get().title == "Otter Trees"
    late = post(client, BUNDLE, {"bundle": zipped(files)}, **match)
    assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")
    assert client.get(BUNDLE)["ETag"] == done.json()["etag"]


def test_a_bundle_that_came_compressed_may_be_sent_back(
    phase: Phase, ada: User
) -> None:
    """Compressing makes its ETag a weak one."""
    client = bearer(ada, "organize")
    pulled = client.get(BUNDLE, headers={"Accept-Encoding": "gzip"})
    assert pulled["ETag"].startswith("W/")
    files = members(gzip.decompress(pulled.content))
    for given in (pulled["ETag"], "*"):
        done = post(client, BUNDLE, {"bundle": zipped(files)}, **{"If-Match": given})
        assert done.json()["applied"] is True


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_what_stands_against_a_bundle_is_said_and_nothing_done(
    phase: Phase, entry: Participation, ada: User
) -> None:
    scored(phase, entry, both())
    client = bearer(ada, "organize")
    pulled = client.get(BUNDLE)
    change = {"task": (b"seed: 7", b"seed: 8")}
    sent = {"bundle": zipped(members(pulled.content), **change)}
    answer = post(client, BUNDLE, sent, **{"If-Match": pulled["ETag"]})
    assert answer.status_code == 422 and answer.json()["problems"]
    assert Task.objects.get().seed == 7


def test_corrected_gold_is_proposed_and_watched(
    phase: Phase, entry: Participation, ada: User, ben: User
) -> None:
    scored(phase, entry, both())
    client = bearer(ada, "organize")
    fields = {
        "file_north": SimpleUploadedFile("north.conllu", one_wrong()),
        "public_note": "A head was wrong.",
    }
    answer = post(client, GOLD, fields, "k")
    made = answer.json()
    assert (answer.status_code, made["number"], made["state"]) == (201, 2, "preparing")
    assert made["progress"] == {"total": 1, "ended": 0, "scored": 0}
    assert [one["number"] for one in client.get(GOLD).json()] == [2, 1]
    assert client.get(f"{GOLD}2/").json() == made
    fields["file_north"] = SimpleUploadedFile("north.conllu", one_wrong())
    other = post(client, GOLD, fields)
    assert (other.status_code, other.json()["code"]) == (409, "cannot_revise")
    assert GoldRevision.objects.count() == 2
    assert bearer(ben, "organize").get(GOLD).status_code == 404


def test_gold_that_cannot_be_used_is_refused_with_its_lines(
    task: Task, ada: User
) -> None:
    fields = {"file_north": SimpleUploadedFile("north.conllu", b"1\tno\n")}
    found = post(bearer(ada, "organize"), GOLD, fields).json()
    assert found["code"] == "unfit_gold" and found["problems"][0]["file"]
    assert post(bearer(ada, "organize"), GOLD, {}).json()["code"] == "invalid"


def test_a_program_learns_all_that_checking_at_home_takes(phase: Phase) -> None:
    found = Client().get(f"{TASK}phases/test/").json()
    assert found["scoring"]["scorer"] == "attachment"
    blind = next(one["blind"] for one in found["files"] if one["name"] == "north")
    data = Client().get(blind["address"].removeprefix("http://testserver"))
    assert b"otter" in data.content and b"kanarienvogel" not in data.content
    assert [one["name"] for one in Client().get(f"{TASK}phases/").json()] == ["test"]


def test_input_stays_closed_until_the_phase_opens(upcoming: Phase, ada: User) -> None:
    address = f"{TASK}test/test-sets/"
    assert [one["blind"] for one in Client().get(address).json()] == [None, None]
    assert Client().get(f"{address}north/blind/").status_code == 404
    assert bearer(ada).get(f"{address}north/blind/").status_code == 200


def test_a_board_is_taken_away_with_a_token_as_on_its_page(
    phase: Phase, entry: Participation, ben: User
) -> None:
    scored(phase, entry, both())
    forms = bearer(ben).get(f"{TASK}test/exports/").json()
    assert {"csv", "json"} <= {one["name"] for one in forms}
    table = bearer(ben).get(f"{TASK}test/exports/csv/?measure=uas").content.decode()
    assert "uas.low" in table
    unknown = bearer(ben).get(f"{TASK}test/exports/doc/")
    assert unknown.status_code == 404
    assert "no “doc” here; expected one of" in unknown.json()["detail"]
