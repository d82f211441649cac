"""A task bundle: `task.yaml` and the files it names, from a folder or a zip."""

from dataclasses import replace

from leaderboard.tasks import marked_yaml
from leaderboard.tasks.bundle_extras import baselines, boards, fact_sheet
from leaderboard.tasks.bundle_phases import phases
from leaderboard.tasks.bundle_scoring import Scoring, scoring_of
from leaderboard.tasks.manifest import (
    MANIFEST,
    Reader,
    Section,
    names_differ,
)
from leaderboard.tasks.model_rules import check_fields
from leaderboard.tasks.models import Task
from leaderboard.tasks.plans import PhasePlan, TaskPlan, TestSetPlan
from scoring.engine import Job
from scoring.errors import Problem, SetupError
from scoring.formats.bundle import as_one_file, is_single
from scoring.gold_check import unit_of, units_of
from scoring.source import Source, decode

FORMAT = 1
MOST_MANIFEST_BYTES = 200_000
KEYS = (
    "plumbline",
    "slug",
    "title",
    "summary",
    "description",
    "synthetic",
    "draft",
    "entry",
    "mail_domains",
    "allows_anonymous",
    "prizes",
    "margin",
    "scorer",
    "bootstrap",
    "test_sets",
    "phases",
    "boards",
    "fact_sheet",
    "baselines",
)
TEST_SET_KEYS = ("name", "title", "gold", "blind", "position")
RESERVED = {"new"}
# Where a field of the model has another name, or another place, in the manifest
PLACES = {
    "shown_measures": "scorer",
    "scorer_name": "scorer",
    "options": "scorer",
    "headline": "scorer",
    "unit": "scorer",
    "resamples": "bootstrap",
    "seed": "bootstrap",
    "level": "bootstrap",
}


def load(source: Source) -> TaskPlan:
    """Read a bundle and check it whole, gold against itself included.

    Raises SetupError with every problem of the manifest and its line, or with those
    of the gold files.
    """
    source = _rooted(source)
    reader = Reader(source)
    data = source.files[MANIFEST]
    if len(data) > MOST_MANIFEST_BYTES:
        raise SetupError(Problem("manifest", "the file is too long", MANIFEST))
    top = Section(reader, marked_yaml.read(MANIFEST, data), "", KEYS)
    if top.table.get("plumbline") != FORMAT:
        top.wrong("plumbline", f"the bundle format, {FORMAT}")
    scoring = scoring_of(top)
    # Before the gold is opened, so that one look tells every mistake of the manifest.
    found = phases(top, _names(top))
    reader.findings.raise_if_any(SetupError)
    plan = _plan(top, scoring, found)
    check_fields(top, Task(**plan.fields()), PLACES)
    if plan.slug in RESERVED:
        top.refuse("slug", "this word is an address of the site itself")
    reader.findings.raise_if_any(SetupError)
    return plan


def _rooted(source: Source) -> Source:
    """The bundle without the one folder it may be wrapped in."""
    if MANIFEST in source.files:
        return source
    roots = {name.partition("/")[0] for name in source.files}
    if len(roots) == 1 and f"{(root := roots.pop())}/{MANIFEST}" in source.files:
        return Source(
            source.name,
            {n.removeprefix(root + "/"): data for n, data in source.files.items()},
        )
    if is_single(source):
        message = f"expected a zip with {MANIFEST} at its top; this is no zip"
    else:
        message = f"no {MANIFEST} in the bundle; it belongs at the top"
    raise SetupError(Problem("no_manifest", message, source.name))


def _names(top: Section) -> tuple[str, ...]:
    """Names of the test sets, wherever one can be read."""
    entries = top.table.get("test_sets")
    tables = entries if isinstance(entries, list) else []
    return tuple(str(one.get("name", "")) for one in tables if isinstance(one, dict))


def _plan(top: Section, scoring: Scoring, found: tuple[PhasePlan, ...]) -> TaskPlan:
    job = Job(scoring.scorer, scoring.options, scoring.unit)
    job, test_sets = _test_sets(top, job)
    names = tuple(test_set.name for test_set in test_sets)
    return TaskPlan(
        slug=top.text("slug"),
        title=top.text("title"),
        summary=top.text("summary", ""),
        description=_description(top),
        synthetic=top.value("synthetic", bool, False),
        draft=top.value("draft", bool) if "draft" in top.table else None,
        entry=top.choice("entry", Task.Entry.values, Task.Entry.OPEN.value),
        mail_domains=tuple(one.lower() for one in top.words("mail_domains")),
        allows_anonymous=top.value("allows_anonymous", bool, False),
        prizes=top.optional("prizes", int, 0) or 0,
        margin=top.optional("margin", float, 0.0001),
        test_sets=test_sets,
        phases=found,
        boards=boards(top, scoring, names),
        fact_sheet=fact_sheet(top),
        baselines=baselines(top, job, test_sets, tuple(p.name for p in found)),
        **{**scoring.fields(), "unit": job.unit},
    )


def _description(top: Section) -> str:
    if "description" not in top.table:
        return ""
    source = top.file("description")
    data = source.single()
    text = decode(source.name, data).strip() if data.strip() else ""
    if "\0" in text:
        top.wrong("description", "a text file without the character NUL")
    return text.replace("\0", "")


def _test_sets(top: Section, job: Job) -> tuple[Job, tuple[TestSetPlan, ...]]:
    """Also the job with its unit: where none is stated, that of the first gold."""
    found = []
    sections = top.sections("test_sets", TEST_SET_KEYS)
    names_differ(sections)
    for index, entry in enumerate(sections):
        name = entry.text("name")
        position = entry.optional("position", int, 0)
        gold = entry.file("gold")
        blind = entry.file("blind") if "blind" in entry.table else None
        top.reader.findings.raise_if_any(SetupError)
        job = replace(job, unit=job.unit or unit_of(job, gold))
        blind = blind or as_one_file(_blind(job, gold))
        plan = TestSetPlan(
            name=name,
            title=entry.text("title", name or "-"),
            gold=gold,
            blind=blind,
            units=units_of(job, gold, blind),
            position=index if position is None else position,
        )
        found.append(plan)
    if len({plan.position for plan in found}) < len(found):
        top.wrong("test_sets", "a position of its own for each")
    return job, tuple(sorted(found, key=lambda plan: plan.position))


def _blind(job: Job, gold: Source) -> Source:
    # Read first: what is wrong with the gold is said better there.
    job.scorer.read_gold(gold, job.options)
    return job.scorer.blind(gold, job.options)
