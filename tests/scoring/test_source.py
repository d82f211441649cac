"""Inputs: files, directories, and bytes that are not text."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import Refused
from scoring.source import Source, decode, text_of, whole_lines


def test_a_file_is_named_without_its_directory(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x\n")
    source = Source.of_path(tmp_path / "a.txt")
    assert (source.name, source.single()) == ("a.txt", b"x\n")


def test_a_directory_holds_every_file_below_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.txt").write_bytes(b"b")
    (tmp_path / "a.txt").write_bytes(b"a")
    source = Source.of_path(tmp_path)
    assert source.name == tmp_path.name
    assert source.files == {"a.txt": b"a", "sub/b.txt": b"b"}


def test_several_files_are_refused_where_one_is_expected() -> None:
    with pytest.raises(Refused, match="expected one file, found 2"):
        Source("dir", {"a": b"", "b": b""}).single()


def test_the_hash_of_one_file_is_that_of_its_bytes() -> None:
    """The published SHA-256 of "abc" (FIPS 180-2, appendix B.1)."""
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert Source.of_bytes("any", b"abc").sha256 == expected


def test_the_hash_of_several_files_depends_on_names_and_not_on_order() -> None:
    one = Source("d", {"a": b"1", "b": b"2"})
    assert one.sha256 == Source("e", {"b": b"2", "a": b"1"}).sha256
    assert one.sha256 != Source("d", {"a": b"2", "b": b"1"}).sha256
    assert one.sha256 != Source("d", {"a": b"1", "c": b"2"}).sha256


def test_bom_and_crlf_are_taken_out() -> None:
    assert decode("a", b"\xef\xbb\xbfone\r\ntwo\r\n") == "one\ntwo\n"


@given(st.text(min_size=1).filter(lambda text: text.strip(" \t\n\r\f\v")))
def test_other_line_ends_are_characters(text: str) -> None:
    text = text.replace("\r", "").removeprefix("\ufeff")
    if text.strip(" \t\n\f\v"):
        assert decode("a", text.encode()) == text


def lines_of(name: str, data: bytes) -> str:
    return text_of(Source.of_bytes(name, data), Refused)


@pytest.mark.parametrize("read", [whole_lines, lines_of])
def test_lines_that_end_with_cr_alone_are_named_as_such(
    read: Callable[[str, bytes], object],
) -> None:
    with pytest.raises(Refused, match=r"lines end with CR alone.* Unix line ends"):
        read("a", b"one\rtwo\r")
    assert read("a", b"one\r\ntwo\r")
    assert read("a", b"one\r")


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b" \r\n"])
def test_an_empty_file_is_refused(data: bytes) -> None:
    with pytest.raises(Refused, match="the file is empty"):
        decode("a.txt", data)


def test_a_bad_byte_is_refused_with_its_place() -> None:
    with pytest.raises(Refused) as caught:
        decode("a.txt", "caf\u00e9\nna\u00efve\n".encode() + b"ab\xff\n")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.code) == ("a.txt", 3, "encoding")
    assert "0xff at column 3" in problem.message


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x1f\x8b\x08\x00\x80", "gzip"),
        (b"PK\x03\x04\x80", "zip"),
        (b"%PDF-1.7\n\xe2\xe3", "PDF"),
        ("\ufeffname".encode("utf-16-le"), "UTF-16"),
        ("\ufeffname".encode("utf-16-be"), "UTF-16"),
    ],
)
def test_a_known_kind_of_file_is_called_by_name(data: bytes, kind: str) -> None:
    with pytest.raises(Refused, match=kind) as caught:
        decode("a.txt", data)
    (problem,) = caught.value.problems
    assert ("UTF-8" in problem.hint) == (kind == "UTF-16")
