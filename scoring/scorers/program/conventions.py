"""Scoring programs: the conventions that Codabench and CodaLab share.

A program is a zip with `metadata.yaml` (or `metadata`) that names its command. It finds
the reference below input/ref and the submission below input/res, and writes
`scores.json` (or `scores.txt`) to output. Ours may also write `units.csv`, values of
single units, and `problems.txt`, reasons why the submission cannot be scored.

Where teams send code, the gold has two folders: `input`, which the code finds as its
input, and `ref`. What the code writes to output is then the submission. An ingestion
program of the organizers may run the code: it finds it as ingested_program.
"""

import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from scoring.errors import Findings, Problem, Refused, SetupError, UsageError
from scoring.formats import bundle
from scoring.formats.recognition import kind_of
from scoring.messages import Messages, _
from scoring.source import Source, size_in_words

MESSAGES = Messages(
    no_place=_("there is no %(place)s here; there are $program, $input and $output"),
    no_ingestion_place=_(
        "there is no %(place)s here; there are $program, $input, $output and "
        "$submission_program, and never the gold"
    ),
    large_output=_("output/%(name)s is larger than %(most)s"),
    no_metadata=_("no metadata.yaml (or metadata) at the top of the program's zip"),
    write_command=_("Write one with a line such as: %(example)s"),
    in_file=_("%(file)s: %(reason)s"),
    no_zip=_("expected a zip of the scoring program"),
    write_as=_("Write it as in: %(example)s"),
    no_command=_("there is no line that begins with 'command:'"),
    same_line=_("expected the command on the same line as 'command:'"),
    other_language=_(
        "only Python programs are run; this command begins with '%(command)s'"
    ),
    no_shell=_("the command is not run by a shell: one program with its arguments"),
    no_script=_("the command names no Python file"),
    from_top=_("Its place is told from the zip's top."),
    lost_script=_("the command runs '%(script)s', which is not in the zip"),
    code_zip=_("expected a zip of your code"),
    code_entry=_("no %(file)s at the top of the zip"),
    code_syntax=_("this is no Python %(version)s: %(message)s"),
    code_python_2=_("this is Python 2, and Python %(version)s runs it: '%(text)s'"),
    code_hint=_(
        "It reads the folder that it is given first and writes into the second; or "
        "write a metadata.yaml with a line such as: %(example)s"
    ),
    ingested_hint=_(
        "The description of the task says which files the organizers' program "
        "looks for in it."
    ),
    gold_folders=_(
        "expected a zip with the folders %(input)s, which the code of teams reads, "
        "and %(ref)s, which the scoring program reads; %(lacking)s is not there"
    ),
    other_ways=_(
        "Port it to Python, ask the operator for a plug-in, or score "
        "elsewhere and send tables."
    ),
)

METADATA = ("metadata.yaml", "metadata.yml", "metadata")
COMMAND = re.compile(r"^command[ \t]*:[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)
COMMENT = re.compile(r"(?:^|[ \t]+)#.*$")
PYTHON = re.compile(r"(?:/usr/(?:local/)?bin/)?python(?:3(?:\.\d+)?)?")
# Variables of CodaLab and paths of Codabench; the others belong to parts we lack.
PLACES = ("program", "input", "output")
# What ingestion programs of both name, by the folder of ours that it is.
OF_INGESTION = {
    **{name: name for name in PLACES},
    "ingestion_program": "program",
    "input_data": "input",
    "ingested_program": "ingested_program",
    "submission_program": "ingested_program",
}
PLACE = re.compile(r"\$\{?(\w+)\}?|/app/(\w+)")
IN_CODE = re.compile(
    rb"/app/(ingestion_program|ingested_program|program|input_data|input|output)"
    rb"(?![\w.-])"
)
SHELL = re.compile(r"^(?:&&?|\|\|?|;|<|>>?|2>.*|>.*)$|[;&|`]$|`|\$\(")
SCORES, SCORES_TEXT = "scores.json", "scores.txt"
UNITS, PROBLEMS = "units.csv", "problems.txt"
# What is read of each file that a program leaves.
MOST_READ = {
    SCORES: 1 << 20,
    SCORES_TEXT: 1 << 20,
    UNITS: 64 << 20,
    PROBLEMS: 1 << 16,
}
OTHER_WAYS = MESSAGES("other_ways")
# The file metadata beside ref and res, where CodaLab says who sent what, when and to
# which phase. Here it is always the same: one file has one score.
OF_INPUT = b"""\
ref: ref
res: res
submitted-by: participant
submitted-at: 2000-01-01T00:00:00
competition-submission: 1
competition-phase: 1
automatic-submission: False
"""
EXAMPLE = "command: python3 score.py $input $output"
ENTRY = "predict.py"  # of teams' code
ENTRY_COMMAND = f"command: python3 {ENTRY} $input $output"
REF, INPUT = "ref", "input"  # folders of gold where teams send code


@dataclass(frozen=True)
class ScoringProgram:
    """The files of a program, and the words of its command after the interpreter.

    `wheels` are packages that it brings along, each with its files. `ingested` is the
    code that an ingestion program runs.
    """

    name: str
    sha256: str
    files: Mapping[str, bytes]
    words: tuple[str, ...]
    wheels: Mapping[str, Mapping[str, bytes]]
    ingested: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class ProgramResult:
    """The files that a program left, by the names above."""

    files: Mapping[str, bytes]

    @classmethod
    def of_folder(cls, folder: Path) -> "ProgramResult":
        """Raises UsageError for a file that is larger than is read."""
        return cls(
            {
                name: data
                for name in MOST_READ
                if (data := _file_left_by_run(folder, name))
            }
        )


def _file_left_by_run(folder: Path, name: str) -> bytes:
    place = folder / name
    if place.is_symlink() or not place.is_file():
        return b""
    try:
        with place.open("rb") as file:
            data = file.read(MOST_READ[name] + 1)
    except PermissionError:  # it may take the right to read from its own files
        return b""
    if len(data) > MOST_READ[name]:
        most = size_in_words(MOST_READ[name])
        message = MESSAGES("large_output", name=name, most=most)
        raise UsageError(Problem("program_output", message))
    return data


def program_of(source: Source) -> ScoringProgram:
    """The program in a zip. Raises SetupError with everything that is wrong with it."""
    return _program(source.name, source.single(SetupError))


def ingestion_of(source: Source) -> ScoringProgram:
    """The ingestion program in a zip, which runs the code of teams. Raises SetupError
    as for any program, and where it asks for a place that there is not, as the gold."""
    return _program(source.name, source.single(SetupError), ingests=True)


@lru_cache(maxsize=2)
def _program(name: str, data: bytes, ingests: bool = False) -> ScoringProgram:
    source = Source.of_bytes(name, data)
    files = _members(source)
    findings = Findings(source.name)
    metadata = next((path for path in METADATA if path in files), "")
    words: tuple[str, ...] = ()
    if not metadata:
        message = MESSAGES("no_metadata")
        hint = MESSAGES("write_command", example=EXAMPLE)
        findings.add("program_command", message, hint=hint)
    else:
        text = files[metadata].decode("utf-8-sig", "replace")
        for message, line, hint in _problems(text, files, ingests):
            said = MESSAGES("in_file", file=metadata, reason=message)
            findings.add("program_command", said, line=line, hint=hint)
        words = tuple(_words(text)[1:])
    wheels = {}
    for member, data in files.items():
        if member.endswith(".whl"):
            try:
                wheels[member] = _unzip(member, data)
            except SetupError as error:
                findings.problems += error.problems
    findings.raise_if_any(SetupError)
    plain = {member: data for member, data in files.items() if member not in wheels}
    return ScoringProgram(source.name, source.sha256, plain, words, wheels)


def code_of(source: Source) -> ScoringProgram:
    """The code in a team's zip. Raises Refused with everything that is wrong with it.

    Without a command `predict.py` is run.
    """
    _require_zip(source, MESSAGES("code_hint", example=ENTRY_COMMAND))
    files = bundle.without_folder(bundle.unpack(source, (".whl",)))
    if not any(name in files for name in METADATA):
        if ENTRY not in files:
            message = MESSAGES("code_entry", file=ENTRY)
            hint = MESSAGES("code_hint", example=ENTRY_COMMAND)
            raise Refused(Problem("code_entry", message, source.name, hint=hint))
        files[METADATA[0]] = ENTRY_COMMAND.encode()
    try:
        return program_of(bundle.zip_files(source.name, files))
    except SetupError as error:
        raise Refused(error.problems) from None


def _require_zip(sent: Source, hint: str) -> None:
    """Raises Refused for what may be anything; what is known, as another archive, is
    called by its name where it is unpacked."""
    if not bundle.is_zip(sent) and not kind_of(sent.single())[0]:
        raise Refused(Problem("code_zip", MESSAGES("code_zip"), sent.name, hint=hint))


def run_by(ingestion: Source, sent: Source) -> ScoringProgram:
    """The ingestion program of a task with the code of a team, which needs no command.

    Packages may come with either. Raises Refused for what is no zip of code.
    """
    _require_zip(sent, MESSAGES("ingested_hint"))
    program = ingestion_of(ingestion)
    files = dict(bundle.without_folder(bundle.unpack(sent, (".whl",))))
    try:
        wheels = {
            name: _unzip(name, files.pop(name))
            for name in list(files)
            if name.endswith(".whl")
        }
    except SetupError as error:
        raise Refused(error.problems) from None
    return replace(program, wheels={**program.wheels, **wheels}, ingested=files)


def folder_of(gold: Mapping[str, bytes], folder: str) -> Mapping[str, bytes]:
    """Files below a folder of the gold where teams send code. Raises SetupError where
    one of the two is not there."""
    for side in (INPUT, REF):
        if not any(name.startswith(f"{side}/") for name in gold):
            message = MESSAGES(
                "gold_folders", input=f"{INPUT}/", ref=f"{REF}/", lacking=f"{side}/"
            )
            raise SetupError(Problem("gold_folders", message))
    start = f"{folder}/"
    return {
        name.removeprefix(start): data
        for name, data in gold.items()
        if name.startswith(start)
    }


def canonical(source: Source) -> Source:
    """The same files in a zip as we write it, so that one program has one hash.

    What cannot be read stays as it is, to be refused where that is told.
    """
    try:
        return bundle.zip_files(source.name, _members(source))
    except SetupError:
        return source


def _members(source: Source) -> Mapping[str, bytes]:
    if not bundle.is_zip(source) and not kind_of(source.single(SetupError))[0]:
        message = MESSAGES("no_zip")
        raise SetupError(Problem("program_zip", message, source.name))
    return _unzip(source.name, source.single(), wheels=True, folder=True)


def _unzip(
    name: str, data: bytes, wheels: bool = False, folder: bool = False
) -> Mapping[str, bytes]:
    source = Source.of_bytes(name, data)
    inside = (".whl",) if wheels else ()
    try:
        files = bundle.unpack(source, inside)
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    return bundle.without_folder(files) if folder else files


def _words(text: str) -> list[str]:
    match = COMMAND.search(text)
    line = COMMENT.sub("", match[1]) if match else ""
    if len(line) > 1 and line[0] == line[-1] and line[0] in "'\"":
        line = line[1:-1]
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _problems(
    text: str, files: Mapping[str, bytes], ingests: bool
) -> list[tuple[str, int | None, str]]:
    """Message, line and hint of each problem of a command."""
    hint = MESSAGES("write_as", example=EXAMPLE)
    match = COMMAND.search(text)
    if match is None:
        return [(MESSAGES("no_command"), None, hint)]
    line = text.count("\n", 0, match.start()) + 1
    words = _words(text)
    if not words or words[0] in ("|", ">", "|-", ">-"):
        return [(MESSAGES("same_line"), line, hint)]
    problems: list[tuple[str, int | None, str]] = []
    if not PYTHON.fullmatch(words[0]):
        message = MESSAGES("other_language", command=words[0])
        problems.append((message, line, OTHER_WAYS))
    if any(SHELL.search(word) for word in words):
        message = MESSAGES("no_shell")
        problems.append((message, line, hint))
    for word in words:
        for variable, place in PLACE.findall(word):
            if (variable or place) not in (OF_INGESTION if ingests else PLACES):
                shown = f"${variable}" if variable else f"/app/{place}"
                message = MESSAGES(
                    "no_ingestion_place" if ingests else "no_place", place=shown
                )
                problems.append((message, line, hint))
    script = script_of(words[1:])
    if script is None and PYTHON.fullmatch(words[0]):
        problems.append((MESSAGES("no_script"), line, hint))
    elif script and script not in files:
        message = MESSAGES("lost_script", script=script)
        problems.append((message, line, MESSAGES("from_top")))
    return problems


def script_of(words: Sequence[str]) -> str | None:
    """The file in the zip that is run; empty for a module or for code in a word."""
    for index, word in enumerate(words):
        if word in ("-m", "-c"):
            return "" if len(words) > index + 1 else None
        if not word.startswith("-"):
            path = PLACE.sub("", word, count=1) if word[:1] in "$/" else word
            return PurePosixPath(path.lstrip("/")).as_posix()
    return None


# Files by the folder of the input that they lie in.
Given = Mapping[str, Mapping[str, bytes]]


def given_to_program(
    reference: Mapping[str, bytes], submission: Mapping[str, bytes]
) -> Given:
    """The input of a scoring program."""
    return {"": {METADATA[-1]: OF_INPUT}, "ref": reference, "res": submission}


@dataclass(frozen=True)
class Workplace:
    """The folders of one run: program and input to read, output to write."""

    root: Path

    @property
    def program(self) -> Path:
        return self.root / "program"

    @property
    def input(self) -> Path:
        return self.root / "input"

    @property
    def output(self) -> Path:
        return self.root / "output"

    @property
    def packages(self) -> Path:
        return self.root / "packages"

    @property
    def ingested_program(self) -> Path:
        return self.root / "ingested_program"

    @property
    def to_read(self) -> tuple[Path, ...]:
        """The folders that a program may read and not write."""
        return self.program, self.input, self.packages, self.ingested_program

    @property
    def _places(self) -> Mapping[str, str]:
        return {name: str(getattr(self, own)) for name, own in OF_INGESTION.items()}

    def lay_out(self, program: ScoringProgram, given: Given) -> None:
        """Write everything that the program finds when it begins."""
        places = self._places

        def placed(data: bytes) -> bytes:
            return IN_CODE.sub(lambda match: places[match[1].decode()].encode(), data)

        own, ingested = program.files, program.ingested
        for root, files in ((self.program, own), (self.ingested_program, ingested)):
            for name, data in files.items():
                _write(root / name, placed(data) if name.endswith(".py") else data)
        for files in program.wheels.values():
            for name, data in files.items():
                _write(self.packages / name, data)
        for folder, files in given.items():
            (self.input / folder).mkdir(parents=True, exist_ok=True)
            for name, data in files.items():
                _write(self.input / folder / name, data)
        self.program.mkdir(exist_ok=True)
        self.ingested_program.mkdir(exist_ok=True)
        self.packages.mkdir(exist_ok=True)
        self.output.mkdir(exist_ok=True)

    def command(self, program: ScoringProgram, python: str) -> tuple[str, ...]:
        """The command with its variables and paths filled in.

        Its own folder is on the path for imports, the user's packages are not.
        """
        places = self._places
        words = [
            PLACE.sub(lambda match: places[match[1] or match[2]], word)
            for word in program.words
        ]
        return (python, "-s", "-B", *words)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def run_at_home(
    program: ScoringProgram,
    reference: Mapping[str, bytes],
    submission: Mapping[str, bytes],
) -> ProgramResult:
    """Run a program of one's own with one's own rights, as on the command line.

    What it says goes to standard error. Raises UsageError where it fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Workplace(Path(folder))
        _run_in(place, program, given_to_program(reference, submission))
        return ProgramResult.of_folder(place.output)


def run_code_at_home(
    code: ScoringProgram, given: Mapping[str, bytes]
) -> Mapping[str, bytes]:
    """Files that code, or an ingestion program with it, writes: run on an input as a
    program is. Raises UsageError."""
    with tempfile.TemporaryDirectory() as folder:
        place = Workplace(Path(folder))
        _run_in(place, code, {"": given})
        return written_to(place.output)


def _run_in(place: Workplace, program: ScoringProgram, given: Given) -> None:
    place.lay_out(program, given)
    ended = subprocess.run(
        place.command(program, sys.executable),
        cwd=place.program,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(place.packages)},
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        check=False,
    )
    if ended.returncode:
        message = f"the program ended with exit code {ended.returncode}"
        raise UsageError(Problem("program_failed", message))


def written_to(folder: Path) -> Mapping[str, bytes]:
    """Plain files of a folder by their paths in it; what cannot be read is left out.

    Links are not followed.
    """
    files = {}
    for place, _folders, names, at in os.fwalk(folder):
        for name in sorted(names):
            path = (Path(place) / name).relative_to(folder).as_posix()
            if stat.S_ISREG(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
                with suppress(PermissionError):
                    files[path] = _read(name, at)
    return files


def _read(name: str, folder: int) -> bytes:
    with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb") as file:
        return file.read()


def files_of(source: Source, name: str = "") -> Mapping[str, bytes]:
    """Members of a zip, under their names, or a single file, perhaps renamed.

    Raises Refused for a zip that is not plain.
    """
    if bundle.is_zip(source):
        return bundle.unpack(source)
    if bundle.is_single(source) and name:
        return {name: source.single()}
    return source.files
