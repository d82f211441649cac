"""Tables with a column of 0 and 1 for each label, as one column of labels."""

from scoring.errors import Findings, Refused, ScoringError
from scoring.formats import records
from scoring.formats.answers import GROUPS, ID
from scoring.formats.forms import rewritten
from scoring.formats.records import Records
from scoring.options import Options
from scoring.source import Source

LABEL = "label"
YES, NO = frozenset(("1", "1.0", "true")), frozenset(("0", "0.0", "false"))
FEWEST = 2


def is_one_hot(source: Source, options: Options) -> bool:
    table = _read(source)
    return table is not None and bool(_labels(table, options))


def with_labels(source: Source, options: Options) -> Source:
    """Records with a list of labels each, where the file has columns of 0 and 1 for
    them; other columns stay. Any other file is left as it is."""
    table = _read(source)
    labels = _labels(table, options) if table is not None else []
    if table is None or not labels:
        return source
    others = [name for name in table.columns if name not in labels]
    columns = {name: list(table.columns[name]) for name in table.columns}
    rows = []
    for row, line in enumerate(table.lines.tolist()):
        own = [name for name in labels if _word(columns[name][row]) in YES]
        cells = {name: columns[name][row] for name in others}
        rows.append((line, {**cells, LABEL: own}))
    return rewritten(source, rows)


def _read(source: Source) -> Records | None:
    """The table, None for what is no table or has a column of labels."""
    findings = Findings(source.name)
    try:
        table = records.read(source, findings, Refused)
    except ScoringError:
        return None  # whose reader says so
    plain = table.called(LABEL) is None and table.called(ID) is not None
    return table if plain and len(table) and not findings.problems else None


def _labels(table: Records, options: Options) -> list[str]:
    """The columns that are labels: those that the task lists, or all of 0 and 1."""
    listed = options.get("labels") or ()
    asked = (*options.get("inputs", ()), *options.get("groups", GROUPS))
    passed = {name.lower() for name in (ID, "", *asked)}
    names = [
        name
        for name, cells in table.columns.items()
        if name.lower() not in passed
        and (name in listed or not listed)
        and {*map(_word, cells)} <= YES | NO
    ]
    return names if len(names) >= FEWEST else []


def _word(cell: object) -> str:
    return str(cell).strip().lower()
