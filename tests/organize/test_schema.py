"""The schema of bundles leaves nothing out that a row keeps."""

import io
import json
import warnings
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from jsonschema import ValidationError, validate

from leaderboard.tasks.bundle.schema import (
    BoardPlan,
    Bootstrap,
    PhasePlan,
    QuestionPlan,
    RegistrationPlan,
    TaskPlan,
    TestSetPlan,
    keys_of,
)
from leaderboard.tasks.models import (
    NamedBoard,
    Phase,
    Question,
    RegistrationQuestion,
    Task,
    TestSet,
)
from tests.organize.bundles import full_manifest

DOCS = Path(__file__).parents[2] / "docs"
# Of each row what no bundle says: its own key and place, what came of it since, and
# what stands in the manifest under another name.
ELSEWHERE = {
    Task: {
        "scorer_name",
        "options",
        "judgements",
        "shown_measures",
        "headline",
        "unit",
    },
    TestSet: {"blind_name", "blind_sha256"},
    Phase: {"position"},
    NamedBoard: {"position"},
    Question: {"position"},
    RegistrationQuestion: {"position"},
}
NEVER = {
    Task: {"id", "created_at"},
    TestSet: {"id", "task"},
    NamedBoard: {"id", "task"},
    Question: {"id", "task"},
    RegistrationQuestion: {"id", "task"},
    Phase: {
        "id",
        "task",
        "gold_revision",
        "board_version",
        "oldest_board_version",
        "extended_until",
        "declared_at",
        "declared_by",
    },
}


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        (Task, (TaskPlan, Bootstrap)),
        (TestSet, (TestSetPlan,)),
        (Phase, (PhasePlan,)),
        (NamedBoard, (BoardPlan,)),
        (Question, (QuestionPlan,)),
        (RegistrationQuestion, (RegistrationPlan,)),
    ],
)
def test_every_field_of_a_row_is_in_the_bundle_or_said_to_be_left_out(
    model: type, parts: tuple[type, ...]
) -> None:
    fields = {field.name for field in model._meta.fields}
    said = {key for part in parts for key in keys_of(part)}
    assert fields - said == ELSEWHERE[model] | NEVER[model]


def test_editors_are_given_a_schema_that_the_examples_fit() -> None:
    printed = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call_command("bundle_schema", stdout=printed)
    schema = json.loads(printed.getvalue())
    validate(full_manifest(), schema)
    for path in (DOCS / "examples").rglob("task.yaml"):
        table = yaml.safe_load(path.read_text("utf-8"))
        validate(json.loads(json.dumps(table, default=str)), schema)
    wrong = full_manifest(entry="nobody")
    with pytest.raises(ValidationError, match="nobody"):
        validate(wrong, schema)
