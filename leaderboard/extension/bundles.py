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

# A key of an extra is read, checked and refused as the site's own keys.
__all__ = [
    "BundlePart",
    "File",  # A value: a file of the bundle.
    "MeasureName",  # A value: the name of a measure.
    "PlainName",  # A value: a name of letters, digits and hyphens.
    "Text",  # A value: a text that is not empty.
    "Title",  # A value: a title, else the name.
    "Words",  # A value: a list of texts.
    "expected_error",
    "refusal_error",
]
# Tasks are made of plans, and written as bundles, in one way.
__all__ += [
    "TaskPlan",
    "TestSetPlan",
    "bundle_of_plan",
    "check_baselines",
    "import_plan",
    "load",
    "plan_of",
]
# Bundles of other sites are YAML with the same traps.
__all__ += ["Manifest", "YamlTable", "read"]
