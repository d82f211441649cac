"""The list that stays of tests that fail beside others and pass alone."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from tests.selection import ROOT, git

LIST = ROOT / "tests" / "unsteady.txt"
MOST = 2  # as often a test may have been unsteady; once more is a failure


def note(names: Iterable[str], path: Path | None = None) -> list[str]:
    """Add tests to the list; gives those that are there too often now."""
    path = path or LIST
    names = [" ".join(name.split()) for name in names]  # a line each
    if not names:
        return []
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    comments = [line for line in lines if line.startswith("#")]
    date = datetime.now(UTC).date().isoformat()
    commit = (git("rev-parse", "--short", "HEAD", root=path.parent) or "none").strip()
    entries = [line for line in lines if line and line not in comments]
    entries += (f"{name}\t{date}\t{commit}" for name in names)
    path.write_text("\n".join([*comments, *sorted(entries)]) + "\n", "utf-8")
    times = Counter(entry.partition("\t")[0] for entry in entries)
    return sorted({name for name in names if times[name] > MOST})
