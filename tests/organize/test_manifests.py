"""What task.yaml may say, and how every mistake in it is named with its line."""

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from leaderboard.tasks.bundle import schema
from leaderboard.tasks.bundle.dump import bundle_of_plan
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.bundle.schema import keys_of
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.errors import Problem, SetupError
from scoring.source import Source
from tests.leaderboard.channels import bearer
from tests.organize.bundles import dev_phase, full_bundle, full_manifest, written


def problems(source: Source) -> list[Problem]:
    with pytest.raises(SetupError) as caught:
        load(source)
    return list(caught.value.problems)


def line_with(source: Source, text: str, after: str = "") -> int:
    lines = list(enumerate(source.files["task.yaml"].decode().split("\n"), 1))
    start = next(i for i, line in lines if after in line)
    return next(i for i, line in lines[start - 1 :] if text in line)


def with_phase(**changes: Any) -> Source:
    return full_bundle(phases=[dev_phase() | changes])


def test_every_key_of_the_manifest_arrives_in_the_plan() -> None:
    plan = load(full_bundle())
    assert (plan.draft, plan.entry, plan.prizes) == (True, "approval", 3)
    assert plan.margin == 0.5
    assert (plan.mail_domains, plan.allows_anonymous) == (("example.org",), True)
    dev, test = plan.phases
    assert (dev.counts, dev.daily_limit, dev.total_limit) == ("last", 5, 50)
    assert (dev.paused, dev.paused_note) == (True, "Back on Monday.")
    assert test.policy == "best"
    assert (test.private_share, test.salt) == (0.5, "drop of sea water")
    assert (test.who, test.test_sets) == ("chosen", ("north", "south"))
    assert plan.boards[0].test_sets == ("south",)
    assert plan.fact_sheet[0].public is True
    assert plan.baselines[0].files["north"].name == "north.conllu"


def test_a_time_without_offset_is_on_the_clocks_of_the_phase() -> None:
    dev = load(full_bundle()).phases[0]
    assert dev.opens == datetime(2026, 3, 1, 8, tzinfo=UTC)
    summer = load(with_phase(opens="2026-07-01 09:00", closes=None, total_limit=None))
    assert summer.phases[0].opens == datetime(2026, 7, 1, 7, tzinfo=UTC)


@pytest.mark.parametrize("title", ["AoE", "AOE", "Etc/GMT+12"])
def test_anywhere_on_earth_has_a_name(title: str) -> None:
    plan = load(with_phase(time_zone=title, closes="2031-05-01 23:59"))
    assert plan.phases[0].closes == datetime(2031, 5, 2, 11, 59, tzinfo=UTC)
    assert b"time_zone: AoE" in bundle_of_plan(plan).files["task.yaml"]


@pytest.mark.parametrize(
    ("opens", "said"),
    [("2027-03-28 02:30", "never show"), ("2027-10-31 02:30", "twice")],
)
def test_a_time_that_a_change_of_clocks_spoils_is_refused(
    opens: str, said: str
) -> None:
    source = with_phase(opens=opens)
    (problem,) = problems(source)
    assert said in problem.message
    assert problem.line == line_with(source, opens)


@pytest.mark.parametrize(
    "closes",
    [
        "9999-12-31 23:59",
        "9999-12-31T23:59:00Z",
        "0001-01-01 00:00",
        "1999-12-31 12:00",
    ],
)
def test_a_time_where_the_calendar_ends_is_refused(closes: str) -> None:
    (found,) = problems(with_phase(closes=closes))
    assert "expected a time from 2000 to 2100" in found.message


@pytest.mark.parametrize(
    ("changes", "key", "near"),
    [
        ({"synthethic": True}, "synthethic", "'synthetic'"),
        ({"scorer": {"name": "attachment", "messures": []}}, "messures", "'measures'"),
        ({"bootstrap": {"sead": 1}}, "sead", "'seed'"),
        ({"phases": [dev_phase() | {"close": "2030-01-01"}]}, "close:", "'closes'"),
        ({"boards": [{"name": "a", "titel": "b"}]}, "titel", "'title'"),
        ({"fact_sheet": [{"name": "a", "typ": "b"}]}, "typ", "one of"),
    ],
)
def test_an_unknown_key_is_named_with_its_line_and_the_nearest(
    changes: dict[str, Any], key: str, near: str
) -> None:
    source = full_bundle(**changes)
    found = next(p for p in problems(source) if key.rstrip(":") in p.message)
    assert near in found.message
    assert found.line == line_with(source, key)


@pytest.mark.parametrize("key", ["test_sets", "phases", "boards", "fact_sheet"])
def test_a_name_that_is_there_twice_is_named_with_its_line(key: str) -> None:
    known = full_manifest()[key]
    name = known[0]["name"]
    source = full_bundle(**{key: [*known, dict(known[0])]})
    (found,) = (one for one in problems(source) if "is taken" in one.message)
    assert f"{key}, number {len(known) + 1}: 'name'" in found.message
    assert f"'{name}' is taken" in found.message
    lines = source.files["task.yaml"].decode().split("\n")
    assert lines[found.line - 1].strip(" -") == f"name: {name}"
    assert lines[: found.line - 1].count(lines[found.line - 1]) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("policy", "secret"),
        ("time_zone", "Europe/Atlantis"),
        ("daily_limit", 0),
        ("private_share", 0.95),
        ("counts", "worst"),
        ("paused", "perhaps"),
        ("freeze_from", "2031-01-01 00:00"),
        ("name", "not a slug"),
        ("name", "submissions"),
        ("test_sets", ["west"]),
    ],
)
def test_a_wrong_value_of_a_phase_is_named_with_its_line(
    key: str, value: object
) -> None:
    source = with_phase(**{key: value})
    found = next(p for p in problems(source) if f"'{key}'" in p.message)
    assert found.line == line_with(source, f"{key}:", after="phases:")


ROUNDED = [
    {"publication": "ladder"},
    {"publication": "ladder", "step": 2.0},
    {"publication": "grid", "step": 0.5},
    {"publication": "grid"},
    {"publication": "exact", "step": 0.5},
    {"step": 0.5},
]
NO_MORE = "scores are no longer rounded to a grid or published as a ladder: remove"


@pytest.mark.parametrize("keys", ROUNDED)
def test_a_bundle_that_rounds_scores_is_refused_with_one_sentence(
    keys: dict[str, Any],
) -> None:
    source = with_phase(**keys)
    (found,) = problems(source)
    (key, *_others) = keys
    assert f"'{key}': {NO_MORE}" in found.message
    assert found.line == line_with(source, f"{key}:", after="phases:")


@pytest.mark.django_db
@pytest.mark.usefixtures("sandbox_inline", "no_queue")
def test_form_api_and_command_refuse_a_bundle_that_rounds_scores(
    ada: User, as_user: Any, tmp_path: Path
) -> None:
    packed = zipfile_of(with_phase(publication="ladder"))
    form = as_user(ada).post("/tasks/new/", {"bundle": uploaded(packed)})
    assert form.status_code == 422
    assert NO_MORE in form.content.decode()
    client = bearer(ada, "organize")
    answer = client.post("/api/v1/tasks/", {"bundle": uploaded(packed)})
    assert answer.status_code == 422
    (problem,) = answer.json()["problems"]
    assert NO_MORE in problem["message"]
    path = tmp_path / "task.zip"
    path.write_bytes(packed)
    with pytest.raises(CommandError, match=NO_MORE):
        call_command("import_task", str(path), organizer=ada.email)
    assert not Task.objects.exists()


def zipfile_of(source: Source) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data in source.files.items():
            archive.writestr(name, data)
    return whole.getvalue()


def uploaded(data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("task.zip", data)


def test_a_bundle_of_an_earlier_version_may_say_that_scores_are_exact() -> None:
    plan = load(with_phase(publication="exact", step=None))
    assert plan == load(with_phase())


def test_a_bundle_with_a_series_of_test_sets_is_refused_with_one_sentence() -> None:
    months = {"name": "months", "title": "Months", "phases": ["dev", "test"]}
    source = full_bundle(series=[months])
    (found,) = problems(source)
    assert found.message == (
        "'series': scores of several test sets are no longer put on one scale: remove "
        "'series' from the bundle; each phase keeps a board of its own"
    )
    assert found.line == line_with(source, "series:")


def test_a_bundle_of_an_earlier_version_may_list_no_series() -> None:
    assert load(full_bundle(series=[])) == load(full_bundle())


def test_all_mistakes_are_told_at_once() -> None:
    source = full_bundle(prizes=-1, entry="nobody", boards=[{"name": "A!"}])
    said = " ".join(map(str, problems(source)))
    assert all(word in said for word in ("'prizes'", "'entry'", "'name'"))
    scorer = {"name": "attachment", "headline": "bleu", "options": {"labels": "x"}}
    phase = dev_phase() | {"policy": "secret", "test_sets": ["west"]}
    said = " ".join(map(str, problems(full_bundle(scorer=scorer, phases=[phase]))))
    wrong = ("'headline'", "'labels'", "'policy'", "'test_sets'")
    assert all(word in said for word in wrong)


@pytest.mark.parametrize("value", [0, -0.5, float("nan"), float("inf"), "wide", True])
def test_a_margin_is_a_number_above_nothing(value: object) -> None:
    source = full_bundle(margin=value)
    (found,) = problems(source)
    assert "'margin'" in found.message
    assert found.line == line_with(source, "margin:")


def test_a_key_that_is_there_twice_is_refused_with_both_lines() -> None:
    text = "plumbline: 1\nslug: otters\nslug: beavers\n"
    (problem,) = problems(Source("x", {"task.yaml": text.encode()}))
    assert (problem.line, "line 2" in problem.message) == (3, True)


def test_a_time_that_does_not_exist_is_refused_with_its_line() -> None:
    text = "plumbline: 1\nslug: 2026-13-01T00:00:00Z\n"
    (problem,) = problems(Source("x", {"task.yaml": text.encode()}))
    assert problem.line == 2


def test_aliases_cannot_make_a_short_file_endless() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    (problem,) = problems(Source("x", {"task.yaml": "\n".join(rows).encode()}))
    assert "values" in problem.message


def test_the_words_of_the_site_are_no_slugs() -> None:
    assert "'slug'" in problems(full_bundle(slug="new"))[0].message


def test_a_baseline_that_cannot_be_scored_is_told_with_its_line() -> None:
    table = full_manifest()
    broken = b"1\tthe\t_\t_\t_\t_\tx\tdet\t_\t_\n\n"
    found = problems(written(table, **{"baselines/north.conllu": broken}))
    assert found[0].file == "north.conllu"
    assert found[0].line == 1


def test_what_the_models_forbid_is_told_with_its_line() -> None:
    source = full_bundle(title="x" * 121)
    (problem,) = problems(source)
    assert problem.line == line_with(source, "title: xxx")


def test_numbers_are_taken_as_titles() -> None:
    assert load(full_bundle(title=2030)).title == "2030"


def test_the_documents_name_every_key() -> None:
    docs = Path(__file__).parents[2] / "docs"
    text = (docs / "organizers" / "bundle.md").read_text("utf-8")
    table = yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0])
    assert set(table) == set(keys_of(schema.TaskPlan))
    assert set(table["scorer"]) == set(keys_of(schema.Scoring))
    assert set(table["bootstrap"]) == set(keys_of(schema.Bootstrap))
    for key, known in {
        "test_sets": keys_of(schema.TestSetPlan),
        "phases": keys_of(schema.PhasePlan),
        "boards": keys_of(schema.BoardPlan),
        "fact_sheet": keys_of(schema.QuestionPlan),
        "registration": keys_of(schema.RegistrationPlan),
        "baselines": keys_of(schema.BaselinePlan),
    }.items():
        assert {name for one in table[key] for name in one} == set(known), key


def test_the_manifest_of_the_tests_has_every_key() -> None:
    assert set(full_manifest()) == set(keys_of(schema.TaskPlan))
    keys = {key for phase in full_manifest()["phases"] for key in phase}
    assert keys == set(keys_of(schema.PhasePlan))
    assert yaml.safe_load(full_bundle().files["task.yaml"])
