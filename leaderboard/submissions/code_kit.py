"""The part of kits that is for code of teams: the client that runs it as the site does,
limits and packages of the site, and input that anybody may see."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from django.contrib.auth.models import AnonymousUser

from leaderboard.sandbox.program_environment import inventory
from leaderboard.submissions.program_rights import run_limits
from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase, TestSet
from scoring.scorers.program import INGESTION

CLIENT = "plumbline"
SAMPLES = "sample"


def samples_of(phase: Phase) -> dict[str, TestSet]:
    """Test sets of other phases whose input is public, by the paths of their blind
    files in the kit."""
    phases = list(phase.task.phases.prefetch_related("test_sets"))
    hidden = {t.pk for p in phases if p.takes_code for t in p.test_sets.all()}
    public = {
        test_set.pk: test_set
        for other in phases
        if not other.takes_code and policy.sees_blind_files(AnonymousUser(), other)
        for test_set in other.test_sets.all()
        if test_set.pk not in hidden
    }
    return {f"{SAMPLES}/{_name(t)}": t for t in public.values()}


def _name(test_set: TestSet) -> str:
    return f"{test_set.name}{PurePosixPath(test_set.public_name).suffix}"


def runs_at_home(phase: Phase) -> bool:
    """Whether code needs no program that organizers keep for themselves."""
    task = phase.task
    return not task.options.get(INGESTION) or INGESTION in task.declared_options


def about(phase: Phase, options: dict[str, Any]) -> bytes:
    """The file that `plumbline run` reads; `options` have the paths of their files."""
    packages = inventory(of_code=True)
    ingestion = options.get(INGESTION) if phase.task.scorer.runs_program else None
    values = {
        "limits": asdict(run_limits()),
        "python": packages.version,
        "packages": packages.listed,
        "modules": sorted(packages.modules),
        "scorer": phase.task.scorer_name,
        "options": options,
        "ingestion": ingestion[0]["file"] if ingestion else "",
        "runs_at_home": runs_at_home(phase),
        "samples": [
            {"name": test_set.name, "input": path}
            for path, test_set in samples_of(phase).items()
        ],
    }
    return json.dumps(values, indent=1).encode()


@cache
def client_files() -> dict[str, bytes]:
    """The client's own sources, by their paths in a kit."""
    return dict(_client_files())


def _client_files() -> Iterator[tuple[str, bytes]]:
    spec = find_spec(CLIENT)  # installed with the site, which never imports it
    for place in (spec and spec.submodule_search_locations) or ():
        for path in sorted(Path(place).rglob("*.py")):
            name = path.relative_to(place).as_posix()
            if not name.startswith("library/"):  # which no command imports
                yield f"{CLIENT}/{name}", path.read_bytes()
