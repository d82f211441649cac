"""What the documents say holds: links lead somewhere, examples work, verbs exist."""

import re
import subprocess
import sys
from pathlib import Path

import yaml

from scoring.scorers import get
from scoring.source import Source
from tests import surface
from tests.loops import loop_over

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
FOLDERS = (
    "benchmarks",
    "leaderboard",
    "plumbline",
    "release",
    "scoring",
    "templates",
    "tests",
)
FILES = [
    path.relative_to(ROOT).as_posix()
    for folder in FOLDERS
    for path in ROOT.joinpath(folder).rglob("*.*")
]
BUNDLE = ROOT / "docs" / "organizers" / "bundle.md"


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@loop_over("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_of_a_document_leads_to_a_file(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)\)", text)
    local = [target for target in targets if "://" not in target]
    assert [t for t in local if not (document.parent / t).exists()] == []


@loop_over("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_that_a_document_names_is_there(document: Path) -> None:
    """By its path from the top, also in a command, or by the end of one; but for files
    whose text the document gives."""
    text, file = document.read_text("utf-8"), r"[\w/]*\w\.(?:py|html|toml)"
    named = re.findall(rf"`([\w/]+/{file})[`:]", text)
    named += re.findall(rf"\s((?:{'|'.join(FOLDERS)})/{file})\b", text)
    given = re.findall(r"^`([^`]+)`\n\n```", text, re.MULTILINE)
    ends = tuple(f"/{path}" for path in FILES)
    assert [
        name
        for name in named
        if name not in given and not any(p.endswith(f"/{name}") for p in ends)
    ] == []


@loop_over("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_make_verb_of_a_document_exists(document: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    told = re.compile(r"(?:`|^|^    )make ([a-z][a-z-]*)\b", re.MULTILINE)
    known = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert set(told.findall(document.read_text("utf-8"))) <= known


def test_the_bundle_of_the_documents_is_a_bundle() -> None:
    """Read by the importer, with the example files of the scorer in their places."""
    from leaderboard.tasks.bundle.load import load

    manifest = blocks(BUNDLE.read_text(encoding="utf-8"), "yaml")[0]
    table = yaml.safe_load(manifest)
    scorer = get(table["scorer"]["name"])
    example = scorer.example.encode()
    blind = scorer.blind(Source.of_bytes("gold", example), {})
    files = {
        "task.yaml": manifest.encode(),
        "description.md": b"Words.",
        "terms.md": b"Words.",
        "weights.csv": b"relation,weight\namod,0.7\n",
        "gold/river.conllu": example,
        "blind/river.conllu": blind.single(),
        "baselines/river.conllu": example,
    }
    plan = load(Source("bundle", files))
    assert plan.slug == "river-parsing"
    assert plan.scoring.measures == ("las", "uas", "wlas")
    assert plan.phases[0].daily_limit == 3


def test_the_commands_of_the_readme_for_scoring_at_home_work(tmp_path: Path) -> None:
    example = get("attachment").example
    for name in ("gold.conllu", "blind.conllu", "mine.conllu"):
        (tmp_path / name).write_text(example, encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    \.venv/bin/python -m scoring (.*)$", readme, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        subprocess.run(
            [sys.executable, "-m", "scoring", *line.split()],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
        )


def test_the_documents_are_short() -> None:
    """Words as `wc -w` counts them, without examples and the page that a program writes
    of the code; what is said twice is said at one place instead."""
    top = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")]
    architecture = ROOT / "ARCHITECTURE.md"
    pages = [*top, architecture, *ROOT.glob("docs/**/*.md")]
    words = {page: len(page.read_text("utf-8").split()) for page in pages}
    del words[ROOT / surface.PAGE]
    for page in ROOT.glob("docs/examples/**/*.md"):
        del words[page]
    assert sum(words.values()) <= 50_000
    assert words[architecture] <= 1_200
