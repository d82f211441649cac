"""Rules of the repository that no linter knows."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEYOND_THE_ENGINE = {"celery", "django", "leaderboard", "rest_framework"}
LOADED = re.compile(r"\{% load ([^%]+)%\}")
SLEEP = re.compile(r"\bsleep\(")
# Filters that give an element, in the value of an attribute
ELEMENT = re.compile(r'="[^"<>]*\|(?:minute|second|day|for_phase)\b')


def imports(path: Path) -> set[str]:
    """The top-level packages that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_no_test_sleeps() -> None:
    tests = sorted((ROOT / "tests").rglob("*.py"))
    assert [str(path) for path in tests if SLEEP.search(path.read_text("utf-8"))] == []


def test_the_engine_does_not_import_the_site() -> None:
    engine = sorted((ROOT / "scoring").rglob("*.py"))
    assert engine
    assert {
        str(path): bad for path in engine if (bad := imports(path) & BEYOND_THE_ENGINE)
    } == {}


def test_make_help_explains_every_target() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE)
    targets = set(phony.split()) - {"help"}
    printed = subprocess.run(
        ["make", "--silent", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert {name for name in targets if f"make {name} " not in printed} == set()


def test_templates_load_tags_of_their_own_app_or_below() -> None:
    """Along the list of apps that Python's imports keep to."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (layers, *_) = contracts["tool"]["importlinter"]["contracts"]
    apps = [name.removeprefix("leaderboard.") for name in layers["layers"]]
    libraries = {
        path.stem: apps.index(path.parts[-3])
        for path in (ROOT / "leaderboard").glob("*/templatetags/*.py")
        if path.stem != "__init__"
    }
    upward = set()
    for app in apps:
        for path in (ROOT / "templates" / app).rglob("*.*"):
            for names in LOADED.findall(path.read_text("utf-8")):
                place = path.relative_to(ROOT / "templates").as_posix()
                upward |= {
                    (place, name)
                    for name in names.split()
                    if libraries.get(name, len(apps)) < apps.index(app)
                }
    assert upward == set()


def test_no_attribute_holds_an_element() -> None:
    """A time is an element of its own, whose quotation marks would end the value."""
    assert [
        str(path.relative_to(ROOT))
        for folder in ("templates", "leaderboard/extras")
        for path in sorted((ROOT / folder).rglob("*.html"))
        if ELEMENT.search(path.read_text("utf-8"))
    ] == []


# --- names that are imported

OWN = {"benchmarks", "leaderboard", "plumbline", "scoring", "tests"}


BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class Module:
    """A file's imports, wherever they stand, and the names that it binds at its top."""

    imports: list[ast.Import | ast.ImportFrom]
    names: set[str]

    @classmethod
    def of(cls, path: Path) -> "Module":
        tree = ast.parse(path.read_text("utf-8"))
        found = [one for one in statements(tree) if isinstance(one, IMPORTS)]
        return cls(found, set(bound(tree.body)))

    def has(self, name: str) -> bool:
        """Whether it binds the name, or may bind any as it runs."""
        return not self.names.isdisjoint({name, "*", "__getattr__"})


IMPORTS = (ast.Import, ast.ImportFrom)


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements below, those of functions and branches too."""
    for block in BLOCKS:
        for one in getattr(tree, block, ()):
            yield one
            yield from statements(one)


def bound(top: Iterable[ast.AST]) -> Iterator[str]:
    """The names that statements bind, in the branches of conditions too."""
    for one in top:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield one.name
        elif isinstance(one, IMPORTS):
            for alias in one.names:
                yield alias.asname or alias.name.split(".")[0]
        else:
            for node in ast.walk(one):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id
            for block in BLOCKS:
                yield from bound(getattr(one, block, ()))


def lost_imports(root: Path, files: Iterable[str]) -> list[str]:
    """Imports of our own names, also those inside functions, that lead nowhere."""
    paths = {
        name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name
        for name in files
    }
    modules = {dotted: Module.of(root / path) for dotted, path in paths.items()}
    places = modules.keys() | {dotted.rpartition(".")[0] for dotted in modules}

    def leads(dotted: str, name: str) -> bool:
        if name == "*" or f"{dotted}.{name}" in places:
            return dotted in places
        return dotted in modules and modules[dotted].has(name)

    lost = []
    for dotted, module in modules.items():
        for one in module.imports:
            if isinstance(one, ast.Import):
                asked = [alias.name for alias in one.names]
                bad = [name for name in asked if name not in places]
            elif one.module and not one.level:
                asked = [alias.name for alias in one.names]
                bad = [
                    f"{one.module} {name}"
                    for name in asked
                    if not leads(one.module, name)
                ]
            else:
                continue
            own = [name for name in bad if re.split("[. ]", name)[0] in OWN]
            lost += [f"{paths[dotted]}:{one.lineno} {name}" for name in own]
    return lost


def test_every_import_of_our_own_names_leads_somewhere() -> None:
    """mypy reads the product alone, and a moved module may break the rest unseen."""
    folders = [ROOT / name for name in sorted(OWN | {"release"})]
    files = [path for one in folders for path in sorted(one.rglob("*.py"))]
    assert lost_imports(ROOT, [str(one.relative_to(ROOT)) for one in files]) == []


def test_an_import_of_what_was_moved_is_found(tmp_path: Path) -> None:
    files = {
        "scoring/__init__.py": "from scoring.counts import Counts\n",
        "scoring/counts.py": "if 1 < 2:\n    Counts = int\nclass Table: pass\n",
        "tests/lazy.py": "def __getattr__(name): ...\n",
        "benchmarks/speed.py": "def run():\n"
        "    from scoring import Counts, counts, gone\n"
        "    from scoring.counts import Table, Row\n"
        "    from scoring.moved import Table\n"
        "    from tests.lazy import anything\n"
        "    import scoring.counts, scoring.past, numpy.random\n"
        "    from numpy import nothing\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert lost_imports(tmp_path, files) == [
        "benchmarks/speed.py:2 scoring gone",
        "benchmarks/speed.py:3 scoring.counts Row",
        "benchmarks/speed.py:4 scoring.moved Table",
        "benchmarks/speed.py:6 scoring.past",
    ]
