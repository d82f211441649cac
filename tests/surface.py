"""The page of the handbook that lists what an extra may import of the site, and the
functions that points name, with the types by which the site calls them.

`python -m tests.surface` writes both. The page is made of docstrings of classes and
functions and, of values, of the comments beside their names in
`leaderboard/extension/`; above each list of names there the reason why extras have
them. mypy reads `tests/point_types.py`: points are paths, so that
no process imports more than it asks for, and no tool follows a path.
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

from tests.house import (
    ROOT,
    exported,
    lists_of_names,
    modules,
    names_of_other_extras,
    read,
)

PAGE = Path("docs/developers/surface.md")
EXTENSION = "leaderboard.extension"
FEW = 3  # extras that are named
COMMENT = re.compile(r'^    "(\w+)",  # (.+)$', re.MULTILINE)
TYPES = Path("tests/point_types.py")
TYPES_HEAD = '''"""Functions and values that points of extras name, with their types.

`python -m tests.surface` writes this, and mypy reads it.
"""
# ruff: noqa
# fmt: off

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from leaderboard.extension.boards import Board, SystemOverview
from leaderboard.extension.bundles import BundlePart, TaskPlan
from leaderboard.extension.charts import ChartKind
from scoring.sandbox.codec import Request, Values
from leaderboard.extension.formats import ExportFormat
from leaderboard.extension.forms import Refusal
from leaderboard.extension.models import Phase, Submission, Task, Team, User
from leaderboard.extension.programs import (
    Inventory,
    SubmissionKind,
    TestSetCheck,
)
from leaderboard.extension.scores import SubmissionStatus
from leaderboard.extension.submissions import Upload
from leaderboard.submissions.outside_counts import Keeper
from leaderboard.submissions.runners import Runner
from scoring.sandbox.scoring_program import ProgramLimits
from scoring.source import Source
'''
FILES = "Iterable[tuple[str, bytes]]"
# By point and member: the type of what it names.
NAMED = {
    "ArchivePart.members": f"Callable[[Task], {FILES}]",
    "ArchiveSeal.files": f"Callable[[Task], {FILES}]",
    "ArchiveSeal.seal": f"Callable[[bytes], {FILES}]",
    "BoardCharts.module": "Sequence[ChartKind]",
    "BoardFormats.package": "Sequence[ExportFormat]",
    "BoardNote.says": "Callable[[Phase], Iterable[str]]",
    "BundleKey.table": "type[BundlePart]",
    "BundleKey.reads": "Callable[[Task], Iterable[BundlePart]]",
    "BundleKey.writes": "Callable[[Task, Any], None]",
    "BundleKey.blocks": "Callable[[Any, Any], Iterable[str]]",
    "ChartFile.lacks": "Callable[[Iterable[str]], str]",
    "CodeStep.step": "SubmissionKind",
    "CodeStep.refuses": "Callable[[Upload], Refusal | None]",
    "DemoPart.load": (
        "Callable[[datetime, User, Mapping[str, tuple[Team, User]]], None]"
    ),
    "Importer.recognizes": "Callable[[Iterable[str]], object]",
    "Importer.converts": (
        "Callable[[Mapping[str, bytes], Inventory], tuple[Source, Any]]"
    ),
    "Importer.creates": (
        "Callable[[TaskPlan, Any, User | None], "
        "tuple[Task, Sequence[str], Sequence[str]]]"
    ),
    "Link.is_there": "Callable[[Task], bool]",
    "OrganizerTab.is_there": "Callable[[Task], object]",
    "OutsideCounts.keeper": "Keeper",
    "ProgramRunner.runner": "Runner",
    "ProgramRunner.checks": (
        "Callable[[Task, tuple[str, str, str, int], Source, Mapping[str, Source]], "
        "TestSetCheck]"
    ),
    "ProgramRunner.requires": "Callable[[User, TaskPlan, TaskPlan], None]",
    "ProgramRunner.warns": "Callable[[TaskPlan], str]",
    "ProgramRunner.limits": "Callable[[], ProgramLimits]",
    "SandboxJob.path": "Callable[[Request], tuple[Values, Sequence[bytes]]]",
    "SubmissionLink.sees": "Callable[[User, SubmissionStatus], bool]",
    "PagePart.make": "Callable[[SystemOverview, User], object]",
}
# The same of some places.
OF_PLACE = {"PagePart.make submission": "Callable[[Submission, User], object]"}
# Of a module that a point names: the value that is asked for.
IN_MODULE = {"BoardCharts": ".KINDS", "BoardFormats": ".FORMATS"}
HEAD = """# What an extra may import

Of the site an extra imports these names alone ([Extras](extras.md)). From 1.0 a name
stays, with its type and promise, for releases that share a first number. Exceptions,
units and the rest of each promise stand in its docstring. Above names is the reason why
they are here, beside each the extras that import it. `python -m tests.surface` writes
this page from the code.
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


def groups(subject: str) -> Iterator[tuple[str, list[str]]]:
    """The reason why extras have names of a subject, with these names."""
    text = read(Path(f"leaderboard/extension/{subject}.py"))
    lines = text.split("\n")
    for node, names in lists_of_names(text):
        top = node.lineno - 1
        while lines[top - 1].startswith("# "):
            top -= 1
        reason = " ".join(line[2:] for line in lines[top : node.lineno - 1])
        yield reason, names


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
        for reason, names in groups(subject):
            yield f"{reason}\n\n| name | what it promises | used by |\n|---|---|---|"
            for name in sorted(names, key=str.lower):
                value = getattr(module, name)
                text = first_sentence(beside.get(name) or promise(value))
                text = text.replace("|", r"\|")
                extras = sorted(users()[f"{subject}.{name}"])
                few = len(extras) <= FEW
                by = ", ".join(extras) if few else f"{len(extras)} extras"
                yield f"| `{signature(name, value)}` | {text} | {by} |"
            yield ""
    yield "## Names of other extras\n\nAn extra imports of those too that it `needs`.\n"
    yield "| name | what it promises | used by | why |\n|---|---|---|---|"
    for title, text, user, why in sorted(set(of_other_extras())):
        yield f"| `{title}` | {text} | {user} | {why} |"


def of_other_extras() -> Iterator[tuple[str, str, str, str]]:
    """Names that extras import of others: the name, its promise, who imports it, and
    why that needs the other."""
    from leaderboard.web.extras import extras

    needs = {extra.label: extra.needs for extra in extras()}
    for path in modules("leaderboard/extras"):
        user = path.parts[2]
        for module, name in names_of_other_extras(path):
            owner = module.split(".")[2]
            value = import_member(module, name)
            text = value.__doc__ if isinstance(value, ModuleType) else promise(value)
            text = first_sentence(text or comment_above(module, name))
            title = f"{owner}: {signature(name, value)}"
            yield title, text, user, needs[user].get(owner, "")


def import_member(module: str, name: str) -> Any:
    """A value of a module, or a module of a package."""
    value = getattr(import_module(module), name, None)
    return import_module(f"{module}.{name}") if value is None else value


def comment_above(module: str, name: str) -> str:
    """The comment above a value of a module; empty where there is none."""
    text = read(Path(*module.split(".")).with_suffix(".py"))
    comment = re.search(rf"((?:^# .+\n)+)^{name}\b", text, re.MULTILINE)
    return comment[1].replace("# ", "") if comment else ""


def page() -> str:
    """The page as it should be."""
    return "\n".join(lines()).rstrip("\n") + "\n"


def types() -> str:
    """The text of `tests/point_types.py` as it should be."""
    from leaderboard.web.extras import CALLED_WITH, NAMED_VALUES, extras, modules_in

    members = {*CALLED_WITH, *NAMED_VALUES, "module", "package", "path"}
    paths: dict[str, str] = {}  # and the types by which they are called
    for extra in extras():
        for point in extra.points:
            kind = type(point).__name__
            for member, value in vars(point).items():
                if member not in members or not value:
                    continue
                names = modules_in(value) if member == "package" else [value]
                for path in names:
                    path = path.replace(":", ".") + IN_MODULE.get(kind, "")
                    key = f"{kind}.{member}"
                    named = f"{key} {getattr(point, 'place', '')}"
                    paths[path] = OF_PLACE.get(named) or NAMED[key]
    lines = [f"{name}: {named} = {path}" for name, path, named in _in_order(paths)]
    imports = {path.rpartition(".")[0] for path in paths}
    top = "\n".join(f"import {module}" for module in sorted(imports))
    return f"{TYPES_HEAD}{top}\n\n" + "\n".join(lines) + "\n"


def _in_order(paths: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    for path in sorted(paths):
        name = path.removeprefix("leaderboard.").removeprefix("extras.")
        yield name.replace(".", "_").lower(), path, paths[path]


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    (ROOT / PAGE).write_text(page(), "utf-8")
    (ROOT / TYPES).write_text(types(), "utf-8")
