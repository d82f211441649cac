"""The files of a submission as the command line names them."""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from plumbline.exits import USAGE, Ended

ARCHIVE = ""  # where a test set would be named


@dataclass(frozen=True)
class PhaseName:
    """TASK/PHASE."""

    task: str
    phase: str

    @property
    def path(self) -> str:
        return f"tasks/{self.task}/{self.phase}"


def place(text: str) -> PhaseName:
    task, slash, phase = text.strip("/").partition("/")
    if not slash or not task or not phase or "/" in phase:
        raise argparse.ArgumentTypeError(f"expected TASK/PHASE, found '{text}'")
    return PhaseName(task, phase)


def plain_name(text: str) -> str:
    """The name of a task, or the id of a submission, as one part of an address."""
    name = text.strip("/")
    if not name or "/" in name:
        raise argparse.ArgumentTypeError(f"expected a name without '/', found '{text}'")
    return name


def add_files(command: argparse.ArgumentParser) -> None:
    command.add_argument("place", type=place, metavar="TASK/PHASE")
    command.add_argument(
        "files",
        nargs="+",
        metavar="[TEST_SET=]FILE",
        help="a file for each test set; the name may be left out where there is one. "
        "Repeated, the file of the next run of the system",
    )


def by_test_set(words: Sequence[str], phase: Mapping[str, Any]) -> dict[str, Path]:
    """Files by test set, those of further runs by "english.2", "english.3" and so on.
    Code is one file for all. Raises Ended for a test set that the phase does not have,
    or that is not said."""
    if phase.get("sends_code"):
        if len(words) > 1:
            raise Ended(USAGE, "send the code as one zip")
        return {ARCHIVE: Path(words[0])}
    test_sets = list(phase["test_sets"])
    most = int(phase.get("most_runs", 1))
    runs: Counter[str] = Counter()
    files: dict[str, Path] = {}
    for word in words:
        name, equals, path = word.partition("=")
        if not equals and len(test_sets) == 1:
            name, path = test_sets[0], word
        runs[name] += 1
        if name not in test_sets or runs[name] > most:
            words_known = ", ".join(test_sets)
            times = "once" if most == 1 else f"up to {most} times"
            sentence = (
                f"'{word}': say TEST_SET=FILE, {times} for each of: {words_known}"
            )
            raise Ended(USAGE, sentence)
        files[name if runs[name] == 1 else f"{name}.{runs[name]}"] = Path(path)
    return files


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
