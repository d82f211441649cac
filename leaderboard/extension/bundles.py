"""Bundles: a task as files, what a key of one may be, and tasks made of one."""

from leaderboard.organize.bundle import import_plan
from leaderboard.organize.test_sets import check_baselines
from leaderboard.tasks.bundle.dump import bundle_of_plan, plan_of
from leaderboard.tasks.bundle.files import Manifest, YamlTable, read
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.bundle.schema import (
    BundlePart,
    File,
    MeasureName,
    PlainName,
    TaskPlan,
    TestSetPlan,
    Text,
    Title,
    Words,
    expected_error,
    refusal_error,
)

__all__ = [
    "BundlePart",
    "File",  # A value: a file of the bundle.
    "Manifest",
    "MeasureName",  # A value: the name of a measure.
    "PlainName",  # A value: a name of letters, digits and hyphens.
    "TaskPlan",
    "TestSetPlan",
    "Text",  # A value: a text that is not empty.
    "Title",  # A value: a title, else the name.
    "Words",  # A value: a list of texts.
    "YamlTable",
    "bundle_of_plan",
    "check_baselines",
    "expected_error",
    "import_plan",
    "load",
    "plan_of",
    "read",
    "refusal_error",
]
