"""The page of the handbook that lists what an extra may import of the site.

`python -m tests.surface` writes it, from docstrings of classes and functions and, of
values, from the comments beside their names in `leaderboard/extension/`.
"""

import ast
import inspect
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from tests.house import ROOT, exported, modules, read

PAGE = Path("docs/developers/surface.md")
EXTENSION = "leaderboard.extension"
FEW = 3  # extras that are named
COMMENT = re.compile(r'^    "(\w+)",  # (.+)$', re.MULTILINE)
HEAD = """# What an extra may import

Of the site an extra imports these names alone ([Extras](extras.md)). A name stays, with
its type and what it promises, for the releases that share a first number. Exceptions,
units and the rest of each promise stand in its docstring. Beside it are the extras that
import it. `python -m tests.surface` writes this page from the code.
"""


def subjects() -> list[str]:
    """Modules of the extension that have names."""
    return [
        path.stem for path in modules("leaderboard/extension") if exported(read(path))
    ]


def promise(value: Any) -> str:
    """The docstring of a class or function: its own, none that Python wrote."""
    value = getattr(value, "__wrapped__", value)
    if not isinstance(value, type | FunctionType):
        return ""
    text = vars(value).get("__doc__") if isinstance(value, type) else value.__doc__
    return "" if (text or "").startswith(f"{value.__name__}(") else text or ""


def comments(subject: str) -> dict[str, str]:
    """What is said of values beside their names."""
    path = Path(f"leaderboard/extension/{subject}.py")
    return dict(COMMENT.findall(read(path)))


def first_sentence(text: str) -> str:
    """The first sentence of a docstring or comment, in one line."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return re.split(r"(?<=[.:;])\s(?=[A-Z`])", paragraph)[0].rstrip(":;. ") + "."


@cache
def users() -> dict[str, set[str]]:
    """Extras by the names that they import, as "subject.name"."""
    importing: defaultdict[str, set[str]] = defaultdict(set)
    for path in modules("leaderboard/extras"):
        tree = ast.parse(read(path))
        for name in _names_imported(tree):
            importing[name].add(path.parts[2])
    return importing


def _names_imported(tree: ast.Module) -> Iterator[str]:
    whole: dict[str, str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        if node.module == EXTENSION:
            whole |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif node.module.startswith(f"{EXTENSION}."):
            subject = node.module.removeprefix(f"{EXTENSION}.")
            yield from (f"{subject}.{alias.name}" for alias in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            subject = whole.get(ast.unparse(node.value), "")
            if subject:
                yield f"{subject}.{node.attr}"


def signature(name: str, value: Any) -> str:
    """A function with the names of what it takes; a class and a value by its name."""
    if not isinstance(value, FunctionType):
        return name
    words = []
    for parameter in inspect.signature(value).parameters.values():
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        words.append(star.get(parameter.kind, "") + parameter.name)
        if parameter.default is not parameter.empty:
            words[-1] += "=…"
    return f"{name}({', '.join(words)})"


def lines() -> Iterator[str]:
    yield HEAD
    for subject in subjects():
        module: ModuleType = import_module(f"{EXTENSION}.{subject}")
        beside = comments(subject)
        yield f"## {subject}\n\n{' '.join((module.__doc__ or '').split())}\n"
        yield "| name | what it promises | used by |\n|---|---|---|"
        for name in sorted(module.__all__, key=str.lower):
            value = getattr(module, name)
            text = first_sentence(beside.get(name) or promise(value))
            text = text.replace("|", r"\|")
            extras = sorted(users()[f"{subject}.{name}"])
            by = ", ".join(extras) if len(extras) <= FEW else f"{len(extras)} extras"
            yield f"| `{signature(name, value)}` | {text} | {by} |"
        yield ""


def page() -> str:
    """The page as it should be."""
    return "\n".join(lines()).rstrip("\n") + "\n"


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    (ROOT / PAGE).write_text(page(), "utf-8")
