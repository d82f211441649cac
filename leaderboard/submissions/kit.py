"""The starting kit of a phase: all that a first submission takes, in one zip.

What goes in is public once the phase has opened. Gold is no input of anything here.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.files.base import ContentFile
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language

import scoring
from leaderboard.sandbox import client
from leaderboard.sandbox.codec import Request
from leaderboard.sandbox.fork import JobFailed, LimitExceeded
from leaderboard.sandbox.jobs.examples import Worked
from leaderboard.submissions.uploads import CHECK_QUEUE
from leaderboard.tasks import blobs, policy
from leaderboard.tasks.blobs import BlobStorage
from leaderboard.tasks.models import Phase, Task, TestSet
from leaderboard.tasks.models.task import raw_options
from scoring import VERSION
from scoring.formats.bundle import zipped
from scoring.report import scorer_description

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
            for one in task.fact_sheet()
        ],
        "baselines": [asdict(one) for one in baselines],
        "withheld": list(policy.disclosure(AnonymousUser(), phase).lines),
        "limit_mb": settings.UPLOAD_BYTES >> 20,
        "limit_refused": settings.REFUSED_PER_DAY,
        "limit_seconds": settings.SCORE_CPU_SECONDS,
        "scorer": scorer_description(task.scorer),
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
        "opens": phase.local_text(phase.opens),
        "closes": phase.local_text(phase.closes) if phase.closes else "",
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


TEXTS = ("README.md", "FORMAT.md")
ENGINE, ENGINE_NEEDS = (
    Path(scoring.__file__).parent,
    ("defusedxml", "numpy", "rapidfuzz"),
)
Files = dict[str, bytes]


@dataclass(frozen=True)
class Kit:
    """A zip with its name; `digest` is the hash of all that went into it."""

    name: str
    data: bytes
    digest: str


def kit_of(phase: Phase, site: str, baselines: Sequence[Baseline]) -> Kit:
    """The kit as everybody may have it; made when it is first asked for.

    `site` is the address of this site, `baselines` what its public board shows.
    Equal inputs give equal bytes. Raises JobFailed, blobs.NoRoom.
    """
    facts = of_phase(phase, site, baselines)
    digest = digest_of(facts)
    stem = f"{phase.task.slug}-{phase.name}-kit"
    storage = BlobStorage(location=settings.DATA / "kits")
    place = f"{phase.pk}/{get_language()}/{digest}.zip"
    with suppress(FileNotFoundError), storage.open(place) as kept:
        return Kit(f"{stem}.zip", kept.read(), digest)
    files = {f"{stem}/{name}": data for name, data in _files(phase, facts).items()}
    made = zipped(f"{stem}.zip", files).single()
    _keep(storage, place, made)
    return Kit(f"{stem}.zip", made, digest)


def digest_of(facts: Mapping[str, Any]) -> str:
    """Hash of everything that a kit is made of."""
    texts = [_template(name) for name in TEXTS]
    engine = {name: sha256(data).hexdigest() for name, data in engine_files().items()}
    whole = [facts, texts, engine, get_language(), requirements()]
    return sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def _template(name: str) -> str:
    path = Path(settings.BASE_DIR) / "templates" / "kits" / name
    return path.read_text(encoding="utf-8")


def _keep(storage: BlobStorage, place: str, data: bytes) -> None:
    """Store the kit in place of the phase's earlier ones in that language."""
    folder = place.rpartition("/")[0]
    earlier = storage.listdir(folder)[1] if storage.exists(folder) else []
    try:
        storage.save(place, ContentFile(data))
    except OSError as error:
        if not blobs.is_full(error):
            raise
        return  # whoever asks next has it made again
    for name in earlier:
        storage.delete(f"{folder}/{name}")


def _files(phase: Phase, facts: Mapping[str, Any]) -> Files:
    """Everything in the kit by its path."""
    examples, worked = _examples(phase)
    files = {f"scoring/{name}": data for name, data in engine_files().items()}
    files["requirements.txt"] = requirements().encode()
    for option in phase.task.option_files:
        files[option_path(option["file"])] = blobs.read(option["sha256"])
    shown = []
    for test_set in facts["test_sets"]:
        files[test_set["blind"]] = blobs.read(test_set["sha256"])
        name, data = examples.get(test_set["name"], ("", b""))
        path = f"example/{test_set['name']}{PurePosixPath(name).suffix}" if name else ""
        if path:
            files[path] = data
        shown.append(test_set | {"example": path})
    context = {**facts, "test_sets": shown, "worked": worked}
    for name in TEXTS:
        files[name] = render_to_string(f"kits/{name}", context).encode()
    return files


def _examples(phase: Phase) -> tuple[dict[str, tuple[str, bytes]], Worked]:
    """A valid submission for each test set, made from its blind file alone."""
    task = phase.task
    blinds = {one.name: one.blind() for one in phase.test_sets.all()}
    options = raw_options(task.options)
    request = Request.scoring(task.scorer_name, options, names=list(blinds))
    for blind in blinds.values():
        request.add(blind, blind)
    try:
        answer, files = client.run("examples", request, slot=CHECK_QUEUE.slot())
    except LimitExceeded as limit:
        raise JobFailed(f"examples: {limit.what}") from None
    named = zip(answer["files"], files, strict=True)
    return {name: (file, data) for (name, file), data in named}, answer["worked"]


@cache
def engine_files() -> Files:
    """The engine's own sources, so that the same code scores at home."""
    found = sorted(ENGINE.rglob("*.py"))
    return {path.relative_to(ENGINE).as_posix(): path.read_bytes() for path in found}


@cache
def requirements() -> str:
    """What the engine needs, as it is installed here."""
    return "".join(f"{name}=={version(name)}\n" for name in ENGINE_NEEDS)
