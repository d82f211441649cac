"""A look at the files of a scoring program, without running it: what it may stumble on.

Files are compiled and read as syntax trees. That is no proof: what `eval`, `importlib`
or the text of a template does is not seen, and a branch that is never taken is.
"""

import ast
import platform
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from scoring.errors import Problem
from scoring.scorers.program.conventions import MESSAGES, ScoringProgram, script_of

# Codes of what is seen. Of those in FATAL the program cannot run as it is.
PYTHON_2, SYNTAX = "python_2", "python_syntax"
OLD_MODULE, MISSING, MISSING_LATER = "old_module", "package_missing", "package_later"
PROCESS, THREAD, NETWORK = "starts_process", "starts_thread", "uses_network"
METADATA, RUNS_SENT = "reads_metadata", "runs_submissions"
UNREADABLE = {PYTHON_2: "python_2", SYNTAX: "syntax"}
FATAL = frozenset({PYTHON_2, SYNTAX, OLD_MODULE, MISSING})
CODES = FATAL | {MISSING_LATER, PROCESS, THREAD, NETWORK, METADATA, RUNS_SENT}
MOST_SIGHTS, MOST_OF_A_KIND = 40, 8
LONGEST = 120
# How compilers of Python 3 refuse what was right in Python 2.
SAYS_PYTHON_2 = re.compile(
    r"Missing parentheses in call to|multiple exception types must be parenth|"
    r"leading zeros in decimal|invalid decimal literal|inconsistent use of tabs"
)
LINE_OF_PYTHON_2 = re.compile(
    r"^\s*print\s*(?:$|[\w\"'%>])|^\s*except\s+[\w.]+\s*,\s*\w+\s*:|<>|"
    r"^\s*raise\s+\w+\s*,|^\s*exec\s+[\"'\w]|\bur[\"']|`\w+`|\b0[0-7]+L?\b"
)
IMPORT = re.compile(r"(?:import|from)\s+(\w+)")
# Modules of Python 2, and where their contents are now.
OF_PYTHON_2: Mapping[str, str] = {
    "ConfigParser": "configparser",
    "HTMLParser": "html.parser",
    "Queue": "queue",
    "StringIO": "io",
    "cPickle": "pickle",
    "cStringIO": "io",
    "commands": "subprocess",
    "exceptions": "builtins",
    "httplib": "http.client",
    "md5": "hashlib",
    "sets": "set",
    "urllib2": "urllib.request",
    "urlparse": "urllib.parse",
}
# Names of distributions that differ from what is imported.
DISTRIBUTIONS: Mapping[str, str] = {
    "Bio": "biopython",
    "Levenshtein": "python-Levenshtein",
    "PIL": "Pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
}
CALLS: Mapping[str, re.Pattern[str]] = {
    PROCESS: re.compile(
        r"subprocess\.(?:run|call|check_call|check_output|getoutput|getstatusoutput|"
        r"Popen)|os\.(?:system|popen|fork|forkpty|startfile|posix_spawnp?|spawn\w+|"
        r"exec\w+)|commands\.\w+|pexpect\.\w+|pty\.spawn|"
        r"multiprocessing\.(?:\w+\.)?(?:Pool|Process)|"
        r"concurrent\.futures\.(?:\w+\.)?ProcessPoolExecutor"
    ),
    THREAD: re.compile(
        r"threading\.(?:Thread|Timer)|multiprocessing\.pool\.ThreadPool|"
        r"concurrent\.futures\.(?:\w+\.)?ThreadPoolExecutor|_thread\.start_new_thread"
    ),
    NETWORK: re.compile(
        r"socket\.(?:socket|create_connection)|urllib\.request\.\w+|urllib2\.urlopen|"
        r"requests\.\w+|httpx\.\w+|http\.client\.\w+|ftplib\.\w+|smtplib\.\w+|"
        r"nltk\.download|wget\.download|gdown\.\w+|datasets\.load_dataset|"
        r"evaluate\.load|huggingface_hub\.\w+"
    ),
}
# What runs code that it is given, or that stands in the file which it is given.
BUILT_IN = frozenset({"exec", "eval", "execfile", "__import__"})
RUNS_TEXT = re.compile(
    r"(?:builtins\.)?(?:exec|eval|execfile|__import__)|"
    r"importlib\.(?:import_module|__import__)|runpy\.run_module"
)
RUNS_FILE = re.compile(
    r"(?:pickle|cPickle|_pickle|dill|cloudpickle|marshal)\.(?:loads?|Unpickler)|"
    r"(?:sklearn\.externals\.)?joblib\.load|pandas\.read_pickle|shelve\.open|"
    r"numpy\.load|torch\.load|yaml\.(?:load|load_all|unsafe_load)|"
    r"runpy\.run_path|imp\.load_\w+|importlib\.util\.spec_from_file_location|"
    r"importlib\.machinery\.\w+Loader|ctypes\.(?:CDLL|cdll\.LoadLibrary)"
)
SAFE_LOADERS = frozenset({"SafeLoader", "CSafeLoader", "BaseLoader", "FullLoader"})
# Where modules are looked for, and what a place of submissions is likely to be called.
MODULE_PATH = re.compile(r"sys\.path\.(?:append|insert|extend)")
SENT = re.compile(r"submi|input|answer|argv|\bres\b|_res\b|\bres_", re.IGNORECASE)
RUNS_FILES = frozenset({"runpy", "importlib", "imp"})
MODULES = frozenset({".py", ".pyc", ".so"})
OPENS = frozenset({"open", "join", "joinpath", "Path"})
# With any of these an import that fails is provided for.
PROVIDES = frozenset({"ImportError", "ModuleNotFoundError", "Exception"})


@dataclass(frozen=True)
class ProgramFinding:
    """One thing that was seen: its code, the file and line, and what it is about."""

    code: str
    file: str
    line: int
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def fatal(self) -> bool:
        return self.code in FATAL


def look(
    program: ScoringProgram, modules: Collection[str], version: str
) -> list[ProgramFinding]:
    """Findings, fatal ones first; `modules` can be imported, none for unknown.

    `version` is that of the Python that will run it.
    """
    files = {n: data for n, data in program.files.items() if n.endswith(".py")}
    trees: dict[str, ast.Module] = {}
    findings: list[ProgramFinding] = []
    for name, data in files.items():
        tree = _parse(name, data, version)
        if isinstance(tree, ProgramFinding):
            findings.append(tree)
        else:
            trees[name] = tree
    own = _own_modules(program)
    known = {*modules, *own} if modules else None
    for name in files.keys() - trees.keys():  # the rest is told with it, not after it
        findings += _Reader(name, known).of_lines(files[name])
    for name, tree in trees.items():
        with suppress(RecursionError):  # nested as no person writes
            findings += _Reader(name, known).sights(tree)
    reached = _files_that_run(program, trees, files)
    kept = [
        finding for finding in findings if finding.file in reached or not finding.fatal
    ]
    return _shorten(kept)


def unreadable(program: ScoringProgram, version: str) -> list[Problem]:
    """Problems of files that run and that no Python of this version reads; none where
    this process is one of another version, which may read them otherwise."""
    if version.split(".")[:2] != platform.python_version().split(".")[:2]:
        return []
    return [
        Problem(
            f"code_{UNREADABLE[finding.code]}",
            MESSAGES(f"code_{UNREADABLE[finding.code]}", **finding.values),
            finding.file,
            line=finding.line,
        )
        for finding in look(program, (), version)
        if finding.code in UNREADABLE
    ]


def _shorten(findings: list[ProgramFinding]) -> list[ProgramFinding]:
    """Each thing once in a file, a few of each kind, those that end a run first."""
    once: dict[tuple[object, ...], ProgramFinding] = {}
    for finding in sorted(findings, key=lambda s: (s.file, s.line)):
        once.setdefault((finding.code, finding.file, *finding.values.values()), finding)
    of_kind: dict[str, int] = {}
    kept = []
    for finding in sorted(once.values(), key=lambda s: not s.fatal):
        of_kind[finding.code] = of_kind.get(finding.code, 0) + 1
        if of_kind[finding.code] <= MOST_OF_A_KIND:
            kept.append(finding)
    return kept[:MOST_SIGHTS]


def _parse(name: str, data: bytes, version: str) -> ast.Module | ProgramFinding:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data, name)
            compile(tree, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        return _of_error(name, data, error, version)
    except (ValueError, RecursionError, MemoryError) as error:
        text = str(error)[:LONGEST] or type(error).__name__
        return ProgramFinding(SYNTAX, name, 1, {"message": text, "version": version})
    return tree


def _of_error(
    name: str, data: bytes, error: SyntaxError, version: str
) -> ProgramFinding:
    line, message = error.lineno or 1, str(error.msg)[:LONGEST]
    lines = data.decode("utf-8", "replace").splitlines()
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    if SAYS_PYTHON_2.search(message) or LINE_OF_PYTHON_2.search(text):
        return ProgramFinding(
            PYTHON_2, name, line, {"text": text[:LONGEST], "version": version}
        )
    return ProgramFinding(SYNTAX, name, line, {"message": message, "version": version})


def _own_modules(program: ScoringProgram) -> set[str]:
    """The names that its files could be imported by, wherever its path leads."""
    paths = [PurePosixPath(name) for name in program.files]
    for files in program.wheels.values():
        paths += [PurePosixPath(name) for name in files]
    names = {p.name.partition(".")[0] for p in paths if p.suffix in MODULES}
    return names | {part for path in paths for part in path.parts[:-1]}


def _files_that_run(
    program: ScoringProgram, trees: Mapping[str, ast.Module], files: Collection[str]
) -> set[str]:
    """Files that the command runs, and those that these import, as far as is seen."""
    main = script_of(program.words)
    if not main or main not in files:
        return set(files)
    by_stem: dict[str, list[str]] = {}
    for name in files:
        path = PurePosixPath(name)
        stem = path.parent.name if path.stem == "__init__" else path.stem
        by_stem.setdefault(stem, []).append(name)
    reached, waiting = {main}, [main]
    while waiting:
        tree = trees.get(waiting.pop())
        stems = set(_stems(tree)) if tree else set()
        if stems & RUNS_FILES:  # which ones is not seen
            return set(files)
        for stem in stems:
            new = [name for name in by_stem.get(stem, ()) if name not in reached]
            reached.update(new)
            waiting += new
    return reached


def _stems(tree: ast.Module) -> Iterator[str]:
    """Every part of the names that are imported: modules and what may be modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from alias.name.split(".")
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module or "").split(".")
            yield from (alias.name for alias in node.names)


class _Reader(ast.NodeVisitor):
    """Imports, calls and texts of one file."""

    def __init__(self, name: str, known: Collection[str] | None) -> None:
        self.name, self.known = name, known
        self.found: list[ProgramFinding] = []
        self.aliases: dict[str, str] = {}
        self.provided = self.later = 0

    def sights(self, tree: ast.Module) -> list[ProgramFinding]:
        self.visit(tree)
        return self.found

    def of_lines(self, data: bytes) -> list[ProgramFinding]:
        """Imports at the beginning of lines, where the whole is no Python."""
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if match := IMPORT.match(line):
                self._note_import(match[1], number)
        return self.found

    def visit_Try(self, node: ast.Try) -> None:
        provides = any(_catches_imports(handler) for handler in node.handlers)
        self.provided += provides
        for part in node.body:
            self.visit(part)
        self.provided -= provides
        # What stands in for a module is wanted only where the module is not there.
        self.later += provides
        for other in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(other)
        self.later -= provides

    def _visit_later(self, node: ast.AST) -> None:
        self.later += 1
        self.generic_visit(node)
        self.later -= 1

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_later

    def visit_If(self, node: ast.If) -> None:
        asks = any(
            isinstance(part, ast.Attribute) and part.attr in ("version_info", "PY2")
            for part in ast.walk(node.test)
        )
        self.provided += asks
        self._visit_later(node)
        self.provided -= asks

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            bound = alias.asname or alias.name.partition(".")[0]
            self.aliases[bound] = alias.name if alias.asname else bound
            self._note_import(alias.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or not node.module:
            return
        for alias in node.names:
            self.aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        self._note_import(node.module, node.lineno)

    def _note_import(self, name: str, line: int) -> None:
        top = name.partition(".")[0]
        if self.provided or top == "__future__":
            return
        if self.known is None or top in self.known:
            return
        if top in OF_PYTHON_2 and not self.later:
            values = {"module": top, "now": OF_PYTHON_2[top]}
            self._note(OLD_MODULE, line, values)
        elif top not in OF_PYTHON_2:
            values = {"module": top, "package": DISTRIBUTIONS.get(top, top)}
            self._note(MISSING_LATER if self.later else MISSING, line, values)

    def visit_Call(self, node: ast.Call) -> None:
        name = self._dotted_name(node.func)
        for code, pattern in CALLS.items():
            if name and pattern.fullmatch(name):
                self._note(code, node.lineno, {"call": name})
        if _runs_what_is_sent(name, node):
            self._note(RUNS_SENT, node.lineno, {"call": name})
        if _last(node.func) in OPENS and any(map(_is_metadata, node.args)):
            self._note(METADATA, node.lineno, {})
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if _is_metadata(node.right):
            self._note(METADATA, node.lineno, {})
        self.generic_visit(node)

    def _dotted_name(self, node: ast.expr) -> str:
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.aliases:
            named = getattr(node, "id", "")
            return named if not parts and named in BUILT_IN else ""
        return ".".join([self.aliases[node.id], *reversed(parts)])

    def _note(self, code: str, line: int, values: Mapping[str, str]) -> None:
        short = {key: value[:LONGEST] for key, value in values.items()}
        self.found.append(ProgramFinding(code, self.name, line, short))


def _runs_what_is_sent(name: str, node: ast.Call) -> bool:
    """Whether a call may run code that comes with a submission, for all that is seen.

    What is given a text that stands in the program runs that.
    """
    if RUNS_TEXT.fullmatch(name):
        return bool(node.args) and not isinstance(node.args[0], ast.Constant)
    if MODULE_PATH.fullmatch(name):
        return any(bool(SENT.search(ast.unparse(argument))) for argument in node.args)
    if not RUNS_FILE.fullmatch(name):
        return False
    given = {
        keyword.arg: getattr(keyword.value, "value", None) for keyword in node.keywords
    }
    if name == "numpy.load":
        return given.get("allow_pickle") is True
    if name == "torch.load":
        return given.get("weights_only") is not True
    if name in ("yaml.load", "yaml.load_all"):
        return not SAFE_LOADERS & {_last(part) for part in ast.walk(node)}
    return True


def _last(node: ast.AST) -> str:
    """The last part of a dotted name; empty for anything else."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _is_metadata(node: ast.expr) -> bool:
    text = getattr(node, "value", None)
    return isinstance(text, str) and text.rpartition("/")[2] == "metadata"


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type
    if kinds is None:
        return True
    named = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    return any(isinstance(name, ast.Name) and name.id in PROVIDES for name in named)
