"""Reading values out of `task.yaml`, with every mistake noted."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from scoring.errors import Findings
from scoring.source import Source

MANIFEST = "task.yaml"


@dataclass
class Reader:
    """Looks values up in `task.yaml` and notes what is wrong with them."""

    source: Source
    findings: Findings = field(init=False)

    def __post_init__(self) -> None:
        self.findings = Findings(MANIFEST)

    def wrong(self, where: str, expected: str) -> None:
        self.findings.add("manifest", f"'{where}': expected {expected}.")

    def value(self, table: Any, key: str, kind: type, default: Any = None) -> Any:
        """The value of a key, checked for its type; `default` None means required."""
        found = table.get(key, default) if isinstance(table, dict) else default
        if found is None or not isinstance(found, kind) or found == "":
            self.wrong(key, NAMES.get(kind, kind.__name__))
            return default if default is not None else kind()
        return found

    def file(self, table: Any, key: str) -> Source:
        """The file or folder of the bundle that a key names."""
        name = self.value(table, key, str).rstrip("/")
        data = self.source.files.get(name)
        if data is None:
            return self._folder(key, name)
        return Source.of_bytes(name.rpartition("/")[2], data)

    def _folder(self, key: str, name: str) -> Source:
        """The files below a folder of the bundle, as a zip of them."""
        start = name + "/"
        files = {
            member.removeprefix(start): data
            for member, data in self.source.files.items()
            if member.startswith(start)
        }
        if not files and name:
            self.wrong(key, f"a file of the bundle, there is no '{name}'")
        return zipped(name.rpartition("/")[2] + ".zip", files)

    def moment(self, table: Any, key: str, required: bool) -> datetime | None:
        """A time with its zone; YAML timestamps without one are refused."""
        found = table.get(key) if isinstance(table, dict) else None
        if found is None and not required:
            return None
        if isinstance(found, str):
            found = _parsed(found)
        if not isinstance(found, datetime) or found.tzinfo is None:
            self.wrong(key, "a time with its zone, as in 2026-05-01T12:00:00Z")
            return datetime.now(UTC)
        return found


NAMES = {str: "some text", int: "a whole number", bool: "true or false",
         float: "a number", list: "a list", dict: "a table"}  # fmt: skip


def _parsed(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def as_one_file(source: Source) -> Source:
    """The source itself, or a zip of its files if it has several."""
    if len(source.files) == 1:
        return source
    return zipped(source.name.removesuffix(".zip") + ".zip", source.files)


def zipped(name: str, files: Mapping[str, bytes]) -> Source:
    """Several files as one zip, the same bytes for the same files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in sorted(files):
            archive.writestr(zipfile.ZipInfo(member), files[member])
    return Source.of_bytes(name, buffer.getvalue())
