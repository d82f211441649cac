"""bytag.csv, bytoken.csv and details.csv, with live formulas or values (seed 002).

Counts are numbers in every form; what follows from them is a formula, so that a reader
can change a cell and see what becomes of the scores.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from scoring.report import guard_formulas
from scoring.statistics.intervals import Estimate

BASIC = ("tag", "test_docs", "test_toks")
COUNTS = ("match", "refclash", "missing", "hypclash", "spurious")
SUMS = {
    "refonly": "{refclash}+{missing}",
    "reftotal": "{refonly}+{match}",
    "hyponly": "{hypclash}+{spurious}",
    "hyptotal": "{hyponly}+{match}",
}
RATIOS = ("precision", "recall", "fmeasure")
ACCURACIES = (
    "tag_sensitive_accuracy",
    "tag_sensitive_error_rate",
    "tag_blind_accuracy",
    "tag_blind_error_rate",
)
ORDER = (
    *BASIC,
    *("match", "refclash", "missing", "refonly", "reftotal"),
    *("hypclash", "spurious", "hyponly", "hyptotal"),
    *RATIOS,
)
CONFIDENCE = ("mean", "variance", "stddev")
TOTAL = "<all>"
WORTH = {"one": "1", "zero": "0", "na": '"n/a"'}

Table = Mapping[str, Mapping[str, float | None]]
Cell = str | int | float


@dataclass(frozen=True)
class CellForm:
    """The way cells are written.

    `separator` stands between the arguments of a formula (OpenOffice wants ";");
    `empty` is the task's answer to a ratio over nothing: one, zero or na.
    """

    values: bool = False
    separator: str = ","
    empty: str = "one"


def formulas(form: CellForm) -> dict[str, str]:
    """Formula of each column that follows from others; {name} is a cell of its row."""
    may_be_missing = form.empty == "na"

    def choice(*arguments: str) -> str:
        return f"IF({form.separator.join(arguments)})"

    def over(part: str, whole: str) -> str:
        return choice(f"{whole}=0", WORTH[form.empty], f"{part}/{whole}")

    def rest(accuracy: str) -> str:
        text = f"1-{accuracy}"
        condition = f"ISNUMBER({accuracy})"
        return choice(condition, text, WORTH["na"]) if may_be_missing else text

    p, r, tokens = "{precision}", "{recall}", "{test_toks}"
    mean = choice(f"{p}+{r}=0", "0", f"2*{p}*{r}/({p}+{r})")
    if may_be_missing:
        mean = choice(f"COUNT({p}{form.separator}{r})<2", WORTH["na"], mean)
    return {
        **SUMS,
        "precision": over("{match}", "{hyptotal}"),
        "recall": over("{match}", "{reftotal}"),
        "fmeasure": mean,
        "tag_sensitive_accuracy": over(
            f"({tokens}-{{refclash}}-{{missing}}-{{spurious}})", tokens
        ),
        "tag_sensitive_error_rate": rest("{tag_sensitive_accuracy}"),
        "tag_blind_accuracy": over(f"({tokens}-{{missing}}-{{spurious}})", tokens),
        "tag_blind_error_rate": rest("{tag_blind_accuracy}"),
    }


def sheets(
    tables: Mapping[str, Table],
    form: CellForm,
    estimates: Mapping[str, Estimate] | None = None,
) -> dict[str, str]:
    """CSV texts by file name; with `estimates`, three columns behind each metric."""
    files = {}
    for name, level, columns in (
        ("bytag.csv", "tag", ORDER),
        ("bytoken.csv", "token", ORDER + ACCURACIES),
    ):
        sheet = Spreadsheet(tables[level], level, columns, form, estimates)
        files[name] = csv_text([sheet.header, *sheet.rows()])
    return files


def csv_text(rows: Iterable[Sequence[Cell]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def letters(place: int) -> str:
    """The name of a column, counted from 0: A, ..., Z, AA, ..."""
    name = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


@dataclass(frozen=True)
class Spreadsheet:
    """One table as rows of cells, the header in row 1."""

    table: Table
    level: str
    columns: tuple[str, ...]
    form: CellForm
    estimates: Mapping[str, Estimate] | None

    @property
    def header(self) -> list[str]:
        """Columns as the seed names them, with a space where we write an underscore."""
        named = {"test_docs": "test docs", "test_toks": "test toks"}
        return [named.get(name, name) for name in self._with_confidence()]

    def _with_confidence(self) -> list[str]:
        names = []
        for name in self.columns:
            names.append(name)
            if self.estimates is not None and self._is_metric(name):
                names += [f"{name} {kind}" for kind in CONFIDENCE]
        return names

    def _is_metric(self, name: str) -> bool:
        return name in RATIOS + ACCURACIES

    def rows(self) -> Iterable[list[Cell]]:
        for line, tag in enumerate(self.table, 2):
            cells: list[Cell] = []
            for name in self.columns:
                cells.append(self._cell(name, tag, line))
                if self.estimates is not None and self._is_metric(name):
                    cells += self._confidence(self.estimates, name, tag)
            yield cells

    def _cell(self, name: str, tag: str, line: int) -> Cell:
        if name == "tag":
            return str(guard_formulas([tag])[0])
        if not self.form.values:
            if name in COUNTS and tag == TOTAL and line > 2:
                column = self._letters[name]
                return f"=SUM({column}2:{column}{line - 1})"
            if name in self._formulas:
                cells = {n: f"{column}{line}" for n, column in self._letters.items()}
                return "=" + self._formulas[name].format_map(cells)
        return _number(self.table[tag][name], whole=not self._is_metric(name))

    @cached_property
    def _letters(self) -> dict[str, str]:
        return {n: letters(i) for i, n in enumerate(self._with_confidence())}

    @cached_property
    def _formulas(self) -> dict[str, str]:
        return formulas(self.form)

    def _confidence(
        self, estimates: Mapping[str, Estimate], name: str, tag: str
    ) -> list[Cell]:
        measure = "f1" if name == "fmeasure" else name
        level = "token_" if self.level == "token" and name not in ACCURACIES else ""
        suffix = "" if tag == TOTAL else f"[{tag}]"
        estimate = estimates[f"{level}{measure}{suffix}"]
        return [_number(getattr(estimate, kind)) for kind in CONFIDENCE]


def _number(value: float | None, whole: bool = False) -> Cell:
    if value is None:
        return "n/a"
    return int(value) if whole else value
