"""A bundle of another site becomes one of this site, with a report of what was left."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import yaml
from django.utils.text import slugify

from leaderboard.extension.bundles import Manifest, TaskPlan, YamlTable, load, read
from leaderboard.extension.markdown import LONGEST
from leaderboard.extension.models import AnyQuestion as QuestionRow
from leaderboard.extension.models import NamedBoard, Phase, Task
from leaderboard.extension.programs import Inventory
from leaderboard.extras.moving import codabench, codalab, evalai
from leaderboard.extras.moving.archive import Archive
from leaderboard.extras.moving.competition import (
    TERMS,
    Column,
    Competition,
    FactQuestion,
    Files,
    ImportedPhase,
    Leaderboard,
    Test,
)
from leaderboard.extras.moving.fields import Bundle, is_nested
from leaderboard.extras.moving.joined_programs import MARK, command_of, join_programs
from leaderboard.extras.moving.report import ImportRemark, remark, unique
from leaderboard.extras.moving.suggestion import fallback, suggest_scorer
from scoring.errors import Problem, SetupError
from scoring.formats.bundle import LEFT_BY_DESKTOPS, zip_files
from scoring.scorers.program.conventions import (
    INPUT,
    METADATA,
    REF,
    ingestion_of,
    program_of,
)
from scoring.scorers.program.look import look
from scoring.source import Source
from scoring.vocabulary import LONGEST_KEY, NAME

Reader = Callable[[Bundle, YamlTable], Competition]
COMPETITIONS = ("competition.yaml", "competition.yml")
CHALLENGES = ("challenge_config.yaml", "challenge_config.yml")
PROGRAM = "program"
# Copies that CodaLab made of its competitions say of texts that they are texts.
OF_PYTHON_2 = re.compile(rb"!!python/(?:unicode|str)(?=\s)")
COLUMN, UNFIT = NAME, re.compile(r"[^\w.@+-]+", re.ASCII)
MOST_DECIMALS = 6
# Remarks on what is not left out where teams send code.
CODE_REMARKS = {"code", "ingestion", "input_data"}
NO_INGESTION = (
    "If participants can send what it writes, predictions that the scoring program "
    "reads, take the line out and say so on a page; else there is no way to move this."
)
LONGEST_NAME = 40


@dataclass(frozen=True)
class ConvertedBundle:
    """A bundle of this site, made of one of another site, and the report on it."""

    source: Source
    remarks: Sequence[ImportRemark]


def manifest_name(names: Iterable[str]) -> str:
    """The path of another site's manifest among names of files; empty for ours."""
    paths = [
        name
        for name in names
        if name.count("/") < 2 and not LEFT_BY_DESKTOPS.search(name)
    ]
    paths.sort(key=lambda name: name.count("/"))
    last = [name.rpartition("/")[2] for name in paths]
    if Manifest.NAME in last:
        return ""
    theirs = (*COMPETITIONS, *CHALLENGES)
    return next((n for n, end in zip(paths, last, strict=True) if end in theirs), "")


def convert(
    files: Mapping[str, bytes], python: Inventory | None
) -> tuple[Source, list[Any]]:
    """The converted source, with rows of the report. Raises SetupError."""
    converted = convert_bundle(files, python)
    return converted.source, [remark.row() for remark in converted.remarks]


def convert_bundle(
    files: Mapping[str, bytes], python: Inventory | None = None
) -> ConvertedBundle:
    """Convert the files of another site's bundle, zips among them as they are.

    Raises SetupError with every problem that is found; where there is any, with what
    keeps its programs from running in `python` as well.
    """
    name = manifest_name(files)
    top = name.rpartition("/")[0]
    start = f"{top}/" if top else ""
    own = {
        path.removeprefix(start): data
        for path, data in files.items()
        if path.startswith(start)
    }
    name = name.removeprefix(start)
    data = own[name]
    if len(data) > Manifest.MOST_BYTES:
        raise SetupError(Problem("manifest", "the file is too long", name))
    bundle = Bundle(name, Archive(own))
    repeated: list[tuple[str, int, int]] = []
    table = read(name, OF_PYTHON_2.sub(b"", data), repeated)
    for key, first, last in repeated:
        bundle.remark("repeated_key", key=key, first=first, last=last)
    competition = _with_code(bundle, reader_of(name, table)(bundle, table))
    problems = bundle.findings.problems
    problems.sort(key=lambda problem: problem.line or 0)
    if problems:
        for program in _distinct_programs(competition.tests):
            problems.extend(_problems_of(program, python))
    bundle.findings.raise_if_any(SetupError)
    return _Conversion(competition, bundle.remarks).convert()


def reader_of(name: str, table: YamlTable) -> Reader:
    """The reader for the manifest's name and version; version 1.5 may say none."""
    if name in CHALLENGES:
        return evalai.competition
    version = str(table.get("version") or "")
    if version.startswith("2") or isinstance(table.get("phases"), list):
        return codabench.competition
    return codalab.competition


def _with_code(bundle: Bundle, competition: Competition) -> Competition:
    """The competition as one whose teams send code, where nothing is scored without an
    ingestion program; notes why as problems where those cannot run here."""
    scored = [test for test in competition.tests if test.program or test.reference]
    if not scored or not all(test.ingestion_line for test in scored):
        return competition
    reasons = {test.key: _why_no_code(test, scored) for test in scored}
    for test in scored:
        if reason := reasons[test.key]:
            message = (
                f"{test.where}: 'ingestion_program': it runs the systems of "
                f"participants, and it cannot run here: {reason}"
            )
            bundle.problem(message, test.ingestion_line, NO_INGESTION)
    if any(reasons.values()):
        return competition
    bundle.remarks[:] = [
        left for left in bundle.remarks if left.code not in CODE_REMARKS
    ]
    samples = [codabench.sample(test, codabench.CODE_SAMPLE) for test in scored]
    code = [solution for solution in competition.solutions if _is_code(solution.files)]
    return replace(
        competition,
        tests=tuple(map(_with_inputs, competition.tests)),
        solutions=tuple(code or filter(None, samples)),
        runs_code=True,
    )


def _why_no_code(test: Test, scored: Sequence[Test]) -> str:
    """The reason why the code of participants cannot run here; empty where it can."""
    if not test.inputs:
        return "there is no 'input_data' in the bundle."
    if any(other.ingestion != test.ingestion for other in scored):
        return "all tasks and phases need the same."
    if len(_distinct_programs(scored)) != 1:
        return "all tasks and phases need one scoring program."
    try:
        ingestion_of(zip_files("ingestion.zip", test.ingestion))
        program_of(zip_files("program.zip", test.program))
    except SetupError as error:
        return " ".join(map(str, error.problems))
    return ""


def _with_inputs(test: Test) -> Test:
    """The test with reference data and input in the folders of a gold for code."""
    if not test.reference:
        return test
    own = {f"{REF}/{name}": data for name, data in test.reference.items()}
    given = {f"{INPUT}/{name}": data for name, data in test.inputs.items()}
    return replace(test, reference={**own, **given})


def _problems_of(program: Files, python: Inventory | None) -> Iterator[Problem]:
    """Problems that keep a program from running at all, as far as is seen."""
    try:
        read = program_of(zip_files("program.zip", program))
    except SetupError as error:
        yield from error.problems
        return
    for sight in look(read, python.modules, python.version) if python else ():
        if sight.fatal:
            note = remark(sight.code, line=sight.line, **sight.values)
            hint = note.remedy
            yield Problem(sight.code, note.text, sight.file, sight.line, hint=hint)


class _Conversion:
    """One competition on its way into a manifest and files."""

    def __init__(
        self, competition: Competition, remarks: Iterable[ImportRemark]
    ) -> None:
        self.competition = competition
        self.left = list(remarks)
        self.taken: list[ImportRemark] = []
        self.files: dict[str, bytes] = {}
        self.runs = False
        self._program: Files = {}
        self._test_names: dict[str, str] = {}

    def convert(self) -> ConvertedBundle:
        """The converted task: with the program where programs may run, else as near as
        it gets."""
        table = self._texts()
        boards = self._boards()
        tests, stages = self._tests_and_phases()
        self.runs = bool(tests and boards and self._program)
        if self.runs:
            table |= self._with_program(boards, tests)
        else:
            table |= self._without_program(boards, tests)
            tests = self._readable(table, tests)
        table |= self._test_sets(tests)
        table["phases"] = self._phases(stages, tests)
        table |= self._sheet()
        table |= self._baselines(table["phases"])
        source = self._source(table)
        return ConvertedBundle(source, unique([*self.taken, *self.left]))

    def _source(self, table: Mapping[str, Any]) -> Source:
        text = yaml.safe_dump(dict(table), sort_keys=False, allow_unicode=True)
        return Source(table["slug"], {Manifest.NAME: text.encode(), **self.files})

    def _note_taken(self, code: str, **values: object) -> None:
        self.taken.append(remark(code, **values))

    def _note_left(self, code: str, where: str = "", **values: object) -> None:
        self.left.append(remark(code, where, **values))

    def _texts(self) -> dict[str, Any]:
        competition = self.competition
        title = self._cut("Title", competition.title, _longest(Task, "title"))
        self._note_taken("title", title=title)
        summary = competition.summary
        most = _longest(Task, "summary")
        terms = [page for page in competition.pages if page.title == TERMS]
        others = [page for page in competition.pages if page.title != TERMS]
        pages = [f"## {page.title}\n\n{page.text}" for page in others]
        about = [
            f"### {stage.title}\n\n{stage.about}"
            for stage in competition.stages
            if stage.about
        ]
        if about:
            pages.append("\n\n".join(["## Phases", *about]))
        if len(summary) > most:
            pages.insert(0, summary)
            summary = self._cut("Summary", summary, most)
        table: dict[str, Any] = {
            "plumbline": TaskPlan.FORMAT,
            "slug": _slug(title),
            "title": title,
            "summary": summary,
            "draft": True,
        }
        if pages:
            text = self._cut("Description", "\n\n".join(pages), LONGEST) + "\n"
            self.files["description.md"] = text.encode()
            table["description"] = "description.md"
            self._note_taken("pages", names=_names(page.title for page in others))
        if terms:
            whole = "\n\n".join(page.text for page in terms)
            text = self._cut("Terms", whole, LONGEST) + "\n"
            self.files["terms.md"] = text.encode()
            table["terms"] = "terms.md"
            self._note_taken("terms")
        if competition.contact:
            table["contact"] = competition.contact
            self._note_taken("contact", address=competition.contact)
        if competition.needs_approval:
            table["entry"] = "approval"
            self._note_taken("approval")
        if competition.mail_domains:
            table["mail_domains"] = list(competition.mail_domains)
            self._note_taken("domains", names=_names(competition.mail_domains))
        return table

    def _cut(self, what: str, text: str, most: int) -> str:
        if len(text) <= most:
            return text
        self._note_left("too_long", what=what, most=most)
        return text[: most - 1].rstrip() + "…"

    def _boards(self) -> list[Leaderboard]:
        """Leaderboards with columns, each under a name that a measure can have."""
        keys = [c.key for board in self.competition.leaderboards for c in board.columns]
        names = _measure_names(keys)
        boards = []
        for board in self.competition.leaderboards:
            columns = []
            for column in board.columns:
                if column.key not in names:
                    self._note_left("column_name", column=column.title)
                    continue
                name = names[column.key]
                columns.append(replace(column, name=name))
                if name != column.key:
                    self._note_taken("column_renamed", key=column.key, name=name)
            if columns:
                boards.append(replace(board, columns=tuple(columns)))
        return boards

    def _tests_and_phases(self) -> tuple[list[Test], list[ImportedPhase]]:
        """Tests that the program of the task scores, and the phases."""
        tests = [test for test in self.competition.tests if test.reference]
        for test in self.competition.tests:
            if not test.reference:
                self._note_left("no_reference", where=test.title)
        for test in tests:
            if not test.program:
                self._note_left("program_absent", where=test.title)
        programs = [
            program for program in _distinct_programs(tests) if self._may_run(program)
        ]
        if not programs:
            return _unique_tests(tests), list(self.competition.stages)
        if len(programs) > 1 and all(map(command_of, programs)):
            self._program = join_programs(programs)
            marks = [(program, str(i).encode()) for i, program in enumerate(programs)]
            self._note_taken("programs", number=len(programs))
        else:
            # The last phase is the one that decides, so its program is the task's.
            self._program = programs[-1]
            marks = [(programs[-1], b"")]
        scored = []
        for test in tests:
            mark = next(
                (mark for program, mark in marks if program == test.program), None
            )
            if mark is not None:
                scored.append(_with_mark(test, mark))
            elif test.program:
                self._note_left("other_program", where=test.title)
        return _unique_tests(scored), list(self.competition.stages)

    def _may_run(self, program: Files) -> bool:
        """Whether the program can be the task's; says why where it cannot."""
        try:
            program_of(zip_files("program.zip", program))
        except SetupError as error:
            problem = " ".join(map(str, error.problems))
            self._note_left("program_unfit", problem=problem)
            return False
        return True

    def _with_program(
        self, boards: Sequence[Leaderboard], tests: Sequence[Test]
    ) -> dict[str, Any]:
        """The scorer that runs the program, with the columns as its measures."""
        for name, data in self._program.items():
            self.files[f"program/{name}"] = data
        self._note_taken("program", files=len(self._program))
        headlines = [self._headline(board) for board in boards]
        seen = [
            self._columns_of_board(*board)
            for board in zip(boards, headlines, strict=True)
        ]
        # Only what is shown is declared: a program has to write each of its measures.
        columns: dict[str, Column] = {}
        for column in (column for board in seen for column in board):
            columns.setdefault(column.measure, column)
        headline, measures = headlines[0], [column.measure for column in seen[0]]
        # Programs of several phases mostly write the columns of the phase alone.
        optional = len(tests) > 1 and len(columns) > 1
        lines = [declaration(column, optional) for column in columns.values()]
        names = _names(columns[name].title for name in measures)
        self._note_taken("measures", names=names, headline=columns[headline].title)
        if optional:
            self._note_taken("optional", number=len(tests))
        if could_be := suggest_scorer(
            name for c in columns.values() for name in (c.key, c.title)
        ):
            self._note_left("could_be", scorer=could_be)
        options: dict[str, Any] = {"program": "program", "measure": lines}
        if self.competition.runs_code:
            options |= self._ingestion(tests)
        if self.competition.publishes_program:
            options["publish_program"] = True
            self._note_taken("program_public")
        scorer = {
            "name": PROGRAM,
            "options": options,
            "measures": measures,
            "headline": headline,
        }
        return {"scorer": scorer, **self._named_boards(boards[1:])}

    def _ingestion(self, tests: Sequence[Test]) -> dict[str, object]:
        files = tests[0].ingestion
        for name, data in files.items():
            self.files[f"ingestion/{name}"] = data
        self._note_taken("ingestion_taken", files=len(files))
        return {"run_code": True, "ingestion": "ingestion"}

    def _headline(self, board: Leaderboard) -> str:
        by_key = {column.key: column for column in board.columns}
        column = by_key.get(board.ranking)
        if column is None:
            seen = [column for column in board.columns if not column.hidden]
            column = (seen or board.columns)[0]
        if column.hidden:
            self._note_left("hidden_headline", column=column.title)
        return column.measure

    def _columns_of_board(self, board: Leaderboard, headline: str) -> list[Column]:
        visible = []
        for column in board.columns:
            if column.hidden and column.measure != headline:
                self._note_left("hidden_column", column=column.title)
            else:
                visible.append(column)
        return visible

    def _named_boards(self, boards: Sequence[Leaderboard]) -> dict[str, Any]:
        """Leaderboards beside the first one, as named boards."""
        names = _Names(LONGEST_NAME)
        rows = []
        for board in boards[: NamedBoard.MOST]:
            headline = self._headline(board)
            rows.append(
                {
                    "name": names.new(board.title, "board"),
                    "title": self._cut("Board", board.title, 120),
                    "measures": [
                        c.measure for c in self._columns_of_board(board, headline)
                    ],
                    "headline": headline,
                }
            )
        if len(boards) > NamedBoard.MOST:
            self._note_left("too_many", what="leaderboards", most=NamedBoard.MOST)
        if rows:
            self._note_taken("boards", names=_names(row["title"] for row in rows))
        return {"boards": rows} if rows else {}

    def _without_program(
        self, boards: Sequence[Leaderboard], tests: Sequence[Test]
    ) -> dict[str, Any]:
        """A scorer of ours that may fit."""
        columns = [c for board in boards for c in board.columns]
        names = [name for c in columns for name in (c.key, c.title)]
        scorer = suggest_scorer(names)
        if scorer:
            self._note_left("suggested", scorer=scorer)
        else:
            scorer = fallback()
            titles = _names(column.title for column in columns)
            if titles:
                self._note_left("not_suggested", columns=titles, scorer=scorer)
            else:
                self._note_left("no_columns", scorer=scorer)
        return {"scorer": {"name": scorer}}

    def _readable(self, table: Mapping[str, Any], tests: Sequence[Test]) -> list[Test]:
        """Tests whose reference data the scorer can read as its gold."""
        scorer = table["scorer"]["name"]
        readable = []
        for test in tests:
            trial = {"plumbline": TaskPlan.FORMAT, "slug": "trial", "title": "Trial"}
            files = {f"gold/{name}": data for name, data in test.reference.items()}
            path = f"gold/{next(iter(files)).removeprefix('gold/')}"
            gold = path if len(files) == 1 else "gold"
            trial |= {"scorer": {"name": scorer}}
            trial |= {"test_sets": [{"name": "trial", "gold": gold}]}
            text = yaml.safe_dump(trial).encode()
            try:
                load(Source("trial", {Manifest.NAME: text, **files}))
            except SetupError:
                self._note_left("no_gold", where=test.title, scorer=scorer)
            else:
                readable.append(test)
        return readable

    def _test_sets(self, tests: Sequence[Test]) -> dict[str, Any]:
        names = _Names(LONGEST_NAME)
        rows = []
        handed: list[str] = []
        for test in tests:
            name = names.new(test.title, "test")
            for key in _keys(test):
                self._test_names[key] = name
            row = {"name": name, "title": self._cut("Test set", test.title, 120)}
            row["gold"] = self._write(f"gold/{name}", test.reference)
            if test.handed_out and self.runs:
                row["blind"] = self._write(f"blind/{name}", test.handed_out)
                handed.append(test.title)
            rows.append(row)
        if rows:
            self._note_taken("tests", names=_names(test.title for test in tests))
        if handed:
            self._note_taken("handed_out", names=_names(handed))
        return {"test_sets": rows} if rows else {}

    def _write(self, folder: str, files: Mapping[str, bytes]) -> str:
        """The path that the manifest names: of the one file, or of the folder."""
        for name, data in files.items():
            self.files[f"{folder}/{name}"] = data
        if len(files) == 1:
            return f"{folder}/{next(iter(files))}"
        return folder

    def _phases(
        self, stages: Sequence[ImportedPhase], tests: Sequence[Test]
    ) -> list[dict[str, Any]]:
        names = _Names(LONGEST_NAME, Phase.RESERVED_NAMES)
        rows = []
        for stage in stages:
            used = [
                self._test_names[key] for key in stage.tests if key in self._test_names
            ]
            if not used and self._test_names:
                dates = f"{_stamp(stage.opens)} – "
                dates += _stamp(stage.closes) if stage.closes else ""
                self._note_left("empty_phase", phase=stage.title, dates=dates)
                continue
            if stage.closes is not None and stage.closes <= datetime.now(UTC):
                closes = _stamp(stage.closes)
                self._note_left("phase_over", phase=stage.title, closes=closes)
            row: dict[str, Any] = {
                "name": names.new(stage.title, "phase"),
                "title": self._cut("Phase", stage.title, _longest(Phase, "title")),
                "opens": _stamp(stage.opens),
                "counts": stage.counts,
            }
            if stage.closes is not None:
                row["closes"] = _stamp(stage.closes)
            if stage.daily_limit:
                row["daily_limit"] = stage.daily_limit
            if stage.total_limit:
                row["total_limit"] = stage.total_limit
            if stage.blind:
                row["policy"] = "blind"
            if stage.organizers_only:
                row["who"] = "organizers"
            row["test_sets"] = list(dict.fromkeys(used))
            rows.append(row)
        if rows:
            self._note_taken("phases", names=_names(row["title"] for row in rows))
        return rows

    def _baselines(self, phases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Solutions as baselines, each for the test sets that it answers."""
        names = _Names(LONGEST_NAME)
        rows = []
        for solution in self.competition.solutions:
            name = names.new(solution.title, "solution")
            if _is_code(solution.files) and not self.competition.runs_code:
                self._note_left("solution_code", system=solution.title)
                continue
            keys = solution.tests or tuple(self._test_names)
            names_of_tests = (self._test_names.get(key) for key in keys)
            used = list(dict.fromkeys(filter(None, names_of_tests)))
            sent_to = [p["name"] for p in phases if set(used) & set(p["test_sets"])]
            files = {n: d for n, d in solution.files.items() if not is_nested(n, d)}
            if not sent_to or not any(files.values()):
                self._note_left("solution", file=solution.title)
                continue
            if self.competition.runs_code:  # of one file it would be that, and no zip
                files = {METADATA[-1]: b"description: code\n", **files}
            path = self._write(f"baselines/{name}", files)
            row = {"system": name, "phases": sent_to}
            rows.append(row | {"files": dict.fromkeys(used, path)})
        return {"baselines": rows} if rows else {}

    def _sheet(self) -> dict[str, Any]:
        names = _Names(LONGEST_NAME)
        questions = self.competition.questions[: QuestionRow.MOST]
        rows = [self._question(question, names) for question in questions]
        if len(self.competition.questions) > len(questions):
            self._note_left("too_many", what="questions", most=QuestionRow.MOST)
        if rows:
            self._note_taken("questions", names=_names(row["title"] for row in rows))
        return {"fact_sheet": rows} if rows else {}

    def _question(self, question: FactQuestion, names: "_Names") -> dict[str, Any]:
        row: dict[str, Any] = {
            "name": names.new(question.key, "question"),
            "title": self._cut("Question", question.title, 120),
            "kind": question.kind,
            "required": question.required,
            "public": question.public,
        }
        if question.kind == "choice":
            choices = [
                choice[: QuestionRow.LONGEST_CHOICE] for choice in question.choices
            ]
            most = QuestionRow.MOST_CHOICES
            if len(choices) > most:
                self._note_left("too_many", what=question.title, most=most)
            row["choices"] = list(dict.fromkeys(choices))[:most]
        return row


def _measure_names(keys: Iterable[str]) -> dict[str, str]:
    """Names of measures by what programs write; without keys that no line can hold."""
    names = {key: key for key in keys if COLUMN.fullmatch(key)}
    used = set(names.values())
    for key in keys:
        if key in names or not key.isprintable() or ";" in key:
            continue
        if not 0 < len(key) <= LONGEST_KEY:
            continue
        plain = unicodedata.normalize("NFKD", key).encode("ascii", "ignore").decode()
        start = UNFIT.sub("_", plain).strip("_.@+-")[:50]
        if not COLUMN.fullmatch(start):
            start = f"score_{start}".rstrip("_")
        name, number = start, 1
        while name in used:
            number += 1
            name = f"{start}_{number}"
        used.add(name)
        names[key] = name
    return names


def declaration(column: Column, optional: bool = False) -> str:
    """The line that declares a column as a measure of the program."""
    words = [column.measure]
    title = "".join(c for c in column.title if c.isprintable() and c not in ";=")
    if title.strip() and title != column.measure:
        words.append(f"title {title.strip()[:80]}")
    if column.key != column.measure:
        words.append(f"key {column.key}")
    if column.lower_is_better:
        words.append("lower")
    if column.decimals is not None:
        words.append(f"decimals {min(column.decimals, MOST_DECIMALS)}")
    if optional:
        words.append("optional")
    return "; ".join(words)


def _is_code(files: Files) -> bool:
    """Whether files are a system to be run, and no predictions."""
    return any(name in METADATA or name.endswith(".py") for name in files)


def _distinct_programs(tests: Iterable[Test]) -> list[Files]:
    """Each program of the tests once, in the order of their last use."""
    programs: list[Files] = []
    for test in tests:
        if test.program:
            programs = [program for program in programs if program != test.program]
            programs.append(test.program)
    return programs


def _with_mark(test: Test, mark: bytes) -> Test:
    """The test with a mark beside its reference data, if it needs one."""
    if not mark:
        return test
    return replace(test, reference={**test.reference, MARK: mark})


def _unique_tests(tests: Sequence[Test]) -> list[Test]:
    """Tests with the same reference data are one; its key holds those of all."""
    once: list[Test] = []
    for test in tests:
        for i, other in enumerate(once):
            if other.reference == test.reference:
                handed = {**other.handed_out, **test.handed_out}
                key = f"{other.key}\n{test.key}"
                once[i] = replace(other, key=key, handed_out=handed)
                break
        else:
            once.append(test)
    return once


def _keys(test: Test) -> list[str]:
    return test.key.split("\n")


class _Names:
    """Names for addresses, each once."""

    def __init__(self, most: int, reserved: Iterable[str] = ()) -> None:
        self._most = most
        self._used = set(reserved)

    def new(self, title: str, usual: str) -> str:
        start = slugify(title)[: self._most - 4].strip("-_") or usual
        name, number = start, 1
        while name in self._used:
            number += 1
            name = f"{start}-{number}"
        self._used.add(name)
        return name


def _slug(title: str) -> str:
    slug = slugify(title)[:55].strip("-_") or "competition"
    return f"{slug}-task" if slug in Task.RESERVED_SLUGS else slug


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _names(names: Iterable[object]) -> str:
    return ", ".join(map(str, names))


def _longest(row: Any, field: str) -> int:
    most: int = row._meta.get_field(field).max_length
    return most
