"""The task, entries and phase of the charts' tests."""

from tests.charts.conftest import built, entry, phase, sent, task, world

__all__ = ["built", "entry", "phase", "sent", "task", "world"]
