"""Size and shape of the product's code, for `make house`."""

import ast
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("leaderboard", "scoring", "plumbline")
# Counted, but neither the style of its names nor its imports.
MEASURING = "benchmarks"
# What a site, or an engine, can do without.
JOINING = ("leaderboard/extras", "scoring/scorers")
# Names that Django gives, and private ones.
NOT_ITS_OWN = re.compile(r"(Meta|Media|Command)$|_")
WITHOUT_SUBJECT = re.compile(
    r"(What|Whatever|Who|Whoever|All that|Of|Those|As|By|For|From|In|Its|None|They|"
    r"True|When|Where|Which|Whose|Why|With|Without) "
)
SUBJECT = "docstrings that begin without a subject"
PARTICIPLE = re.compile(
    r"_?([a-z]+ed|shown|known|told|said|found|kept|sent|made|held|left|given|drawn)"
)
# Words that say nothing of the thing that a variable holds.
NO_NOUNS = ("found", "one", "told", "said", "shown", "known", "kept")
PARAMETERS = f"parameters named {', '.join(NO_NOUNS[:-1])} or {NO_NOUNS[-1]}"
WIDE = 160  # characters of a line of a template
TRACED = "tests/leaderboard/traced_paths.py"


def modules(*folders: str) -> Iterator[Path]:
    """Python files of these folders, without migrations."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path.relative_to(ROOT)


def templates() -> Iterator[Path]:
    """Templates of the site and of its extras."""
    for folder in ("templates", "leaderboard"):
        for ending in ("html", "jinja"):
            for path in sorted((ROOT / folder).rglob(f"*.{ending}")):
                yield path.relative_to(ROOT)


def read(path: Path) -> str:
    return (ROOT / path).read_text("utf-8")


def imports_of(tree: ast.Module) -> set[str]:
    """Names of the modules that a module imports, wherever the statement stands."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def names_for_extras() -> Counter[str]:
    """Names that extras import, as "module.name", with the number of modules that do:
    all that the extension has, whoever uses it, and those of other extras."""
    names: Counter[str] = Counter()
    for path in modules("leaderboard/extension"):
        module = ".".join(path.with_suffix("").parts)
        names.update({f"{module}.{name}": 0 for name in exported(read(path))})
    for path in modules("leaderboard/extras"):
        names.update(".".join(name) for name in names_of_other_extras(path))
    return names


def names_of_other_extras(path: Path) -> set[tuple[str, str]]:
    """Names that a module of an extra imports neither of its own nor of the extension,
    each with its module."""
    own = ".".join(path.parts[:3]).removesuffix(".py")
    names = set()
    for node in ast.walk(ast.parse(read(path))):
        if isinstance(node, ast.ImportFrom) and node.module:
            module = node.module
            if module.startswith("leaderboard") and not f"{module}.".startswith(
                (f"{own}.", "leaderboard.extension.")
            ):
                names |= {(module, alias.name) for alias in node.names}
    return names


def exported(text: str) -> list[str]:
    """Names in the lists of `__all__` of a module; none where it has no such list."""
    return [name for _node, names in lists_of_names(text) for name in names]


def lists_of_names(text: str) -> Iterator[tuple[ast.stmt, list[str]]]:
    """Statements of a module that make `__all__`, or add to it, with their names."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign | ast.AugAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if ast.unparse(target) == "__all__":
                yield node, list(ast.literal_eval(node.value))


def counts() -> dict[str, int]:
    """Numbers that may fall and must not grow (`tests/test_house.py`)."""
    numbers = Counter({f"variables named {word}": 0 for word in NO_NOUNS})
    for path in modules(*PRODUCT):
        text = read(path)
        numbers["type: ignore"] += text.count("# type: ignore")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name):
                numbers["Any"] += node.id == "Any"
                if isinstance(node.ctx, ast.Store) and node.id in NO_NOUNS:
                    numbers[f"variables named {node.id}"] += 1
            elif isinstance(node, ast.arg):
                numbers[PARAMETERS] += node.arg in NO_NOUNS
            elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                numbers[SUBJECT] += bool(
                    WITHOUT_SUBJECT.match(ast.get_docstring(node) or "")
                )
            if isinstance(node, ast.FunctionDef):
                numbers["functions named by a participle alone"] += bool(
                    PARTICIPLE.fullmatch(node.name)
                )
    names = names_for_extras()
    of_extras = sum(name.startswith("leaderboard.extras.") for name in names)
    return {
        "names of the site for extras": len(names) - of_extras,
        "names of extras for other extras": of_extras,
        "wide lines of templates": sum(
            len(line) > WIDE for path in templates() for line in read(path).split("\n")
        ),
        **numbers,
    }


# Where a reader meets a feature.
SURFACES = ("page", "API", "form", "bundle key", "mail", "text", "document", "command")
GETTEXT = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext"}
TAG = re.compile(r"\{% (?:block)?trans")
EXTRA = re.compile(r"^\| `(\w+)` \|.*\| (\[.+\)) \|$", re.MULTILINE)


def surfaces() -> dict[str, Counter[str]]:
    """By feature, an app of the site or an extra: how often each surface has it."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for surface, module in _registered():
        counts[_feature(module.split("."))][surface] += 1
    for path in modules("leaderboard"):
        feature = counts[_feature(path.parts)]
        feature["command"] += path.parts[-2] == "commands" and path.name[0] != "_"
        for node in ast.walk(ast.parse(read(path))):
            if isinstance(node, ast.ClassDef):
                bases = [ast.unparse(base) for base in node.bases]
                feature["form"] += any(base.endswith("Form") for base in bases)
            elif isinstance(node, ast.Call):
                feature["text"] += ast.unparse(node.func) in GETTEXT
    for path in templates():
        place = path if path.parts[0] == "leaderboard" else "leaderboard" / path
        app = _feature(place.parts if place is path else place.parts[1:])
        if not (ROOT / "leaderboard" / app).is_dir():
            app = "web"  # pages of accounts and of errors
        counts[app]["text"] += len(TAG.findall(read(path)))
    for name, links in EXTRA.findall(read(Path("docs/developers/extras.md"))):
        counts[f"extras/{name}"]["document"] += links.count("](")
    return counts


def _feature(parts: Sequence[str]) -> str:
    """The app of a file or module below `leaderboard`."""
    return "/".join(parts[1:3] if parts[1] == "extras" else parts[1:2])


def _registered() -> Iterator[tuple[str, str]]:
    """Addresses, keys of bundles and kinds of mail, each with its module."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.urls import URLPattern, get_resolver

    from leaderboard.mail.outbox import KINDS
    from leaderboard.tasks.bundle.schema import TaskPlan
    from leaderboard.web.extras import BundleKey, extras

    def views(patterns: Sequence[Any], start: str) -> Iterator[tuple[str, str]]:
        for pattern in patterns:
            address = start + str(pattern.pattern)
            if isinstance(pattern, URLPattern):
                view = getattr(pattern.callback, "view_class", pattern.callback)
                of_api = address.startswith("api/")
                yield "API" if of_api else "page", view.__module__
            else:
                yield from views(pattern.url_patterns, address)

    for surface, module in views(get_resolver().url_patterns, ""):
        if module.startswith("leaderboard."):
            yield surface, module
    yield from (("mail", kind.written.__module__) for kind in KINDS.values())
    yield from (("bundle key", TaskPlan.__module__) for _key in TaskPlan.model_fields)
    for extra in extras():
        yield from (("bundle key", extra.name) for _key in extra.joining(BundleKey))


def main() -> int:
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    imports: list[int] = []
    gerunds: list[str] = []
    classes: defaultdict[str, list[str]] = defaultdict(list)
    for path in modules(*PRODUCT):
        text = read(path)
        tree = ast.parse(text)
        room = "/".join(path.parts[:2]) if len(path.parts) > 2 else path.parts[0]
        lines[room] += text.count("\n")
        files[room] += 1
        if text.strip() and path.name != "__init__.py":
            imports.append(len(imports_of(tree)))
        if path.stem.endswith("ing"):
            gerunds.append(str(path))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not NOT_ITS_OWN.match(node.name):
                classes[node.name].append(str(path))
    for path in modules(MEASURING):
        lines[MEASURING] += read(path).count("\n")
        files[MEASURING] += 1
    for room in sorted(lines):
        print(f"{room:28}{files[room]:5} files{lines[room]:8,} lines")
    print(f"{'all':28}{files.total():5} files{lines.total():8,} lines")
    beside = {*JOINING, "plumbline", MEASURING}
    core = [
        room
        for room in lines
        if room not in beside and room.split("/")[0] != "plumbline"
    ]
    in_files, in_lines = (sum(each[room] for room in core) for each in (files, lines))
    print(f"{'core of site and engine':28}{in_files:5} files{in_lines:8,} lines\n")
    print(f"modules imported by a module, median: {median(imports):g}")
    print(f"modules named by a gerund: {len(gerunds)}", *gerunds, sep="\n  ")
    shared = {name: at for name, at in sorted(classes.items()) if len(at) > 1}
    print(f"class names that stand for several classes: {len(shared)}")
    for name, places in shared.items():
        print(f"  {name}: {', '.join(places)}")
    for title, number in counts().items():
        print(f"{title}: {number}")
    print(f"\n{'surfaces':22}", *(f"{name:>10}" for name in SURFACES))
    for name, numbers in sorted(surfaces().items()):
        if numbers.total():
            print(f"{name:22}", *(f"{numbers[of] or '':>10}" for of in SURFACES))
    print()
    traced = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-s", TRACED]
    return subprocess.call(traced, cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
