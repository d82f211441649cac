"""Files of a bundle that holds zips of its own: programs, reference data, kits."""

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import PurePosixPath

from scoring.errors import Problem, Refused, SetupError
from scoring.formats.bundle import (
    LEFT_BY_DESKTOPS,
    LOCAL_MARK,
    MOST_BYTES,
    unpack,
    without_folder,
)
from scoring.source import Source

# Endings of archives that a script makes of a folder of that name.
ARCHIVE = re.compile(r"\.(?:zip|tgz|tar(?:\.(?:gz|bz2|xz))?)$", re.IGNORECASE)
HINT = "Leave out data that nobody needs to score, and make the zip again."


class Archive:
    """Members of a foreign bundle by their path; zips among them open when asked for.

    All that is opened counts against one allowance, however often zips are nested.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self._opened: dict[str, dict[str, bytes]] = {}
        self._left = MOST_BYTES

    def data(self, path: str) -> bytes | None:
        """The bytes of one member; None where there is none of that path."""
        return self.files.get(_plain(path))

    def holds(self, path: str) -> bool:
        """Whether a file or a folder is there."""
        plain = _plain(path)
        return plain in self.files or plain in self._folders or not plain

    def folder(self, path: str) -> dict[str, bytes] | None:
        """The files at a path: of a zip, of a folder, or the one file itself.

        None where nothing is there. Raises SetupError for a zip that cannot be read.
        """
        plain = _plain(path)
        if (data := self.files.get(plain)) is not None:
            if data.startswith(LOCAL_MARK) or plain.lower().endswith(".zip"):
                return self._expand(plain, data)
            return {PurePosixPath(plain).name: data}
        start = f"{plain}/" if plain else ""
        inside = {
            name.removeprefix(start): data
            for name, data in self.files.items()
            if name.startswith(start) and not LEFT_BY_DESKTOPS.search(name)
        }
        return inside or None

    def in_place_of(self, path: str) -> str:
        """The path in a repository instead of this one: the folder of which a script
        makes that archive, or the same name in other letters.

        Empty where there is none, or where several could be meant.
        """
        plain = _plain(path)
        bare = ARCHIVE.sub("", plain)
        if bare not in ("", plain) and bare in self._folders:
            return bare
        alike = {name.lower() for name in (plain, bare) if name}
        places = {*self.files, *self._folders}
        paths = sorted(name for name in places if name.lower() in alike)
        return paths[0] if len(paths) == 1 else ""

    @cached_property
    def _folders(self) -> set[str]:
        parents = (PurePosixPath(name).parents for name in self.files)
        return {str(folder) for folders in parents for folder in folders} - {"."}

    def _expand(self, path: str, data: bytes) -> dict[str, bytes]:
        if path not in self._opened:
            try:
                files = unpack(Source.of_bytes(path, data), ("",))
            except Refused as refusal:
                raise SetupError(refusal.problems) from None
            self._left -= sum(map(len, files.values()))
            if self._left < 0:
                message = f"the zips inside hold more than {MOST_BYTES} bytes"
                raise SetupError(Problem("zip", message, path, hint=HINT))
            self._opened[path] = without_folder(files)
        return self._opened[path]


def _plain(path: str) -> str:
    parts = [part for part in path.strip().split("/") if part not in ("", ".")]
    return "/".join(parts)
