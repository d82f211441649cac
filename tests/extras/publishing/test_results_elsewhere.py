"""Results in files of others' formats keep the rules of those formats.

The rules are written down here, from the published schemas: the programs that check
them need another Python or a gigabyte of packages.
"""

import io
import json
import re
import zipfile
from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.test import Client
from django.utils import timezone

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.archive.deposit import crate, datacite
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase, Task
from tests.exports.conftest import NASTY, renamed, sent, two_sent
from tests.exports.test_formats import BOARD
from tests.leaderboard.small import CANARY

__all__ = ["sent"]
pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
Sent = list[Submission]
Values = dict[str, Any]
UUID4 = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
PLACE = re.compile(rf'data/otters/[^/<>:"\\|?*]+/[^/<>:"\\|?*]+/{UUID4}\.json')
# Members of an aggregate, of schema 0.3.0: required ones, and their types.
AGGREGATE = {
    "schema_version": str,
    "evaluation_id": str,
    "retrieved_timestamp": str,
    "source_metadata": dict,
    "model_info": dict,
    "eval_library": dict,
    "evaluation_results": list,
}
RESULT = {
    "evaluation_result_id": str,
    "evaluation_name": str,
    "source_data": dict,
    "metric_config": dict,
    "score_details": dict,
}


def aggregates(query: str = "") -> dict[str, Values]:
    answer = Client().get(f"{BOARD}.every-eval-ever.zip?{query}")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


def keeps_the_schema(values: Values) -> None:
    assert {name: type(value) for name, value in values.items()} == AGGREGATE
    assert values["schema_version"] == "0.3.0"
    assert values["retrieved_timestamp"].isdigit()
    source = values["source_metadata"]
    assert source["source_type"] in ("documentation", "evaluation_run")
    assert source["source_organization_name"]
    assert source["evaluator_relationship"] in ("first_party", "third_party")
    assert set(values["eval_library"]) >= {"name", "version"}
    model = values["model_info"]
    assert re.fullmatch(r"[^/]+/[^/]+", model["id"]) and model["name"]
    details = model["additional_details"]
    assert details["deployment_type"] == details["model_availability"] == "unknown"
    for result in values["evaluation_results"]:
        assert {name: type(value) for name, value in result.items()} == RESULT
        data = result["source_data"]
        assert data["source_type"] == "url" and data["url"] and data["dataset_name"]
        assert isinstance(result["metric_config"]["lower_is_better"], bool)
        assert set(result["score_details"]) <= {"score", "details", "uncertainty"}
        details |= result["score_details"]["details"] | data["additional_details"]
    details |= (
        source["additional_details"] | values["eval_library"]["additional_details"]
    )
    assert {type(value) for value in details.values()} == {str}


def test_files_of_every_eval_ever_hold_the_scores_and_intervals_of_the_board(
    phase: Phase, sent: Sent
) -> None:
    shown = board(BoardQuery(phase))
    files = aggregates()
    assert len(files) == len(shown.rows) == 2
    found = {}
    for name, values in files.items():
        assert PLACE.fullmatch(name)
        keeps_the_schema(values)
        for result in values["evaluation_results"]:
            score = result["score_details"]
            interval = score["uncertainty"]["confidence_interval"]
            found[result["evaluation_result_id"]] = (
                score["score"],
                interval["lower"],
                interval["upper"],
                interval["confidence_level"],
                score["uncertainty"]["num_samples"],
            )
    assert found == {
        f"{row.submission}/{score.measure.name}": (
            score.exact["value"],
            score.exact["low"],
            score.exact["high"],
            0.95,
            score.exact["informative_units"],
        )
        for row in shown.rows
        for score in row.scores
    }


@pytest.mark.parametrize("name", [*NASTY, "データ", "...", "Con", "data"])
def test_every_name_of_a_team_is_the_name_of_a_folder(sent: Sent, name: str) -> None:
    renamed(sent[0], name)
    for place, values in aggregates("entries=all").items():
        assert PLACE.fullmatch(place)
        parts = place.split("/")[2:4]
        assert "/".join(parts) == values["model_info"]["id"]
        assert not {"con", "data", "unknown"} & {part.lower() for part in parts}


def test_the_same_board_is_the_same_zip(sent: Sent) -> None:
    first, second = (
        Client().get(f"{BOARD}.every-eval-ever.zip").content for _time in range(2)
    )
    assert first == second


def test_results_for_the_hub_name_its_dataset_or_say_that_it_is_missing(
    task: Task, sent: Sent
) -> None:
    text = Client().get(f"{BOARD}.eval-results.yaml").content.decode()
    assert "in place of OWNER/otters" in text
    website = "https://huggingface.co/datasets/otters/parsing"
    Task.objects.filter(pk=task.pk).update(website=website)
    answer = Client().get(f"{BOARD}.eval-results.yaml?entries=all")
    text = answer.content.decode()
    assert "OWNER" not in text
    for model in yaml.safe_load_all(text):
        for result in model:
            # What the Hub knows, and the members that it requires.
            assert set(result) == {"dataset", "value", "date", "source", "notes"}
            assert set(result["dataset"]) == {"id", "task_id"}
            assert result["dataset"]["id"] == "otters/parsing"
            assert isinstance(result["value"], float)
            assert result["source"]["url"].startswith("http")
            assert "95% interval" in result["notes"]


def test_croissant_names_blind_files_with_their_hashes_once_they_are_public(
    task: Task, phase: Phase, sent: Sent
) -> None:
    asked = "/tasks/otters/croissant.json"
    answer = Client().get(asked)
    assert CANARY not in answer.content.decode()
    values = answer.json()
    assert values["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    assert {"name", "description", "license", "url"} <= set(values)
    hashes = {one.public_name: one.blind_sha256 for one in task.test_sets.all()}
    files = values["distribution"]
    assert {one["@id"]: one["sha256"] for one in files} == hashes
    for file in files:
        assert file["@type"] == "cr:FileObject" and file["encodingFormat"]
        path = file["contentUrl"].removeprefix("http://127.0.0.1:8000")
        assert Client().get(path).status_code == 200
    Phase.objects.update(opens=timezone.now() + timedelta(days=1))
    assert Client().get(asked).json()["distribution"] == []


def test_the_publisher_of_a_deposit_is_no_address(task: Task) -> None:
    at = timezone.now()
    assert datacite(task, at)["publisher"] == {"name": "Organizers of Otter Parsing"}
    task.authors = ["Lovelace, Ada"]
    assert datacite(task, at)["publisher"] == {"name": "Organizers of Otter Parsing"}
    task.authors = ["Lovelace, Ada", "The Otter Society"]
    assert datacite(task, at)["publisher"] == {"name": "The Otter Society"}


def test_an_archive_is_a_research_object_of_all_its_files(task: Task) -> None:
    names = ["index.html", "boards/test/rows of é.json"]
    graph = crate(task, timezone.now(), names)["@graph"]
    entities = {entity["@id"]: entity for entity in graph}
    assert len(entities) == len(graph)
    about = entities["ro-crate-metadata.json"]
    assert about["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    root = entities[about["about"]["@id"]]
    assert {"name", "description", "datePublished", "license"} <= set(root)
    parts = [part["@id"] for part in root["hasPart"]]
    assert parts == ["boards/test/rows%20of%20%C3%A9.json", "index.html"]
    named = [*root["hasPart"], *root["author"], root["publisher"]]
    assert {one["@id"] for one in named} <= set(entities)
