"""Competition bundles of CodaLab: competition.yaml of version 1.5."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from leaderboard.extension.bundles import YamlTable
from leaderboard.extras.moving.codabench import (
    kit,
    phase_remarks,
    reward,
    sample,
    settings_of_both,
    with_ingestion,
)
from leaderboard.extras.moving.competition import (
    TERMS,
    Column,
    Competition,
    ImportedPhase,
    Leaderboard,
    Page,
    Test,
)
from leaderboard.extras.moving.fields import Bundle, ManifestTable

SETTINGS = (
    "allow_public_submissions",
    "anonymous_leaderboard",
    "enable_per_submission_metadata",
    "enable_medical_image_viewer",
    "show_datasets_from_yaml",
    "require_team_approval",
)
PAGES = {
    "overview": "Overview",
    "evaluation": "Evaluation",
    "terms": TERMS,
    "data": "Data",
}


def competition(bundle: Bundle, table: YamlTable) -> Competition:
    """The competition of a bundle; problems and remarks are noted in it."""
    top = ManifestTable(bundle, table)
    title = top.text("title", required=True)
    summary = top.text("description")
    _settings(bundle, top)
    last = top.flag("force_submission_to_leaderboard")
    counts = "last" if last else "chosen"
    pages = list(_pages(top))
    boards = _leaderboards(bundle, top)
    end = top.moment("end_date")
    tests, stages = _stages(bundle, top, counts, end)
    pages += reward(top)
    approves = top.flag("has_registration", default=True)
    publishes = top.flag("make_programs_available")
    top.leave()
    return Competition(
        origin="CodaLab",
        title=title,
        summary=summary,
        pages=tuple(pages),
        stages=tuple(stages),
        tests=tuple(tests),
        leaderboards=boards,
        solutions=tuple(filter(None, map(sample, tests))),
        needs_approval=approves,
        publishes_program=publishes,
    )


def _settings(bundle: Bundle, top: ManifestTable) -> None:
    settings_of_both(bundle, top)
    top.setting(*SETTINGS)
    top.skip("version", "disallow_leaderboard_modifying", "start_date", "allow_teams")


def _pages(top: ManifestTable) -> Iterator[Page]:
    pages = top.table_at("html")
    for key in pages.table if pages else ():
        title = PAGES.get(key) or key.replace("_", " ").strip().capitalize()
        if pages and (page := pages.page(key, title)):
            yield page


def _stages(
    bundle: Bundle, top: ManifestTable, counts: str, end: datetime | None
) -> tuple[list[Test], list[ImportedPhase]]:
    """A test for each phase; phases end where the next ones begin."""
    entries = sorted(top.tables("phases", "a table of phases"), key=_number)
    if any("parent_phasenumber" in entry for entry in entries):
        bundle.remark("parallel")
    entries = [entry for entry in entries if not entry.flag("is_parallel_parent")]
    tests: list[Test] = []
    stages: list[ImportedPhase] = []
    starts = [entry.moment("start_date", required=True) for entry in entries]
    if len(set(starts)) < len(starts):
        bundle.remark("parallel")
    for i, (entry, opens) in enumerate(zip(entries, starts, strict=True)):
        title = entry.text("label") or f"Phase {i + 1}"
        closes = _end(opens, starts, end)
        if entry.flag("phase_never_ends"):
            closes = None
        test = _test(bundle, entry, str(i), title)
        tests.append(test)
        phase_remarks(bundle, entry, title, "auto_migration")
        if entry.raw("is_scoring_only") is False:
            bundle.remark("code", title)
        elif "is_scoring_only" in entry:
            tests[-1] = replace(test, ingestion_line=None)
        counting = counts
        about = entry.text("description")
        if entry.flag("force_best_submission_to_leaderboard"):
            counting = "best"
        blind = entry.text("leaderboard_management_mode") == "hide_results"
        limits = (
            entry.limit("max_submissions_per_day"),
            entry.limit("max_submissions"),
        )
        entry.skip(
            *("phasenumber", "color", "parent_phasenumber"),
            *("ingestion_program_only_during_scoring", "scoring_program_name"),
        )
        entry.leave()
        if opens is None:
            continue
        if closes is not None and closes <= opens:
            top.expect("end_date", "a time after the last phase begins")
            continue
        blind = blind and closes is not None
        used = (test.key,)
        stage = ImportedPhase(title, opens, closes, used, *limits, about=about)
        stages.append(replace(stage, blind=blind, counts=counting))
    return tests, stages


def _end(
    opens: datetime | None, starts: Sequence[datetime | None], end: datetime | None
) -> datetime | None:
    """The next beginning of a phase after its own, else the competition's end."""
    later = [start for start in starts if start and opens and start > opens]
    return min(later, default=end)


def _number(entry: ManifestTable) -> int:
    value = entry.table.get("phasenumber")
    return value if isinstance(value, int) else 0


def _test(bundle: Bundle, entry: ManifestTable, key: str, title: str) -> Test:
    for name in ("scoring_program_docker_image", "ingestion_program_docker_image"):
        if image := entry.text(name):
            bundle.remark("docker", title, image=image)
    entry.setting("datasets")
    reference = entry.folder("reference_data")
    program = entry.folder("scoring_program")
    test = Test(key, title, reference, program, kit(entry), entry.where)
    return with_ingestion(bundle, entry, test)


def _leaderboards(bundle: Bundle, top: ManifestTable) -> tuple[Leaderboard, ...]:
    board = top.table_at("leaderboard")
    if board is None:
        top.problem("leaderboard", "it has to be there: leaderboards and columns.")
        return ()
    titles: dict[str, str] = {}
    entries = board.table_at("leaderboards")
    for name in entries.table if entries else ():
        entry = entries.table_at(name) if entries else None
        if entry is not None:
            titles[entry.text("label") or name] = name
            titles[name] = name
    if board.raw("column_groups"):
        bundle.remark("group")
    by_board: dict[str, list[Column]] = {name: [] for name in titles.values()}
    for name, column in _columns(bundle, board):
        place = titles.get(name) or next(iter(by_board), "")
        by_board.setdefault(place, []).append(column)
    board.leave()
    boards = tuple(
        Leaderboard(name, tuple(columns))
        for name, columns in by_board.items()
        if columns
    )
    if not boards:
        board.problem("columns", "it has to be there: a table of columns.")
    return boards


def _columns(bundle: Bundle, board: ManifestTable) -> Iterator[tuple[str, Column]]:
    """Columns by rank, each with the name of its leaderboard."""
    table = board.table_at("columns")
    entries = []
    for key in table.table if table else ():
        if table and (entry := table.table_at(key)):
            entries.append((entry.count("rank") or 1, key, entry))
    for _rank, key, entry in sorted(entries, key=lambda row: row[0]):
        title = entry.text("label") or key
        order = entry.text("sort").lower() or "desc"
        if order not in ("asc", "desc"):
            entry.expect("sort", "asc or desc")
        decimals = entry.count("numeric_format")
        hidden = entry.flag("hidden")
        owner = entry.raw("leaderboard")
        group = entry.raw("column_group")
        computed = entry.raw("computed")
        entry.leave()
        if computed:
            bundle.remark("computed", column=title)
            continue
        label = owner.get("label") if isinstance(owner, dict) else owner
        if isinstance(group, dict) and (name := group.get("label")):
            title = f"{name}: {title}"  # heads of different groups may be the same
        column = Column(key, title, order == "asc", hidden, decimals)
        yield str(label or ""), column
