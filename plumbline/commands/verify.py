"""verify: whether an archive, receipts or a frozen board are what a site signed.

It asks no site: the files, their hashes, the signature, the keys, and the record of
rows lie in the zip or folder.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

from plumbline import ed25519
from plumbline.exits import FINE, REFUSED_BY_SITE, UNKNOWN_SIGNER, USAGE, Ended
from plumbline.output import as_json
from scoring import merkle

SUMS, SIGNATURE, KEYS = "SHA256SUMS", "SHA256SUMS.sig", "keys.json"
KNOWN_KEYS = "/.well-known/plumbline-keys.json"
RECORD, HEAD = "record/entries.jsonl", "record/head.json"
MOST_BYTES = 4 << 30  # that a zip holds, as it says; all of it is read into memory
Files = Mapping[str, bytes]


def add_verify(commands: Any) -> None:
    command = commands.add_parser(
        "verify", help="check what a site signed, without asking it"
    )
    command.add_argument(
        "path", type=Path, help="a zip that a site signed, or its folder"
    )
    command.add_argument(
        "--key",
        default="",
        help=f"a key that you know to be the site's, from {KNOWN_KEYS}; without one "
        f"nothing says who signed, and the exit code is {UNKNOWN_SIGNER}",
    )
    command.set_defaults(run=run, offline=True)


def run(called: argparse.Namespace) -> int:
    files = _files(called.path)
    problems = list(wrong(files, called.key))
    key = "" if problems else _json(files, SIGNATURE)["key"]
    entries = files.get(RECORD, b"").count(b"\n")
    record = f", {entries} entries of the record of rows" if entries else ""
    if called.json:
        is_known = bool(called.key) and not problems
        table = {
            "key": key,
            "known": is_known,
            "files": len(files),
            "problems": problems,
        }
        print(as_json(table))
    elif problems:
        print("\n".join([*problems, f"DOES NOT HOLD: {called.path}"]))
    elif called.key:
        print(f"HOLDS: {len(files)} files{record}\nsigned by {key}")
    else:
        print(f"UNCHANGED since it was signed: {len(files)} files{record}")
        print(f"signed by {key}, and anybody can sign: whose key it is you do not know")
        print(f"Give the one that the site publishes, by --key: {KNOWN_KEYS}")
    if problems:
        return REFUSED_BY_SITE
    return FINE if called.key else UNKNOWN_SIGNER


def _files(path: Path) -> dict[str, bytes]:
    """All files by their names. Raises Ended for what is neither zip nor folder."""
    if path.is_dir():
        paths = (file for file in sorted(path.rglob("*")) if file.is_file())
        return {file.relative_to(path).as_posix(): file.read_bytes() for file in paths}
    try:
        with ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if len(set(names)) < len(names):
                raise Ended(USAGE, f"{path} has two files of one name")
            # No more is read of a member than the directory announces.
            size = sum(member.file_size for member in archive.infolist())
            if size > MOST_BYTES:
                unpack = "unpack it and give the folder"
                raise Ended(USAGE, f"{path} holds {size:,} bytes: {unpack}")
            return {name: archive.read(name) for name in names}
    except BadZipFile as error:
        raise Ended(USAGE, f"{path} is no whole zip: {error}") from None


def wrong(files: Files, trusted: str = "") -> Iterator[str]:
    """Everything that is not as it was signed; nothing if all is."""
    missing = [name for name in (SUMS, SIGNATURE, KEYS) if name not in files]
    if missing:
        yield f"{', '.join(missing)}: missing, so that nothing here is signed"
        return
    try:
        yield from _wrong_signature(
            files[SUMS], _json(files, SIGNATURE), files, trusted
        )
        yield from _wrong_files(files)
        if RECORD in files:
            yield from _wrong_record(files, trusted)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        yield f"a file of the signature cannot be read: {type(error).__name__} {error}"


def _json(files: Files, name: str) -> Any:
    return json.loads(files[name])


def _wrong_signature(
    data: bytes, signature: Mapping[str, Any], files: Files, trusted: str
) -> Iterator[str]:
    key = bytes.fromhex(signature["key"])
    if not ed25519.holds(key, data, bytes.fromhex(signature["signature"])):
        yield "the signature does not hold: what it signs was changed, or it was"
    endorsed = set(_endorsed_keys(_json(files, KEYS)["keys"], trusted))
    if signature["key"] not in endorsed:
        yield (
            f"signed by {signature['key']}, which is not"
            f" {trusted or 'among the keys in ' + KEYS} nor endorsed by it"
        )


def _endorsed_keys(keys: list[Mapping[str, Any]], trusted: str) -> Iterator[str]:
    """Keys that follow from the trusted one by endorsements; without one all."""
    if not trusted:
        yield from (key["key"] for key in keys)
        return
    believed = {trusted.strip().lower()}
    yield from believed
    # The oldest first, as they were endorsed.
    for key in keys:
        by = key["endorsed_by"]
        if by not in believed or key["key"] in believed:
            continue
        statement = f"plumbline key {key['key']}".encode()
        proof = bytes.fromhex(key["endorsement"])
        if ed25519.holds(bytes.fromhex(by), statement, proof):
            believed.add(key["key"])
            yield key["key"]


def _wrong_files(files: Files) -> Iterator[str]:
    lines = files[SUMS].decode().splitlines()
    sums = {
        name: digest for digest, _gap, name in (line.partition("  ") for line in lines)
    }
    for name in sorted(set(files) - {SUMS, SIGNATURE, KEYS} - set(sums)):
        yield f"{name}: was added"
    for name, digest in sums.items():
        if name not in files:
            yield f"{name}: missing"
        elif sha256(files[name]).hexdigest() != digest:
            yield f"{name}: was changed"


def _wrong_record(files: Files, trusted: str) -> Iterator[str]:
    """The record against its signed head, and boards against the record."""
    lines = files[RECORD].splitlines()
    head = _json(files, HEAD)
    signature = head.pop("signature")
    root = merkle.root_hash([merkle.leaf_hash(line) for line in lines])
    if (head["size"], head["root"]) != (len(lines), root.hex()):
        yield f"{RECORD}: is not what {HEAD} was signed for"
    data = json.dumps(head, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    yield from (
        f"{HEAD}: {problem}"
        for problem in _wrong_signature(data.encode(), signature, files, trusted)
    )
    entries = [json.loads(line) for line in lines]
    for name in files:
        path = PurePosixPath(name)
        if path.parts[:1] == ("boards",) and path.parts[2:] == ("rows.json",):
            yield from _wrong_board(name, _json(files, name)["board"], entries)


def _wrong_board(name: str, board: Any, entries: list[Any]) -> Iterator[str]:
    """Rows whose scores are not those that the record has last of them."""
    standing: dict[str, Any] = {}
    for entry in entries:
        if entry["phase"] != board["phase"] or "submission" not in entry:
            continue
        standing[entry["submission"]] = entry.get("scores")
    for row in board["rows"]:
        recorded = standing.get(row["submission"])
        if recorded is None:
            yield f"{name}: the record has no row of {row['submission']}"
        elif any(
            recorded[measure] != score for measure, score in row["scores"].items()
        ):
            yield f"{name}: scores of {row['submission']} are others in the record"
