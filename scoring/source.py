"""Bytes of one file, a directory or a zip, as named members; checked UTF-8."""

from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from scoring.errors import Problem, Refused, ScoringError
from scoring.formats.recognition import check_text
from scoring.messages import Messages, _

MESSAGES = Messages(
    no_utf8=_("not UTF-8 text: byte 0x%(byte)s at column %(column)s"),
    one_file=_("expected one file, found %(count)s"),
    empty=_("the file is empty"),
    nul=_("a NUL is not text"),
    line_ends=_("lines end with CR alone; expected LF (or CRLF)"),
    unix=_("Save the file with Unix line ends."),
    save_utf8=_("Save the file as UTF-8 and upload it again."),
    normal_forms=_("They differ in Unicode normal form: copy forms as published."),
)

NUL, SAVE_UTF8 = MESSAGES("nul"), MESSAGES("save_utf8")
UTF8_BLOCK = 1 << 17
# A character has up to three bytes before its last one.
BEFORE = 3
PADDING = np.full(BEFORE, ord("\n"), dtype=np.uint8)
CONTINUES = -64
TWO, THREE, FOUR = 0xC0, 0xE0, 0xF0
# After these not every continuation makes a character.
PARTIAL = 0xE0, 0xED

Bytes = npt.NDArray[np.uint8]


def surely_utf8(data: bytes) -> bool:
    """Whether data are surely UTF-8 of characters below U+10000; False also where it
    takes a decoder.

    That is the case after some first bytes, after which only a part of all
    continuations is allowed.
    """
    return all(map(_surely_utf8, _blocks(np.frombuffer(data, dtype=np.uint8))))


def _blocks(text: Bytes) -> Iterator[Bytes]:
    """Pieces of the text, each with the three bytes before it."""
    yield np.concatenate((PADDING, text[:UTF8_BLOCK]))
    for start in range(UTF8_BLOCK, len(text), UTF8_BLOCK):
        yield text[start - BEFORE : start + UTF8_BLOCK]
    yield np.concatenate((PADDING, text[-BEFORE:], PADDING))[len(text[-BEFORE:]) :]


def _surely_utf8(text: Bytes) -> bool:
    """Whether continuations stand in `text[3:]` just where they must."""
    highest = int(text.max())
    if highest >= FOUR or int((text - np.uint8(TWO)).min()) < 2:
        return False
    wanted = text[2:-1] >= TWO
    if highest >= THREE:
        if any((text == first).any() for first in PARTIAL):
            return False
        wanted |= text[1:-2] >= THREE
    continues = text[BEFORE:].view(np.int8) < CONTINUES
    return bool((wanted == continues).all())


@dataclass(frozen=True)
class Source:
    """A named input. `files` maps member names to their bytes; a single file has one.

    `name` is what messages call it.
    """

    name: str
    files: Mapping[str, bytes]

    @classmethod
    def of_bytes(cls, name: str, data: bytes) -> "Source":
        return cls(name, {name: data})

    @classmethod
    def of_path(cls, path: Path) -> "Source":
        """Read a file, or every file below a directory (names relative to it)."""
        if path.is_dir():
            members = sorted(p for p in path.rglob("*") if p.is_file())
            files = {p.relative_to(path).as_posix(): p.read_bytes() for p in members}
            return cls(path.name, files)
        return cls.of_bytes(path.name, path.read_bytes())

    def single(self, kind: type[ScoringError] = Refused) -> bytes:
        """The bytes of the only member. Raises `kind` when there are several."""
        if len(self.files) != 1:
            message = MESSAGES("one_file", count=len(self.files))
            raise kind(Problem("one_file", message, self.name))
        return next(iter(self.files.values()))

    @property
    def sha256(self) -> str:
        """Hash of the bytes of one file; of sorted names and hashes of several."""
        from hashlib import sha256  # OpenSSL takes long to load.

        if len(self.files) == 1:
            return sha256(self.single()).hexdigest()
        whole = sha256()
        for name in sorted(self.files):
            whole.update(name.encode() + b"\0" + sha256(self.files[name]).digest())
        return whole.hexdigest()


def decode(name: str, data: bytes, kind: type[ScoringError] = Refused) -> str:
    """Text of UTF-8 bytes: BOM dropped, CRLF to LF (SCORING.md, "Common"). Raises
    `kind` with line and column of the first bad byte, or for an empty file."""
    return normalise_bytes(name, data, kind).decode("utf-8")


def normalise_bytes(
    name: str, data: bytes, kind: type[ScoringError] = Refused
) -> bytes:
    """Bytes with the checks and repairs of `decode`; a file in a zip of its own is
    taken out of it."""
    if data.startswith(ZIP_MARK):
        from scoring.formats.bundle import only_member  # reads sources itself

        data = only_member(name, data, kind)
    check_text(name, data, kind)
    return plain_utf8(name, data, kind)


def plain_utf8(name: str, data: bytes, kind: type[ScoringError] = Refused) -> bytes:
    """UTF-8 without BOM and CRLF, whatever it is the text of: of a page, HTML too.
    Raises `kind` as `decode` does."""
    data = data.removeprefix(BOM)
    if not data or data.isspace():
        raise kind(Problem("empty_file", MESSAGES("empty"), name))
    try:
        _check_utf8(data)
    except UnicodeDecodeError as error:
        raise kind(_not_utf8(name, data, error.start)) from None
    # One byte is found much faster than two, and most files have neither.
    if b"\r" not in data:
        return data
    # Two of them are of text that Windows' line ends were written into twice.
    return data.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n")


def whole_lines(name: str, data: bytes, kind: type[ScoringError] = Refused) -> bytes:
    """The bytes of `normalise_bytes`, with a newline at the end. Raises `kind` for a
    NUL, too."""
    text = normalise_bytes(name, data, kind)
    check_line_ends(name, text, kind)
    if b"\0" in text:
        line = text.count(b"\n", 0, text.index(b"\0")) + 1
        raise kind(Problem("encoding", NUL, name, line, hint=SAVE_UTF8))
    return text if text.endswith(b"\n") else text + b"\n"


def check_line_ends(name: str, text: bytes, kind: type[ScoringError] = Refused) -> None:
    """Raise `kind` for several lines that end with a CR alone: a reader of lines would
    take them for one."""
    if b"\n" not in text and b"\r" in text.rstrip():
        message = MESSAGES("line_ends")
        hint = MESSAGES("unix")
        raise kind(Problem("line_ends", message, name, 1, hint=hint))


def _check_utf8(data: bytes) -> None:
    """Raise UnicodeDecodeError; no second copy of a large file is held."""
    if data.isascii() or surely_utf8(data):
        return
    decoder = getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), BLOCK):
            decoder.decode(data[start : start + BLOCK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        data.decode("utf-8")


BLOCK = 1 << 16
BOM = b"\xef\xbb\xbf"
ZIP_MARK = b"PK\x03\x04"


def _not_utf8(name: str, data: bytes, start: int) -> Problem:
    line = data.count(b"\n", 0, start) + 1
    column = start - (data.rfind(b"\n", 0, start) + 1) + 1
    message = MESSAGES("no_utf8", byte=f"{data[start]:02x}", column=column)
    return Problem("encoding", message, name, line, column, "", SAVE_UTF8)


MOST_SHOWN = 60
ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
FORMS = MESSAGES("normal_forms")


def text_of(source: Source, kind: type[ScoringError]) -> str:
    """Decoded text (see `decode`). Raises `kind` when there is not one file, or it is
    empty or not UTF-8."""
    data = normalise_bytes(source.name, source.single(kind), kind)
    check_line_ends(source.name, data, kind)
    return data.decode("utf-8")


def look_alike(text: str, expected: str) -> str:
    """A hint for two different texts that print the same; empty for others. Of what a
    message shows: composing takes quadratic time on long runs of marks."""
    if max(len(text), len(expected)) > MOST_SHOWN:
        return ""
    return FORMS if normalize("NFC", text) == normalize("NFC", expected) else ""


def brief(text: str, most: int = MOST_SHOWN) -> str:
    """A piece of a file as messages print it: short, on one line, printable."""
    short = text if len(text) <= most else text[:most] + "…"
    return printable(short)


def size_in_words(size: int) -> str:
    """A number of bytes as messages print it, in the units of the site's pages."""
    for unit, worth in (("MB", 1 << 20), ("KB", 1 << 10)):
        if size >= worth:
            return f"{size / worth:.3g} {unit}"
    return f"{size} B"


def list_names(names: Sequence[str], most: int, longest: int = MOST_SHOWN) -> str:
    """The first of several names as messages print them, each in quotes."""
    quoted = ", ".join(f"'{brief(name, longest)}'" for name in names[:most])
    return quoted + ", …" * (len(names) > most)


def printable(text: str, also: str = "") -> str:
    """The text with names such as <U+00A0> for what moves a cursor, hides, or cannot be
    stored, and \\t, \\n and \\r for these; characters of `also` stay."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in also else _name_of_character(c) for c in text
    )


def _name_of_character(character: str) -> str:
    return ESCAPES.get(character) or f"<U+{ord(character):04X}>"


def first_difference(first: str, second: str) -> int:
    """The first index at which two different strings differ, by bisection."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
