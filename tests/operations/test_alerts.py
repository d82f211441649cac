"""Each alert rule fires on numbers of a site in that trouble, and on no other."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings as site
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from leaderboard.celery import BOARDS, LANES, UPKEEP
from leaderboard.mail.models import Mail
from leaderboard.operations import readiness
from leaderboard.operations.models import BackupRun
from leaderboard.submissions import accept, leases
from leaderboard.submissions.broker import broker
from leaderboard.submissions.models import Evaluation, LaneRun, Sweep
from leaderboard.tasks.models import Message, Participation, Phase
from tests.leaderboard.small import both, upload
from tests.operations.promql import Sample, evaluate
from tests.transactions import undone

pytestmark = pytest.mark.django_db

DEPLOY = Path(site.BASE_DIR, "deploy")
RULES = DEPLOY / "prometheus" / "alerts.yml"
DASHBOARD = DEPLOY / "grafana" / "plumbline.json"
OURS = re.compile(r"\bplumbline_\w+")


def rules() -> dict[str, dict[str, Any]]:
    (group,) = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def dashboard_expressions() -> list[str]:
    panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


def scraped() -> list[Sample]:
    """Samples of the site as Prometheus stores them now, with `up` as it makes it."""
    answer = Client().get("/metrics")
    good = answer.status_code == 200
    text = answer.content.decode() if good else ""
    job = {"job": "plumbline"}
    return [
        Sample("up", job, float(good)),
        *(
            Sample(one.name, {**one.labels, **job}, one.value)
            for family in text_string_to_metric_families(text)
            for one in family.samples
        ),
    ]


def fired(samples: list[Sample]) -> set[str]:
    return {name for name, rule in rules().items() if evaluate(rule["expr"], samples)}


def hours(number: float) -> Any:
    return timezone.now() - timedelta(hours=number)


class Trouble:
    """A site, and what can happen to it; each is undone after it was looked at."""

    def __init__(self, phase: Phase, entry: Participation, patch: Any) -> None:
        self.phase, self.entry, self.patch = phase, entry, patch

    def PlumblineNotScraped(self) -> None:
        self.patch.setattr(site, "METRICS_TOKEN", "another one")

    def PlumblineDatabaseDown(self) -> None:
        def away() -> None:
            raise DatabaseError

        self.patch.setattr(readiness, "_measure", away)
        # The test itself still needs it.
        self.patch.setattr(readiness.connection, "close", lambda: None)

    def PlumblineFilesDown(self) -> None:
        self.patch.setattr(readiness.blobs, "answers", lambda: False)

    def PlumblineDiskFull(self) -> None:
        self.patch.setattr(readiness, "room_left", lambda: 1_000_000)

    def PlumblineNoWorker(self) -> None:
        accept.submit(upload(self.phase, self.entry, both()))

    def PlumblineNoSweep(self) -> None:
        Sweep.objects.update(at=hours(0.1))

    def PlumblineUpkeepLeftAlone(self) -> None:
        LaneRun.objects.filter(lane=UPKEEP).update(at=hours(0.1))

    def PlumblineBoardsLeftAlone(self) -> None:
        LaneRun.objects.filter(lane=BOARDS).update(at=hours(0.1))

    def PlumblineBrokerDown(self) -> None:
        self.patch.setattr(broker, "answers", lambda: False)

    def PlumblineQueueOld(self) -> None:
        self._waits_beside_running(hours(0.2), heavy=True)

    def PlumblineLightQueueOld(self) -> None:
        self._waits_beside_running(hours(0.1), heavy=False)

    def _waits_beside_running(self, waits_since: Any, heavy: bool) -> None:
        for since in (waits_since, hours(0)):
            sent = accept.submit(upload(self.phase, self.entry, both()))
            sent.evaluations.update(state_since=since, heavy=heavy)
        leases.claim(sent.evaluations.get().pk)

    def PlumblineFailedSystem(self) -> None:
        sent = accept.submit(upload(self.phase, self.entry, both()))
        failing = sent.evaluations.get()
        leases.claim(failing.pk)
        Evaluation.objects.filter(pk=failing.pk).update(attempt=3)
        leases.release(Evaluation.objects.filter(pk=failing.pk), "fire")

    def PlumblineAttemptsLost(self) -> None:
        sent = accept.submit(upload(self.phase, self.entry, both()))
        one = sent.evaluations.get()
        for _ in range(6):
            Evaluation.objects.update(not_before=hours(1), attempt=0)
            leases.claim(one.pk)
            leases.release(Evaluation.objects.filter(pk=one.pk), "gone")
        Evaluation.objects.update(not_before=hours(1))
        leases.claim(one.pk)

    def PlumblineMailStuck(self) -> None:
        letter = Message.objects.create(
            task=self.phase.task, subject="Rain", text="Rain"
        )
        user = self.entry.team.members.get()
        waits = {"kind": "message", "about": letter.pk, "user": user, "at": hours(2)}
        Mail.objects.create(**waits, error="TimeoutError: x")

    def PlumblineBackupFailed(self) -> None:
        BackupRun.objects.create()
        BackupRun.objects.create(problem="none was made: No space left on device")

    def PlumblineBackupOld(self) -> None:
        BackupRun.objects.create(at=hours(37))

    def PlumblineClockWrong(self) -> None:
        late = timedelta(seconds=9)
        self.patch.setattr(
            readiness, "shared_moment", lambda _reading: timezone.now() - late
        )


@pytest.fixture
def well(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A site whose parts all answer, whatever this machine has."""
    monkeypatch.setattr(broker, "answers", lambda: True)
    monkeypatch.setattr(readiness, "room_left", lambda: 10**12)
    Sweep.note()
    for lane in LANES:
        LaneRun.note(lane)


def test_each_rule_fires_in_its_trouble_and_no_other_one_does(
    phase: Phase, entry: Participation, well: None, tmp_path: Path
) -> None:
    assert fired(scraped()) == set()
    seen = {}
    for name in rules():
        with pytest.MonkeyPatch.context() as patch, undone():
            getattr(Trouble(phase, entry, patch), name)()
            seen[name] = scraped()
            transaction.set_rollback(True)
        assert fired(seen[name]) == {name}
    prometheus_agrees(seen, tmp_path)


def prometheus_agrees(seen: dict[str, list[Sample]], place: Path) -> None:
    """Its own program comes to the same where it is installed (package prometheus)."""
    promtool = shutil.which("promtool")
    if not promtool:
        return
    tests = [
        {
            "interval": "1m",
            "input_series": [
                {"series": written(one), "values": f"{one.value:g}x15"}
                for one in samples
            ],
            "promql_expr_test": [
                {
                    "expr": f'count(ALERTS{{alertstate="firing",alertname="{name}"}})',
                    "eval_time": "10m",
                    "exp_samples": [{"labels": "{}", "value": 1}],
                }
            ],
        }
        for name, samples in seen.items()
    ]
    file = place / "rules_test.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "tests": tests}))
    subprocess.run([promtool, "check", "rules", str(RULES)], check=True)
    subprocess.run([promtool, "test", "rules", str(file)], check=True)


def written(one: Sample) -> str:
    labels = ",".join(f'{key}="{value}"' for key, value in one.labels.items())
    return f"{one.name}{{{labels}}}"


def test_rules_and_dashboard_name_only_metrics_that_the_site_answers(
    phase: Phase, entry: Participation, well: None
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        Trouble(phase, entry, patch).PlumblineFailedSystem()
    there = {one.name for one in scraped()}
    there |= {"plumbline_backup_age_seconds", "plumbline_backup_failed"}  # of one
    there.add("plumbline_scoring_seconds")  # once something was scored
    named = [rule["expr"] for rule in rules().values()] + dashboard_expressions()
    assert {name for one in named for name in OURS.findall(one)} <= there


def test_each_rule_is_described_for_those_it_wakes() -> None:
    page = Path(site.BASE_DIR, "docs", "operators", "alerts.md").read_text("utf-8")
    for name, rule in rules().items():
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert {"summary", "description"} <= rule["annotations"].keys()
        assert f"`{name}`" in page
