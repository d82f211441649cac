"""Zips that lie: built member by member, every field open to falsification."""

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

STORED, DEFLATED = 0, 8


@dataclass(frozen=True)
class Member:
    """One member; `local` and `listed` override fields of its two headers."""

    name: bytes = b"a.json"
    data: bytes = b"{}"
    method: int = DEFLATED
    mode: int = 0
    extra: bytes = b""
    local: dict[str, int | bytes] = field(default_factory=dict)
    listed: dict[str, int | bytes] = field(default_factory=dict)

    @property
    def packed(self) -> bytes:
        if self.method != DEFLATED:
            return self.data
        stream = zlib.compressobj(9, zlib.DEFLATED, -15)
        return stream.compress(self.data) + stream.flush()

    @property
    def facts(self) -> dict[str, int | bytes]:
        return {
            "flags": 0,
            "method": self.method,
            "crc": zlib.crc32(self.data),
            "packed": len(self.packed),
            "size": len(self.data),
            "name": self.name,
        }


def local_header(member: Member) -> bytes:
    f = member.facts | member.local
    return (
        struct.pack(
            "<4s5H3I2H",
            b"PK\x03\x04",
            20,
            f["flags"],
            f["method"],
            0,
            0x21,
            f["crc"],
            f["packed"],
            f["size"],
            len(f["name"]),
            len(member.extra),
        )
        + f["name"]
        + member.extra
    )


def entry(member: Member, offset: int) -> bytes:
    f = member.facts | {"offset": offset} | member.listed
    return (
        struct.pack(
            "<4s6H3I5H2I",
            b"PK\x01\x02",
            0x0314,
            20,
            f["flags"],
            f["method"],
            0,
            0x21,
            f["crc"],
            f["packed"],
            f["size"],
            len(f["name"]),
            0,
            0,
            0,
            0,
            member.mode << 16,
            f["offset"],
        )
        + f["name"]
    )


@dataclass(frozen=True)
class Zip:
    """The whole file; the fields say what is put where it does not belong."""

    members: tuple[Member, ...] = (Member(), Member(b"b.json", b"[]"))
    before: bytes = b""
    between: bytes = b""
    after_members: bytes = b""
    after_list: bytes = b""
    after: bytes = b""
    comment: bytes = b""
    end: dict[str, int] = field(default_factory=dict)

    def bytes(self) -> bytes:
        body, entries = self.before, b""
        for i, member in enumerate(self.members):
            entries += entry(member, len(body))
            body += local_header(member) + member.packed
            body += self.between if i + 1 < len(self.members) else b""
        body += self.after_members
        e = {
            "disk": 0,
            "entries": len(self.members),
            "size": len(entries),
            "start": len(body),
            "comment": len(self.comment),
        } | self.end
        record = struct.pack(
            "<4s4H2IH",
            b"PK\x05\x06",
            e["disk"],
            e["disk"],
            e["entries"],
            e["entries"],
            e["size"],
            e["start"],
            e["comment"],
        )
        return body + entries + self.after_list + record + self.comment + self.after


def one(**changes: object) -> bytes:
    return Zip((replace(Member(), **changes),)).bytes()  # type: ignore[arg-type]


def named(*names: str | bytes) -> bytes:
    """Members called so, names as given in both headers, flagged as UTF-8."""
    flags = {"flags": 0x800}
    raw = [name.encode() if isinstance(name, str) else name for name in names]
    return Zip(tuple(Member(name, local=flags, listed=flags) for name in raw)).bytes()


def both(**fields: int | bytes) -> dict[str, dict[str, int | bytes]]:
    return {"local": fields, "listed": fields}


def descriptor(
    crc: int,
    layout: str = "<4s3I",
    stated: dict[str, int | bytes] | None = None,
    extra: bytes = b"",
) -> bytes:
    """A streamed member whose sizes follow its data, behind the last member.

    The local header says nothing of them, or what is `stated`.
    """
    size = len(Member().packed)
    values = (crc, size, len(Member().data))
    marked = layout.startswith("<4s")
    after = struct.pack(layout, *((b"PK\x07\x08",) if marked else ()), *values)
    blank: dict[str, int | bytes] = {"flags": 8, "crc": 0, "packed": 0, "size": 0}
    member = Member(local=blank | (stated or {}), listed={"flags": 8}, extra=extra)
    return Zip((member,), after_members=after).bytes()


CRC = zlib.crc32(b"{}")
# As Info-ZIP and Python write to a pipe what may become larger than 4 GiB.
OF_ZIP64 = struct.pack("<2H2Q", 1, 16, 0, 0)
LARGE: dict[str, int | bytes] = {"packed": 0xFFFFFFFF, "size": 0xFFFFFFFF}
# Archive Utility of macOS knows how large the file is, but not how small it becomes.
MAC: dict[str, int | bytes] = {"size": len(Member().data)}


FINE: dict[str, Callable[[], bytes]] = {
    "deflated": lambda: Zip().bytes(),
    "stored": lambda: one(method=STORED),
    "comment": lambda: Zip(comment=b"made at sea").bytes(),
    "extra field": lambda: one(extra=struct.pack("<2HI", 0x5455, 4, 0)),
    "streamed": lambda: descriptor(CRC),
    "streamed without a mark": lambda: descriptor(CRC, "<3I"),
    "of macOS": lambda: descriptor(CRC, stated=MAC),
    "streamed in the zip64 form": lambda: descriptor(CRC, "<4sI2Q", LARGE, OF_ZIP64),
    "zip64 in the header alone": lambda: one(extra=OF_ZIP64, local=LARGE),
    "unix modes": lambda: one(mode=0o100644),
    "folder entry": lambda: Zip(
        (Member(b"x/", b"", STORED, 0o040755), Member(b"x/a.json"))
    ).bytes(),
    "names": lambda: named("d/žába.json", "d/.DS_Store", "__MACOSX/d/._a"),
}
SPLIT = {"entries": 2, "disk": 1}
STRUCTURE: dict[str, Callable[[], bytes]] = {
    "another size in a streamed header": lambda: descriptor(CRC, stated={"size": 9}),
    "zip64 sizes without their field": lambda: descriptor(CRC, stated=LARGE),
    "data before": lambda: Zip(before=b"#!/bin/sh\n").bytes(),
    "data after": lambda: Zip(after=b"more").bytes(),
    "data between": lambda: Zip(between=b"hidden").bytes(),
    "data before the list": lambda: Zip(after_members=b"hidden").bytes(),
    "data after the list": lambda: Zip(after_list=b"hidden").bytes(),
    "a member not listed": lambda: Zip(
        (Member(),), after_members=local_header(Member()) + Member().packed
    ).bytes(),
    "two zips": lambda: Zip().bytes() + Zip((Member(b"c"),)).bytes(),
    "a zip in the comment": lambda: Zip(comment=Zip().bytes()).bytes(),
    "fewer listed than there are": lambda: Zip(end={"entries": 1}).bytes(),
    "more listed than there are": lambda: Zip(end={"entries": 3}).bytes(),
    "start of the list wrong": lambda: Zip(end={"start": 0}).bytes(),
    "size of the list wrong": lambda: Zip(end={"size": 46}).bytes(),
    "comment too long": lambda: Zip(end={"comment": 9}).bytes(),
    "several disks": lambda: Zip(end=SPLIT).bytes(),
    "zip64": lambda: (
        Zip(after_list=b"").bytes()[:-22]
        + b"PK\x06\x07"
        + bytes(16)
        + Zip().bytes()[-22:]
    ),
    "zip64 count": lambda: Zip(end={"entries": 0xFFFF}).bytes(),
    "empty": lambda: Zip(()).bytes(),
    "only folders": lambda: one(name=b"x/", data=b"", method=STORED),
    "cut short": lambda: Zip().bytes()[:-30],
    "cut long": lambda: Zip().bytes()[30:],
    "only a mark": lambda: b"PK\x03\x04",
    "only an end": lambda: b"PK\x05\x06" + bytes(10),
    "overlapping members": lambda: Zip(
        (Member(), Member(b"b.json", listed={"offset": 0}))
    ).bytes(),
    "offset outside": lambda: one(listed={"offset": 10**6}),
    "one name here, another there": lambda: one(local={"name": b"z.json"}),
    "one method here, another there": lambda: one(local={"method": STORED}),
    "one crc here, another there": lambda: one(local={"crc": 1}),
    "one size here, another there": lambda: one(local={"size": 3}),
    "flags differ": lambda: one(local={"flags": 0x800}),
    "crc wrong": lambda: one(**both(crc=7)),
    "size too small": lambda: one(**both(size=1)),
    "size too large": lambda: one(**both(size=3)),
    "packed size too large": lambda: one(**both(packed=400)),
    "descriptor wrong": lambda: descriptor(5),
    "deflate garbage": lambda: one(method=STORED, data=b"\xff" * 9, **both(method=8)),
    "bzip2": lambda: one(method=12),
    "lzma": lambda: one(method=14),
    "deflate64": lambda: one(method=9),
    "a folder with data": lambda: one(name=b"x/"),
    "too many": lambda: Zip(tuple(Member(b"%d" % i) for i in range(10_001))).bytes(),
}
SECRETS: dict[str, Callable[[], bytes]] = {
    "encrypted": lambda: one(**both(flags=0x01)),
    "strongly encrypted": lambda: one(**both(flags=0x41)),
    "strong alone": lambda: one(**both(flags=0x40)),
    "patched": lambda: one(**both(flags=0x20)),
    "nested": lambda: one(name=b"in.zip", data=Zip().bytes()),
    "nested, stored": lambda: one(name=b"in.json", data=Zip().bytes(), method=STORED),
    "nested, empty": lambda: one(data=Zip(()).bytes()),
    "link": lambda: one(data=b"/etc/passwd", mode=0o120777),
    "device": lambda: one(mode=0o020666),
    "pipe": lambda: one(mode=0o010666),
    "folder by mode": lambda: one(mode=0o040755),
    "file by mode": lambda: one(name=b"x/", data=b"", method=STORED, mode=0o100644),
}
NAMES = (
    "../a",
    "a/../../b",
    "..",
    "/a",
    "//a",
    "C:/a",
    "c:a",
    "..\\a",
    "a\0b",
    "a\nb",
    "a\tb",
    "\x1b[31ma",
    "\u202ea",
    "a\u200bb",
    "\ufeffa",
    "./a",
    "a/./b",
    "a//b",
    " a",
    "a ",
    "a/ b",
    "x" * 256,
    "a:b",
    "\u2028",
    "a\x7f",
    "/",
    "a/..",
)
TWINS = (
    ("a.json", "a.json"),
    ("a.json", "A.JSON"),
    ("\u00e9.json", "e\u0301.json"),
    ("stra\u00dfe", "STRASSE"),
)
