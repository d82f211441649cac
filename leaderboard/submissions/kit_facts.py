"""What a starting kit says of its phase, as plain values."""

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from leaderboard.tasks import facts, policy
from leaderboard.tasks.models import Phase, Task, TestSet
from leaderboard.tasks.policy_text import said
from scoring import VERSION
from scoring.listing import described

Values = dict[str, Any]


@dataclass(frozen=True)
class Baseline:
    """A system of the organizers to beat, with its published score."""

    system: str
    score: str


def of_phase(phase: Phase, site: str, baselines: Sequence[Baseline]) -> Values:
    """Everything that the texts of the kit name; the same for every reader."""
    task, site = phase.task, site.rstrip("/")
    address = [task.slug, phase.name]
    return {
        "site": site,
        "task": _task(task),
        "phase": _phase(phase),
        "page": site + reverse("submit", args=address),
        "api": site + reverse("api-submissions", args=address),
        "tokens": site + reverse("tokens"),
        "join": site + reverse("join", args=[task.slug]),
        "test_sets": [_test_set(task, one) for one in phase.test_sets.all()],
        "questions": [
            {"name": one.name, "title": one.title, "required": one.required}
            for one in facts.asked(task)
        ],
        "baselines": [asdict(one) for one in baselines],
        "withheld": list(policy.disclosure(AnonymousUser(), phase).lines),
        "limit_mb": settings.UPLOAD_BYTES >> 20,
        "limit_refused": settings.REFUSED_PER_DAY,
        "limit_seconds": settings.SCORE_CPU_SECONDS,
        "scorer": described(task.scorer),
        "options": [shlex.join(words) for words in _pairs(task)],
        "engine": VERSION,
    }


def _task(task: Task) -> Values:
    measure = task.headline_measure
    return {
        "slug": task.slug,
        "title": task.title,
        "summary": task.summary,
        "unit": task.unit,
        "resamples": task.resamples,
        "level": task.level,
        "headline": {
            "title": measure.title,
            "formula": measure.formula,
            "higher_is_better": measure.higher_is_better,
        },
    }


def _phase(phase: Phase) -> Values:
    return {
        "title": phase.title,
        "opens": said(phase.opens, phase),
        "closes": said(phase.closes, phase) if phase.closes else "",
        "zone": phase.time_zone,
        "daily_limit": phase.daily_limit,
        "total_limit": phase.total_limit,
        "most_runs": phase.most_runs,
        "counts": str(phase.get_counts_display()),
        "who": str(phase.get_who_display()),
    }


def _test_set(task: Task, test_set: TestSet) -> Values:
    blind = f"blind/{test_set.public_name}"
    return {
        "name": test_set.name,
        "title": test_set.title,
        "blind": blind,
        "sha256": test_set.blind_sha256,
        "check": command(task, "check", blind),
        "score": command(task, "score", "YOUR_GOLD", *_plan(task, test_set)),
    }


def command(task: Task, verb: str, gold: str, *more: str) -> str:
    """A command of the engine as it is run in the kit's folder, options included.

    The file to check comes last, so that its name can follow.
    """
    words = ["python", "-m", "scoring", verb, task.scorer_name, "--gold", gold]
    given = [word for pair in _pairs(task) for word in pair]
    return shlex.join([*words, *given, *more, "--system"])


def _pairs(task: Task) -> list[list[str]]:
    """Options as -o NAME=VALUE; files stand in the kit's own folder."""
    return [
        ["-o", f"{name}={_value(value)}"]
        for name, values in task.declared_options.items()
        for value in values
    ]


def _value(stored: Any) -> str:
    return option_path(stored["file"]) if isinstance(stored, dict) else str(stored)


def option_path(name: str) -> str:
    return f"options/{PurePosixPath(name).name}"


def _plan(task: Task, test_set: TestSet) -> list[str]:
    plan = task.plan(test_set.position)
    words = {"resamples": plan.resamples, "seed": plan.seed, "level": plan.level}
    given = [word for name, n in words.items() for word in (f"--{name}", str(n))]
    return [*(["--unit", task.unit] if task.unit else []), *given]
