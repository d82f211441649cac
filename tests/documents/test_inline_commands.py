"""Commands within sentences, and those of README and CONTRIBUTING: their programs,
verbs and options are there. `test_commands.py` types those of the handbook's blocks."""

import re
import shlex
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from markdown_it import MarkdownIt

from tests.documents.commands import PROGRAMS

ROOT = Path(__file__).resolve().parents[2]
PARSER = MarkdownIt("commonmark").enable("table")
TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*TOP, ROOT / "ARCHITECTURE.md", *ROOT.glob("docs/**/*.md")]
PAGES.append(ROOT / "deploy" / "README.md")
PYTHON = re.compile(r"(?:\.venv/bin/)?python3? -m ")
MANAGE = re.compile(r"(?:(?:\.venv/bin/)?python3? )?(?:manage\.py|plumbline-site) ")
CLIENT = re.compile(r"plumbline(?= )|plumbline-scoring(?= )")
# What stands for something of the reader's.
BLANKS = {"WORDS", "VERB"}


def commands() -> list[tuple[str, str]]:
    """Pairs of page and command, each once."""
    pairs = {}
    for page in PAGES:
        name = page.relative_to(ROOT).as_posix()
        for token in PARSER.parse(page.read_text("utf-8")):
            for child in token.children or []:
                if child.type == "code_inline" and is_command(child.content):
                    pairs[name, child.content] = None
            if page in TOP and token.type == "code_block":
                lines = token.content.splitlines()
                pairs.update({(name, line): None for line in lines if line.strip()})
    return list(pairs)


def is_command(text: str) -> bool:
    """Whether it begins with a program, and goes on: no call of a function does."""
    return bool(PROGRAMS.match(text) and re.match(r"[\w./-]+\s", text))


def fault(command: str) -> str:
    """What a command names that is not there; empty if all is."""
    words = shlex.split(command.replace("…", ""), comments=True)
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    if MANAGE.match(command):
        (verb, *_) = shlex.split(MANAGE.sub("", command))
        return _fault_of_verb(verb, options)
    if PYTHON.match(command):
        module, *rest = words[2:]
        return _fault_of_module(module, rest, options)
    if CLIENT.match(command):
        module = {"plumbline": "plumbline", "plumbline-scoring": "scoring"}[words[0]]
        return _fault_of_module(module, words[1:], options)
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text("utf-8")
        verbs = re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)
        return "" if words[1] in verbs else f"make {words[1]}"
    return ""


def _fault_of_verb(verb: str, options: list[str]) -> str:
    if verb in BLANKS or verb.startswith("-"):
        return ""
    if verb not in get_commands():
        return f"manage.py {verb}"
    app = get_commands()[verb]
    command = app if not isinstance(app, str) else load_command_class(app, verb)
    known = command.create_parser("manage.py", verb)._option_string_actions
    return " ".join(option for option in options if option not in known)


def _fault_of_module(module: str, rest: list[str], options: list[str]) -> str:
    if module in ("venv", "pip", "zipfile"):
        return ""
    if module == "pytest":
        paths = (word for word in rest if word.startswith("tests/"))
        return " ".join(path for path in paths if not (ROOT / path).exists())
    if find_spec(module) is None:
        return f"python -m {module}"
    if module in ("scoring", "plumbline"):
        verb = rest[:1] if rest and rest[0].islower() else []
        text = printed_help(module, *verb)
    else:
        spec = find_spec(f"{module}.__main__") if _is_package(module) else None
        origin = (spec or find_spec(module)).origin  # type: ignore[union-attr]
        text = Path(str(origin)).read_text("utf-8")
    return " ".join(option for option in options if option not in text) or (
        "" if text else f"python -m {module} {' '.join(rest[:1])}"
    )


def _is_package(module: str) -> bool:
    spec = find_spec(module)
    return spec is not None and spec.submodule_search_locations is not None


@cache
def printed_help(*words: str) -> str:
    """Empty where there is no such verb."""
    asked = [sys.executable, "-m", *words, "--help"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def test_every_command_within_a_sentence_names_what_is_there() -> None:
    pairs = commands()
    assert len(pairs) > 100
    faults = [f"{page}: {command}: {fault(command)}" for page, command in pairs]
    assert [line for line in faults if not line.endswith(": ")] == []


@pytest.mark.parametrize(
    "command",
    [
        "python -m scoring chekc attachment",
        "plumbline submit otters/test --sytem x",
        "plumbline-site forgte mira@example.org",
        "manage.py work --queus light",
        "python -m benchmarks.growht",
        "python -m benchmarks.upgrade --datbase URL",
        "python -m pytest tests/test_nothing.py -q",
        "make demmo",
    ],
)
def test_a_command_with_a_slip_is_named(command: str) -> None:
    assert fault(command)


def test_a_call_of_a_function_is_no_command() -> None:
    assert is_command("make demo") and is_command(".venv/bin/python manage.py check")
    assert not is_command("make(rows, at)") and not is_command("python")
