"""A zip of code is what teams send: how it is asked for, checked, run and described."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from django.contrib.auth.models import AnonymousUser
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from leaderboard.extension import policy, sandbox
from leaderboard.extension.blobs import source_of
from leaderboard.extension.models import (
    Phase,
    Task,
    TestSet,
    raw_options,
)
from leaderboard.extension.programs import SubmissionKind, inventory, run_limits
from leaderboard.extras.code import runs
from scoring.errors import Problem, Refused
from scoring.sandbox.codec import Request
from scoring.scorers.program import INGESTION
from scoring.source import Source

CLIENT = "plumbline"
SAMPLES = "sample"


class ZipOfCode(SubmissionKind):
    """Code in place of predictions: what it writes is scored."""

    one_zip = True
    archive_label = _("Code")
    archive_help = _(
        "A zip with predict.py (or a metadata.yaml with the command), and weights and "
        "packages beside it. It runs once for each test set."
    )
    fields_template = "code/_upload.html"
    limits_template = "code/_limits.html"
    home_template = "code/_at_home.html"
    kit_readme = "code/kit.md"
    kit_needs = ("httpx",)  # of the client

    def problems_of(
        self, task: Task, files: Mapping[TestSet, UploadedFile]
    ) -> list[Problem]:
        """Problems of zips of code; one for several test sets is read once."""
        different = {id(file): file for file in files.values()}
        sources = [source_of(file, "code.zip") for file in different.values()]
        given = raw_options(task.options).get(INGESTION, ())
        ingestion = [file for file in given if isinstance(file, Source)]
        about = {
            "names": [source.name for source in (*sources, *ingestion)],
            "ingested": bool(ingestion),
            "version": inventory(of_code=True).version,
        }
        contents = [source.single() for source in (*sources, *ingestion)]
        try:
            sandbox.run("programs.check_code", Request(about, contents))
        except Refused as refusal:
            return list(refusal.problems)
        return []

    outputs = staticmethod(runs.outputs)
    for_team = staticmethod(runs.for_team)
    facts = staticmethod(runs.facts)
    output_of = staticmethod(runs.output_of)

    def kit_inputs(self, phase: Phase) -> dict[str, TestSet]:
        """Test sets of other phases whose input is public, by the paths of their blind
        files in the kit."""
        phases = list(phase.task.phases.prefetch_related("test_sets"))
        hidden = {t.pk for p in phases if p.hides_input for t in p.test_sets.all()}
        public = {
            test_set.pk: test_set
            for other in phases
            if not other.hides_input and policy.sees_blind_files(AnonymousUser(), other)
            for test_set in other.test_sets.all()
            if test_set.pk not in hidden
        }
        return {
            f"{SAMPLES}/{t.name}{PurePosixPath(t.public_name).suffix}": t
            for t in public.values()
        }

    def kit_words(self, phase: Phase) -> dict[str, object]:
        return {
            "samples": self.kit_inputs(phase),
            "ingested": bool(phase.task.options.get(INGESTION)),
            "runs_at_home": _runs_at_home(phase),
        }

    def kit_files(
        self, phase: Phase, options: Mapping[str, Sequence[object]]
    ) -> dict[str, bytes]:
        """The client that runs code as the site does, and the file that it reads, with
        limits and packages of the site."""
        packages = inventory(of_code=True)
        of_program = phase.task.scorer.runs_program
        (ingestion,) = options.get(INGESTION, ("",)) if of_program else ("",)
        values = {
            "limits": asdict(run_limits()),
            "python": packages.version,
            "packages": packages.listed,
            "modules": sorted(packages.modules),
            "scorer": phase.task.scorer_name,
            "options": options,
            "ingestion": ingestion["file"] if isinstance(ingestion, dict) else "",
            "runs_at_home": _runs_at_home(phase),
            "samples": [
                {"name": test_set.name, "input": path}
                for path, test_set in self.kit_inputs(phase).items()
            ],
        }
        return {"code.json": json.dumps(values, indent=1).encode(), **_client_files()}


def _runs_at_home(phase: Phase) -> bool:
    """Whether code needs no program that organizers keep for themselves."""
    task = phase.task
    return not task.options.get(INGESTION) or INGESTION in task.declared_options


@cache
def _client_files() -> Mapping[str, bytes]:
    """The client's own sources, by their paths in a kit."""
    files = {}
    spec = find_spec(CLIENT)  # installed with the site, which never imports it
    for place in (spec and spec.submodule_search_locations) or ():
        for path in sorted(Path(place).rglob("*.py")):
            name = path.relative_to(place).as_posix()
            if not name.startswith("library/"):  # which no command imports
                files[f"{CLIENT}/{name}"] = path.read_bytes()
    return files


CODE = ZipOfCode()
