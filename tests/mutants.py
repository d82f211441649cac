"""Faults put into the product on purpose: does a test turn red? (`make mutants`)

`mutants.toml` lists them: a small plausible change of one file, and the tests that are
to catch it. Each is tried in a copy of the checkout, two at a time, with those tests
alone; first they must pass on the code as it is. The command fails where a mutant
survives, where its text no longer stands in its file exactly once, and where none of
its tests is in the part of the suite that it names.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests.run import ROOT, UNWANTED

LIST = Path(__file__).with_suffix(".toml")
AT_ONCE = 2
SECONDS = 600  # of one run; a mutant that makes tests hang is caught by that
PARTS = ("fast", "thorough")
OPTIONS = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no", "--no-header")


class NotThere(Exception):
    """A text that a mutant changes or a test that it names is not in its file."""


@dataclass(frozen=True)
class Mutant:
    """A change of one file, and the tests that are to catch it, of one `part`."""

    name: str
    file: str
    old: str
    new: str
    part: str
    tests: tuple[str, ...]

    def changed(self, text: str) -> str:
        """Raises NotThere."""
        if (count := text.count(self.old)) != 1:
            raise NotThere(f"{count} times in {self.file}: {self.old!r}")
        return text.replace(self.old, self.new)

    def look_for_tests(self) -> None:
        """Raises NotThere; a name that no test has would end every run."""
        for test in self.tests:
            file, _, name = test.partition("::")
            wanted = f"def {name.partition('[')[0]}(" if name else ""
            if wanted not in (ROOT / file).read_text():
                raise NotThere(f"no test {test}")


@dataclass(frozen=True)
class Verdict:
    """`caught` by the test named in `by`; otherwise `by` says what happened."""

    caught: bool
    by: str


class Checkout:
    """A copy of the tracked files, in which one run at a time is tried."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / "checkout"
        self.tried = 0
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.check_output(listed, cwd=ROOT, text=True).split("\0")
        for name in filter(None, names):
            if (ROOT / name).is_file():
                target = self.root / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)
        # Data that tests look for beside the checkout.
        if (data := ROOT.parent / "shared").is_dir():
            (directory / "shared").symlink_to(data)

    def run(self, part: str, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
        words = ["-m", "pytest", *OPTIONS, f"--part={part}", *tests]
        outside = {k: v for k, v in os.environ.items() if k not in UNWANTED}
        with tempfile.TemporaryDirectory(prefix="plumbline-mutant-") as data:
            return subprocess.run(
                [sys.executable, *words],
                cwd=self.root,
                env={**outside, "PLUMBLINE_TEST_DATA": data},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SECONDS,
            )

    @contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        """Raises NotThere."""
        path = self.root / mutant.file
        text, times = path.read_text(), path.stat()
        path.write_text(mutant.changed(text))
        # Another second than ever before, or Python would take what it has compiled.
        self.tried += 1
        os.utime(path, (times.st_atime, times.st_mtime - 1000 - self.tried))
        try:
            yield
        finally:
            path.write_text(text)
            os.utime(path, (times.st_atime, times.st_mtime))

    def verdict(self, mutant: Mutant) -> Verdict:
        try:
            with self.mutated(mutant):
                run = self.run(mutant.part, mutant.tests)
        except NotThere as reason:
            return Verdict(False, f"its text stands {reason}")
        except subprocess.TimeoutExpired:
            return Verdict(True, f"no end within {SECONDS} s")
        if run.returncode == 0:
            return Verdict(False, f"SURVIVED {' '.join(mutant.tests)}")
        if run.returncode == 1:
            return Verdict(True, first_failure(run.stdout))
        return Verdict(False, f"pytest ended with {run.returncode}:\n{run.stdout}")


def first_failure(output: str) -> str:
    """The test that pytest's summary names first."""
    lines = [line.split() for line in output.splitlines()]
    failed = (words[1] for words in lines if words[:1] in (["FAILED"], ["ERROR"]))
    return next(failed, "a failure without a name")


def listed_mutants() -> list[Mutant]:
    rows = tomllib.loads(LIST.read_text())["mutant"]
    return [Mutant(**{**row, "tests": tuple(row["tests"])}) for row in rows]


def passes_before(checkout: Checkout, part: str, mutants: Sequence[Mutant]) -> bool:
    """Whether the named tests of a part pass on the code as it is."""
    tests = sorted({test for m in mutants if m.part == part for test in m.tests})
    if not tests:
        return True
    run = checkout.run(part, tests)
    if run.returncode:
        print(f"The {part} tests fail without any mutant:\n{run.stdout}")
    return not run.returncode


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="only mutants of these names")
    parser.add_argument(
        "--texts",
        action="store_true",
        help="only ask whether their texts and tests are there",
    )
    options = parser.parse_args(argv)
    wanted = set(options.names)
    mutants = [m for m in listed_mutants() if not wanted or m.name in wanted]
    if options.texts:
        return look_for_texts(mutants)
    with tempfile.TemporaryDirectory(prefix="plumbline-mutants-") as home:
        checkouts: SimpleQueue[Checkout] = SimpleQueue()
        for number in range(AT_ONCE):
            directory = Path(home) / str(number)
            directory.mkdir()
            checkouts.put(Checkout(directory))

        def passes(part: str) -> bool:
            checkout = checkouts.get()
            try:
                return passes_before(checkout, part, mutants)
            finally:
                checkouts.put(checkout)

        def tried(mutant: Mutant) -> Verdict:
            checkout = checkouts.get()
            try:
                return checkout.verdict(mutant)
            finally:
                checkouts.put(checkout)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            if not all(list(pool.map(passes, PARTS))):
                return 1
            verdicts = []
            for mutant, verdict in zip(mutants, pool.map(tried, mutants), strict=True):
                verdicts.append(verdict)
                print(f"{mutant.name}: {verdict.by}", flush=True)
    return conclude(mutants, verdicts)


def look_for_texts(mutants: Sequence[Mutant]) -> int:
    """Print the mutants whose text or tests a change has moved; the exit code."""
    lost = 0
    for mutant in mutants:
        try:
            mutant.changed((ROOT / mutant.file).read_text())
            mutant.look_for_tests()
        except (NotThere, FileNotFoundError) as reason:
            lost += 1
            print(f"{mutant.name}: {reason}")
    print(f"texts and tests of {len(mutants) - lost} of {len(mutants)} are there")
    return int(lost > 0)


def conclude(mutants: Sequence[Mutant], verdicts: Sequence[Verdict]) -> int:
    """Print the counts; the exit code."""
    caught = [m for m, v in zip(mutants, verdicts, strict=True) if v.caught]
    fast = sum(mutant.part == "fast" for mutant in caught)
    print(f"{len(caught)} of {len(mutants)} mutants caught, {fast} by `make test`")
    return int(len(caught) < len(mutants))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
