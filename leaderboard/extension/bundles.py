"""Bundles: a task as files, what a key of one may be, and tasks made of one."""

from leaderboard.organize.baselines import send_baselines
from leaderboard.organize.bundle import import_plan
from leaderboard.organize.test_sets import check_baselines
from leaderboard.tasks.bundle.create import Draft, create_task, free_slug
from leaderboard.tasks.bundle.dump import bundle_of_plan, plan_of
from leaderboard.tasks.bundle.files import (
    MANIFEST,
    MOST_MANIFEST_BYTES,
    YamlTable,
    bundle_of,
    read,
)
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.bundle.schema import (
    DEFAULT,
    FORMAT,
    RESERVED_SLUGS,
    BundlePart,
    File,
    MeasureName,
    PlainName,
    ShortTitle,
    TaskPlan,
    TestSetPlan,
    Text,
    Title,
    Whole,
    Words,
    errors_at,
    expected_error,
    refusal_error,
)
from leaderboard.tasks.models.task import LONGEST_CHOICE, MOST_CHOICES
from leaderboard.tasks.phase_rules import RESERVED, YEARS, both

__all__ = [
    "DEFAULT",  # A field that validators fill in.
    "FORMAT",  # The number of the format.
    "LONGEST_CHOICE",  # Characters of a choice of a question.
    "MANIFEST",  # The name of the first file.
    "MOST_CHOICES",  # Choices of a question.
    "MOST_MANIFEST_BYTES",  # Bytes of the first file.
    "RESERVED",  # Names that no phase has.
    "RESERVED_SLUGS",  # Slugs that no task has.
    "YEARS",  # Years of dates.
    "BundlePart",
    "Draft",
    "File",  # A value: a file of the bundle.
    "MeasureName",  # A value: the name of a measure.
    "PlainName",  # A value: a name of letters, digits and hyphens.
    "ShortTitle",  # A value: a title of 120 characters at most.
    "TaskPlan",
    "TestSetPlan",
    "Text",  # A value: a text that is not empty.
    "Title",  # A value: a title, else the name.
    "Whole",  # A value: a whole number, no text and no boolean.
    "Words",  # A value: a list of texts.
    "YamlTable",
    "both",
    "bundle_of",
    "bundle_of_plan",
    "check_baselines",
    "create_task",
    "errors_at",
    "expected_error",
    "free_slug",
    "import_plan",
    "load",
    "plan_of",
    "read",
    "refusal_error",
    "send_baselines",
]
