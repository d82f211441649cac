"""Bundles with everything in them, small enough to read."""

from typing import Any

import yaml
from yaml import CSafeDumper  # in a fifth of the time

from scoring.source import Source
from tests.leaderboard.small import HEADS, conllu, manifest, perfect

BASELINE = conllu((4, *HEADS["north"][1:]))


def full_manifest(**changes: Any) -> dict[str, Any]:
    """Every key that there is, none with the value it has anyway."""
    table = manifest()
    table |= {
        "terms": "terms.md",
        "authors": ["Lovelace, Ada", "The Otter Society"],
        "contact": "otters@example.org",
        "website": "https://otters.example.org/",
        "forum": "https://talk.example.org/otters",
        "paper": "https://papers.example.org/otters.pdf",
        "doi": "10.5555/otters.1",
        "licence": "CC-BY-4.0",
        "synthetic": True,
        "draft": True,
        "unlisted": True,
        "entry": "approval",
        "mail_domains": ["example.org"],
        "allows_anonymous": True,
        "prizes": 3,
        "margin": 0.5,
        "phases": [dev_phase(), test_phase()],
        "boards": [
            {
                "name": "heads",
                "title": "Heads only",
                "measures": ["uas"],
                "headline": "uas",
                "test_sets": ["south"],
            },
        ],
        "fact_sheet": [
            {"name": "size", "title": "Parameters", "kind": "number", "required": True},
            {
                "name": "data",
                "kind": "choice",
                "choices": ["closed", "open"],
                "public": False,
            },
        ],
        "registration": [
            {
                "name": "affiliation",
                "title": "Affiliation",
                "required": True,
                "public": True,
            },
        ],
        "baselines": [
            {
                "system": "first-word",
                "description": "It guesses.",
                "phases": ["dev"],
                "files": {"north": "baselines/north.conllu"},
            },
        ],
    }
    table["scorer"] = table["scorer"] | {"options": {"weights": "weights.csv"}}
    return table | changes


def dev_phase() -> dict[str, Any]:
    return {
        "name": "dev",
        "title": "Development",
        "time_zone": "Europe/Prague",
        "opens": "2026-03-01 09:00",
        "closes": "2030-03-01 09:00",
        "test_sets": ["north"],
        "daily_limit": 5,
        "total_limit": 50,
        "separate_test_sets": True,
        "most_runs": 5,
        "counts": "last",
        "lasting_differences": True,
        "paused": True,
        "paused_note": "Back on Monday.",
    }


def test_phase() -> dict[str, Any]:
    return {
        "name": "test",
        "title": "Test",
        "opens": "2029-05-01T00:00:00Z",
        "closes": "2030-06-01T12:00:00+02:00",
        "policy": "best",
        "sends_code": True,
        "reveal_at": "2030-06-08T00:00:00Z",
        "freeze_from": "2030-05-31T00:00:00Z",
        "private_share": 0.5,
        "salt": "drop of sea water",
        "who": "chosen",
    }


def full_bundle(**changes: Any) -> Source:
    """The bundle of `full_manifest`, with changed keys."""
    return written(full_manifest(**changes))


def written(table: dict[str, Any], **more: bytes) -> Source:
    files = {
        "task.yaml": yaml.dump(table, Dumper=CSafeDumper, sort_keys=False).encode(),
        "description.md": b"# Otters\n\nParse *short* sentences.",
        "terms.md": b"Cite us.",
        "weights.csv": b"relation,weight\ndet,0.2\n",
        "gold/north.conllu": perfect("north"),
        "gold/south.conllu": perfect("south"),
        "baselines/north.conllu": BASELINE.encode(),
    }
    return Source("otters", {**files, **more})
