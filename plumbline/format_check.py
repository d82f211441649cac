"""Format check of the site, at home: the same engine against the blind file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plumbline.exits import REFUSED_BY_SITE, Ended
from plumbline.site import Site
from scoring import Problem, Source, check
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import get


def problems_of(
    site: Site, phase: Mapping[str, Any], files: Mapping[str, Path]
) -> list[Problem]:
    """Everything that the site would say about the format; gold plays no part.

    Raises Ended before the phase opens, UsageError for a scorer that is newer than
    this program.
    """
    scorer = get(phase["scoring"]["scorer"])
    options = _options(site, scorer, phase["scoring"]["options"])
    blinds = {one["name"]: one["blind"] for one in phase["files"]}
    found: list[Problem] = []
    for name, path in files.items():
        blind = blinds[name.partition(".")[0]]  # behind it the run
        if blind is None:
            raise Ended(REFUSED_BY_SITE, "the phase has not opened yet")
        source = Source.of_bytes(blind["name"], _bytes(site, blind["address"]))
        found += check(scorer, source, Source.of_path(path), options)
    return found


def _options(site: Site, scorer: Scorer, stored: Mapping[str, Any]) -> Options:
    raw: dict[str, list[str | Source]] = {
        name: [
            Source.of_bytes(one["file"], _bytes(site, one["address"]))
            if isinstance(one, dict)
            else str(one)
            for one in values
        ]
        for name, values in stored.items()
    }
    return parse(scorer.options, raw)


def _bytes(site: Site, address: str) -> bytes:
    answer = site.fetch(site.path_of(address), headers={"Accept": "*/*"})
    return bytes(answer.content)
