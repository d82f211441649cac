"""What was changed after a site signed it is found, without the site."""

import json
import random
import re
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from leaderboard.boards import snapshots
from leaderboard.extras.signatures import keys, record
from leaderboard.extras.signatures.seal import signed_zip
from plumbline.__main__ import main
from plumbline.commands import verify
from plumbline.commands.verify import KEYS, SUMS, wrong
from scoring import merkle
from tests.extras.signatures.test_records import unpacked

pytestmark = pytest.mark.django_db
ROWS = 1000


@pytest.fixture
def signed() -> dict[str, bytes]:
    """An archive with a board of a thousand rows, and its record."""
    chance = random.Random(3)
    rows, entries = [], []
    for number in range(ROWS):
        key = str(UUID(int=chance.getrandbits(128)))
        scores = {"f1": {"value": chance.uniform(0.1, 0.9), "low": 0.0, "high": 1.0}}
        rows.append({"submission": key, "scores": scores})
        line: dict[str, Any] = {"number": number, "kind": "added", "phase": "test"}
        entries.append(
            snapshots.canonical({**line, "submission": key, "scores": scores})
        )
    board = {"board": {"phase": "test", "rows": rows}}
    leaves = [merkle.leaf_hash(entry) for entry in entries]
    head = record.signed_head("otters", ROWS, merkle.root_hash(leaves))
    files = {
        "boards/test/rows.json": json.dumps(board, indent=1).encode(),
        "record/entries.jsonl": b"".join(entry + b"\n" for entry in entries),
        "record/head.json": json.dumps(head).encode(),
    }
    return unpacked(signed_zip("otters.zip", files))


def with_sums(files: dict[str, bytes]) -> dict[str, bytes]:
    """With the hashes made anew, as somebody would who hides a change."""
    names = [line.partition("  ")[2] for line in files[SUMS].decode().splitlines()]
    text = "".join(f"{sha256(files[one]).hexdigest()}  {one}\n" for one in names)
    return {**files, SUMS: text.encode()}


@pytest.mark.parametrize("name", ["boards/test/rows.json", "record/entries.jsonl"])
def test_one_flipped_digit_in_a_thousand_rows_is_found(
    signed: dict[str, bytes], name: str
) -> None:
    assert list(wrong(signed)) == []
    chance = random.Random(4)
    places = [one.start(1) for one in re.finditer(rb'"value": ?0\.(\d)', signed[name])]
    assert len(places) == ROWS
    for place in chance.sample(places, 10):
        data = bytearray(signed[name])
        data[place] = ord(str((int(chr(data[place])) + 1) % 10))
        changed = {**signed, name: bytes(data)}
        assert f"{name}: was changed" in list(wrong(changed))
        found = list(wrong(with_sums(changed)))
        assert any("signature does not hold" in one for one in found)
        assert any("in the record" in one or "was signed for" in one for one in found)


def test_files_that_were_added_or_lost_and_keys_that_were_made_up_are_found(
    signed: dict[str, bytes],
) -> None:
    assert list(wrong({**signed, "more": b""})) == ["more: was added"]
    less = {name: data for name, data in signed.items() if name != "record/head.json"}
    assert any("missing" in one for one in wrong(less))
    unsigned = {name: data for name, data in signed.items() if name != KEYS}
    assert any("nothing here is signed" in one for one in wrong(unsigned))
    for broken in (b"", b"[]", b"{", b'{"key": 1}', b'{"key": "x", "signature": ""}'):
        assert list(wrong({**signed, f"{SUMS}.sig": broken}))


def test_a_key_that_is_known_is_followed_through_those_that_it_endorsed(
    signed: dict[str, bytes],
) -> None:
    first = json.loads(signed[f"{SUMS}.sig"])["key"]
    assert list(wrong(signed, first)) == []
    keys.rotate()
    files = {"a": b"b"}
    later = unpacked(signed_zip("a.zip", files))
    assert list(wrong(later, first)) == []
    assert any("not ab" in one for one in wrong(later, "ab" * 32))
    values: Any = json.loads(later[KEYS])
    values["keys"][1]["endorsement"] = "00" * 64
    forged = {**later, KEYS: json.dumps(values).encode()}
    assert any("nor endorsed" in one for one in wrong(forged, first))


def test_the_command_says_whether_a_zip_holds(
    signed: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "otters.zip"
    key = ["--key", json.loads(signed[f"{SUMS}.sig"])["key"]]
    for files, named, code, said in (
        (signed, key, 0, "HOLDS: 6 files, 1000 entries"),
        ({**signed, "more": b""}, key, 1, "more: was added"),
        ({**signed, "more": b""}, [], 1, "more: was added"),
        ({**signed, f"{SUMS}.sig": b"no JSON"}, [], 1, "cannot be read"),
        ({**signed, f"{SUMS}.sig": b"[]"}, key, 1, "cannot be read"),
        (signed, [], 6, "UNCHANGED since it was signed: 6 files, 1000 entries"),
    ):
        with ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        assert main(["verify", str(path), *named]) == code
        printed = capsys.readouterr().out
        assert said in printed
        assert printed.startswith("HOLDS") == (code == 0)
    folder = tmp_path / "folder"
    with ZipFile(path) as archive:
        archive.extractall(folder)
    assert main(["verify", str(folder), *key]) == 0
    assert main(["verify", str(tmp_path / "nothing.zip")]) == 64
    (tmp_path / "text.zip").write_text("no zip")
    assert main(["verify", str(tmp_path / "text.zip")]) == 64


def test_a_zip_that_holds_more_than_fits_into_memory_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bomb.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(1 << 20))
    monkeypatch.setattr(verify, "MOST_BYTES", 1 << 19)
    assert main(["verify", str(path)]) == 64
    assert "unpack it and give the folder" in capsys.readouterr().err


def test_a_forgery_with_a_key_of_its_own_does_not_hold(
    signed: dict[str, bytes],
    settings: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    site = json.loads(signed[f"{SUMS}.sig"])["key"]
    settings.SECRET_KEY = "that of somebody else, who signs other scores with it"
    keys.rotate()
    forged = signed_zip("a.zip", {"a": b"b"})
    path = tmp_path / "forged"
    for name, data in unpacked(forged).items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    made = json.loads((path / KEYS).read_text())
    made["keys"] = made["keys"][-1:]
    (path / KEYS).write_text(json.dumps(made))
    assert main(["verify", str(path)]) == 6
    assert main(["verify", str(path), "--key", site]) == 1
    assert "DOES NOT HOLD" in capsys.readouterr().out
