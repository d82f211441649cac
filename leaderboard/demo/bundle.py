"""A demo task as a task bundle: the folder that organizers import."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from leaderboard.demo.story import DemoPhase, DemoTask
from leaderboard.demo.weights import weights_csv

MEASURES = ["las", "uas", "wlas", "content_f1", "function_f1"]
BOOTSTRAP = {"resamples": 1000, "seed": 2026, "level": 0.95}
EXAMPLE_LENGTH = range(9, 13)


class Dumper(yaml.SafeDumper):
    """Writes times in UTC as 2026-01-01T00:00:00Z."""


def represent_time(dumper: yaml.SafeDumper, value: datetime) -> yaml.ScalarNode:
    text = value.strftime("%Y-%m-%dT%H:%M:%SZ")
    return dumper.represent_scalar("tag:yaml.org,2002:timestamp", text)


Dumper.add_representer(datetime, represent_time)


def blind_line(line: str) -> str:
    """A word with nothing but its number, its form and the space after it."""
    if not line or line[0] == "#":
        return line
    cells = line.split("\t")
    return "\t".join((*cells[:2], *"_" * 7, cells[9]))


def blind(gold: str) -> str:
    """The file participants get: ids, forms, spaces and comments, no annotation."""
    return "\n".join(map(blind_line, gold.split("\n")))


def example(text: str) -> str:
    """The first sentence of handy length, aligned for reading, without its ids."""
    for block in text.split("\n\n"):
        lines = block.split("\n")
        words = [line.split("\t") for line in lines if line[0] != "#"]
        if len(words) in EXAMPLE_LENGTH:
            break
    says = next(line for line in lines if line.startswith("# text"))
    shown = [[row[at] for at in (0, 1, 2, 3, 6, 7)] for row in words]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    rows = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in shown
    ]
    return "\n".join([says, *(row.rstrip() for row in rows)])


def sizes(task: DemoTask) -> str:
    """A Markdown table of the test sets."""
    rows = ["| test set | documents | sentences | words |", "|---|--:|--:|--:|"]
    for part in task.test_sets:
        gold = part.gold
        documents, words = gold.count("# newdoc id"), gold.count("\t") // 9
        rows.append(f"| {part.title} | {documents} | {part.sentences} | {words:,} |")
    return "\n".join(rows)


def description(task: DemoTask) -> str:
    """The description in Markdown, with the sizes of this data and an example."""
    filled = task.template.replace("{sizes}", sizes(task))
    return filled.replace("{example}", example(task.training()[0]))


def manifest(task: DemoTask, now: datetime) -> dict[str, Any]:
    """What `task.yaml` says; phase dates are counted from `now` (aware)."""
    return {
        "plumbline": 1,
        "slug": task.slug,
        "title": task.title,
        "summary": task.summary,
        "description": "description.md",
        "synthetic": task.synthetic,
        "draft": False,
        "scorer": scorer_entry(task),
        "bootstrap": BOOTSTRAP,
        "test_sets": [set_entry(part.name, part.title) for part in task.test_sets],
        "phases": [phase_entry(phase, now) for phase in task.phases],
    }


def scorer_entry(task: DemoTask) -> dict[str, Any]:
    options = {"labels": task.labels, "punctuation": "drop", "weights": "weights.csv"}
    if task.roots != "any":
        options["roots"] = task.roots
    return {
        "name": "attachment",
        "options": options,
        "measures": MEASURES,
        "headline": task.headline,
        "unit": task.unit,
    }


def phase_entry(phase: DemoPhase, now: datetime) -> dict[str, Any]:
    return {
        "name": phase.name,
        "title": phase.title,
        "opens": phase.opens(now),
        "closes": phase.closes(now),
        "test_sets": list(phase.test_sets),
        "daily_limit": phase.daily_limit,
    }


def set_entry(name: str, title: str) -> dict[str, str]:
    return {
        "name": name,
        "title": title,
        "gold": f"gold/{name}.conllu",
        "blind": f"blind/{name}.conllu",
    }


def write_bundle(task: DemoTask, folder: Path, now: datetime) -> Path:
    """Write the whole bundle into the folder, which is made if need be."""
    head = yaml.dump(
        manifest(task, now), Dumper=Dumper, sort_keys=False, allow_unicode=True
    )
    files = {
        "task.yaml": head,
        "description.md": description(task),
        "weights.csv": weights_csv(task.training()),
    }
    for part in task.test_sets:
        files[f"gold/{part.name}.conllu"] = part.gold
        files[f"blind/{part.name}.conllu"] = blind(part.gold)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder
