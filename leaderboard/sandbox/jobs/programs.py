"""Jobs on scoring programs: a run that somebody watches, and what it comes to.

The first is done by the process that oversees others, for it starts two of its own; it
reads no file itself.
"""

from collections.abc import Sequence
from dataclasses import asdict

from scoring import Plan
from scoring.engine import count, summarise
from scoring.errors import Refused, UsageError
from scoring.sandbox.codec import Request, Values, problem_rows
from scoring.sandbox.fork import JobFailed
from scoring.sandbox.program import SandboxIncomplete
from scoring.sandbox.scoring_program import ProgramLimits, RunPlace, run
from scoring.scorers.program.conventions import ProgramResult, program_of
from scoring.scorers.program.look import look
from scoring.source import Source


def run_program(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Run one; the files are program, reference and submission, and where there is
    one an ingestion program."""
    about = request.values
    program, reference, sent, *ingestion = (
        Source.of_bytes(name, data)
        for name, data in zip(about["names"], request.files, strict=True)
    )
    limits = ProgramLimits(**about["limits"])
    try:
        finished = run(
            (program, reference, sent),
            about["submission_name"],
            limits,
            RunPlace(**about["place"]),
            code_limits=limits if about["runs_code"] else None,
            ingestion=next(iter(ingestion), None),
        )
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


def request_of(
    sources: Sequence[Source],
    submission_name: str,
    limits: ProgramLimits,
    place: RunPlace,
    runs_code: bool = False,
) -> Request:
    """The request of such a run."""
    values = {
        "names": [source.name for source in sources],
        "submission_name": submission_name,
        "limits": asdict(limits),
        "place": asdict(place),
        "runs_code": runs_code,
    }
    return Request(values, [source.single() for source in sources])


def look_at_program(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Rows of remarks on a program that runs where the `modules` are found."""
    about = request.values
    program = program_of(Source.of_bytes(about["name"], request.files[0]))
    seen = look(program, frozenset(about["modules"]), about["version"])
    rows = [[s.code, s.file, {"line": str(s.line), **s.values}] for s in seen]
    return {"rows": rows}, []


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
