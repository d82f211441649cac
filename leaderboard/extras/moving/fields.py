"""Tables of a foreign manifest, read key by key: what is wrong, and what is left."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from leaderboard.extension.bundles import YamlTable
from leaderboard.extension.models import Phase
from leaderboard.extras.moving.archive import Archive
from leaderboard.extras.moving.competition import TERMS, Files, Page
from leaderboard.extras.moving.dates import read_date
from leaderboard.extras.moving.pages import turn_page
from leaderboard.extras.moving.report import ImportRemark, remark
from scoring.errors import Findings, ScoringError
from scoring.formats.bundle import LOCAL_MARK
from scoring.source import plain_utf8

# What files are called that stay on the other site.
IDENTIFIER = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TRUE, FALSE = ("true", "yes", "1"), ("false", "no", "0", "")
A_TIME = "a time, as in 2026-05-01 12:00:00 (UTC) or 2026-05-01T12:00:00+02:00"
# What those sites write where there is no limit.
NO_LIMIT = 100_000


JOINERS = "\u200c\u200d"  # join letters of some scripts, and parts of an emoji


def visible(text: str) -> str:
    """The text in one line, without characters that cannot be seen: our titles must
    not have them."""
    line = " ".join(text.split())
    return "".join(x for x in line if x.isprintable() or x in JOINERS)


class Bundle:
    """A foreign bundle under way: its files, what was found wrong, and remarks."""

    def __init__(self, manifest: str, archive: Archive) -> None:
        self.manifest = manifest
        self.archive = archive
        self.findings = Findings(manifest)
        self.remarks: list[ImportRemark] = []

    def remark(self, code: str, where: str = "", **values: object) -> None:
        self.remarks.append(remark(code, where, **values))

    def place(self, path: str, where: str) -> str:
        """The path, or that of what lies in its place, which the report names then.

        A repository holds the folder of which a script makes the zip that is named.
        """
        other = "" if self.archive.holds(path) else self.archive.in_place_of(path)
        if other:
            self.remark("in_place", where=where, path=path, found=other)
        return other or path

    def problem(self, message: str, line: int | None = None, hint: str = "") -> None:
        self.findings.add("manifest", message, line=line, hint=hint)


class ManifestTable:
    """One table of the manifest; keys that nobody asked for are left over."""

    def __init__(self, bundle: Bundle, table: YamlTable, where: str = "") -> None:
        self.bundle, self.table, self.where = bundle, table, where
        self._asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return self.table.get(key) is not None

    def raw(self, key: str) -> Any:
        self._asked.add(key)
        return self.table.get(key)

    def line(self, key: str) -> int:
        return self.table.lines.get(key, self.table.line)

    def problem(self, key: str, message: str, hint: str = "") -> None:
        start = f"{self.where}: " if self.where else ""
        self.bundle.problem(f"{start}'{key}': {message}", self.line(key), hint)

    def expect(self, key: str, what: str) -> None:
        self.problem(key, f"expected {what}.")

    def first(self, *keys: str) -> str:
        """The first of the keys that is there; the first of all where none is."""
        return next((key for key in keys if key in self), keys[0])

    def text(self, key: str, required: bool = False) -> str:
        value = self.raw(key)
        if isinstance(value, bool | int | float):
            value = str(value)
        if value is not None and not isinstance(value, str):
            self.expect(key, "some text")
            return ""
        text = visible(value or "")
        if required and not text:
            self.problem(key, "it has to be there.")
        return text

    def count(self, key: str) -> int | None:
        """A number of 0 or more; None where there is none."""
        value = self.raw(key)
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
            value = int(value)
        if value is None or value == "" or value is False:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.expect(key, "a whole number")
            return None
        return value

    def limit(self, key: str) -> int | None:
        """A number of 1 or more; None where nothing, 0 or a huge number is no limit."""
        value = self.count(key)
        return value if value and value < NO_LIMIT else None

    def flag(self, key: str, default: bool = False) -> bool:
        value = self.raw(key)
        if value is None:
            return default
        text = str(value).strip().lower()
        if text in TRUE or text in FALSE:
            return text in TRUE
        self.expect(key, "True or False")
        return default

    def moment(self, key: str, required: bool = False) -> datetime | None:
        """A time; without an offset it is one of UTC, as those sites say."""
        value = self.raw(key)
        if value in (None, "", "null", "None"):
            if required:
                self.problem(key, f"it has to be there: {A_TIME}.")
            return None
        read = read_date(value)
        if read is None or read.moment.year not in Phase.YEARS:
            between = f"a time from {Phase.YEARS[0]} to {Phase.YEARS[-1]}"
            self.expect(key, A_TIME if read is None else between)
            return None
        if read.code:
            where = f"{self.where}, {key}" if self.where else key
            as_read = f"{read.moment:%Y-%m-%d %H:%M} {read.moment.tzname()}"
            self.bundle.remark(read.code, where, given=value, read=as_read)
        return read.moment

    def tables(self, key: str, required: str = "") -> Iterator["ManifestTable"]:
        """The tables of a list, or the values of a table, each with its place; what has
        to be there is `required`, in words."""
        value = self.raw(key)
        if value is None:
            if required:
                self.problem(key, f"it has to be there: {required}.")
            return
        entries = list(value.values()) if isinstance(value, YamlTable) else value
        if not isinstance(entries, list):
            self.expect(key, "a list of tables")
            return
        for number, entry in enumerate(entries, 1):
            place = f"{self.where}, {key} {number}" if self.where else f"{key} {number}"
            if isinstance(entry, YamlTable):
                yield ManifestTable(self.bundle, entry, place)
            else:
                self.expect(key, f"a table as number {number}")

    def table_at(self, key: str) -> "ManifestTable | None":
        value = self.raw(key)
        if value is None:
            return None
        if not isinstance(value, YamlTable):
            self.expect(key, "a table")
            return None
        return ManifestTable(self.bundle, value, key)

    def words(self, key: str) -> list[str]:
        """A list of words; one word alone is a list as well."""
        value = self.raw(key)
        if value is None:
            return []
        entries = value if isinstance(value, list) else [value]
        if any(isinstance(entry, dict | list) for entry in entries):
            self.expect(key, "a list of words")
            return []
        return [visible(str(entry)) for entry in entries if entry is not None]

    def folder(self, key: str) -> Files:
        """The files that a path names; empty, and said, where there are none."""
        path = self.text(key)
        if not path:
            return {}
        try:
            files = self.bundle.archive.folder(self.bundle.place(path, self.where))
        except ScoringError as error:
            for problem in error.problems:
                self.problem(key, f"{path}: {problem.message}", problem.hint)
            return {}
        if files is None and IDENTIFIER.fullmatch(path):
            self.bundle.remark("elsewhere", where=f"{self.where}, {key} ({path})")
            return {}
        if files is None:
            self.problem(key, *_missing(path))
            return {}
        # Zips stand inside the bundle, but not inside of each other.
        plain = {
            name: data for name, data in files.items() if not is_nested(name, data)
        }
        for name in files.keys() - plain.keys():
            self.bundle.remark("nested", self.where, file=f"{path}/{name}")
        return plain

    def page(self, key: str, title: str) -> Page | None:
        """The page in a file that a path names; where it is not there, the report says
        so. Terms bind teams, and have to be there."""
        path = self.text(key)
        if not path:
            return None
        data = self.bundle.archive.data(self.bundle.place(path, self.where))
        if data is None:
            if title == TERMS:
                self.problem(key, *_missing(path))
            else:
                self.bundle.remark("page_absent", page=title, file=path)
            return None
        if not data.strip():
            return None
        try:
            text = plain_utf8(path, data).decode()
        except ScoringError as error:
            self.problem(key, f"{path}: {error.problems[0].message}.")
            return None
        page = turn_page(path, text.replace("\0", ""))
        if page.lost_pictures:
            self.bundle.remark("page_pictures", page=title)
        if page.lost_links:
            self.bundle.remark("page_links", page=title)
        if page.cut:
            self.bundle.remark("page_cut", page=title)
        return Page(title, page.text)

    def skip(self, *keys: str) -> None:
        """Keys that say nothing to this site, and whose loss nobody needs to know."""
        self._asked.update(keys)

    def setting(self, *keys: str) -> None:
        """Keys without a counterpart here, which the report names."""
        for key in keys:
            if self.raw(key) not in (None, "", False):
                self.bundle.remark("setting", self.where, key=key)

    def leave(self) -> None:
        """Let the report name what nobody asked for."""
        for key, value in self.table.items():
            if key not in self._asked and value is not None:
                self.bundle.remark("unknown", self.where, key=key)


def is_nested(name: str, data: bytes) -> bool:
    """Whether a file is a zip; packages that a program brings are meant to be."""
    return data.startswith(LOCAL_MARK) and not name.endswith(".whl")


def _missing(path: str) -> tuple[str, str]:
    return (
        f"there is no file '{path}' in the bundle.",
        "Write the path as from the top of the zip, in the same letters.",
    )
