"""Arguments of sandbox jobs, packed here and unpacked there.

No settings, no database: sandbox servers load it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring import Source
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import get


def unpacked(
    head: Mapping[str, Any], files: Sequence[bytes]
) -> tuple[Scorer, Options, list[tuple[Source, Source]]]:
    """Scorer, options and pairs of sources that were packed."""
    scorer = get(head["scorer"])
    raw = {
        name: [_option(value, files) for value in values]
        for name, values in head["options"].items()
    }
    pairs = [(_source(one, files), _source(two, files)) for one, two in head["pairs"]]
    return scorer, parse(scorer.options, raw), pairs


class Packed:
    """Head and files of a job: sources are numbers of files, with their names."""

    def __init__(self, scorer: str, options: Mapping[str, Sequence[Any]]) -> None:
        self.files: list[bytes] = []
        self.head: dict[str, Any] = {"scorer": scorer, "pairs": []}
        self.head["options"] = {
            name: [v if isinstance(v, str) else self._keep(v) for v in values]
            for name, values in options.items()
        }

    def add(self, blind: Source, sent: Source) -> None:
        self.head["pairs"].append([self._keep(blind), self._keep(sent)])

    def _keep(self, source: Source) -> dict[str, Any]:
        self.files.append(source.single())
        return {"name": source.name, "file": len(self.files) - 1}


def _option(value: Any, files: Sequence[bytes]) -> str | Source:
    return value if isinstance(value, str) else _source(value, files)


def _source(kept: Mapping[str, Any], files: Sequence[bytes]) -> Source:
    return Source.of_bytes(kept["name"], files[kept["file"]])
