"""Export gives back what import took: the same plan, the same bytes."""

import io
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import export_bundle, import_plan
from leaderboard.tasks.bundle.create import create
from leaderboard.tasks.bundle.dump import bundle_of_plan, pack_bundle, plan_of
from leaderboard.tasks.bundle.files import unzip
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.bundle.schema import TaskPlan
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from leaderboard.teams.names import BLANK, INVISIBLE, check_display_name
from scoring.source import Source
from tests.leaderboard.small import bundle
from tests.leaderboard.test_every_scorer import bundle_of
from tests.loops import loop_over
from tests.organize.bundles import full_bundle
from tests.scoring.examples import counting_scorers, examples_of


def _is_title(text: str) -> bool:
    try:
        check_display_name(text)
    except ValidationError:
        return False
    return True


WORDS = (
    st.text(
        st.characters(
            codec="utf-8",
            exclude_categories=sorted(INVISIBLE),
            exclude_characters=sorted(BLANK),
        ),
        min_size=1,
        max_size=40,
    )
    .map(str.strip)
    .filter(bool)
    .filter(_is_title)
)
NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,12}", fullmatch=True)
MOMENTS = st.datetimes(
    datetime(2001, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)
)
ZONES = st.sampled_from(["UTC", "AoE", "Europe/Prague", "Asia/Kathmandu"])


@st.composite
def phases(draw: st.DrawFn, name: str) -> dict[str, Any]:
    opens = draw(MOMENTS)
    closes = opens + timedelta(hours=draw(st.integers(1, 9000)))
    later = st.integers(0, 9000).map(lambda n: closes + timedelta(hours=n))
    table = {
        "name": name,
        "title": draw(WORDS),
        "opens": opens.isoformat(),
        "closes": closes.isoformat(),
        "time_zone": draw(ZONES),
        "policy": draw(st.sampled_from(["open", "best", "blind"])),
        "reveal_at": draw(st.none() | later.map(datetime.isoformat)),
        "private_share": draw(st.none() | st.floats(0.1, 0.9)),
        "salt": draw(st.from_regex(r"[0-9a-f]{1,32}", fullmatch=True)),
        "counts": draw(st.sampled_from(["best", "last", "chosen"])),
        "daily_limit": draw(st.none() | st.integers(1, 10_000)),
        "total_limit": draw(st.none() | st.integers(1, 10_000)),
        "who": draw(st.sampled_from(["participants", "chosen", "organizers"])),
        "paused": draw(st.booleans()),
        "test_sets": draw(st.sampled_from([["north"], ["south"], ["north", "south"]])),
    }
    return {key: value for key, value in table.items() if value is not None}


@st.composite
def bundles(draw: st.DrawFn) -> Source:
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    facts = draw(st.lists(NAMES, max_size=2, unique=True))
    changes = {
        "title": draw(WORDS),
        "summary": draw(WORDS),
        "synthetic": draw(st.booleans()),
        "draft": draw(st.booleans()),
        "prizes": draw(st.integers(0, 99)),
        "margin": draw(st.none() | st.floats(0.0001, 100)),
        "bootstrap": {
            "resamples": draw(st.integers(100, 300)),
            "seed": draw(st.integers(0, 2**31 - 1000)),
            "level": draw(st.floats(0.5, 0.999)),
        },
        "phases": [draw(phases(name)) for name in names],
        "fact_sheet": [{"name": name, "title": draw(WORDS)} for name in facts],
        "baselines": [],
    }
    found = full_bundle(**changes)
    text = draw(st.sampled_from(["", "# A\n\nb", "Ünder *ein* Dach\r\n\r\nzwei"]))
    return Source("x", {**found.files, "description.md": text.encode()})


@settings(max_examples=25, deadline=None)
@given(bundles())
def test_reading_what_was_written_gives_the_plan_again(source: Source) -> None:
    plan = load(source)
    again = load(bundle_of_plan(plan))
    assert again == plan
    assert pack_bundle(again).single() == pack_bundle(plan).single()


@pytest.mark.thorough
@pytest.mark.django_db
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(bundles())
def test_a_task_in_the_database_says_what_its_bundle_said(source: Source) -> None:
    plan = load(source)
    task = create(plan, None)
    assert plan_of(Task.objects.get(pk=task.pk)) == plan
    put_aside(task)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "part", [slice(1), pytest.param(slice(1, None), marks=pytest.mark.thorough)]
)
@loop_over("name", sorted(counting_scorers()))
def test_files_of_every_scorer_survive(name: str, part: slice) -> None:
    """Golds of several files and files among the options among them."""
    for example in examples_of(name)[part]:
        plan = with_salts(load(bundle_of(name, example)))
        task = create(plan, None)
        again = load(unzip("x.zip", io.BytesIO(pack_bundle(plan_of(task)).single())))
        assert again == plan
        put_aside(task)


def put_aside(task: Task) -> None:
    """Its slug is free for the next."""
    Task.objects.filter(pk=task.pk).update(slug=f"aside-{task.pk}")


def with_salts(plan: TaskPlan) -> TaskPlan:
    return plan.with_values(phases=tuple(p.with_values(salt="s") for p in plan.phases))


@pytest.mark.django_db
def test_a_whole_task_goes_out_and_comes_in_again(ada: User) -> None:
    task = import_plan(load(full_bundle()), ada)
    before = export_bundle(task)
    plan = whole_plan(task)
    assert [one.system for one in plan.baselines] == ["first-word"]
    assert export_bundle(task).single() == before.single()
    Task.objects.update(slug="older")
    again = import_plan(load(unzip("x.zip", io.BytesIO(before.single()))), ada)
    assert whole_plan(again) == plan


@pytest.mark.django_db
def test_every_database_gives_the_same_bytes(ada: User, client: Client) -> None:
    """Options are in the order in which the scorer declares them.

    One database keeps a table in the order in which it was written, the other does not.
    """
    written = {"punctuation": "drop", "roots": "any", "labels": "coarse"}
    scorer = {"name": "attachment", "options": written, "headline": "las"}
    plan = with_salts(load(bundle(scorer=scorer)))
    task = Task.objects.get(pk=create(plan, ada).pk)
    taken = export_bundle(task)
    assert taken.single() == pack_bundle(plan).single()
    with zipfile.ZipFile(io.BytesIO(taken.single())) as archive:
        manifest = yaml.safe_load(archive.read("task.yaml"))
    declared = [one.name for one in task.scorer.options if one.name in written]
    assert list(manifest["scorer"]["options"]) == declared
    assert declared != list(written)
    told = client.get("/api/v1/tasks/otters/phases/test/").json()["scoring"]["options"]
    assert list(told) == declared


@pytest.mark.django_db
def test_the_command_writes_a_folder_and_a_zip(tmp_path: Path, ada: User) -> None:
    import_plan(load(full_bundle()), ada)
    call_command("export_task", "otters", str(tmp_path / "otters.zip"))
    call_command("export_task", "otters", str(tmp_path / "otters"))
    assert load(Source.of_path(tmp_path / "otters")).prizes == 3
    with (tmp_path / "otters.zip").open("rb") as file:
        assert load(unzip("otters.zip", file)).prizes == 3
    for written in (tmp_path / "otters.zip", tmp_path / "otters"):
        assert not written.stat().st_mode & 0o077  # it holds the gold
    with pytest.raises(CommandError, match="already"):
        call_command("export_task", "otters", str(tmp_path / "otters"))
    with pytest.raises(CommandError, match="nothing"):
        call_command("export_task", "nothing", str(tmp_path / "x"))


@pytest.mark.django_db
def test_organizers_take_the_bundle_away(task: Task, ada: User, client: Client) -> None:
    client.force_login(ada)
    answer = client.get("/tasks/otters/organize/bundle/download/")
    assert answer["Cache-Control"] == "private, no-store"
    assert load(unzip("x.zip", io.BytesIO(answer.content))).slug == "otters"
