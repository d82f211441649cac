"""Check this archive: python3 check.py [folder]. Needs Python 3.10 and nothing else.

Every file is compared with SHA256SUMS, and the numbers of each rows.json with those of
the page and the CSV beside it, and with the hash of the rows. Ends with 0 when all is
well and with 1 when something is not.
"""

import csv
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

SUMS = "SHA256SUMS"
# The signature of the hashes, where the site signs; `plumbline verify` checks it.
BESIDE = {SUMS, f"{SUMS}.sig", "keys.json"}


def main() -> int:
    top = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    wrong = [*wrong_files(top)]
    boards = sorted(top.rglob("rows.json"))
    for path in boards:
        wrong += [
            f"{path.parent.relative_to(top)}: {problem}" for problem in board(path)
        ]
    for path in sorted(top.glob("snapshots/*/snapshot.json")):
        if digest(path)[:16] != path.parent.name:
            wrong.append(f"{path.relative_to(top)} does not have the hash of its name")
    for problem in wrong:
        print(problem)
    files = len((top / SUMS).read_text("utf-8").splitlines()) if not wrong else 0
    print("DAMAGED" if wrong else f"OK: {files} files, {len(boards)} boards")
    return 1 if wrong else 0


def digest(path: Path) -> str:
    whole = hashlib.sha256()
    with open(path, "rb") as file:
        while True:
            chunk = file.read(1 << 16)
            if not chunk:
                return whole.hexdigest()
            whole.update(chunk)


def wrong_files(top: Path) -> list[str]:
    """Files that are missing, were changed, or were added."""
    try:
        lines = (top / SUMS).read_text("utf-8").splitlines()
    except OSError:
        return [f"{SUMS} is missing"]
    parts = [line.partition("  ") for line in lines]
    wanted = {name: sha256 for sha256, _gap, name in parts}
    files = {p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file()}
    problems = [f"{name} was added" for name in sorted(files - BESIDE - set(wanted))]
    for name, sha256 in wanted.items():
        if name not in files:
            problems.append(f"{name} is missing")
        elif digest(top / name) != sha256:
            problems.append(f"{name} was changed")
    return problems


class PageRows(HTMLParser):
    """The rows of the table of a page: submission, and the texts of its score cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[tuple[str, list[str]]] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "tr" and "data-submission" in values:
            self.rows.append((values["data-submission"] or "", []))
        elif tag == "td" and "score" in (values.get("class") or "").split():
            self.rows[-1][1].append("")
            self.inside = True

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][1][-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "td":
            self.inside = False


def board(path: Path) -> list[str]:
    """Differences between the files of one board."""
    try:
        values = json.loads(path.read_text("utf-8"))
        page = PageRows((path.parent / "index.html").read_text("utf-8")).rows
        with open(path.parent / "rows.csv", encoding="utf-8-sig", newline="") as file:
            table = list(csv.DictReader(file))
    except (OSError, ValueError) as error:
        return [f"cannot be read: {error}"]
    data = values["board"]
    problems = [] if "snapshot" in values else wrong_hash(values)
    rows = data["rows"]
    names = [row["submission"] for row in rows]
    if names != [name for name, _cells in page]:
        return [*problems, "the page has other rows than rows.json"]
    if names != [row["submission"] for row in table]:
        return [*problems, "rows.csv has other rows than rows.json"]
    for row, (_name, cells), line in zip(rows, page, table, strict=True):
        problems += [*wrong_cells(data, row, cells), *wrong_line(row, line)]
    return problems


def wrong_hash(values: dict[str, Any]) -> list[str]:
    text = json.dumps(
        values["board"], sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    same = hashlib.sha256(text.encode()).hexdigest() == values["sha256"]
    return [] if same else ["the rows do not have the hash that they are told with"]


def wrong_cells(
    data: dict[str, Any], row: dict[str, Any], cells: list[str]
) -> list[str]:
    """Numbers that the page prints otherwise than rows.json rounds to."""
    first = data["ranked_by"]
    measures = sorted(data["measures"], key=lambda measure: measure["name"] != first)
    if len(cells) != len(measures):
        return [f"the page has other measures for {row['submission']}"]
    problems = []
    for measure, text in zip(measures, cells, strict=True):
        score = row["scores"][measure["name"]]
        factor = 100 if measure["percent"] else 1
        printed = re.sub("[][,\u2020]", " ", text).split()
        values = [score[end] for end in ("value", "low", "high")]
        wanted = values if values[0] is not None and None not in values else values[:1]
        if values[0] is not None and printed[1:] == ["n/a"]:
            printed = printed[:1]
        pairs = list(zip(wanted, printed, strict=False))
        same = len(printed) == len(wanted)
        if not same or not all(prints(n, factor, cell) for n, cell in pairs):
            problems.append(
                f"{row['submission']} {measure['name']}: page {text.strip()}"
            )
    return problems


def prints(value: float | None, factor: int, text: str) -> bool:
    """Whether the text is the number, with as many decimals as the text has."""
    if value is None:
        return text == "n/a"
    text = text.replace("\u2212", "-")
    digits, by_power, _power = text.partition("e")
    decimals = len(digits.partition(".")[2])
    if by_power:
        return text == f"{value * factor:.{decimals}e}"
    return text == f"{round(value * factor, decimals) + 0.0:.{decimals}f}"


def wrong_line(row: dict[str, Any], line: dict[str, str]) -> list[str]:
    problems = []
    for name, score in row["scores"].items():
        for column, end in (
            (name, "value"),
            (f"{name}.low", "low"),
            (f"{name}.high", "high"),
        ):
            text = line.get(column.lstrip("'"), line.get(f"'{column}", "?"))
            value = None if text == "" else float(text)
            if value != score[end]:
                problems.append(f"{row['submission']} {column}: CSV {text}")
    if line["rank"] != ("" if row["rank"] is None else str(row["rank"])):
        problems.append(f"{row['submission']} rank: CSV {line['rank']}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
