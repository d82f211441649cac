"""Files with a signature over all of them, to be checked without the site.

`SHA256SUMS` has the hash of each file, `SHA256SUMS.sig` is its signature, `keys.json`
the keys of the site. `plumbline verify` checks such a zip or folder.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256

from leaderboard.extension.exports import text_of
from leaderboard.extension.models import Task
from leaderboard.extras.signatures import keys, record
from scoring.formats.bundle import zip_files

SUMS, SIGNATURE, KEYS = "SHA256SUMS", "SHA256SUMS.sig", "keys.json"
ORIGIN = "origin.json"  # beside receipts: where the site shows the system
Member = tuple[str, bytes]


def archive_files(task: Task) -> Iterator[Member]:
    """The record of a task as it is now, for its archive."""
    record.update(task)
    yield "record/entries.jsonl", record.text_of(task).encode()
    head = record.head_of(task, record.leaves_of(task))
    yield "record/head.json", text_of(head).encode()


def seal(sums: bytes) -> Iterator[Member]:
    """The files that sign the hashes of all others."""
    yield KEYS, text_of(keys.published_keys()).encode()
    yield SIGNATURE, text_of(keys.sign(sums)).encode()


def signed_zip(name: str, files: Mapping[str, bytes]) -> bytes:
    """A zip of the files with their hashes, and the signature."""
    lines = [f"{sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files)]
    sums = "".join(lines).encode()
    return zip_files(name, {**files, SUMS: sums, **dict(seal(sums))}).single()
