"""A file, a directory or a zip as members; zips that lie are refused with a reason."""

import os
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from shutil import which
from subprocess import run
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import Refused
from scoring.formats.bundle import (
    MOST_BYTES,
    as_one_file,
    is_single,
    members,
    only_member,
)
from scoring.source import Source, normalise_bytes
from tests.loops import loop_over
from tests.scoring.zips import (
    FINE,
    NAMES,
    SECRETS,
    STRUCTURE,
    TWINS,
    Member,
    Zip,
    both,
    named,
    one,
)


def read(data: bytes, name: str = "a.zip") -> dict[str, bytes]:
    return members(Source.of_bytes(name, data))


def refusal(data: bytes) -> str:
    with pytest.raises(Refused) as caught:
        read(data)
    assert {problem.file for problem in caught.value.problems} == {"a.zip"}
    return str(caught.value)


@loop_over("kind", FINE)
def test_a_plain_zip_is_read(kind: str) -> None:
    assert set(read(FINE[kind]()).values()) <= {b"{}", b"[]"}


def test_a_zip_is_known_by_its_first_bytes_too() -> None:
    assert set(read(Zip().bytes(), "answers")) == {"a.json", "b.json"}


@loop_over(
    ("data", "said"),
    [
        (b"Rar!\x1a\x07\x01\x00" + bytes(99), "this is a RAR archive; expected a zip"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "this is a 7z archive; expected a zip"),
        (b"\x1f\x8b\x08\0", "this is a gzip archive; expected a zip"),
        (b"a.csv".ljust(257, b"\0") + b"ustar\x0000" + bytes(250), "a tar archive"),
        (b"%PDF-1.7\n", "this is a PDF; expected a zip"),
        (Zip().bytes()[:-30], "the zip was cut off"),
        (Zip().bytes()[:40], "the zip was cut off"),
        (b"plumbline: 1\nslug: a\n", "not a zip: it has no end record"),
        (b"", "the file is empty"),
    ],
)
def test_what_calls_itself_a_zip_and_is_none_is_named(data: bytes, said: str) -> None:
    assert said in refusal(data)


@loop_over("kind", STRUCTURE)
def test_a_zip_of_ambiguous_structure_is_refused(kind: str) -> None:
    assert refusal(STRUCTURE[kind]())


@loop_over("kind", SECRETS)
def test_encrypted_nested_and_special_members_are_refused(kind: str) -> None:
    assert refusal(SECRETS[kind]())


def test_the_hint_of_a_refused_member_says_how_to_pack_it() -> None:
    cases = {"encrypted": "without a password", "strongly encrypted": "password"}
    for kind, said in cases.items():
        assert said in refusal(SECRETS[kind]())
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as file:
        file.writestr("a.csv", bytes(8 << 20))
    assert "Send it unpacked." in refusal(packed.getvalue())


@pytest.mark.parametrize("name", ["notes.docx", "Notes.DOCX", "runs/about us.docx"])
def test_notes_beside_the_data_of_a_zip_are_passed_over(name: str) -> None:
    packed = BytesIO()
    with ZipFile(packed, "w") as file:
        file.writestr(name, b"PK\x03\x04" + bytes(40))
        file.writestr("run.csv", b"id,label\n")
    assert only_member("a.zip", packed.getvalue()) == b"id,label\n"


def test_what_is_packed_inside_is_named_with_what_to_do() -> None:
    def zipped(files: dict[str, bytes]) -> bytes:
        packed = BytesIO()
        with ZipFile(packed, "w") as file:
            for name, data in files.items():
                file.writestr(name, data)
        return packed.getvalue()

    office = {"[Content_Types].xml": b"", "xl/workbook.xml": b""}
    inside = {"gold.xlsx": zipped(office), "model.npz": zipped({"a.npy": b""})}
    for name, said in (
        ("gold.xlsx", "this is an Office document | Save it as CSV (UTF-8)"),
        ("model.npz", "this is"),
    ):
        found = refusal(zipped({name: inside[name], "b.csv": b"1"}))
        assert f"member '{name}': " in found and "inside a zip" not in found
        assert said.partition(" | ")[0] in found and said.partition(" | ")[2] in found
    plain = refusal(zipped({"gold.zip": zipped({"a.csv": b"1"}), "b.csv": b"1"}))
    assert "a zip inside a zip is not read" in plain and "Unpack it first." in plain


@loop_over("name", NAMES)
def test_an_odd_name_is_refused_and_shown_harmlessly(name: str) -> None:
    message = refusal(named(name)).replace("…", "")
    assert message.isascii() and message.isprintable()


@pytest.mark.parametrize("names", TWINS)
def test_two_members_of_one_name_are_refused(names: tuple[str, str]) -> None:
    assert "a second member has this name" in refusal(named(*names))


def test_all_bad_members_are_named_at_once() -> None:
    message = refusal(named("../a", "fine", "b:c"))
    assert "../a" in message and "b:c" in message and "fine" not in message


@cache
def zeros(size: int) -> bytes:
    """A deflated stream of zeros."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = bytes(2**20)
    packed = [stream.compress(piece) for _ in range(size // len(piece))]
    return b"".join([*packed, stream.flush()])


def bomb(size: int, stated: int) -> bytes:
    """A member that inflates to `size` zeros and says `stated`."""
    packed = zeros(size)
    member = Member(data=packed, method=0)
    lies = both(method=8, packed=len(packed), size=stated, crc=0)
    return Zip((replace(member, **lies),)).bytes()


@pytest.mark.parametrize("stated", [1000, 2**20, MOST_BYTES - 1, MOST_BYTES + 1])
def test_a_bomb_is_refused_without_being_inflated(stated: int) -> None:
    data = bomb(256 * 2**20, stated)
    tracemalloc.start()
    try:
        assert refusal(data)
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    finally:
        tracemalloc.stop()


def test_members_that_are_too_large_together_are_refused() -> None:
    size = MOST_BYTES // 2 + 1
    pair = tuple(Member(name, bytes(9), **both(size=size)) for name in (b"a", b"b"))
    assert "more than" in refusal(Zip(pair).bytes())


def test_a_directory_is_its_members_by_name() -> None:
    source = Source("answers", {"b": b"2", "a": b"1", ".DS_Store": b"x"})
    assert list(members(source).items()) == [("a", b"1"), ("b", b"2")]


def test_a_folder_around_all_members_is_taken_off() -> None:
    source = Source("answers", {"x/y/a": b"1", "x/y/b": b"2"})
    assert set(members(source)) == {"a", "b"}
    source = Source("answers", {"x/a": b"1", "y/a": b"2"})
    assert set(members(source)) == {"x/a", "y/a"}


def test_a_file_is_its_only_member_whatever_its_name() -> None:
    source = Source.of_bytes(".hidden", b"1")
    assert members(source) == {".hidden": b"1"}
    assert is_single(source) and not is_single(Source("d", {"a": b"1"}))


@settings(deadline=None)
@given(st.data())
def test_a_mutated_zip_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(Zip((Member(), Member(b"b", b"fog " * 9), Member(b"c/"))).bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(whole) - 1))
        whole[place] = data.draw(st.integers(0, 255))
    try:
        found = members(Source.of_bytes("a.zip", bytes(whole)))
    except Refused as refusal:
        assert {problem.file for problem in refusal.problems} == {"a.zip"}
    else:
        assert all(isinstance(content, bytes) for content in found.values())


def test_the_smallest_zip_of_one_member_is_read() -> None:
    assert read(one(data=b"")) == {"a.json": b""}


TOOLS = {
    "zip": ["zip", "-q", "-r", "out.zip", "d"],
    "zip to a pipe": ["sh", "-c", "zip -q -r - d | cat > out.zip"],
    "7-Zip": ["7z", "a", "-bso0", "out.zip", "d"],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_zips_of_programs_that_people_use_are_read(tool: str, tmp_path: Path) -> None:
    """Where the program is at hand; the table above has the forms that they write."""
    command = TOOLS[tool]
    program = command[-1].split()[0] if command[0] == "sh" else command[0]
    if which(program):
        (tmp_path / "d" / ".DS_Store").parent.mkdir()
        (tmp_path / "d" / ".DS_Store").write_bytes(b"x")
        (tmp_path / "d" / "žába.json").write_bytes(b"{}" * 1000)
        run(command, cwd=tmp_path, check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
        files = read((tmp_path / "out.zip").read_bytes())
        assert files == {"žába.json": b"{}" * 1000}


class Pipe(BytesIO):
    """Where nobody can go back to write sizes into a header."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise OSError("a pipe")

    def tell(self) -> int:
        raise OSError("a pipe")


@pytest.mark.parametrize("large", [False, True])
def test_zips_that_python_streams_are_read(large: bool) -> None:
    pipe = Pipe()
    with (
        ZipFile(pipe, "w", ZIP_DEFLATED) as archive,
        archive.open("a.json", "w", force_zip64=large) as member,
    ):
        member.write(b"{}" * 1000)
    assert read(pipe.getvalue()) == {"a.json": b"{}" * 1000}


def office() -> bytes:
    """A table as a spreadsheet program saves it."""
    return named("[Content_Types].xml", "xl/worksheets/sheet1.xml")


@pytest.mark.parametrize("kind", ["deflated", "of macOS", "names"])
def test_a_file_in_a_zip_of_its_own_is_the_file(kind: str) -> None:
    data = one() if kind == "deflated" else FINE[kind]()
    assert normalise_bytes("mine.zip", data) == b"{}"


def test_a_zip_of_several_files_is_not_a_file() -> None:
    with pytest.raises(Refused, match="expected one file, found a zip of 2"):
        normalise_bytes("mine.zip", Zip().bytes())


@pytest.mark.parametrize(
    "reading", [normalise_bytes, lambda name, data: read(data, name)]
)
def test_a_spreadsheet_is_to_be_saved_as_csv(
    reading: Callable[[str, bytes], object],
) -> None:
    with pytest.raises(Refused, match="Save it as CSV"):
        reading("mine.xlsx", office())


def test_the_only_file_of_a_zip_goes_by_its_own_name() -> None:
    packed = Source("a.zip", {"one.txt": b"1\n"})
    assert as_one_file(packed) == Source.of_bytes("one.txt", b"1\n")
