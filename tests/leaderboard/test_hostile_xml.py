"""Inline XML made to do harm, sent as uploads: each is refused with its place."""

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.leaderboard.channels import ByApi, Told
from tests.leaderboard.small import bundle

SECRET = "quartermaster"  # stands in a file of this machine
GOLD = "<log>At <PLACE>Port Anser</PLACE> by noon.</log>"
MANY = 100_000
MOST_SECONDS = 30.0  # a check that is cut off by its limits is no verdict


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text(SECRET)
    return path


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with closing(socket.create_server(("127.0.0.1", 0))) as found:
        found.setblocking(False)
        yield found


@pytest.fixture
def upload(ada: User, ben: User, settings: Any) -> Any:
    """Send one file to a task on inline XML."""
    settings.REFUSED_PER_DAY = 10**6
    source = bundle(
        scorer={"name": "spans", "options": {"format": "xml-inline"}},
        test_sets=[{"name": "only", "gold": "gold/only.xml"}],
    )
    files = {k: v for k, v in source.files.items() if not k.startswith("gold/")}
    files["gold/only.xml"] = GOLD.encode()
    task = create_task(Source("otters", files), ada)
    join(task, Team.found("Bens", ben))
    channel = ByApi()

    def send(data: bytes) -> Told:
        file = SimpleUploadedFile("only.xml", data)
        began = time.monotonic()
        told = channel.send(ben, {}, file_only=file)
        assert time.monotonic() - began < MOST_SECONDS
        assert SECRET not in told.text
        return told

    return send


def problems(told: Told) -> list[tuple[str | None, int | None]]:
    assert (told.status, told.code) == (422, "unfit"), told.text[:1000]
    found = json.loads(told.text)["problems"]
    return [(one["file"], one["line"]) for one in found]


def laughs(levels: int = 12) -> str:
    each = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">\n' for n in range(1, levels))
    return f'<!DOCTYPE log [<!ENTITY l0 "ha">\n{each}]>\n<log>&l{levels - 1};</log>'


def declarations(own_file: Path, port: int) -> dict[str, str]:
    """Entities and document types, which are all refused where they stand."""
    here, there = own_file.as_uri(), f"http://127.0.0.1:{port}/x.dtd"
    found = {
        "billion laughs": laughs(),
        "one large entity often": f'<!DOCTYPE log [<!ENTITY a "{"a" * 100_000}">]>'
        f"<log>{'&a;' * 50_000}</log>",
        "an empty document type": f"<!DOCTYPE log>{GOLD}",
        "an entity in an attribute": '<!DOCTYPE log [<!ENTITY a "b">]>'
        '<log><PLACE id="&a;">Port</PLACE></log>',
        "values of attributes": '<!DOCTYPE log [<!ATTLIST log a CDATA "b">]>' + GOLD,
    }
    for name, address in (("file", here), ("http", there)):
        found |= {
            f"{name} as a document type": f'<!DOCTYPE log SYSTEM "{address}">{GOLD}',
            f"{name} under a public name": f'<!DOCTYPE log PUBLIC "-//x" "{address}">'
            + GOLD,
            f"{name} as an entity": f'<!DOCTYPE log [<!ENTITY a SYSTEM "{address}">]>'
            "<log>&a;</log>",
            f"{name} as a parameter": f'<!DOCTYPE log [<!ENTITY % a SYSTEM "{address}">'
            "\n%a;]>" + GOLD,
            f"{name} as a notation": '<!DOCTYPE log [<!NOTATION n SYSTEM "x"><!ENTITY a'
            f' SYSTEM "{address}" NDATA n>]>{GOLD}',
        }
    return found


@pytest.mark.django_db
def test_declarations_are_refused_with_file_and_line_and_nothing_is_fetched(
    upload: Any, own_file: Path, listener: socket.socket
) -> None:
    port = listener.getsockname()[1]
    for name, text in declarations(own_file, port).items():
        told = upload(f"<?xml version='1.0'?>\n{text}".encode())
        ((file, line),) = problems(told)
        assert file == "only.xml", name
        assert line is not None and 2 <= line <= 3, name
        assert "document type and entity declarations are not accepted" in told.text
    with pytest.raises(BlockingIOError):
        listener.accept()


def links(own_file: Path, port: int) -> dict[str, str]:
    """Other ways to name a file, which mean nothing here."""
    include = 'xmlns:x="http://www.w3.org/2001/XInclude"'
    named = [own_file.as_uri(), f"http://127.0.0.1:{port}/"]
    at = [f'{include} href="{one}" parse="text"' for one in named]
    schema = 'xmlns:s="http://www.w3.org/2001/XMLSchema-instance"'
    return {
        **{
            f"include {n}": f"<log><x:include {a}>a</x:include></log>"
            for n, a in enumerate(at)
        },
        **{
            f"stylesheet {n}": f'<?xml-stylesheet href="{one}"?>{GOLD}'
            for n, one in enumerate(named)
        },
        "schema": f'<log {schema} s:schemaLocation="u {named[1]}">a</log>',
        "base": GOLD.replace("<log", f'<log xml:base="{named[1]}"'),
        "an entity nobody declared": "<log>&x;</log>",
    }


@pytest.mark.django_db
def test_links_to_files_and_servers_are_not_followed(
    upload: Any, own_file: Path, listener: socket.socket
) -> None:
    for name, text in links(own_file, listener.getsockname()[1]).items():
        told = upload(text.encode())
        assert told.accepted or told.code == "unfit", (name, told.text[:1000])
    with pytest.raises(BlockingIOError):
        listener.accept()


FLOODS = {
    "a long attribute": f'<log a="{"a" * 3_000_000}">a</log>',
    "many attributes": "<log "
    + " ".join(f'a{n}="{n}"' for n in range(MANY))
    + ">a</log>",
    "an attribute twice": "<log a='1' a='2'>a</log>",
    "many spaces of names": "<log "
    + " ".join(f'xmlns:a{n}="u{n}"' for n in range(MANY))
    + ">a</log>",
    "deep": "<log>" + "<a>" * MANY + "x" + "</a>" * MANY + "</log>",
    "deep without an end": "<log>" * MANY,
    "many elements": "<log>" + "<a>x</a>" * MANY + "</log>",
    "many empty elements": "<log>" + "<a/>" * MANY + "</log>",
    "many labels": "<log>" + "".join(f"<a{n}>x</a{n}>" for n in range(MANY)) + "</log>",
    "a long label": f"<log><{'a' * 1_000_000}>x</{'a' * 1_000_000}></log>",
    "comments": "<log>" + "<!---->" * MANY + "</log>",
    "a long comment": f"<log><!--{'a' * 3_000_000}--></log>",
    "a comment without an end": "<log><!--" + "-> " * MANY,
    "sections": "<log>" + "<![CDATA[<]]>" * MANY + "</log>",
    "a section without an end": "<log><![CDATA[" + "]] >" * MANY,
    "instructions": "<log>" + "<?a b?>" * MANY + "</log>",
    "numbers of characters": "<log>" + "&#65;" * MANY + "</log>",
    "a character that is none": "<log>&#0;</log>",
    "a character beyond all": "<log>&#x110000;</log>",
    "an entity that is named at length": f"<log>&{'a' * 1_000_000};</log>",
    "a declaration later": "<log/><?xml version='1.0'?>",
    "two roots": "<log>a</log><log>b</log>",
    "nothing": "",
    "blanks": " " * 1_000_000,
}


@pytest.mark.thorough
@pytest.mark.django_db
def test_floods_of_markup_are_refused_by_their_reader_and_not_by_its_limits(
    upload: Any,
) -> None:
    for name, text in FLOODS.items():
        found = problems(upload(text.encode()))
        assert found, name
        assert {file for file, _line in found} == {"only.xml"}, name


CODINGS = ("utf-16", "utf-7", "utf-32", "cp037", "rot13", "x" * 5000, "hz", "idna")
WRONG = {
    **{f"in {name}": GOLD.encode(name) for name in ("utf-16-le", "utf-32-be", "cp037")},
    "in latin-1": "<?xml version='1.0' encoding='latin-1'?><log>Möwe</log>".encode(
        "latin-1"
    ),
    "half a character": b"<log>\xe2\x82</log>",
    "a form that is too long": b"<log>\xc0\xbc</log>",
    "half a pair": b"<log>\xed\xa0\x80</log>",
    "a zero byte": b"<log>\0</log>",
}


@pytest.mark.django_db
def test_wrong_encodings_are_refused_with_their_file(upload: Any) -> None:
    for name, data in WRONG.items():
        found = problems(upload(data))
        assert {file for file, _line in found} == {"only.xml"}, name


@pytest.mark.django_db
@pytest.mark.parametrize("coding", CODINGS, ids=lambda name: name[:9])
def test_a_declared_encoding_does_not_decide_how_bytes_are_read(
    upload: Any, coding: str
) -> None:
    told = upload(f"<?xml version='1.0' encoding='{coding}'?>{GOLD}".encode())
    assert told.accepted


@pytest.mark.django_db
def test_odd_but_harmless_markup_is_accepted(upload: Any) -> None:
    plain = re.sub("<log>", "<!-- a --><log><?b c?>", GOLD)
    assert upload(f"<?xml version='1.0' encoding='utf-8'?>{plain}".encode()).accepted
