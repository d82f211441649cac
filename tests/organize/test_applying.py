"""A changed bundle: what it would change, what it may not, and that it does."""

import io
from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.test import Client
from django.utils import timezone

from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import apply, export_bundle, import_plan
from leaderboard.submissions import accept
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.diff import changes
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.bundle.schema import Scoring
from leaderboard.tasks.models import GoldRevision, Notice, Participation, Phase, Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from scoring.errors import SetupError
from scoring.formats.bundle import zip_files
from scoring.source import Source
from tests.campaigns.invariants import violations
from tests.leaderboard.small import (
    both,
    bundle,
    conllu,
    manifest,
    scored,
    upload,
)
from tests.organize.bundles import dev_phase, full_bundle

pytestmark = pytest.mark.django_db
OTHER = conllu((2, 3, 0, 3, 2, 0, 2, 2)).encode()


@pytest.fixture
def sent(phase: Phase, entry: Participation) -> Phase:
    """A phase that something was sent to."""
    scored(phase, entry, both())
    return phase


def same(task: Task, **changes: Any) -> Source:
    """The bundle that the task came from, with the phase's times as they are."""
    phase = task.phases.get()
    kept = {"opens": phase.opens.isoformat(), "closes": str(phase.closes)}
    table = manifest()["phases"][0] | kept
    return bundle(**{"phases": [table], **changes})


def with_file(source: Source, name: str, data: bytes) -> Source:
    return Source(source.name, {**source.files, name: data})


def refusals(task: Task, source: Source, ada: User) -> str:
    before = export_bundle(task).sha256
    with pytest.raises(SetupError) as caught:
        apply(task, load(source), ada)
    assert export_bundle(Task.objects.get(pk=task.pk)).sha256 == before
    return str(caught.value)


def test_its_own_bundle_changes_nothing(task: Task, ada: User) -> None:
    before = whole_plan(task)
    assert changes(before, load(same(task))) != []  # a salt that is not told
    apply(task, load(same(task)), ada)
    again = whole_plan(Task.objects.get(pk=task.pk))
    assert again == before


@pytest.mark.databases("constraints")
def test_a_bundle_turns_one_task_into_another(task: Task, ada: User) -> None:
    """Nothing was sent: everything may change but the address."""
    plan = load(full_bundle(draft=False))
    named = {change.name for change in changes(whole_plan(task), plan)}
    assert {"boards", "fact_sheet", "mail_domains", "prizes"} <= named
    apply(task, plan, ada)
    found = whole_plan(Task.objects.get(pk=task.pk))
    assert [p.name for p in found.phases] == ["dev", "test"]
    assert found.baselines == plan.baselines
    assert (found.boards, found.fact_sheet) == (plan.boards, plan.fact_sheet)
    assert found.scoring == plan.scoring


def test_texts_and_measures_change_at_any_time(
    task: Task, sent: Phase, ada: User
) -> None:
    scorer = {"name": "attachment", "measures": ["uas"], "headline": "uas"}
    apply(task, load(same(task, title="Otters, anew", scorer=scorer)), ada)
    found = Task.objects.get()
    assert (found.title, found.shown_measures) == ("Otters, anew", ["uas"])


def test_another_measure_that_ranks_what_was_sent_is_announced(
    task: Task, sent: Phase, ada: User
) -> None:
    for ranked_by in ("uas", "uas", "las"):
        scorer = {"name": "attachment", "headline": ranked_by}
        apply(task, load(same(task, scorer=scorer)), ada)
    assert list(task.notices.values_list("kind", "text")) == [
        ("rules", "The main board is ranked by LAS from now on, not by UAS."),
        ("rules", "The main board is ranked by UAS from now on, not by LAS."),
    ]


def test_a_scorer_without_the_measures_of_a_board_is_refused(
    task: Task, ada: User
) -> None:
    board = {"name": "trees", "title": "Trees alone", "headline": "uas"}
    apply(task, load(same(task, boards=[board])), ada)
    plan = whole_plan(task)
    other = Scoring.of({"name": "classes", "headline": "accuracy", "unit": "item"})
    with pytest.raises(SetupError, match="“Trees alone” needs the measure 'uas'"):
        apply(task, plan.with_values(scoring=other, test_sets=(), phases=()), ada)
    assert whole_plan(task) == plan


def test_another_measure_that_ranks_a_board_is_announced_by_bundle_and_by_form(
    task: Task, sent: Phase, ada: User, as_user: Any
) -> None:
    board = {"name": "trees", "title": "Trees alone"}
    for headline in ("las", "uas"):
        boards = [board | {"headline": headline}]
        apply(task, load(same(task, boards=boards)), ada)
    fields = {"title": "Trees alone", "headline": "las", "measures": ""}
    page = "/tasks/otters/organize/boards/trees/"
    assert as_user(ada).post(page, fields).status_code == 302
    assert list(task.notices.values_list("text", flat=True)) == [
        "The board “Trees alone” is ranked by LAS from now on, not by UAS.",
        "The board “Trees alone” is ranked by UAS from now on, not by LAS.",
    ]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"scorer": {"name": "conll18"}}, "'scorer'"),
        (
            {"scorer": {"name": "attachment", "options": {"labels": "coarse"}}},
            "'options'",
        ),
        ({"bootstrap": {"resamples": 300, "seed": 7, "level": 0.95}}, "'resamples'"),
        ({"bootstrap": {"resamples": 200, "seed": 8, "level": 0.95}}, "'seed'"),
        ({"slug": "beavers"}, "beavers"),
        ({"phases": [dev_phase() | {"test_sets": ["north", "south"]}]}, "cannot be"),
    ],
)
def test_what_was_scored_cannot_be_broken(
    task: Task, sent: Phase, ada: User, change: dict[str, Any], named: str
) -> None:
    if change.get("scorer", {}).get("name") == "conll18":
        change = {**change, "test_sets": manifest()["test_sets"]}
    assert named in refusals(task, same(task, **change), ada)


def test_a_test_set_with_files_cannot_be_removed(
    task: Task, sent: Phase, ada: User
) -> None:
    only = manifest()["test_sets"][:1]
    said = refusals(task, same(task, test_sets=only), ada)
    assert "test set 'south' cannot be removed" in said
    assert "'test_sets' cannot change" in said


@pytest.mark.databases("constraints")
def test_a_test_set_that_nobody_used_can_go(task: Task, ada: User) -> None:
    apply(task, load(same(task, test_sets=manifest()["test_sets"][:1])), ada)
    assert [t.name for t in task.test_sets.all()] == ["north"]


def test_a_blind_file_in_use_cannot_change(task: Task, sent: Phase, ada: User) -> None:
    blind = task.test_sets.get(name="north").blind().single()
    sets = manifest()["test_sets"]
    sets[0]["blind"] = "blind.conllu"
    source = with_file(same(task, test_sets=sets), "blind.conllu", b"# hello\n" + blind)
    assert "input file cannot change" in refusals(task, source, ada)


def test_new_gold_replaces_the_old_while_nothing_was_sent(
    task: Task, ada: User
) -> None:
    source = with_file(same(task), "gold/north.conllu", OTHER)
    apply(task, load(source), ada)
    revision = task.gold_revisions.get()
    assert revision.files.get(test_set__name="north").source().single() == OTHER


@pytest.mark.databases("constraints")
def test_new_gold_of_a_test_set_in_use_becomes_a_draft_revision(
    task: Task, sent: Phase, ada: User
) -> None:
    source = with_file(same(task), "gold/north.conllu", OTHER)
    apply(task, load(source), ada)
    draft = GoldRevision.objects.get(task=task, number=2)
    assert draft.live_at is None
    assert draft.files.get(test_set__name="north").source().single() == OTHER
    assert Phase.objects.get().gold_revision.number == 1


@pytest.mark.databases("constraints")
def test_a_test_set_that_is_added_is_in_every_revision(
    task: Task, sent: Phase, ada: User
) -> None:
    sets = [*manifest()["test_sets"], {"name": "west", "gold": "gold/south.conllu"}]
    table = {"opens": sent.opens.isoformat(), "closes": str(sent.closes)}
    phase = manifest()["phases"][0] | table | {"test_sets": ["north", "south"]}
    source = with_file(same(task), "gold/north.conllu", OTHER)
    apply(task, load(source), ada)
    source = with_file(
        bundle(test_sets=sets, phases=[phase]),
        "gold/north.conllu",
        task.gold_revisions.get(number=1)
        .files.get(test_set__name="north")
        .source()
        .single(),
    )
    apply(task, load(source), ada)
    counted = [revision.files.count() for revision in task.gold_revisions.all()]
    assert counted == [3, 3]


@pytest.mark.databases("constraints")
def test_a_later_end_is_announced(task: Task, sent: Phase, ada: User) -> None:
    assert sent.closes
    later = (sent.closes + timedelta(days=2)).isoformat()
    table = manifest()["phases"][0] | {"opens": sent.opens.isoformat(), "closes": later}
    apply(task, load(bundle(phases=[table])), ada)
    assert "Test now ends" in Notice.objects.get(kind="deadline").text


def timed(task: Task, name: str = "test", **times: Any) -> Source:
    """The task's bundle with other times of a phase."""
    table = manifest()["phases"][0]
    phase = task.phases.get(name=name)
    kept = {"opens": phase.opens, "closes": phase.closes}
    said = {key: moment.isoformat() for key, moment in (kept | times).items()}
    return bundle(phases=[table | said])


@pytest.mark.parametrize("key", ["closes", "freeze_from", "reveal_at"])
def test_no_time_that_others_rely_on_moves_into_the_past(
    task: Task, sent: Phase, ada: User, key: str
) -> None:
    moment = timezone.now() - timedelta(seconds=11)
    source = timed(task, **{key: moment})
    if key == "reveal_at":  # after the end, which is over
        ends = timezone.now() - timedelta(hours=1)
        Phase.objects.update(closes=ends)
        Submission.objects.update(received_at=ends - timedelta(hours=1))
        source = timed(task, reveal_at=moment)
    lines = source.files["task.yaml"].decode().splitlines()
    (line,) = (n for n, text in enumerate(lines, 1) if f" {key}:" in text)
    assert f"task.yaml:{line}: phase 'test': '{key}': " in refusals(task, source, ada)
    assert violations() == []


@pytest.mark.databases("constraints")
def test_an_end_moves_by_bundle_as_it_does_by_its_page(
    task: Task, sent: Phase, ada: User
) -> None:
    now = timezone.now()
    apply(task, load(timed(task, closes=now + timedelta(hours=1))), ada)
    Phase.objects.update(closes=now - timedelta(hours=1))
    Submission.objects.update(received_at=now - timedelta(hours=2))
    earlier = timed(task, closes=now - timedelta(minutes=90))
    assert "only be moved to later" in refusals(task, earlier, ada)
    apply(task, load(timed(task, closes=now + timedelta(days=1))), ada)
    Phase.objects.update(declared_at=now)
    later = timed(task, closes=now + timedelta(days=2))
    assert "was declared" in refusals(task, later, ada)
    assert violations() == []


def test_times_of_a_draft_that_nobody_sent_anything_to_are_free(ada: User) -> None:
    task = import_plan(load(bundle(draft=True)), ada)
    past = timezone.now() - timedelta(hours=1)
    source = timed(task, closes=past)
    table = yaml.safe_load(source.files["task.yaml"]) | {"draft": True}
    draft = with_file(source, "task.yaml", yaml.safe_dump(table).encode())
    apply(task, load(draft), ada)
    assert task.phases.get().closes == past


def test_what_is_unfair_to_those_who_take_part_is_said_in_public(
    task: Task, sent: Phase, ada: User
) -> None:
    table = manifest()["phases"][0] | {
        "opens": sent.opens.isoformat(),
        "closes": str(sent.closes),
        "counts": "last",
    }
    apply(task, load(bundle(phases=[table])), ada)
    said = Notice.objects.get(kind="rules").text
    assert said.startswith("Test: Another submission of a team may count")


def test_an_extension_by_bundle_counts_from_when_it_was_asked_for(
    task: Task, sent: Phase, entry: Participation, ada: User
) -> None:
    assert sent.closes
    moment = sent.closes + timedelta(seconds=2)
    late = accept.submit(upload(sent, entry, both(), arrived_at=moment))
    later = load(timed(task, closes=sent.closes + timedelta(days=1)))
    apply(task, later, ada, asked_at=sent.closes - timedelta(seconds=0.15))
    late.refresh_from_db()
    assert (late.late, late.admitted_by) == (False, ada)
    assert violations() == []


@pytest.mark.databases("constraints")
def test_baselines_come_and_go_with_the_bundle(task: Task, ada: User) -> None:
    source = full_bundle(draft=False)
    apply(task, load(source), ada)
    task.refresh_from_db()
    assert [one.system for one in whole_plan(task).baselines] == ["first-word"]
    assert "cannot be removed" in refusals(task, same_full_without_dev(task), ada)
    apply(task, load(full_bundle(draft=False, baselines=[])), ada)
    assert whole_plan(task).baselines == ()


def same_full_without_dev(task: Task) -> Source:
    table = [p for p in full_phases() if p["name"] != "dev"]
    return full_bundle(draft=False, phases=table, baselines=[])


def full_phases() -> list[dict[str, Any]]:
    from tests.organize.bundles import test_phase

    return [dev_phase(), test_phase()]


def test_a_bundle_does_not_publish_a_draft(ada: User) -> None:
    task = import_plan(load(full_bundle()), ada)
    assert "does not publish" in refusals(task, full_bundle(draft=False), ada)


# --- the page ---------------------------------------------------------------------

PAGE = "/tasks/otters/organize/bundle/"


def sent_to(client: Client, source: Source) -> Any:
    file = io.BytesIO(zip_files("b.zip", source.files).single())
    file.name = "b.zip"
    return client.post(PAGE, {"bundle": file})


def test_the_page_shows_the_changes_and_applies_them_when_confirmed(
    task: Task, ada: User, client: Client
) -> None:
    client.force_login(ada)
    answer = sent_to(client, same(task, title="Otters, anew"))
    assert answer.status_code == 200
    shown = answer.content.decode()
    assert "Otter Parsing" in shown and "Otters, anew" in shown
    assert Task.objects.get().title == "Otter Parsing"
    token = answer.context["view"].preview.token
    assert client.post(PAGE, {"token": token}).status_code == 302
    assert Task.objects.get().title == "Otters, anew"


@pytest.mark.databases("constraints")
def test_a_task_that_changed_meanwhile_is_shown_again(
    task: Task, ada: User, client: Client
) -> None:
    client.force_login(ada)
    token = sent_to(client, same(task, title="Mine")).context["view"].preview.token
    Task.objects.update(summary="Theirs.")
    answer = client.post(PAGE, {"token": token})
    assert answer.status_code == 200
    assert "changed meanwhile" in answer.content.decode()
    assert Task.objects.get().title == "Otter Parsing"


def test_a_refusal_of_what_was_confirmed_is_listed(
    task: Task, ada: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_args: object) -> None:
        raise Refusal("too many files wait to be checked")

    client.force_login(ada)
    token = sent_to(client, same(task, title="Mine")).context["view"].preview.token
    monkeypatch.setattr("leaderboard.organize.bundle.apply", busy)
    answer = client.post(PAGE, {"token": token})
    assert answer.status_code == 422
    assert "too many files wait to be checked" in answer.content.decode()


def test_a_token_of_another_task_or_none_of_ours_is_refused(
    task: Task, ada: User, client: Client
) -> None:
    client.force_login(ada)
    assert client.post(PAGE, {"token": "made-up"}).status_code == 422


def test_what_stands_against_a_bundle_is_listed(
    task: Task, sent: Phase, ada: User, client: Client
) -> None:
    client.force_login(ada)
    scorer = {"name": "attachment", "unit": "sentence", "options": {"roots": "single"}}
    answer = sent_to(client, same(task, scorer=scorer))
    assert answer.status_code == 422
    shown = answer.content.decode()
    assert "cannot change any more" in shown and "another slug" in shown


def test_gold_is_never_shown_among_the_changes(
    task: Task, ada: User, client: Client
) -> None:
    client.force_login(ada)
    source = with_file(same(task), "gold/north.conllu", OTHER)
    assert "kanarienvogel" not in sent_to(client, source).content.decode()
