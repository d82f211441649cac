"""The starting kit of a phase: all that a first submission takes, in one zip.

Its content is public once the phase has opened. Gold is no input of anything here.
"""

import json
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.files.base import ContentFile
from django.template.loader import get_template, render_to_string
from django.urls import reverse
from django.utils.translation import get_language

import scoring
from leaderboard.sandbox import client
from leaderboard.sandbox.jobs.examples import Worked
from leaderboard.submissions.submission_kinds import SubmissionKind
from leaderboard.tasks import blobs, policy
from leaderboard.tasks.blobs import BlobStorage
from leaderboard.tasks.canary import canary_sentence
from leaderboard.tasks.models import Phase, Task, TestSet
from leaderboard.tasks.models.task import raw_options
from scoring import VERSION
from scoring.formats.bundle import zip_files
from scoring.report import scorer_description
from scoring.sandbox.codec import Request
from scoring.sandbox.fork import JobFailed, LimitExceeded
from scoring.scorer import Scorer
from scoring.scorers.program import PROGRAM

Values = dict[str, Any]
ENGINE = Path(scoring.__file__).parent
FIRST = "kits/README.md"  # which the others extend
ENGINE_NEEDS = ("defusedxml", "numpy", "rapidfuzz")


@dataclass(frozen=True)
class Baseline:
    """A system of the organizers to beat, with its published score."""

    system: str
    score: str


@dataclass(frozen=True)
class Kit:
    """A zip with its name; `digest` is the hash of all that went into it."""

    name: str
    data: bytes
    digest: str


def kit_of(phase: Phase, site: str, baselines: Sequence[Baseline]) -> Kit:
    """The kit as everybody may have it; made when it is first asked for.

    `site` is the address of this site, `baselines` what its public board shows.
    Equal inputs give equal bytes. Raises JobFailed, QueueFull, blobs.NoRoom.
    """
    context = _context(phase, site.rstrip("/"), baselines)
    digest = _digest(phase, context)
    stem = f"{phase.task.slug}-{phase.name}-kit"
    storage = BlobStorage(location=settings.DATA / "kits")
    place = f"{phase.pk}/{get_language()}/{digest}.zip"
    with suppress(FileNotFoundError), storage.open(place) as stored:
        return Kit(f"{stem}.zip", stored.read(), digest)
    files = {f"{stem}/{name}": data for name, data in _files(phase, context).items()}
    data = zip_files(f"{stem}.zip", files).single()
    _keep(storage, place, data)
    return Kit(f"{stem}.zip", data, digest)


def _context(phase: Phase, site: str, baselines: Sequence[Baseline]) -> Values:
    """Everything that the texts of the kit name; the same for every reader."""
    task = phase.task
    address = [task.slug, phase.name]
    return {
        "task": task,
        "phase": phase,
        "headline": task.headline_measure,
        "opens": phase.local_text(phase.opens),
        "closes": phase.local_text(phase.closes) if phase.closes else "",
        "page": site + reverse("submit", args=address),
        "api": site + reverse("api-submissions", args=address),
        "tokens": site + reverse("tokens"),
        "join": site + reverse("join", args=[task.slug]),
        "test_sets": [_test_set(task, test_set) for test_set in phase.test_sets.all()],
        "questions": task.fact_sheet(),
        "baselines": baselines,
        "notes": [canary_sentence(task)],
        "withheld": policy.disclosure(AnonymousUser(), phase).lines,
        "limit_mb": settings.UPLOAD_BYTES >> 20,
        "limit_refused": settings.REFUSED_PER_DAY,
        "limit_seconds": settings.SCORE_CPU_SECONDS,
        "scorer": scorer_description(task.scorer),
        "secret_program": task.scorer.runs_program
        and PROGRAM not in task.declared_options,
        "judged": task.scorer.counted_elsewhere,
        "options": [shlex.join(words) for words in _pairs(task)],
        "engine": VERSION,
        "site": site,
        **SubmissionKind.of(phase).kit_words(phase),
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


Files = dict[str, bytes]


def _digest(phase: Phase, context: Values) -> str:
    """Hash of everything that a kit is made of; examples follow from the rest."""
    made = _made_files(phase)
    whole = {
        "texts": [text.decode() for text in _texts(phase, context).values()],
        "templates": [_template(name) for name in (FIRST, *_templates(phase).values())],
        "blind": [test_set["sha256"] for test_set in context["test_sets"]],
        "kept": _kept_files(phase),
        "made": {path: sha256(data).hexdigest() for path, data in made.items()},
        "language": get_language(),
    }
    return sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def _made_files(phase: Phase) -> Files:
    """Files by path that are the same whatever a phase's examples are."""
    kind = SubmissionKind.of(phase)
    needed = requirements(phase.task.scorer, kind.kit_needs)
    engine = {f"scoring/{name}": data for name, data in engine_files().items()}
    more = kind.kit_files(phase, options_in_kit(phase.task))
    return {**engine, "requirements.txt": needed.encode(), **more}


def _kept_files(phase: Phase) -> dict[str, str]:
    """Digests of stored files that the kit has, by path."""
    inputs = SubmissionKind.of(phase).kit_inputs(phase)
    options = {option_path(o["file"]): o["sha256"] for o in phase.task.option_files}
    return {path: t.blind_sha256 for path, t in inputs.items()} | options


def _templates(phase: Phase) -> dict[str, str]:
    readme = SubmissionKind.of(phase).kit_readme
    return {"README.md": readme, "FORMAT.md": "kits/FORMAT.md"}


def _texts(phase: Phase, context: Values) -> Files:
    return {
        name: render_to_string(template, context).encode()
        for name, template in _templates(phase).items()
    }


def _template(name: str) -> str:
    return str(vars(get_template(name))["template"].source)


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


def _files(phase: Phase, context: Values) -> Files:
    """Everything in the kit by its path."""
    examples, worked = _examples(phase)
    files = _made_files(phase)
    files |= {path: blobs.read(kept) for path, kept in _kept_files(phase).items()}
    test_sets = []
    for test_set in context["test_sets"]:
        name, data = examples.get(test_set["name"], ("", b""))
        path = f"example/{test_set['name']}{PurePosixPath(name).suffix}" if name else ""
        if path:
            files[path] = data
        test_sets.append(test_set | {"example": path})
    there = {name.partition("/")[0] for name in files}
    rest = {"test_sets": test_sets, "worked": worked, "there": there}
    return files | _texts(phase, {**context, **rest})


def options_in_kit(task: Task) -> dict[str, list[object]]:
    """Declared options with the paths that their files have in a kit."""
    return {
        name: [
            {"file": option_path(value["file"])} if isinstance(value, dict) else value
            for value in values
        ]
        for name, values in task.declared_options.items()
    }


def _examples(phase: Phase) -> tuple[dict[str, tuple[str, bytes]], Worked]:
    """A valid submission for each test set, made from its blind file alone."""
    task = phase.task
    if task.scorer_is_gone:
        raise JobFailed(f"the scorer {task.scorer_name} is not installed")
    public = () if phase.hides_input else phase.test_sets.all()
    blinds = {test_set.name: test_set.blind() for test_set in public}
    options = raw_options(task.declared_options)
    request = Request.scoring(task.scorer_name, options, names=list(blinds))
    for blind in blinds.values():
        request.add(blind, blind)
    try:
        answer, files = client.run("examples", request)
    except LimitExceeded as limit:
        raise JobFailed(f"examples: {limit.what}") from None
    named = zip(answer["files"], files, strict=True)
    return {name: (file, data) for (name, file), data in named}, answer["worked"]


@cache
def engine_files() -> Files:
    """The engine's own sources, so that the same code scores at home."""
    paths = sorted(ENGINE.rglob("*.py"))
    return {path.relative_to(ENGINE).as_posix(): path.read_bytes() for path in paths}


def requirements(scorer: Scorer, more: Sequence[str] = ()) -> str:
    """Packages that the engine and this scorer need, and more, in versions that are
    installed here, the scorer's own among them where it is a plug-in."""
    names = (*ENGINE_NEEDS, *more, *scorer.requires)
    needed = [f"{name}=={version(name)}" for name in names]
    return "".join(f"{line}\n" for line in (*needed, scorer.package) if line)
