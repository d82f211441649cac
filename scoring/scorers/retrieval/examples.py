"""Example runs: invented documents for published topics, and runs with mistakes."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from random import Random

from scoring.errors import Refused
from scoring.options import Options
from scoring.picks import each_file, some
from scoring.scorers.retrieval.trec import read_topics
from scoring.source import Source

# The published file names no documents: these show the format.
INVENTED = ("document-1", "document-2", "document-3")


def guessed_run(members: Mapping[str, bytes], _options: Options) -> dict[str, bytes]:
    """The same few invented documents for every topic."""
    files = {}
    for name, data in members.items():
        lines = [
            f"{topic} Q0 {document} {rank} {1 / rank:.4f} example\n"
            for topic in read_topics(Source.of_bytes(name, data), Refused)
            for rank, document in enumerate(INVENTED, 1)
        ]
        stem = PurePosixPath(name).with_suffix("")
        files[f"{stem}.run.txt"] = "".join(lines).encode()
    return files


@each_file
def spoiled_run(text: str, share: float, random: Random) -> str:
    """A copy in which some documents are others, which nobody judged."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    for number in some(range(len(lines)), share, random):
        lines[number][2] = f"unjudged-{number}"
    return "".join(" ".join(fields) + "\n" for fields in lines)
