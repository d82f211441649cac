"""Format check of the site, at home: the same engine against the blind file."""

from collections.abc import Mapping
from pathlib import Path

from plumbline.exits import REFUSED_BY_SITE, Ended, unreadable
from plumbline.files import ARCHIVE, PhaseName
from plumbline.output import Values
from plumbline.site import Site
from scoring import Source, Verdict, examine
from scoring.diagnosis import may_be_of_another
from scoring.errors import Refused
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.scorers.program import INGESTION
from scoring.scorers.program.conventions import code_of, run_by


def verdicts(
    site: Site, where: PhaseName, phase: Values, files: Mapping[str, Path]
) -> list[Verdict]:
    """Everything that the site would say about the format of each file; gold plays no
    part.

    Raises Ended before the phase opens and for a file that is not there, UsageError
    for a scorer that is newer than this program.
    """
    if phase.get("sends_code"):
        return [_code_verdict(site, phase, files[ARCHIVE])]
    blinds = {file["name"]: file["blind"] for file in phase["files"]}
    if None in blinds.values():  # nor are the files of its options there
        raise Ended(REFUSED_BY_SITE, "the phase has not opened yet")
    scorer = get(phase["scoring"]["scorer"])
    options = _options(site, scorer, phase["scoring"]["options"])
    verdicts = []
    for name, path in files.items():
        blind = blinds[name.partition(".")[0]]  # behind it the run
        source, system = _source(site, blind), source_of(path)
        verdict = examine(scorer, source, system, options)
        if any(may_be_of_another(problem) for problem in verdict.findings):
            others = _other_test_sets(site, where, phase)
            verdict = examine(scorer, source, system, options, others)
        verdicts.append(verdict)
    return verdicts


def _code_verdict(site: Site, phase: Values, path: Path) -> Verdict:
    """Whether it is code that would be begun, as far as that is public; what it writes
    `plumbline run` checks."""
    scorer, code = get(phase["scoring"]["scorer"]), source_of(path)
    options = _options(site, scorer, phase["scoring"]["options"])
    try:
        if given := options.get(INGESTION):
            run_by(given, code)
        elif not scorer.runs_program:
            code_of(code)
    except Refused as refusal:
        return Verdict(refusal.problems)
    return Verdict()


def _other_test_sets(site: Site, where: PhaseName, phase: Values) -> dict[str, Source]:
    """The blind files of the task that are public, by what people call them."""
    named = {file["title"]: file["blind"] for file in phase["files"]}
    for other in site.get(f"tasks/{where.task}/")["phases"]:
        if other["name"] == where.phase:
            continue
        files = site.get(f"tasks/{where.task}/{other['name']}/test-sets/")
        for file in files:
            name = f"{other['title']}, {file['title']}"
            named[other["title"] if len(files) == 1 else name] = file["blind"]
    return {name: _source(site, blind) for name, blind in named.items() if blind}


def source_of(path: Path) -> Source:
    """The file. Raises Ended where there is none."""
    try:
        return Source.of_path(path)
    except OSError as error:
        raise unreadable(error) from None


def _source(site: Site, blind: Values) -> Source:
    return Source.of_bytes(blind["name"], _bytes(site, blind["address"]))


def _options(site: Site, scorer: Scorer, stored: Values) -> Options:
    raw: dict[str, list[str | Source]] = {
        name: [
            Source.of_bytes(value["file"], _bytes(site, value["address"]))
            if isinstance(value, dict)
            else str(value)
            for value in values
        ]
        for name, values in stored.items()
    }
    return parse(scorer.options, raw)


def _bytes(site: Site, address: str) -> bytes:
    answer = site.fetch(site.path_of(address), headers={"Accept": "*/*"})
    return bytes(answer.content)
