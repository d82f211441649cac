"""What is no text is called by its name, and text in another form is read."""

import bz2
import gzip
import json
import lzma
import pickle
import sqlite3
import tarfile
import zlib
from base64 import encodebytes
from collections.abc import Mapping
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.engine import Job, examine
from scoring.engine import evaluate as scored
from scoring.errors import Refused, ScoringError
from scoring.formats.bundle import only_member
from scoring.formats.text_forms import form_of
from scoring.options import parse
from scoring.scorers import all_scorers, get
from scoring.source import Source, decode
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over

TABLE = b"id,label\n1,pos\n2,neg\n"
GOLD = Source.of_bytes("gold.csv", TABLE)


def zip_of(members: Mapping[str, bytes]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def array() -> bytes:
    buffer = BytesIO()
    np.save(buffer, np.arange(3))
    return buffer.getvalue()


def database(folder: Path) -> bytes:
    with closing(sqlite3.connect(folder / "a.db")) as base:
        base.execute("create table a (b)")
        base.commit()
    return (folder / "a.db").read_bytes()


KINDS = {
    "RAR": b"Rar!\x1a\x07\x01\x00" + bytes(9),
    "7z": b"7z\xbc\xaf\x27\x1c" + bytes(9),
    "xz": lzma.compress(TABLE),
    "bzip2": bz2.compress(TABLE),
    "Zstandard": b"\x28\xb5\x2f\xfd" + bytes(9),
    "LZ4": b"\x04\x22\x4d\x18" + bytes(9),
    "tar": b"a.csv".ljust(257, b"\0") + b"ustar\x0000" + bytes(250),
    "old Excel": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99),
    "Excel file in XML": b'<?xml version="1.0"?>\n<?mso-application progid="Excel.S"?>',
    "Parquet": b"PAR1\x15\x04" + bytes(9) + b"PAR1",
    "Feather": b"ARROW1\0\0" + bytes(9),
    "HDF5": b"\x89HDF\r\n\x1a\n" + bytes(9),
    "pickle": pickle.dumps([1, 2]),
    "NumPy": array(),
    "empty zip": b"PK\x05\x06" + bytes(18),
    "Office": zip_of({"[Content_Types].xml": b"<a/>", "xl/workbook.xml": b"<a/>"}),
    "OpenDocument": zip_of(
        {
            "mimetype": b"application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": b"<a/>",
        }
    ),
    "Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n",
    "HTML": b"\n<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n",
    "JPEG": b"\xff\xd8\xff\xe0" + bytes(9),
    "UTF-16": "id,label\n".encode("utf-16-le"),
    "UTF-32": "id,label\n".encode("utf-32"),
    "PDF": b"%PDF-1.7\n",
    "gzip": b"\x1f\x8b\x08\x00",
    "RTF": b"{\\rtf1 id,label}",
    "lzip": b"LZIP\x01\x0c" + bytes(9),
    "cabinet": b"MSCF\0\0\0\0" + bytes(9),
    "Avro": b"Obj\x01\x04\x14avro.codec",
    "ORC": b"ORC\n\x0b",
    "zlib": zlib.compress(TABLE),
    "safetensors": b'\x40\0\0\0\0\0\0\0{"w":{"dtype":"F32"}}',
    "of R": b"RDX3\nX\n\0\0",
    "Stata": b"<stata_dta><header>",
    "SPSS": b"$FL2@(#) SPSS DATA FILE",
    "MATLAB": b"MATLAB 5.0 MAT-file, Platform: GLNXA64",
    "a recording": b"RIFF\x10\0\0\0WAVEfmt ",
    "a film": b"\0\0\0\x18ftypmp42",
    "a program": b"MZ\x90\0\x03\0",
    "operating system": b"bplist00\xd1",
    "system wrote": b"[InternetShortcut]\nURL=https://example.org/a.csv\n",
    "two versions": b"<<<<<<< HEAD\n" + TABLE + b"=======\n" + TABLE,
    "a patch": b"diff --git a/a.csv b/a.csv\n",
    "a Jupyter notebook": b'{\n "cells": [\n  {"cell_type": "code"}\n ]\n}\n',
    "base64": encodebytes(TABLE * 9),
}


def tar_of(form: int) -> bytes:
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        member = tarfile.TarInfo("a.csv")
        member.size = len(TABLE)
        archive.addfile(member, BytesIO(TABLE))
    return buffer.getvalue()


def array_of(version: tuple[int, int]) -> bytes:
    buffer = BytesIO()
    np.lib.format.write_array(buffer, np.zeros(3), version=version)
    return buffer.getvalue()


# Others of the same kinds: further versions, levels, marks and languages.
SIBLINGS: dict[str, list[bytes]] = {
    "RAR": [b"Rar!\x1a\x07\x00" + bytes(9), b"Rar!\x1a\x07\x01\x00" + TABLE],
    "7z": [b"7z\xbc\xaf\x27\x1c\x00\x03", b"7z\xbc\xaf\x27\x1c\x00\x04" + TABLE],
    "xz": [lzma.compress(TABLE, preset=level) for level in (0, 6)],
    "LZMA": [lzma.compress(TABLE, lzma.FORMAT_ALONE, preset=level) for level in (0, 6)],
    "bzip2": [bz2.compress(TABLE, level) for level in (1, 5)] + [bz2.compress(b"")],
    "Zstandard": [b"\x28\xb5\x2f\xfd\x24" + TABLE, b"\x50\x2a\x4d\x18\x04" + bytes(9)],
    "gzip": [gzip.compress(TABLE, level) for level in (1, 9)] + [gzip.compress(b"")],
    "tar": [
        *map(tar_of, (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    ],
    "zlib": [zlib.compress(TABLE, level) for level in (1, 6, 9)],
    "pickle": [
        pickle.dumps(value, protocol)
        for value in ([1], {"a": 1}, "abc", ("a", 1), np.zeros(2))
        for protocol in range(6)
    ],
    "NumPy": [array_of(version) for version in ((1, 0), (2, 0), (3, 0))],
    "Office": [
        zip_of({"[Content_Types].xml": b"<a/>", name: b"<a/>"})
        for name in ("word/document.xml", "ppt/presentation.xml")
    ],
    "OpenDocument": [
        zip_of({"mimetype": b"application/vnd.oasis.opendocument." + kind, "a": b""})
        for kind in (b"text", b"presentation")
    ],
    "UTF-16": [
        text.encode(encoding)
        for text in (
            "id,label\n",
            "\u0438\u0434,\u0434\u0430\n",
            "\u03b1\u03b2,\u05d0\u05d1",
        )
        for encoding in ("utf-16", "utf-16-le", "utf-16-be")
    ],
    "UTF-32": [
        "id,label\n".encode(one) for one in ("utf-32", "utf-32-le", "utf-32-be")
    ],
    "HTML": [
        b"<HTML lang='de'>",
        b"\xef\xbb\xbf<!doctype html>",
        b"<!-- saved -->\n<html>",
        b"<head><title>404</title>",
    ],
    "PDF": [b"%PDF-2.0\n", b"\n%PDF-1.4\n", b"\xef\xbb\xbf%PDF-1.5\n"],
    "PostScript": [b"%!PS-Adobe-3.0\n", b"%!PS\n"],
    "Parquet": [b"PARE" + bytes(9), b"PAR1" + bytes(9)],
    "Feather": [b"FEA1" + bytes(9), b"\xff\xff\xff\xff\x78" + bytes(9)],
    "a recording": [
        b"OggS\0\2",
        b"\xff\xfb\x90\x64",
        b"\x1aE\xdf\xa3\x01",
        b"BM\x36" + bytes(7),
        b"II*\0\x08\0",
        b"MM\0*\0\0",
        b"\0\0\0\x20ftypM4A ",
    ],
    "a program": [
        b"\x7fELF\x01",
        b"\xca\xfe\xba\xbe\0",
        b"\0asm\1\0",
        b"#!/usr/bin/env python3\n",
    ],
    "a patch": [
        b"--- a/x.csv\n+++ b/x.csv\n@@ -1,3 +1,3 @@\n",
        b"From " + b"3f" * 20 + b" Mon Sep 17 00:00:00 2001\n",
    ],
    "a checksum": [
        b"d41d8cd98f00b204e9800998ecf8427e  a.csv\n",
        b"e3b0c442" * 8 + b" *a.csv\n",
    ],
    "encrypted": [b"-----BEGIN PGP MESSAGE-----\n", b"age-encryption.org/v1\n"],
    "Git LFS": [b"version https://git-lfs.github.com/spec/v1\r\noid sha256:0\r\n"],
    "DVC": [b"outs:\n- md5: d41d8cd98f00b204e9800998ecf8427e\n  size: 12\n"],
    "a Jupyter notebook": [b'{"cells": []}', b'{"cells":[{}], "nbformat": 4}'],
    "base64": [
        encodebytes(b"<p>" + TABLE * 9),
        encodebytes(TABLE * 9).replace(b"\n", b"\r\n"),
    ],
}
# What comes instead of a file when something failed.
ERRORS = (
    b"404: Not Found",
    b"503 Service Unavailable\n",
    b"curl: (6) Could not resolve host: example.org\n",
    b"cat: predictions.csv: No such file or directory\n",
    b'Traceback (most recent call last):\n  File "x.py", line 1\nValueError: x\n',
    b'{"detail":"Not found."}',
    b'{"error": {"code": 429, "type": "rate_limit"}}\n',
    b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>',
)


@loop_over("kind", KINDS)
def test_what_is_no_text_is_named_and_told_how_to_mend(kind: str) -> None:
    with pytest.raises(Refused) as caught:
        decode("sent", KINDS[kind])
    (problem,) = caught.value.problems
    assert kind in problem.message and problem.hint
    assert (problem.code, problem.line) == ("encoding", None)


@loop_over("kind", SIBLINGS)
def test_others_of_a_kind_are_named_as_well(kind: str) -> None:
    for data in SIBLINGS[kind]:
        with pytest.raises(Refused) as caught:
            decode("sent", data)
        (problem,) = caught.value.problems
        assert kind in problem.message and problem.hint, data[:20]


@loop_over("error", ERRORS)
def test_an_error_message_in_place_of_a_file_is_called_one(error: bytes) -> None:
    with pytest.raises(Refused, match="the error message of a program"):
        decode("sent", error)


@loop_over("name", ["classes", "texts", "numbers", "multilabel", "metrics"])
def test_an_error_in_json_is_no_map_of_ids(name: str) -> None:
    """What a server says in one object, where such objects are read as tables."""
    scorer = all_scorers()[name]
    sent = Source.of_bytes("sent", b'{"error": "rate limit exceeded", "code": 429}')
    options = parse(scorer.options, {})
    gold = Source.of_bytes("gold", (scorer.example_gold or scorer.example).encode())
    known = scorer.read_gold(gold, options)
    with pytest.raises(Refused, match="the error message of a program"):
        scorer.read_system(sent, options, known)


def test_a_database_is_named(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="an SQLite database"):
        decode("sent", database(tmp_path))


def test_every_scorer_calls_an_archive_by_its_name() -> None:
    told = 0
    for scorer in all_scorers().values():
        if scorer.runs_program:
            continue  # what is sent may be anything
        options = {one.name: one.default for one in scorer.options}
        try:
            blind = Source.of_bytes("blind", (scorer.example_gold or "").encode())
            published = scorer.read_blind(blind, options)
        except ScoringError:
            continue
        sent = Source.of_bytes("sent", KINDS["RAR"])
        reader = scorer.read_submission or scorer.read_system
        with pytest.raises(Refused) as caught:
            reader(sent, options, published)
        assert "a RAR archive" in str(caught.value), scorer.name
        told += 1
    assert told


@loop_over(
    "text",
    [
        "version of the story\n",
        "<html-like words, but a text>\n",
        "PARIS is a town\n",
        "(laughs) yes\n",
        "Rar! he said\n",
        "BZh is short for nothing\n",
        "404: Not Found\nis what the page said\n",
        "cat: a small animal\nsh: be silent\n",
        '{"message": "good morning", "id": "1"}\n',
        '{"detail": "one"}\n{"detail": "two"}\n',
        "Value\np1\nand more\n",
        "cat\ndog\npig\n",
        "--- a heading\nand text\n",
        "x^2 is a square\n",
        "# a comment\n",
        "]]> ends it\n",
        "ACGT" * 19 + "\n" + "ACGT" * 19 + "\n",
    ],
)
def test_a_text_that_begins_nearly_so_stays_a_text(text: str) -> None:
    assert decode("a.txt", text.encode()) == text


# JSON ------------------------------------------------------------------------

FORMS = {
    "an array": '[{"id": "1", "label": "pos"}, {"id": "2", "label": "neg"}]',
    "an array over lines": (
        '[\n  {\n    "id": "1",\n    "label": "pos"\n  },\n'
        '  {\n    "id": "2",\n    "label": "neg"\n  }\n]\n'
    ),
    "an array, an object a line": (
        '[{"id": "1", "label": "pos"},\n{"id": "2", "label": "neg"}]\n'
    ),
    "a map of answers": '{"1": "pos", "2": "neg"}',
    "a map of answers over lines": '{\n "1": "pos",\n "2": "neg"\n}\n',
    "a map of objects": '{"1": {"label": "pos"}, "2": {"label": "neg"}}',
    "a map of objects with ids": (
        '{"a": {"id": "1", "label": "pos"}, "b": {"id": "2", "label": "neg"}}'
    ),
    "records in a member": (
        '{"version": "1", "data": [{"id": "1", "label": "pos"}, '
        '{"id": "2", "label": "neg"}]}'
    ),
    "columns of lists": '{"id": ["1", "2"], "label": ["pos", "neg"]}',
    "columns of pandas": (
        '{"id": {"0": "1", "1": "2"}, "label": {"0": "pos", "1": "neg"}}'
    ),
    "a table of pandas": (
        '{"columns": ["id", "label"], "index": [0, 1], '
        '"data": [["1", "pos"], ["2", "neg"]]}'
    ),
    "objects over lines": (
        '{\n "id": "1",\n "label": "pos"\n}\n{\n "id": "2",\n "label": "neg"\n}\n'
    ),
    "a member around a map": '{"data": {"1": {"label": "pos"}, "2": {"label": "neg"}}}',
    "a member around answers": '{"predictions": {"1": "pos", "2": "neg"}}',
    "a member around columns": '{"a": {"id": ["1", "2"], "label": ["pos", "neg"]}}',
    "an object an answer": '{"1": "pos"}\n{"2": "neg"}\n',
    "an array of objects of one name": '[{"1": "pos"}, {"2": "neg"}]',
    "lines with commas": '{"id": "1", "label": "pos"},\n{"id": "2", "label": "neg"}\n',
}


def options_of(name: str, **raw: str) -> dict[str, Any]:
    given = {option: [value] for option, value in raw.items()}
    return dict(parse(get(name).options, given))


def result(name: str, gold: bytes, sent: bytes, **raw: str) -> Any:
    job = Job(get(name), options_of(name, **raw), plan=Plan(resamples=0))
    return scored(job, Source.of_bytes("gold", gold), Source.of_bytes("sent", sent))


@loop_over("form", FORMS)
def test_json_in_another_form_is_read_and_remarked(form: str) -> None:
    sent = FORMS[form].encode()
    found = result("classes", TABLE, sent)
    assert found.measures["accuracy"].value == 1.0
    assert any("JSON" in remark for remark in found.remarks)
    # The same as gold, as the blind file that is made of it, and packed.
    assert result("classes", sent, TABLE).measures["accuracy"].value == 1.0
    packed = zip_of({"answers/a.json": sent, "README.md": b"# Hello\n"})
    assert result("classes", TABLE, packed).measures["accuracy"].value == 1.0
    verdict = examine(
        get("classes"), GOLD, Source.of_bytes("sent", sent), options_of("classes")
    )
    assert not verdict.problems
    assert [one.hint for one in verdict.remarks] == [""]


@loop_over("name", ["texts", "translation", "transcripts"])
def test_an_array_is_read_where_lines_of_text_may_be_sent(name: str) -> None:
    gold = b"id,text\n1,rome\n2,oslo town\n"
    sent = b'[\n{"id": "2", "text": "oslo town"},\n{"id": "1", "text": "rome"}]\n'
    first, second = result(name, gold, sent), result(name, gold, gold)
    values = [
        {name: one.value for name, one in each.measures.items()}
        for each in (first, second)
    ]
    assert values[0] == values[1]


def test_an_array_of_numbers_has_columns_of_the_tasks_own_names() -> None:
    gold = b"nr,score\n1,0.5\n2,0.25\n3,1\n"
    sent = b'[{"nr": 1, "score": 0.5}, {"nr": 2, "score": 0.25}, {"nr": 3, "score": 1}]'
    of_map = b'{"1": 0.5, "2": 0.25, "3": 1}'
    for form in (sent, of_map):
        found = result("numbers", gold, form, id="nr", value="score")
        assert found.measures["mae"].value == 0


def test_spans_in_one_array_are_read() -> None:
    lines = (
        b'{"id": "a", "text": "Ada sings", "spans": [[0, 3, "NAME"]]}\n'
        b'{"id": "b", "text": "So", "spans": []}\n'
    )
    whole = b"[" + lines.strip().replace(b"\n", b",\n") + b"]"
    for gold, sent in ((lines, whole), (whole, lines), (whole, whole)):
        assert result("spans", gold, sent).measures["f1"].value == 1.0


def test_records_keep_their_lines() -> None:
    form = form_of("a", '[\n\n{"id": "1"},\n{"id":\n"2"}\n]\n', Refused)
    assert form.text == '\n\n{"id": "1"}\n{"id": "2"}\n'


BROKEN = {
    '[\n {"id": "1", "label": "pos"}\n {"id": "2"}\n]': ("json", 3),
    '[{"id": "1", "label": "pos"},\n]': ("json", 2),
    '[{"id": "1"}, ["2", "pos"]]': ("json", 1),
    '["pos", "neg"]': ("json", 1),
    "{'1': 'pos', '2': 'neg'}": ("json", 1),
    "[{'id': '1', 'label': 'pos'}]": ("json", 1),
    "[]": ("json", 1),
    json.dumps('[{"id": "1", "label": "pos"}]'): ("json", 1),
    json.dumps('{\n "1": "pos"\n}'): ("json", 1),
    json.dumps('{"id": "1", "label": "pos"}\n{"id": "2", "label": "neg"}'): ("json", 1),
    '{\n "1": "pos",\n "2": neg\n}': ("json", 3),
    '{"1": "pos",\n"1": "neg"}': ("repeated_id", 2),
}


@loop_over("text", BROKEN)
def test_json_that_cannot_be_read_is_one_problem_with_its_place(text: str) -> None:
    with pytest.raises(Refused) as caught:
        result("classes", TABLE, text.encode())
    (problem,) = caught.value.problems
    assert (problem.code, problem.line) == BROKEN[text]
    assert problem.hint


@loop_over(
    "text",
    [
        '["quoted"] he said\n',
        '"[sic]" he said\n',
        '"{" and "}"\n',
        "[1] a note\n",
        "[]\nno\n",
        "{applause}\n",
        "[music]\n",
    ],
)
def test_a_line_of_text_may_begin_with_a_bracket(text: str) -> None:
    assert form_of("a", text, Refused).text == text


PIECES = ["{", "}", "[", "]", '"id"', ":", ",", "\n", " ", "1", '"a"', "null"]


@given(st.lists(st.sampled_from(PIECES), max_size=20))
def test_any_text_has_a_form_or_is_refused(pieces: list[str]) -> None:
    text = "".join(pieces)
    for value in ("", "label"):
        try:
            form = form_of("a", text, Refused, value)
        except Refused as refusal:
            assert refusal.problems[0].line
        else:
            again = form_of("a", form.text, Refused, value)
            assert not form.remarks or again.text == form.text


# Tables of spreadsheets ---------------------------------------------------------


@loop_over("mark", [",", ";", "\t", "|"])
def test_the_separator_line_of_a_spreadsheet_is_passed_over(mark: str) -> None:
    text = TABLE.decode().replace(",", mark)
    for end in ("\n", "\r\n"):
        sent = f"sep={mark}\n{text}".replace("\n", end).encode("utf-8-sig")
        found = result("classes", TABLE, sent)
        assert found.measures["accuracy"].value == 1.0
        assert any("sep=" in remark for remark in found.remarks)


def test_lines_keep_their_numbers_behind_a_separator_line() -> None:
    with pytest.raises(Refused) as caught:
        result("classes", TABLE, b"sep=;\nid;label\n1;pos\n2;\n")
    assert caught.value.problems[0].line == 4


# Zips ----------------------------------------------------------------------------

PACKED = {
    "beside a README": {"answer.csv": TABLE, "README.md": b"# a\n"},
    "beside a licence": {"answer.csv": TABLE, "LICENSE": b"free\n"},
    "beside a lock of Office": {"answer.csv": TABLE, "~$answer.csv": b"\x05Ada"},
    "beside another lock": {"answer.csv": TABLE, ".~lock.answer.csv#": b",ada\n"},
    "in a folder beside it": {"out/answer.csv": TABLE, "readme.txt": b"a\n"},
    "beside checkpoints": {
        "out/answer.csv": TABLE,
        "out/.ipynb_checkpoints/answer-checkpoint.csv": TABLE,
        "checkpoint-500/model.safetensors": b"\0",
    },
    "beside what desktops leave": {
        "a/answer.csv": TABLE,
        "__MACOSX/a/._answer.csv": b"\0",
        "a/Thumbs.db": b"\0",
    },
    "under a name of Windows": {"out\\deep\\answer.csv": TABLE},
    "beside programs": {"answer.csv": TABLE, "run.py": b"1\n", "run.log": b"1\n"},
}


@loop_over("case", PACKED)
def test_one_file_of_data_in_a_zip_is_that_file(case: str) -> None:
    assert only_member("a.zip", zip_of(PACKED[case])) == TABLE


def test_a_readme_alone_is_the_file() -> None:
    assert only_member("a.zip", zip_of({"README.md": TABLE})) == TABLE


def test_two_files_of_data_are_named() -> None:
    packed = zip_of({"a.csv": TABLE, "b.csv": TABLE, "README.md": b"a"})
    with pytest.raises(Refused) as caught:
        only_member("a.zip", packed)
    (problem,) = caught.value.problems
    assert "'a.csv', 'b.csv'" in problem.message and "README" not in problem.message


def test_documents_of_spans_may_lie_beside_a_readme() -> None:
    files = {"a.txt": b"Ada sings", "a.ann": b"T1\tNAME 0 3\tAda\n"}
    gold = zip_of(files)
    sent = zip_of({**files, "README.md": b"# a\n", "LICENSE.txt": b"free\n"})
    assert result("spans", gold, sent).measures["f1"].value == 1.0


def test_a_document_may_be_called_readme() -> None:
    files = {
        "readme.txt": b"Ada sings",
        "readme.ann": b"T1\tNAME 0 3\tAda\n",
        "b.txt": b"Bo",
        "b.ann": b"T1\tNAME 0 2\tBo\n",
    }
    without = {**files, "readme.ann": b""}
    found = result("spans", zip_of(files), zip_of(without))
    assert found.measures["recall"].value == 0.5
