"""The set-up check, what it shows and warns about, and publishing."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.organize import setup_check
from leaderboard.organize.bundle import import_plan
from leaderboard.organize.checklist import remarks
from leaderboard.organize.setup_check import SetupCheck, check_setup
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import GoldFile, Phase, Task
from leaderboard.teams.models import User
from scoring import evaluate
from scoring.engine import Job
from scoring.scorers import get
from scoring.source import Source
from tests.leaderboard.judged import task_beside
from tests.leaderboard.small import bundle, manifest, one_wrong, perfect
from tests.leaderboard.test_every_scorer import bundle_of
from tests.scoring.examples import counting_scorers, examples_of

pytestmark = pytest.mark.django_db
ROOT = "/tasks/otters/organize/"


def form(phase: Phase, **files: bytes) -> dict[str, Any]:
    sent = {
        f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
        for name, data in files.items()
    }
    about = {"system": "first-word", "description": "", "key": uuid4().hex}
    return {**about, "phases": [phase.pk], **sent}


def rows_of(found: SetupCheck, title: str = "North") -> dict[str, Any]:
    one = next(t for t in found.test_sets if t.title == title)
    return {row.title: row for row in one.rows}


def test_the_check_shows_what_the_engine_gives(task: Task, phase: Phase) -> None:
    rows = rows_of(check_setup(task))
    gold = rows["The gold itself"]
    job = Job(get("attachment"), task.parsed_options, "sentence", task.plan(0))
    source = Source.of_bytes("north.conllu", perfect())
    expected = evaluate(job, source, source)
    assert gold.scores[0].value == 100
    assert gold.scores[0].low == expected.measures["las"].low * 100  # type: ignore[operator]
    noisy = rows["A copy with one answer in ten wrong"]
    assert noisy.scores[0].value < 100
    assert (gold.rank, noisy.rank) == (1, 2)
    ranges = {row.rank_range for row in rows.values()}
    assert ranges == {"1–2"}, "two sentences tell nothing apart"


def test_the_check_shows_size_time_and_the_refusal_of_an_empty_file(
    task: Task, phase: Phase
) -> None:
    one = check_setup(task).test_sets[0]
    assert one.blind_bytes == len(task.test_sets.get(name="north").blind().single())
    assert one.seconds > 0
    assert one.refusal[0].code == "empty_file"
    assert one.separation is None  # of two sentences with one mistake in each copy


def test_the_check_of_the_example_says_what_can_be_told_apart(ada: User) -> None:
    """About a tenth of 120 entries differ in each copy: some points of F1 for ten."""
    folder = Path(__file__).parents[2] / "docs" / "examples" / "harbour-log"
    found = check_setup(import_plan(load(Source.of_path(folder)), ada))
    assert found.has_passed and len(found.test_sets) == 3
    first = found.test_sets[0].rows[0]
    assert (first.rank, first.rank_range) == (1, ""), "the rank itself is no range"
    assert list(found.warnings) == []
    for one in found.test_sets:
        assert one.separation is not None and 1 < one.separation < 20
        names = [row.title for row in one.rows]
        assert names[0] == "The gold itself"
        assert names[-1] == "Baseline capital-letters"


def test_the_check_places_the_baselines(phase: Phase, ada_s: Client) -> None:
    ada_s.post(ROOT + "baselines/", form(phase, north=one_wrong()))
    found = check_setup(phase.task)
    assert rows_of(found)["Baseline first-word"].scores[0].value == 87.5
    assert "Baseline first-word" not in rows_of(found, "South")


def test_the_check_is_there_when_one_comes_back_until_the_task_changes(
    ada: User, ada_s: Client
) -> None:
    draft = draft_of(ada)
    address = reverse("organize-check", args=[draft.slug])
    assert "The check passed" not in ada_s.get(address).content.decode()
    done = ada_s.post(address).content.decode()
    assert "The check passed" in done and "The gold itself" in done
    again = ada_s.get(address).content.decode()
    table = done[done.index("<table") : done.rindex("</table>")]
    assert "The check passed" in again and table in again
    draft.title = "Dams"
    draft.save()
    assert "The check passed" not in ada_s.get(address).content.decode()


def test_a_check_of_another_version_is_as_good_as_none(
    ada: User, ada_s: Client
) -> None:
    draft = draft_of(ada)
    address = reverse("organize-check", args=[draft.slug])
    ada_s.post(address)
    cache.set(setup_check._key(draft), [{"name": "north", "of old": 1}])
    assert "The check passed" not in ada_s.get(address).content.decode()


def test_few_units_are_warned_about(task: Task, phase: Phase) -> None:
    assert any("few units (sentence): 2." in one for one in check_setup(task).warnings)


def test_a_measure_of_few_units_is_warned_about_where_scores_are_withheld(
    ada: User,
) -> None:
    example = examples_of("spans")[0]
    source = bundle_of("spans", example)
    task = create_task(source, ada)
    task.shown_measures = ["f1", "f1[PERSON]"]
    task.save()
    assert not any("f1[PERSON]" in one for one in check_setup(task).warnings)
    task.phases.update(policy="blind")
    assert any("f1[PERSON]" in one for one in check_setup(task).warnings)


def test_a_test_set_that_another_phase_tells_of_is_warned_about(
    task: Task, phase: Phase
) -> None:
    _north, south = phase.test_sets.all()
    blind = Phase.objects.get(pk=phase.pk)
    blind.pk, blind.name, blind.title, blind.policy = None, "dark", "Dark", "blind"
    blind.save()
    blind.test_sets.set([south])
    warned = [one for one in check_setup(task).warnings if "withholds" in one]
    assert warned == [
        f"“{south.title}” is in “Dark”, which withholds scores, and in "
        f"“{phase.title}”, which shows them: whoever sends the same file to both reads "
        "there what is withheld."
    ]


def test_everything_unusual_is_listed_with_where_it_is_changed(
    task: Task, phase: Phase
) -> None:
    task.licence, task.contact = "CC-BY-4.0", ""
    task.save()
    GoldFile.objects.update(units=50)  # 20 attempts are 0.4 for each
    week = {"opens": timezone.now() - timedelta(8), "closes": timezone.now()}
    beside(phase, private_share=0.9, **week)
    beside(phase, name="few", title="Few", total_limit=19, closes=None)
    beside(phase, name="many", title="Many", total_limit=20, policy="best", **week)
    dark = {"policy": "blind", "total_limit": 5}
    beside(phase, name="dark", title="Dark", **dark)
    beside(phase, name="last", title="Last", counts="last", **dark)
    beside(phase, name="once", title="Once", policy="blind", total_limit=1)
    listed = {
        (one.weight, one.text[:30], one.place.address.removeprefix(ROOT))
        for one in remarks(task, None)
    }
    other, few, many = (f"phases/{one}/edit/#id_" for one in ("other", "few", "many"))
    assert listed >= {
        ("warning", "“Other” is over already: nobod", other + "closes"),
        ("warning", "“Other” keeps 90% of the units", other + "private_share"),
        ("note", "“Few” has no end: it can have ", few + "closes"),
        ("note", "“Many” shows scores for 20 att", many + "total_limit"),
        ("note", "There is no contact: participa", "about/#id_contact"),
        ("note", "“Dark” is blind and counts the", "phases/dark/edit/#id_counts"),
    }
    assert sum("is blind and counts" in text for _, text, _ in listed) == 1
    assert not any("licence" in text or "“Few” shows" in text for _, text, _ in listed)


def test_errors_whose_worst_value_nobody_declared_are_warned_about(task: Task) -> None:
    def said() -> list[str]:
        found = remarks(Task.objects.get(pk=task.pk), None)
        return [one.text for one in found if "how bad a unit can be" in one.text]

    lines = ["mqm = mean(mqm); lower", "ease = mean(ease)", "w = ratio(a, b); lower"]
    Task.objects.update(judgements=lines)
    (text,) = said()
    assert "in mqm, w:" in text and "“most 25”" in text
    Task.objects.update(judgements=[f"{line}; most 25" for line in lines[::2]])
    assert said() == []


def beside(phase: Phase, **fields: Any) -> Phase:
    """Another phase on the north, like this one but for these fields."""
    other = Phase.objects.get(pk=phase.pk)
    fields = {"pk": None, "name": "other", "title": "Other", **fields}
    for name, value in fields.items():
        setattr(other, name, value)
    other.save()
    other.test_sets.set([phase.test_sets.get(name="north")])
    return other


def test_a_phase_from_which_the_private_score_can_be_subtracted_is_warned_about(
    task: Task, phase: Phase
) -> None:
    beside(phase, private_share=0.5)
    warned = [one for one in check_setup(task).warnings if "subtract" in one]
    assert warned == [
        "“North” has a private part in “Other”, and “Test” shows scores over other "
        "units of it before that part decides: whoever sends the same file to both can "
        "subtract. Take the test set out of one of the two, or let “Test” show nothing "
        "until “Other” is revealed."
    ]


@pytest.mark.parametrize(
    ("fields", "warned"),
    [
        ({"policy": "best"}, 1),
        ({"policy": "blind"}, 0),  # revealed with the other
        ({"policy": "blind", "closes": -1}, 1),
        ({"opens": +4, "closes": +5}, 0),
        ({"who": "organizers"}, 0),
        ({"private_share": 0.5, "salt": "one"}, 0),
        ({"private_share": 0.5, "salt": "another"}, 2),
        ({"private_share": 0.4, "salt": "one"}, 2),
    ],
)
def test_only_what_shows_other_units_in_time_is_warned_about(
    fields: dict[str, Any], warned: int, task: Task, phase: Phase
) -> None:
    for name, value in (("private_share", 0.5), ("salt", "one")):
        setattr(phase, name, value)
    phase.save()
    now = timezone.now()
    days = {k: now + timedelta(days=v) for k, v in fields.items() if type(v) is int}
    beside(phase, **{"private_share": None, **fields, **days})
    assert sum("subtract" in one for one in check_setup(task).warnings) == warned


@pytest.mark.parametrize("number", [0, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", sorted(counting_scorers()))
def test_the_check_runs_for_every_scorer(name: str, number: int, ada: User) -> None:
    for example in examples_of(name)[number : number + 1]:
        found = check_setup(create_task(bundle_of(name, example), ada))
        assert found.has_passed, found
        titles = {row.title for one in found.test_sets for row in one.rows}
        assert len(titles) == 2


def test_gold_that_went_bad_is_shown_to_its_organizer_alone(
    task: Task, phase: Phase, ada_s: Client, cy: User, client: Client
) -> None:
    from leaderboard.tasks import blobs

    broken = perfect().replace(b"\t2\tdet", b"\t9\tdet")
    GoldFile.objects.filter(test_set__name="north").update(sha256=blobs.keep(broken))
    answer = ada_s.post(ROOT + "check/")
    shown = answer.content.decode()
    assert "cannot be scored" in shown
    assert answer.context["found"].test_sets[0].problems[0].line == 2
    client.force_login(cy)
    assert client.post(ROOT + "check/").status_code == 404


@pytest.mark.parametrize(
    ("answers", "remark"),
    [
        (["pos"] * 20, "every answer is the same (20)"),
        ([*(["positive", "negative"] * 10), "positve"], "positve"),
        (["pos", "neg"] * 10, ""),
    ],
)
def test_gold_that_looks_wrong_gets_a_remark_for_its_organizer(
    answers: list[str], remark: str, ada: User, ada_s: Client
) -> None:
    rows = [f"{n},{answer}" for n, answer in enumerate(answers)]
    gold = "\n".join(["id,label", *rows, ""])
    source = Source.of_bytes("gold.csv", gold.encode())
    example = replace(examples_of("classes")[0], gold=source, options={})
    task = create_task(bundle_of("classes", example), ada)
    shown = ada_s.post(f"/tasks/{task.slug}/organize/check/").content.decode()
    assert ("Remarks on the gold" in shown) == bool(remark)
    assert remark in shown


@pytest.mark.usefixtures("sandbox_inline")
def test_measures_that_nobody_has_judged_yet_are_not_available(ada: User) -> None:
    row = check_setup(task_beside(ada)).test_sets[0].rows[0]
    values = {score.measure.name: score.value for score in row.scores}
    assert values["accuracy"] == 100
    assert values["adequacy"] is values["errors"] is None


def draft_of(ada: User, **changes: Any) -> Task:
    return create_task(bundle(draft=True, **changes), ada)


def test_a_draft_that_passes_is_published(ada: User, ada_s: Client) -> None:
    task = draft_of(ada)
    assert Client().get("/tasks/otters/").status_code == 404
    assert ada_s.post(ROOT + "publish/").status_code == 302
    task.refresh_from_db()
    assert not task.draft
    assert Client().get("/tasks/otters/").status_code == 200
    assert ada_s.post(ROOT + "publish/").status_code == 302  # again: nothing happens


def test_a_task_without_phases_or_test_sets_is_not_published(
    ada: User, ada_s: Client
) -> None:
    create_task(bundle(draft=True, phases=[]), ada)
    answer = ada_s.post(ROOT + "publish/")
    assert answer.status_code == 422
    assert "There is no phase" in answer.content.decode()
    assert Task.objects.get().draft


def test_what_is_left_to_do_leads_to_its_page(ada: User, ada_s: Client) -> None:
    create_task(bundle(draft=True, phases=[], test_sets=[]), ada)
    shown = ada_s.get(ROOT).content.decode()
    for page in ("test-sets/", "phases/", "baselines/", "check/"):
        assert f'<a href="{ROOT}{page}">' in shown
    assert manifest()["title"] in shown


def test_what_is_written_while_the_check_runs_stays_and_is_not_published_unchecked(
    draft: Task, ada_s: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(task: Task) -> SetupCheck:
        Task.objects.filter(pk=task.pk).update(title="Dams")
        return SetupCheck((), (), ())

    monkeypatch.setattr(setup_check, "check_setup", slowly)
    ada_s.post(reverse("organize-publish", args=[draft.slug]))
    draft.refresh_from_db()
    assert (draft.title, draft.draft) == ("Dams", True)  # to be checked again
