"""Competition bundles of Codabench: competition.yaml of version 2."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from leaderboard.extension.bundles import YamlTable
from leaderboard.extras.moving.competition import (
    TERMS,
    Column,
    Competition,
    FactQuestion,
    Files,
    ImportedPhase,
    Leaderboard,
    Page,
    Solution,
    Test,
)
from leaderboard.extras.moving.fields import Bundle, ManifestTable, is_nested, visible
from scoring.errors import ScoringError

# How a submission gets onto the leaderboard there, and which one counts here.
RULES = {
    "add": "chosen",
    "add_and_delete": "chosen",
    "add_and_delete_multiple": "chosen",
    "force_last": "last",
    "force_latest_multiple": "last",
    "force_best": "best",
}
ORDERS = {"ascending": "asc", "descending": "desc"}
KINDS = {"checkbox": "yes_no", "text": "text", "select": "choice"}
# Folders of a starting kit with predictions as participants send them.
SAMPLE = re.compile(
    r"(?:sample|example)s?[_ -]?(?:results?|predictions?|submissions?|answers?)"
    r"(?:[_ -]?submissions?)?",
    re.I,
)
CODE_SAMPLE = re.compile(
    r"(?:sample|example|baseline)s?[_ -]?code(?:[_ -]?submissions?)?", re.I
)
SETTINGS = (
    "show_detailed_results_in_submission_panel",
    "show_detailed_results_in_leaderboard",
    "can_participants_make_submissions_public",
    "make_input_data_available",
)


def competition(bundle: Bundle, table: YamlTable) -> Competition:
    """The competition of a bundle; problems and remarks are noted in it."""
    top = ManifestTable(bundle, table)
    title = top.text("title", required=True)
    summary = top.text("description")
    top.skip("version")
    _settings(bundle, top)
    pages = list(_pages(top))
    boards, rule, hidden = _leaderboards(bundle, top)
    tests = _tests(bundle, top)
    stages, handed_out = _stages(bundle, top, tests, rule, hidden)
    pages += reward(top)
    contact = _contact(top.text("contact_email"))
    approves = not top.flag("registration_auto_approve")
    if top.flag("has_registration"):  # a key of the first generation, still written
        approves = True
    solutions = tuple(_solutions(bundle, top))
    if not solutions:
        solutions = tuple(filter(None, map(sample, handed_out.values())))
    questions = tuple(_questions(bundle, top))
    publishes = top.flag("make_programs_available")
    top.leave()
    return Competition(
        origin="Codabench",
        title=title,
        summary=summary,
        pages=tuple(pages),
        stages=tuple(stages),
        tests=tuple(handed_out.get(key, test) for key, test in tests.items()),
        leaderboards=boards,
        questions=questions,
        solutions=solutions,
        needs_approval=approves,
        contact=contact,
        publishes_program=publishes,
    )


def settings_of_both(bundle: Bundle, top: ManifestTable) -> None:
    """Remarks on what competitions of both generations say and is not taken."""
    if file := top.text("image"):
        bundle.remark("picture", file=file)
    if image := top.text("docker_image") or top.text("competition_docker_image"):
        bundle.remark("docker", image=image)
    if top.flag("enable_detailed_results"):
        bundle.remark("detailed_results")
    if top.flag("forum_enabled") or top.flag("enable_forum"):
        bundle.remark("forum")
    if people := top.text("admin_names"):
        bundle.remark("people", people=people)


def _settings(bundle: Bundle, top: ManifestTable) -> None:
    settings_of_both(bundle, top)
    if queue := top.text("queue"):
        bundle.remark("queue", queue=queue)
    if not top.flag("auto_run_submissions", default=True):
        bundle.remark("by_hand")
    top.setting(*SETTINGS)
    top.skip(
        "competition_docker_image",
        "force_submission_to_leaderboard",
        "disallow_leaderboard_modifying",
    )


def _pages(top: ManifestTable) -> Iterator[Page]:
    seen = []
    for entry in top.tables("pages"):
        title = entry.text("title") or "Page"
        if page := entry.page("file", title):
            seen.append(page.text)
            yield page
        entry.skip("index")
        entry.leave()
    page = top.page("terms", TERMS)
    if page and page.text not in seen:
        yield page


def _contact(address: str) -> str:
    """The address, unless it is none."""
    try:
        validate_email(address)
    except ValidationError:
        return ""
    return address


def reward(top: ManifestTable) -> list[Page]:
    """A page of its own, which the report names, too."""
    text = top.text("reward")
    if text:
        top.bundle.remark("reward", reward=text)
    return [Page("Reward", text)] if text else []


def _tests(bundle: Bundle, top: ManifestTable) -> dict[str, Test]:
    """The tasks there, by index."""
    tests: dict[str, Test] = {}
    for entry in top.tables("tasks", "a list of tasks"):
        index = entry.text("index", required=True)
        title = entry.text("name") or f"Task {index}"
        if index in tests:
            entry.problem("index", f"another task has the index {index}.")
        entry.skip("description", "ingestion_only_during_scoring", "is_public")
        if key := entry.text("key"):
            bundle.remark("elsewhere", where=f"{title} ({key})")
            tests[index] = Test(index, title, {}, {}, where=entry.where)
            continue
        reference = entry.folder("reference_data")
        program = entry.folder("scoring_program")
        test = Test(index, title, reference, program, where=entry.where)
        tests[index] = with_ingestion(bundle, entry, test)
        entry.leave()
    return tests


def with_ingestion(bundle: Bundle, entry: ManifestTable, test: Test) -> Test:
    """The test with what runs the code of participants, and what that code reads."""
    line = None
    if file := entry.text("ingestion_program"):
        bundle.remark("ingestion", test.title, file=file)
        line = entry.line("ingestion_program")
    if file := entry.text("input_data"):
        bundle.remark("input_data", test.title, file=file)
    ingestion = _optional(bundle, entry, "ingestion_program")
    inputs = _optional(bundle, entry, "input_data")
    return replace(test, ingestion_line=line, ingestion=ingestion, inputs=inputs)


def _optional(bundle: Bundle, entry: ManifestTable, key: str) -> Files:
    """The files that a path names; none where it leads nowhere, which stops nothing."""
    try:
        place = bundle.place(path, entry.where) if (path := entry.text(key)) else ""
        files = bundle.archive.folder(place) if place else None
    except ScoringError:
        return {}
    return {n: d for n, d in (files or {}).items() if not is_nested(n, d)}


def _stages(
    bundle: Bundle, top: ManifestTable, tests: dict[str, Test], rule: str, hidden: bool
) -> tuple[list[ImportedPhase], dict[str, Test]]:
    """Phases in their order, and tests with what their phases hand out."""
    entries = sorted(top.tables("phases", "a list of phases"), key=_index)
    stages: list[ImportedPhase] = []
    handed: dict[str, Test] = {}
    for number, entry in enumerate(entries, 1):
        title = entry.text("name", required=True) or f"Phase {number}"
        opens = entry.moment("start", required=True)
        closes = entry.moment("end")
        used = tuple(entry.words("tasks"))
        for index in used:
            if index not in tests:
                listed = ", ".join(tests) or "none"
                entry.problem("tasks", f"there is no task {index}; there are {listed}.")
        if len(used) > 1:
            bundle.remark("several_tasks", title)
        if not used:
            entry.problem("tasks", "it has to be there: indexes of tasks.")
        phase_remarks(bundle, entry, title, "auto_migrate_to_this_phase")
        _submissions_of(entry, title, tests, used)
        given = kit(entry)
        for index in used:
            if given and index in tests:
                before = handed.get(index, tests[index])
                files = {**before.handed_out, **given}
                handed[index] = replace(before, handed_out=files)
        limits = (
            entry.limit("max_submissions_per_day"),
            entry.limit("max_submissions"),
        )
        about = entry.text("description")
        entry.skip("index", "has_max_submissions")
        entry.leave()
        if opens is None:
            continue
        if closes is not None and closes <= opens:
            entry.expect("end", "a time after its start")
            continue
        blind = hidden and closes is not None
        stage = ImportedPhase(title, opens, closes, used, *limits, about=about)
        stages.append(replace(stage, blind=blind, counts=rule))
    return stages, handed


def _submissions_of(
    entry: ManifestTable, title: str, tests: dict[str, Test], used: Iterable[str]
) -> None:
    """Note that a phase took code, or notes that ingestion programs never ran."""
    results_alone = entry.raw("accepts_only_result_submissions")
    if results_alone is False:
        entry.bundle.remark("code", title)
    for index in used if results_alone is True else ():
        if index in tests:
            tests[index] = replace(tests[index], ingestion_line=None)


def _index(entry: ManifestTable) -> int:
    """The index of an entry, which some write between quotes; 0 without one."""
    text = str(entry.table.get("index", 0)).strip()
    return int(text) if text.isascii() and text.isdecimal() else 0


def phase_remarks(
    bundle: Bundle, entry: ManifestTable, title: str, migrates: str
) -> None:
    """Remarks on what phases of both generations say and is not taken."""
    if entry.flag(migrates):
        bundle.remark("migration", title)
    if seconds := entry.limit("execution_time_limit"):
        bundle.remark("time_limit", title, seconds=seconds)
    if not entry.flag("hide_output"):
        bundle.remark("outputs")
    entry.skip("hide_prediction_output", "hide_score_output")


def kit(entry: ManifestTable) -> dict[str, bytes]:
    """Starting kit and public data of a phase, each in a folder of its own."""
    files: dict[str, bytes] = {}
    for key in ("starting_kit", "public_data"):
        for name, data in entry.folder(key).items():
            files[f"{key}/{name}"] = data
    return files


def _solutions(bundle: Bundle, top: ManifestTable) -> Iterator[Solution]:
    """Solutions whose files are there; what is wrong with one stops nothing."""
    for entry in top.tables("solutions"):
        path = entry.text("path")
        title = entry.text("name") or PurePosixPath(path).stem
        tests = tuple(entry.words("tasks"))
        label = path or entry.text("key") or entry.where
        entry.skip("index", "key", "description", "md5")
        entry.leave()
        try:
            place = bundle.place(path, entry.where) if path else ""
            files = bundle.archive.folder(place) if path else None
        except ScoringError as error:
            reason = error.problems[0].message
            bundle.remark("solution_unfit", system=label, problem=reason)
            continue
        if files is None:
            bundle.remark("solution_absent", file=label)
        else:
            yield Solution(title, files, tests)


def sample(test: Test, named: re.Pattern[str] = SAMPLE) -> Solution | None:
    """The sample of predictions in what is handed out, if a folder is named so."""
    by_folder: dict[str, dict[str, bytes]] = {}
    for name, data in test.handed_out.items():
        *folders, last = name.split("/")
        for place, folder in enumerate(folders):
            if named.fullmatch(folder):
                inside = "/".join([*folders[place + 1 :], last])
                by_folder.setdefault(folder, {})[inside] = data
                break
    if len(by_folder) != 1:
        return None
    ((title, files),) = by_folder.items()
    return Solution(title, files, tuple(test.key.split("\n")))


def _leaderboards(
    bundle: Bundle, top: ManifestTable
) -> tuple[tuple[Leaderboard, ...], str, bool]:
    """The leaderboards, which submission counts, and whether the first was hidden."""
    key = top.first("leaderboards", "leaderboard")
    boards: list[Leaderboard] = []
    rules: list[str] = []
    hidden = False
    for entry in top.tables(key, "a list of leaderboards"):
        title = entry.text("title") or "Results"
        columns = tuple(_columns(bundle, entry))
        if not columns:
            entry.problem("columns", "it has to be there: a list of columns.")
        rule = entry.text("submission_rule")
        if rule and rule.lower() not in RULES:
            listed = ", ".join(RULES)
            entry.problem("submission_rule", f"expected one of {listed}.")
        if rule.lower().endswith("multiple"):
            bundle.remark("several_rows", title, rule=rule)
        rules.append(RULES.get(rule.lower(), "best"))
        if entry.flag("hidden") and not boards:
            hidden = True
            bundle.remark("hidden_board", title)
        primary = entry.count("primary_index") or 0
        ranking = columns[primary].key if primary < len(columns) else ""
        boards.append(Leaderboard(title, columns, ranking))
        entry.skip("key", "index")
        entry.leave()
    return tuple(boards), rules[0] if rules else "best", hidden


def _columns(bundle: Bundle, board: ManifestTable) -> Iterator[Column]:
    entries = list(board.tables("columns"))
    entries.sort(key=_index)
    for entry in entries:
        key = entry.text("key", required=True)
        title = entry.text("title") or key
        order = entry.text("sorting").lower() or "desc"
        order = ORDERS.get(order, order)
        if order not in ("asc", "desc"):
            entry.expect("sorting", "asc or desc")
        decimals = entry.count("precision")
        hidden = entry.flag("hidden")
        computed = entry.text("computation")
        entry.skip("index", "computation_indexes")
        entry.leave()
        if computed:
            bundle.remark("computed", column=title)
        elif key:
            yield Column(key, title, order == "asc", hidden, decimals)


def _questions(bundle: Bundle, top: ManifestTable) -> Iterator[FactQuestion]:
    sheet = top.table_at("fact_sheet")
    for name in sheet.table if sheet else ():
        entry = sheet.table_at(name) if sheet else None
        if entry is None:
            continue
        key = entry.text("key") or name
        title = entry.text("title") or key
        kind = entry.text("type").lower()
        answers = entry.raw("selection")
        required = entry.flag("is_required")
        public = entry.flag("is_on_leaderboard")
        entry.leave()
        if kind not in KINDS:
            entry.expect("type", f"one of {', '.join(KINDS)}")
            continue
        choices: tuple[str, ...] = ()
        if kind == "select":
            given = answers if isinstance(answers, list) else []
            choices = tuple(filter(None, (visible(str(choice)) for choice in given)))
            if not choices:
                entry.expect("selection", "a list of answers")
                continue
        yield FactQuestion(key, title, KINDS[kind], choices, required, public)
