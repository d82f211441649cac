"""run: a team's code at home, as the site runs it, on the sample input of a kit."""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from plumbline.exits import FINE, UNFIT, USAGE, Ended
from plumbline.format_check import source_of
from plumbline.output import problem_line
from scoring import Source, examine
from scoring.errors import Problem, ScoringError
from scoring.formats.bundle import zip_files
from scoring.options import parse
from scoring.sandbox import kernel, program, team_code
from scoring.sandbox.code_failure import FAILED
from scoring.sandbox.scoring_program import ProgramLimits, RunPlace, limit_text
from scoring.scorers import get
from scoring.scorers.program.conventions import code_of, run_by
from scoring.scorers.program.look import MISSING, look

KIT = "code.json"
About = Mapping[str, Any]  # what it says
HELD = ("cpu", "wall", "memory", "folder", "files", "output")
# What stays open where this system lacks a part of the sandbox.
OPEN = {
    "landlock": "it can read and change files of yours",
    "seccomp": "it can open connections and start processes",
}
ELSEWHERE = "memory is not limited here"
MOST_NAMED = 5


def add_run(commands: Any) -> None:
    command = commands.add_parser("run", help="run code at home, as the site would")
    command.add_argument("code", type=Path, help="a zip, or a folder")
    command.add_argument(
        "--kit",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="of the unpacked starting kit; else the one that you are in",
    )
    command.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help="a file, a zip or a folder of your own in place of the sample input",
    )
    command.add_argument(
        "--output", type=Path, default=Path("output"), help="a folder; else 'output'"
    )
    command.set_defaults(run=run_code, offline=True)


def run_code(called: argparse.Namespace) -> int:
    """Each sample is run and what the code wrote for it checked."""
    if not hasattr(os, "fork"):
        raise Ended(USAGE, "code runs on Linux and macOS; on Windows use WSL")
    about = _about(called.kit)
    if not about["runs_at_home"]:
        words = "a program of the organizers runs the code, and they do not give it out"
        raise Ended(USAGE, words)
    limits = ProgramLimits(**about["limits"])
    ingestion = called.kit / about["ingestion"] if about["ingestion"] else None
    code, runs = _source(called.code), source_of(ingestion) if ingestion else None
    for line in (
        *_limits_here(limits),
        *_differences(about),
        *_lacking(code, runs, about),
    ):
        print(line, file=sys.stderr)
    samples = dict(_samples(called, about))
    fine = [
        _is_fine(called, about, (name, given), team_code_run(code, given, limits, runs))
        for name, given in samples.items()
    ]
    return FINE if all(fine) else UNFIT


def team_code_run(
    code: Source, given: Source, limits: ProgramLimits, ingestion: Source | None
) -> team_code.FinishedCode:
    with tempfile.TemporaryDirectory(prefix="plumbline-run-") as folder:
        place = RunPlace(sys.executable, folder, at_home=True)
        return team_code.run(code, given, limits, place, ingestion=ingestion)


def _about(kit: Path) -> About:
    path = kit / KIT
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        words = f"there is no {path}: go into the unpacked kit of a task of code, or"
        raise Ended(USAGE, f"{words} name it with --kit") from None
    except ValueError:
        raise Ended(USAGE, f"{path} is not that of a kit: take the kit again") from None


def _source(path: Path) -> Source:
    """A file, or the files of a folder as a zip."""
    if not path.is_dir():
        return source_of(path)
    files = sorted(p for p in path.rglob("*") if p.is_file())
    members = {
        p.relative_to(path).as_posix(): p.read_bytes()
        for p in files
        if "__pycache__" not in p.parts
    }
    return zip_files(f"{path.resolve().name}.zip", members)


def _samples(called: argparse.Namespace, about: About) -> Iterator[tuple[str, Source]]:
    """Inputs by name. Raises Ended where there is none."""
    if called.input is not None:
        yield called.input.stem, _source(called.input)
        return
    if not about["samples"]:
        words = "the organizers give no sample input: name one of yours with --input"
        raise Ended(USAGE, words)
    for sample in about["samples"]:
        yield sample["name"], source_of(called.kit / sample["input"])


def _limits_here(limits: ProgramLimits) -> Iterator[str]:
    """Limits that hold here, as on the site, and those that do not."""
    yield "limited as on the site: " + ", ".join(limit_text(n, limits) for n in HELD)
    missing = kernel.missing()
    fenced = [
        words
        for part, words in (
            ("landlock", "no files but its own"),
            ("seccomp", "no network, no other process"),
        )
        if part not in missing
    ]
    if fenced:
        yield f"fenced as on the site: {', '.join(fenced)}"
    for part in missing:
        yield f"not fenced here, without {part}: {OPEN[part]}"
    if "landlock" not in missing and (lost := program.lacks()):
        yield f"not fenced here, without {lost}: it can empty files of yours"
    if sys.platform != "linux":
        yield f"not limited here: {ELSEWHERE}"


def _differences(about: About) -> Iterator[str]:
    """Sentences on how this Python and its packages differ from those of the site."""
    if about["python"] and about["python"] != platform.python_version():
        yield f"Python {platform.python_version()} here, {about['python']} on the site"
    others = []
    for name, there in about["packages"]:
        try:
            here = version(name)
        except PackageNotFoundError:
            here = "not here"
        if here != there:
            others.append(f"{name} {there} ({here})")
    if others:
        more = len(others) - MOST_NAMED
        rest = f" and {more} more" if more > 0 else ""
        yield f"the site has {', '.join(others[:MOST_NAMED])}{rest}"


def _lacking(code: Source, ingestion: Source | None, about: About) -> Iterator[str]:
    """Imports of packages that the site does not have."""
    try:
        own = code_of(code) if ingestion is None else run_by(ingestion, code)
    except ScoringError:
        return  # what is wrong with it the run says
    for seen in look(own, frozenset(about["modules"]), about["python"]):
        if seen.code == MISSING:
            module = seen.values.get("module", "")
            yield f"{seen.file}:{seen.line}: the site has no package for '{module}'"


def _is_fine(
    called: argparse.Namespace,
    about: About,
    sample: tuple[str, Source],
    finished: team_code.FinishedCode,
) -> bool:
    """Whether code ran and what it wrote passes the check; both are told."""
    name, given = sample
    if finished.output.strip():
        print(finished.output.rstrip(), file=sys.stderr)
    if finished.cost:
        memory = finished.cost.peak_megabytes
        seen = "" if memory is None else f", {memory} MB"
        print(f"{name}: {finished.cost.seconds:.1f} s{seen}")
    # A hint to try it at home, where what it said is not hidden, is none here.
    failed = [
        replace(problem, hint="") if problem.code == FAILED else problem
        for problem in finished.refused
    ]
    problems = failed or _problems(called, about, given, finished)
    folder = called.output / name
    for path, data in finished.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        print(f"  {place}: {len(data)} bytes")
    for problem in problems:
        print(problem_line(problem.as_dict()), file=sys.stderr)
    if not problems:
        print(f"{name}: fine")
    return not problems


def _problems(
    called: argparse.Namespace,
    about: About,
    given: Source,
    finished: team_code.FinishedCode,
) -> list[Problem]:
    """Problems of what code wrote, as the engine's own check finds them."""
    scorer = get(about["scorer"])
    if scorer.runs_program:
        return []
    raw = {
        option: [
            source_of(called.kit / value["file"]) if isinstance(value, dict) else value
            for value in values
        ]
        for option, values in about["options"].items()
    }
    files = finished.files
    (only,) = files.items() if len(files) == 1 else [("", b"")]
    output = (
        Source.of_bytes(*only) if len(files) == 1 else zip_files("output.zip", files)
    )
    verdict = examine(scorer, given, output, parse(scorer.options, raw))
    return [*verdict.findings]
