"""Jobs on scoring programs and code: runs that somebody watches, and what they come to.

Runs are done by the process that oversees others, for they start two of their own; it
reads no file itself.
"""

from collections.abc import Sequence
from dataclasses import asdict

from scoring import Plan
from scoring.engine import Job, count, count_file, summarise
from scoring.errors import Refused, UsageError
from scoring.sandbox import team_code
from scoring.sandbox.codec import Request, Values, problem_rows
from scoring.sandbox.fork import JobFailed
from scoring.sandbox.program import SandboxIncomplete
from scoring.sandbox.scoring_program import ProgramLimits, RunPlace, run
from scoring.scorers.program.conventions import (
    ProgramResult,
    code_of,
    program_of,
    run_by,
)
from scoring.scorers.program.look import look, unreadable
from scoring.source import Source


def run_program(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Run one; the files are program, reference and submission."""
    about = request.values
    program, reference, sent = sources_of(request)
    limits, place = ProgramLimits(**about["limits"]), RunPlace(**about["place"])
    sources = program, reference, sent
    name, folder = about["submission_name"], about["folder"]
    try:
        finished = run(sources, name, limits, place, folder=folder)
    except SandboxIncomplete as lack:
        raise JobFailed(str(lack)) from None
    answer = {
        "seconds": finished.seconds,
        "output": finished.output,
        "faults": problem_rows(finished.faults),
        "refused": problem_rows(finished.refused),
        "left": list(finished.files),
    }
    return answer, list(finished.files.values())


def run_code(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Run code of a team; the files are code and input, and where there is one an
    ingestion program."""
    about = request.values
    sent, given, *ingestion = sources_of(request)
    limits, place = ProgramLimits(**about["limits"]), RunPlace(**about["place"])
    helper = next(iter(ingestion), None)
    try:
        ended = team_code.run(sent, given, limits, place, None, helper, about["folder"])
    except SandboxIncomplete as lack:
        raise JobFailed(str(lack)) from None
    answer = {
        "seconds": ended.cost.seconds if ended.cost else 0.0,
        "megabytes": ended.cost.peak_megabytes if ended.cost else None,
        "output": ended.output,
        "refused": problem_rows(ended.refused),
        "written": list(ended.files),
    }
    return answer, list(ended.files.values())


def check_code(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Check what teams send as code; the last file may be the program that runs it.
    Raises Refused with all that is wrong with it."""
    sources = sources_of(request)
    program = sources.pop() if request.values["ingested"] else None
    for source in sources:
        if program is not None:
            run_by(program, source)
        elif problems := unreadable(code_of(source), request.values["version"]):
            raise Refused(problems)
    return {}, []


def sources_of(request: Request) -> list[Source]:
    names = request.values["names"]
    pairs = zip(names, request.files, strict=True)
    return [Source.of_bytes(name, data) for name, data in pairs]


def request_of(
    sources: Sequence[Source],
    limits: ProgramLimits,
    place: RunPlace,
    folder: str = "",
    submission_name: str = "",
) -> Request:
    """The request of a run, of a program or of code; `folder` of the gold is what it
    reads."""
    values = {
        "names": [source.name for source in sources],
        "submission_name": submission_name,
        "limits": asdict(limits),
        "place": asdict(place),
        "folder": folder,
    }
    return Request(values, [source.single() for source in sources])


def look_at_program(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Rows of remarks on a program that runs where the `modules` are found."""
    about = request.values
    program = program_of(Source.of_bytes(about["name"], request.files[0]))
    seen = look(program, frozenset(about["modules"]), about["version"])
    rows = [[s.code, s.file, {"line": str(s.line), **s.values}] for s in seen]
    return {"rows": rows}, []


def scored_output(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Measures and number of units of a file against gold, which is the one pair, or
    what is wrong with the file."""
    scorer, options, ((gold, sent),) = request.unpack()
    job = Job(scorer, options, request.values["unit"])
    try:
        counts = count_file(job, scorer.read_gold(gold, options), sent, [])
    except Refused as refusal:
        return {"refused": problem_rows(refusal.problems)}, []
    plan = Plan(**request.values["plan"])
    result = summarise(scorer, counts, options, request.values["unit"], plan)
    measures = {name: estimate.as_dict() for name, estimate in result.measures.items()}
    return {"measures": measures, "units": result.units}, []


def outcome(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Measures and number of units of what a run left, or what is wrong with it."""
    about = request.values
    scorer, options, pairs = request.unpack()
    left = ProgramResult({sent.name: sent.single() for _, sent in pairs})
    try:
        counts = count(scorer, (None, left), options)
    except Refused as refusal:
        return {"refused": problem_rows(refusal.problems)}, []
    except UsageError as error:
        return {"faults": problem_rows(error.problems)}, []
    result = summarise(scorer, counts, options, "", Plan(**about["plan"]))
    measures = {name: estimate.as_dict() for name, estimate in result.measures.items()}
    return {"measures": measures, "units": result.units}, []
