"""The history of a task: complete, true, without secrets, and not to be changed."""

import json
from collections.abc import Callable

import pytest
from auditlog.registry import auditlog
from django.apps import apps
from django.core.management import call_command
from django.db.models import F, Model
from django.test import Client

from leaderboard.submissions import accept, admin_actions
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import (
    AuditedQuerySet,
    Change,
    GoldFile,
    Organizer,
    Participation,
    Phase,
    Task,
    TestSet,
    changes,
)
from leaderboard.tasks.models.changes import PATHS, WrittenOnce, task_pk_of
from leaderboard.teams.models import Membership, User
from tests.joined import joined
from tests.leaderboard.small import CANARY, both, scored, upload
from tests.organize.crowd import acting, entered, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("json"),
]
Login = Callable[[User], Client]
LEFT_OUT = {
    apps.get_model(app, name): fields
    for app, models in (
        ("tasks", changes.TASKS),
        ("submissions", changes.SUBMISSIONS),
        *joined("WATCHED"),
    )
    for name, (_path, fields) in models.items()
}
# Models of these apps of which no history is kept, with the reason.
NOT_AUDITED = {
    "tasks.Change": "is the history",
    "tasks.PluginScorer": "what a package says of itself, which nobody decides",
    "tasks.Follower": "what one person wants to read; no change of the task",
    "submissions.TeamNote": "a team's own words, which organizers do not see",
    "submissions.SubmittedFile": "written once with its submission, never changed",
    "submissions.SystemDescription": "added to, never changed",
    "submissions.Evaluation": "has its own events",
    "submissions.StoredCounts": "computed",
    "submissions.StoredStatistics": "computed",
    "submissions.StoredBoard": "computed",
    "submissions.BoardRow": "computed",
    "submissions.LastingTests": "computed",
    "submissions.ComputedBoards": "a clock",
    "submissions.Event": "is a history itself",
    "submissions.QuotaCounter": "moved by submissions alone",
    "submissions.QuotaEntry": "moved by submissions alone",
    "submissions.Sweep": "a clock",
    "submissions.LaneRun": "a clock",
}


def changes_of(row: Model) -> list[Change]:
    return list(Change.objects.get_for_object(row).order_by("pk"))


def test_every_model_is_audited_or_left_out_with_a_reason() -> None:
    own = [*apps.get_app_config("tasks").get_models()]
    own += apps.get_app_config("submissions").get_models()
    core = (model for model in own if ".extras." not in model.__module__)
    names = {model._meta.label for model in core if model not in LEFT_OUT}
    assert {name: bool(NOT_AUDITED.get(name)) for name in names} == dict.fromkeys(
        NOT_AUDITED, True
    )


@pytest.mark.parametrize("model", LEFT_OUT, ids=lambda model: model._meta.label)
def test_every_field_is_audited_or_left_out_with_a_reason(model: type[Model]) -> None:
    kept = set(auditlog.get_model_fields(model)["include_fields"])
    left_out = LEFT_OUT[model]
    fields = {field.name for field in model._meta.concrete_fields}
    assert kept | left_out.keys() == fields
    assert not kept & left_out.keys()
    assert all(left_out.values())
    secret = ("salt", "token", "password", "secret")
    assert [name for name in kept if any(word in name for word in secret)] == []


@pytest.mark.parametrize("model", LEFT_OUT, ids=lambda model: model._meta.label)
def test_no_way_into_an_audited_table_goes_past_the_history(model: type[Model]) -> None:
    assert issubclass(model._default_manager._queryset_class, AuditedQuerySet)
    assert PATHS[model]


def test_saving_notes_who_when_before_and_after(
    phase: Phase, ada: User, as_user: Login
) -> None:
    with acting(ada):
        phase.daily_limit = 3
        phase.save()
    change = changes_of(phase)[-1]
    assert change.changes == {"daily_limit": [None, 3]}
    assert (change.actor, change.actor_email) == (ada, "ada@example.org")
    assert change.task_pk == phase.task_id


def test_a_queryset_update_is_noted_for_each_row_it_changed(
    task: Task, entry: Participation
) -> None:
    other = entered(task, "Others", person("o@example.org"), status="pending")
    rows = Participation.objects.filter(status="pending")
    assert rows.update(status="refused", reason="late") == 1
    assert changes_of(other)[-1].changes == {
        "reason": ["", "late"],
        "status": ["pending", "refused"],
    }
    assert "status" not in (changes_of(entry)[-1].changes or {}) or (
        changes_of(entry)[-1].action == Change.Action.CREATE
    )


def test_an_update_with_an_expression_is_noted_with_what_came_of_it(
    phase: Phase,
) -> None:
    Phase.objects.filter(pk=phase.pk).update(position=F("position") + 4)
    assert changes_of(phase)[-1].changes == {"position": [0, 4]}


def test_what_is_left_out_makes_no_line(phase: Phase) -> None:
    before = Change.objects.count()
    Phase.objects.filter(pk=phase.pk).update(board_version=F("board_version") + 1)
    phase.salt = "0" * 32
    phase.save()
    assert Change.objects.count() == before


def test_members_of_a_phase_are_noted_from_both_sides(
    task: Task, phase: Phase, entry: Participation
) -> None:
    phase.chosen.add(entry)
    phase.chosen.clear()
    TestSet.objects.get(name="south").phases.remove(phase)
    found = [one.changes for one in changes_of(phase)[-3:]]
    name = str(entry)
    assert found == [
        {"chosen": {"type": "m2m", "operation": "add", "objects": [name]}},
        {"chosen": {"type": "m2m", "operation": "delete", "objects": [name]}},
        {"test_sets": {"type": "m2m", "operation": "delete", "objects": ["South"]}},
    ]


def test_clearing_names_nobody_of_another_task(
    phase: Phase, entry: Participation
) -> None:
    foreign = Task.objects.create(
        slug="x", title="X", scorer_name="attachment", headline="las"
    )
    entered(foreign, "Strangers", person("s@example.org"))
    phase.chosen.add(entry)
    phase.chosen.clear()
    assert "Strangers" not in json.dumps(changes_of(phase)[-1].changes)


def test_rows_made_in_bulk_and_removed_rows_are_noted(task: Task, cy: User) -> None:
    Organizer.objects.bulk_create([Organizer(task=task, user=cy, role="reviewer")])
    made = Organizer.objects.get(user=cy)
    key = made.pk
    Organizer.objects.filter(user=cy).delete()
    found = Change.objects.filter(object_id=key, content_type__model="organizer")
    assert [one.action for one in found.order_by("pk")] == [0, 2]


@pytest.mark.parametrize("decision", ["admitted", "disqualified", "picked"])
def test_decisions_about_a_submission_are_noted_but_not_its_making(
    over: Phase, phase: Phase, entry: Participation, ada: User, decision: str
) -> None:
    if decision == "admitted":
        sent = accept.submit(upload(over, entry, both()))
        assert changes_of(sent) == []
        admin_actions.admit(sent, ada)
        assert {"late", "admitted_at"} <= (changes_of(sent)[-1].changes or {}).keys()
        return
    Phase.objects.update(closes=None)
    sent = scored(Phase.objects.get(), entry, both())
    if decision == "disqualified":
        admin_actions.disqualify(sent, ada, "copied")
        noted = changes_of(sent)[-1].changes or {}
        assert noted["disqualified_why"] == ["", "copied"]
    else:
        Submission.objects.filter(pk=sent.pk).update(picked=True)
        assert changes_of(sent)[-1].changes == {"picked": [False, True]}


def test_pages_and_the_api_name_who_is_signed_in(
    entry: Participation, ada: User, as_user: Login
) -> None:
    as_user(ada).post(
        f"/tasks/otters/organize/people/{entry.pk}/decide/",
        {"decision": "withdraw", "reason": "asked to"},
    )
    change = changes_of(entry)[-1]
    assert (change.actor, change.way) == (ada, "page")


def test_the_api_names_who_its_request_stands_for(
    entry: Participation, cy: User, as_user: Login
) -> None:
    Membership.objects.create(team=entry.team, user=cy)
    address = "/api/v1/tasks/otters/test/submissions/"
    as_user(cy).post(address, {"system": "x"})
    change = changes_of(entry.participants.get(user=cy))[-1]
    assert (change.actor, change.way) == (cy, "api")


def test_commands_say_which_one_it_was(
    task: Task, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["manage.py", "import_task", "--secret=1"])
    task.title = "Other"
    task.save()
    change = changes_of(task)[-1]
    assert (change.actor, change.way) == (None, "manage.py import_task")


def test_history_is_written_once(task: Task) -> None:
    change = changes_of(task)[0]
    change.object_repr = "nothing"
    for act in (change.save, change.delete, Change.objects.all().delete):
        with pytest.raises(WrittenOnce):
            act()
    with pytest.raises(WrittenOnce):
        Change.objects.update(actor=None)


def test_the_admin_site_shows_history_and_changes_nothing(
    task: Task, as_user: Login
) -> None:
    root = User.objects.create_superuser("root@example.org", "x")
    page = as_user(root)
    change = Change.objects.first()
    assert change is not None
    base = "/admin/tasks/change/"
    assert "Otter" in page.get(base, {"q": "Otter"}).content.decode()
    assert page.get(f"{base}{change.pk}/change/").status_code == 200
    assert page.get(f"{base}add/").status_code == 403
    assert page.post(f"{base}{change.pk}/delete/", {"post": "yes"}).status_code == 403
    assert page.post(f"{base}{change.pk}/change/", {"way": "x"}).status_code == 403


def test_who_did_it_is_known_after_the_account_is_gone(task: Task, cy: User) -> None:
    with acting(cy):
        task.title = "Changed"
        task.save()
    cy.delete()
    change = changes_of(task)[-1]
    assert (change.actor, change.actor_email) == (None, "cy@example.org")


def test_no_secret_is_in_the_history(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    GoldFile.objects.update(changes={"units": [CANARY]})
    ada.set_password("swordfish")
    ada.save()
    kept = json.dumps(list(Change.objects.values()), default=str)
    for secret in (CANARY, phase.salt, ada.password, "swordfish"):
        assert secret not in kept


def test_the_models_know_their_migrations() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_every_audited_row_knows_its_task(
    phase: Phase, entry: Participation, ada: User
) -> None:
    sent = scored(phase, entry, both())
    rows = [phase.task, phase, entry, sent, *GoldFile.objects.all()]
    assert {task_pk_of(row) for row in rows} == {phase.task_id}
