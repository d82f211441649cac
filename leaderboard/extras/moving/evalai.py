"""Challenges of EvalAI: challenge_config.yaml with an evaluation script."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from json import dumps
from pathlib import Path

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
    Test,
)
from leaderboard.extras.moving.fields import Bundle, ManifestTable

PAGES = {
    "description": "Overview",
    "evaluation_details": "Evaluation",
    "submission_guidelines": "Submission guidelines",
    "terms_and_conditions": TERMS,
}
KINDS = {"text": "text", "radio": "choice", "checkbox": "text", "boolean": "yes_no"}
VISIBLE_TO_ALL = 3
ADAPTER = Path(__file__).parent / "evalai_adapter.py"
# Beside the script, so that none of its files is hidden.
MAIN, SCRIPT = "plumbline_adapter.py", "evaluation_script"
CHOICE = "plumbline.json"
SETTINGS = (
    "tags",
    "is_static_dataset_code_upload",
    "cli_version",
    "challenge_fields",
    "blocked_email_domains",
)


@dataclass(frozen=True)
class PhaseSplit:
    """The measures that a phase shows of one split of the data."""

    phase: str
    leaderboard: str
    codename: str
    visibility: int
    descending: bool
    decimals: int | None


def competition(bundle: Bundle, table: YamlTable) -> Competition:
    """The competition of a challenge; problems and remarks are noted in it."""
    top = ManifestTable(bundle, table)
    title = top.text("title", required=True)
    summary = top.text("short_description")
    pages = [page for key, name in PAGES.items() if (page := top.page(key, name))]
    if about := top.text("leaderboard_description"):
        pages.append(Page("Leaderboard", about))
    _settings(bundle, top)
    program = _program(bundle, top)
    splits = list(_splits(top))
    boards = _leaderboards(top, splits)
    tests: list[Test] = []
    stages: list[ImportedPhase] = []
    questions: dict[str, FactQuestion] = {}
    for entry in top.tables("challenge_phases", "a list of phases"):
        _phase(bundle, entry, splits, boards, program, (tests, stages, questions))
    domains = tuple(top.words("allowed_email_domains"))
    if blocked := top.words("blocked_emails_domains"):
        bundle.remark("blocked_domains", domains=", ".join(blocked))
    top.leave()
    return Competition(
        origin="EvalAI",
        title=title,
        summary=summary,
        pages=tuple(pages),
        stages=tuple(sorted(stages, key=lambda stage: stage.opens)),
        tests=tuple(tests),
        leaderboards=boards,
        questions=tuple(questions.values()),
        mail_domains=domains,
    )


def _settings(bundle: Bundle, top: ManifestTable) -> None:
    if file := top.text("image"):
        bundle.remark("picture", file=file)
    if top.flag("remote_evaluation"):
        bundle.remark("remote")
    if top.flag("is_docker_based"):
        bundle.remark("code")
    top.setting(*SETTINGS)
    top.skip("published", "start_date", "end_date", "dataset_splits")


def _program(bundle: Bundle, top: ManifestTable) -> Files:
    """The evaluation script as a scoring program, with an adapter that calls it."""
    script = top.folder("evaluation_script")
    if not script:
        return {}
    if "requirements.txt" in script:
        bundle.remark("wheels", file="requirements.txt")
    files = {f"{SCRIPT}/{name}": data for name, data in script.items()}
    files.setdefault(f"{SCRIPT}/__init__.py", b"")
    files[MAIN] = ADAPTER.read_bytes()
    files["metadata"] = f"command: python $program/{MAIN} $input $output\n".encode()
    return files


def _splits(top: ManifestTable) -> Iterator[PhaseSplit]:
    names = {
        entry.text("id"): entry.text("codename", required=True)
        for entry in top.tables("dataset_splits")
    }
    for entry in top.tables("challenge_phase_splits"):
        visibility = entry.count("visibility")
        phase = entry.text("challenge_phase_id", required=True)
        board = entry.text("leaderboard_id", required=True)
        split = entry.text("dataset_split_id", required=True)
        descending = entry.flag("is_leaderboard_order_descending", default=True)
        decimals = entry.count("leaderboard_decimal_precision")
        if split and split not in names:
            entry.problem("dataset_split_id", f"there is no dataset split {split}.")
        entry.skip("id")
        entry.leave()
        level = VISIBLE_TO_ALL if visibility is None else visibility
        name = names.get(split, "")
        yield PhaseSplit(phase, board, name, level, descending, decimals)


def _leaderboards(
    top: ManifestTable, splits: list[PhaseSplit]
) -> tuple[Leaderboard, ...]:
    boards = []
    for entry in top.tables("leaderboard", "a list with a schema"):
        number = entry.text("id")
        mine = [split for split in splits if split.leaderboard == number]
        descending = all(split.descending for split in mine)
        decimals = next((split.decimals for split in mine), None)
        schema = entry.table_at("schema")
        if schema is None:
            if "schema" not in entry:
                entry.problem("schema", "it has to be there: labels and their order.")
            continue
        labels = schema.words("labels")
        if not labels:
            schema.problem("labels", "it has to be there: names of columns.")
            continue
        about = schema.raw("metadata")
        lower = {label: not descending for label in labels}
        for label in labels:
            details = about.get(label) if isinstance(about, dict) else None
            if isinstance(details, dict) and isinstance(
                details.get("sort_ascending"), bool
            ):
                lower[label] = details["sort_ascending"]
        columns = tuple(
            Column(key_of(label), label, lower[label], decimals=decimals)
            for label in labels
        )
        ranking = schema.text("default_order_by") or labels[0]
        if ranking not in labels:
            schema.expect("default_order_by", f"one of {', '.join(labels)}")
        board = Leaderboard(f"Leaderboard {number}", columns, key_of(ranking))
        boards.append(board)
    # A second leaderboard of the same columns, for another phase, is no other.
    return tuple({board.columns: board for board in boards}.values())


def key_of(label: str) -> str:
    """The name of a measure for a label, which may hold any character."""
    return re.sub(r"[^\w.@+-]+", "_", label, flags=re.ASCII).strip("_") or "score"


def _phase(
    bundle: Bundle,
    entry: ManifestTable,
    splits: list[PhaseSplit],
    boards: tuple[Leaderboard, ...],
    program: Files,
    parts: tuple[list[Test], list[ImportedPhase], dict[str, FactQuestion]],
) -> None:
    tests, stages, questions = parts
    number = entry.text("id", required=True)
    title = entry.text("name", required=True) or f"Phase {number}"
    codename = entry.text("codename")
    opens = entry.moment("start_date", required=True)
    closes = entry.moment("end_date")
    reference = dict(entry.folder("test_annotation_file"))
    annotation = next(iter(reference), "")
    split = _split_of(
        bundle, title, [split for split in splits if split.phase == number]
    )
    names = {column.title: column.key for board in boards for column in board.columns}
    choice = {
        "annotation": annotation,
        "phase": codename,
        "split": split,
        "columns": names,
    }
    if program and reference:
        reference[CHOICE] = dumps(choice).encode()
    tests.append(Test(number, title, reference, program, where=entry.where))
    if limit := entry.limit("max_submissions_per_month"):
        bundle.remark("monthly", title, number=limit)
    limits = (entry.limit("max_submissions_per_day"), entry.limit("max_submissions"))
    blind = not entry.flag("leaderboard_public") and closes is not None
    hidden = not entry.flag("is_public", default=True)
    if hidden:
        bundle.remark("hidden_phase", title)
    page = entry.page("description", title)
    chosen = entry.flag("is_restricted_to_select_one_submission")
    for question in _questions(bundle, entry):
        questions.setdefault(question.key, question)
    entry.setting(
        "is_partial_submission_evaluation_enabled", "allowed_submission_file_types"
    )
    entry.skip(
        *("is_submission_public", "challenge", "is_active", "config_id"),
        *("max_concurrent_submissions_allowed", "environment_image"),
        *("default_submission_meta_attributes", "annotations_uploaded_using_cli"),
        *("allowed_email_ids", "disable_logs"),
    )
    entry.leave()
    if opens is None:
        return
    if closes is not None and closes <= opens:
        entry.expect("end_date", "a time after its start")
        return
    stage = ImportedPhase(title, opens, closes, (number,), *limits, blind=blind)
    stages.append(
        replace(
            stage,
            organizers_only=hidden,
            counts="chosen" if chosen else "best",
            about=page.text if page else "",
        )
    )


def _split_of(bundle: Bundle, title: str, splits: list[PhaseSplit]) -> str:
    """The split that everybody sees, or the first."""
    if not splits:
        return ""
    visible = [
        split for split in splits if split.visibility >= VISIBLE_TO_ALL
    ] or splits
    first = visible[0].codename
    others = [split.codename for split in splits if split.codename != first]
    if others:
        bundle.remark("splits", title, split=first, others=", ".join(others))
    return first


def _questions(bundle: Bundle, phase: ManifestTable) -> Iterator[FactQuestion]:
    for entry in phase.tables("submission_meta_attributes"):
        title = entry.text("name", required=True)
        kind = entry.text("type").lower()
        choices = tuple(filter(None, entry.words("options"))) if kind == "radio" else ()
        required = entry.flag("required")
        entry.skip("description", "options", "is_visible")
        entry.leave()
        if kind not in KINDS:
            entry.expect("type", f"one of {', '.join(KINDS)}")
        elif kind == "radio" and not choices:
            entry.expect("options", "a list of answers")
        elif title:
            if kind == "checkbox":
                bundle.remark("question", question=title, kind=kind)
            yield FactQuestion(title, title, KINDS[kind], choices, required)
