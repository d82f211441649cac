"""Bundles: a task as files, what a key of one may be, and tasks made of one."""

from leaderboard.organize.baselines import send_baselines
from leaderboard.organize.bundle import import_plan
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.bundle.schema import (
    DEFAULT,
    BundlePart,
    PlainName,
    TaskPlan,
    expected,
)

__all__ = [
    "DEFAULT",
    "BundlePart",
    "PlainName",
    "TaskPlan",
    "expected",
    "import_plan",
    "load",
    "send_baselines",
]
