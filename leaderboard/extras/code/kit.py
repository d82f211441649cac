"""The part of kits that is for code of teams: the client that runs it as the site does,
limits and packages of the site, and input that anybody may see."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from django.contrib.auth.models import AnonymousUser

from leaderboard.extension import policy
from leaderboard.extension.models import Phase, TestSet
from leaderboard.extension.programs import inventory, run_limits
from scoring.scorers.program import INGESTION

CLIENT = "plumbline"
SAMPLES = "sample"
Options = Mapping[str, Sequence[object]]


def samples_of(phase: Phase) -> dict[str, TestSet]:
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
    return {f"{SAMPLES}/{_name(t)}": t for t in public.values()}


def _name(test_set: TestSet) -> str:
    return f"{test_set.name}{PurePosixPath(test_set.public_name).suffix}"


def readme_words(phase: Phase) -> dict[str, object]:
    return {
        "samples": samples_of(phase),
        "ingested": bool(phase.task.options.get(INGESTION)),
        "runs_at_home": _runs_at_home(phase),
    }


def _runs_at_home(phase: Phase) -> bool:
    """Whether code needs no program that organizers keep for themselves."""
    task = phase.task
    return not task.options.get(INGESTION) or INGESTION in task.declared_options


def files(phase: Phase, options: Options) -> dict[str, bytes]:
    return {"code.json": _about(phase, options), **client_files()}


def _about(phase: Phase, options: Options) -> bytes:
    """The file that `plumbline run` reads; `options` have the paths of their files."""
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
            for path, test_set in samples_of(phase).items()
        ],
    }
    return json.dumps(values, indent=1).encode()


@cache
def client_files() -> Mapping[str, bytes]:
    """The client's own sources, by their paths in a kit."""
    return dict(_client_files())


def _client_files() -> Iterator[tuple[str, bytes]]:
    spec = find_spec(CLIENT)  # installed with the site, which never imports it
    for place in (spec and spec.submodule_search_locations) or ():
        for path in sorted(Path(place).rglob("*.py")):
            name = path.relative_to(place).as_posix()
            if not name.startswith("library/"):  # which no command imports
                yield f"{CLIENT}/{name}", path.read_bytes()
