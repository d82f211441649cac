"""Reading values out of `task.yaml`, with every mistake noted on its line."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import Any
from zoneinfo import ZoneInfo

from leaderboard.tasks.local_time import YEARS, NoSuchTime, on_the_clock
from leaderboard.tasks.marked_yaml import Items, Table
from scoring.errors import Findings
from scoring.formats.bundle import odd_name, zipped
from scoring.source import Source

MANIFEST = "task.yaml"
A_TIME = "a time, as in 2026-05-01T12:00:00Z or 2026-05-01T12:00:00+02:00"
NAMES = {
    str: "some text",
    int: "a whole number",
    bool: "true or false",
    float: "a number",
    list: "a list",
    dict: "a table",
}


@dataclass
class Reader:
    """The files of a bundle, and what is wrong with its manifest."""

    source: Source
    findings: Findings = field(init=False)

    def __post_init__(self) -> None:
        self.findings = Findings(MANIFEST)

    def file(self, name: str) -> Source | None:
        """A file of the bundle, or a folder of it as a zip; None if there is none."""
        name = name.rstrip("/")
        last = name.rpartition("/")[2]
        if name in self.source.files:
            return Source.of_bytes(last, self.source.files[name])
        start = name + "/"
        files = {
            member.removeprefix(start): data
            for member, data in self.source.files.items()
            if member.startswith(start)
        }
        return zipped(last + ".zip", files) if files and name else None


class Section:
    """One table of the manifest; only the keys in `known` may stand in it."""

    def __init__(
        self, reader: Reader, table: Any, where: str, known: Collection[str]
    ) -> None:
        self.reader = reader
        self.where = where
        self.table: Table = table if isinstance(table, Table) else Table(1)
        for key in self.table:
            if key not in known:
                self.wrong(key, _nearest(key, known), f"unknown key in {where or 'it'}")

    def wrong(self, key: str, expected: str, what: str = "") -> None:
        """Note what was expected at a key."""
        line = self.table.lines.get(key, self.table.line)
        place = f"{self.where}: " if self.where and not what else ""
        text = f"{place}'{key}': {what + '; ' if what else ''}expected {expected}."
        self.reader.findings.add("manifest", text, line=line)

    def refuse(self, key: str, why: str) -> None:
        """Note why the value of a key cannot be used, in a sentence."""
        line = self.table.lines.get(key, self.table.line)
        place = f"{self.where}: " if self.where else ""
        self.reader.findings.add("manifest", f"{place}'{key}': {why}", line=line)

    def value(self, key: str, kind: type, default: Any = None) -> Any:
        """The value of a key, checked for its type; `default` None means required."""
        found = self.table.get(key, default)
        if kind is float and _is_whole(found):
            found = float(found)
        fits = isinstance(found, kind) and not (kind is int and not _is_whole(found))
        if not fits or (found == "" and default != ""):
            self.wrong(key, NAMES.get(kind, kind.__name__))
            return default if default is not None else kind()
        return found

    def text(self, key: str, default: str | None = None) -> str:
        """Text; a number that YAML saw in it is taken as it would be written."""
        if _is_whole(found := self.table.get(key)):
            return str(found)
        return str(self.value(key, str, default))

    def optional(self, key: str, kind: type, least: float = 1) -> Any:
        """A number of at least `least`, or None where the key is not there."""
        if self.table.get(key) is None:
            return None
        found = self.value(key, kind, kind(least))
        if not found >= least:  # nor is nan
            self.wrong(key, f"{NAMES[kind]} of {least:g} or more")
        return found

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        found = self.text(key, default)
        if found not in choices:
            self.wrong(key, f"one of {', '.join(choices)}")
            return default
        return found

    def words(self, key: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        """A list of texts."""
        found = self.value(key, list, list(default))
        if not all(isinstance(one, str) or _is_whole(one) for one in found):
            self.wrong(key, "a list of words")
            return tuple(default)
        return tuple(map(str, found))

    def sections(
        self, key: str, known: Collection[str], required: bool = False
    ) -> "list[Section]":
        """The tables in a list."""
        found = self.value(key, list, None if required else Items())
        made = []
        for number, table in enumerate(found, 1):
            where = f"{key}, number {number}"
            if isinstance(table, Table):
                made.append(Section(self.reader, table, where, known))
            else:
                self.wrong(key, f"a table as number {number}")
        return made

    def section(self, key: str, known: Collection[str]) -> "Section":
        table = self.value(key, dict, Table(self.table.line))
        return Section(self.reader, table, key, known)

    def file(self, key: str) -> Source:
        """The file or folder of the bundle that a key names."""
        name = self.text(key)
        found = self.reader.file(name)
        if found is None and name:
            self.wrong(key, f"a file of the bundle, there is no '{name}'")
        elif found is not None and odd_name(found.name):
            self.wrong(key, odd_name(found.name).removeprefix("expected "))
        return found or Source.of_bytes(name or key, b"")

    def moment(self, key: str, zone: ZoneInfo | None) -> datetime | None:
        """A time with its offset, or one on the clocks of `zone` where that is known.

        None where the key is not there.
        """
        found = self.table.get(key)
        if isinstance(found, str):
            found = _parsed(found)
        elif found is None:
            return None
        if not isinstance(found, datetime):
            self.wrong(key, A_TIME)
            return None
        if found.year not in YEARS:
            self.wrong(key, f"a time from {YEARS[0]} to {YEARS[-1]}")
            return None
        if found.tzinfo is None and zone is None:
            self.wrong(key, f"{A_TIME}: with its zone, or beside a 'time_zone'")
            return None
        try:
            return on_the_clock(found, zone) if zone else found
        except NoSuchTime as error:
            self.wrong(key, f"a time that there is once: {error}")
            return None


def _nearest(key: str, known: Collection[str]) -> str:
    close = get_close_matches(key, known, 1, 0.5)
    return f"'{close[0]}' perhaps" if close else f"one of {', '.join(known)}"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _parsed(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def names_differ(sections: Iterable[Section]) -> None:
    """Note every name that an earlier table of the list has."""
    taken: set[str] = set()
    for section in sections:
        name = section.table.get("name")
        if isinstance(name, str):
            if name in taken:
                section.wrong("name", f"another name, '{name}' is taken")
            taken.add(name)
