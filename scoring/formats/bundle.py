"""One file, a directory or a zip as named members.

A zip is judged by its structure before a byte of it is inflated: what the listing
shows is all that the file holds, and nothing in it can mean two things. Members are
read in pieces against a budget, because the sizes that a header states may be lies.
"""

import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import nullcontext, suppress
from io import BytesIO
from zipfile import ZipFile, ZipInfo

from scoring.errors import Findings, Problem, Refused, ScoringError
from scoring.formats.forms import in_form, may_have_form
from scoring.formats.recognition import MESSAGES as KINDS
from scoring.formats.recognition import kind_of, kind_of_zip, no_text
from scoring.messages import Messages, _
from scoring.source import ZIP_MARK, Source, brief, list_names, size_in_words

MESSAGES = Messages(
    hidden=_("the zip holds data that its directory does not list"),
    no_answers=_("the zip holds no answers, only '%(name)s'"),
    one_file=_("expected one file, found a zip of %(count)s: %(names)s"),
    pack_answers=_("Pack the file with the answers alone, or send it unpacked."),
    unreadable=_("the zip cannot be read (%(error)s)"),
    cut=_("the zip was cut off: it has no end record"),
    other_kind=_("this is %(kind)s; expected a zip"),
    no_bytes=_("the file is empty"),
    no_end=_("not a zip: it has no end record"),
    split=_("the zip is split over disks or has the zip64 form"),
    empty=_("the zip is empty"),
    most_members=_("the zip lists %(count)s members; at most %(most)s are read"),
    second=_("a second member has this name"),
    member=_("member %(name)s: %(reason)s"),
    most_bytes=_("the zip holds more than %(most)s"),
    name_length=_("expected a name of 1 to %(most)s characters"),
    name_characters=_("the name holds a character that no file name should"),
    name_path=_("expected a relative path without '.', '..', empty or padded parts"),
    special=_("links and special files are not read"),
    encrypted=_("encrypted or patched members are not read"),
    method=_("expected the method 'stored' or 'deflated'"),
    directory=_("a directory cannot hold data"),
    ratio=_("it inflates to more than %(most)s times its size"),
    gap=_("gap or overlap before member %(name)s"),
    header=_("its header contradicts the listing"),
    zip_in_zip=_("a zip inside a zip is not read"),
    nested=_("this is %(kind)s"),
    unpack_first=_("Unpack it first."),
    no_file=_("the zip holds no file"),
    other_size=_("member %(name)s has not the size stated"),
    plain_zip=_("Make a plain zip of the files."),
    no_password=_("Pack it without a password."),
    unpacked=_("Send it unpacked."),
)

MOST_MEMBERS = 10_000
MOST_BYTES = 100 * 2**20
MOST_RATIO = 100
RATIO_MATTERS_FROM = 2**20
LONGEST_NAME, SHOWN_NAMES = 255, 5
PIECE = 2**16

LOCAL = struct.Struct("<4s5H3I2H")
ENTRY = struct.Struct("<28x3H12x")
END = struct.Struct("<4s4H2IH")
LOCAL_MARK, ENTRY_MARK, END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
LARGE_MARK, LARGE_SIZE = b"PK\x06\x07", 20
FIELD = struct.Struct("<2H")
ZIP64, UNKNOWN_SIZE = 0x0001, 0xFFFFFFFF
HIDDEN = MESSAGES("hidden")
ENCRYPTED, DESCRIPTOR, PATCHED, STRONG, UTF8 = 0x01, 0x08, 0x20, 0x40, 0x800
METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
# What desktops, editors and Office leave behind, wherever it lies.
LEFT_BY_DESKTOPS = re.compile(
    r"(^|/)(__MACOSX/|__pycache__/|\.|~\$|Thumbs\.db$|desktop\.ini$)|~$"
)
# What people pack beside their answers, by its name or by its ending.
ABOUT = re.compile(
    r"(?i)(^|/)(read[-_ ]?me|licen[cs]e|copying|citation|changelog|contributing"
    r"|requirements)([-_][^/.]*)?(\.(txt|html?|cff))?$"
)
BESIDE = re.compile(
    r"(?i)\.(md|rst|pdf|docx?|log|py|ipynb|sh|pyc|png|jpe?g|gif|svg|ckpt|pth?"
    r"|safetensors|bin|pkl|npz|toml|ya?ml|cfg|ini|bak|tmp|swp|orig|lock)$"
    r"|(^|/)checkpoints?[^/]*(/|$)"
)
NOTES = re.compile(r"(?i)\.docx$")  # a zip itself, and not where data are sent
UNREADABLE = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    OverflowError,
    struct.error,
    zlib.error,
)


def members(source: Source, inside: tuple[str, ...] = ()) -> dict[str, bytes]:
    """Named members of `source`, in the order of their names; a zip is expanded.

    Files that desktops leave behind (.DS_Store, __MACOSX) are passed over, and a
    folder around all members is taken off. Raises Refused for a zip that is not
    plain, for an Office document and for names that are no file names. Members with
    the endings `inside` may be zips themselves, which are not expanded.
    """
    files: Mapping[str, bytes] = source.files
    if is_zip(source):
        files = _expand(source.name, source.single(), inside)
    elif is_single(source):
        return dict(files)
    files = {n: files[n] for n in sorted(files) if _is_wanted(n)}
    kind, hint = kind_of_zip(files)
    if kind:
        raise Refused(no_text(kind, hint, source.name))
    return without_folder(files)


def unpack(source: Source, inside: tuple[str, ...] = ()) -> dict[str, bytes]:
    """Members of a zip under their whole names, folders included. Raises Refused as
    `members` does, and for what is no zip."""
    return _expand(source.name, source.single(), inside)


def only_member(name: str, data: bytes, kind: type[ScoringError] = Refused) -> bytes:
    """The one file of data in a zip. Raises `kind` for a zip of several and for what
    `members` refuses."""
    return _named_member(name, data, kind)[1]


def _named_member(
    name: str, data: bytes, kind: type[ScoringError]
) -> tuple[str, bytes]:
    try:
        files = data_files(members(Source.of_bytes(name, data)))
    except Refused as refusal:
        raise kind(refusal.problems) from None
    if len(files) != 1:
        raise kind(not_one_file(name, files))
    (member, own), *_ = files.items()
    if is_about(member, own):
        raise kind(_no_answers(name, member))
    return member, own


def out_of_zip(source: Source) -> Source:
    """The file that came alone in a zip, which messages still call by the name of the
    zip; other sources as they are."""
    if not is_zip(source):
        return source
    try:
        member, data = _named_member(source.name, source.single(), Refused)
    except Refused:
        return source
    return Source(source.name, {member: data})


def is_about(name: str, data: bytes) -> bool:
    """Whether a file tells of others, as a README does. Whatever it is called, a table
    or a record is none."""
    stem = name.removesuffix(".md").removesuffix(".rst")
    first = data.lstrip().split(b"\n", 1)[0]
    return bool(ABOUT.search(name)) or (
        bool(ABOUT.search(stem)) and not any(mark in first for mark in b",;\t{[")
    )


def _no_answers(name: str, member: str) -> Problem:
    message = MESSAGES("no_answers", name=brief(member))
    return Problem("one_file", message, name, hint=MESSAGES("pack_answers"))


def not_one_file(name: str, files: Iterable[str]) -> Problem:
    """The problem of a zip of several files where one is due."""
    names = [*files]
    listed = list_names(names, SHOWN_NAMES)
    message = MESSAGES("one_file", count=len(names), names=listed)
    return Problem("one_file", message, name, hint=MESSAGES("pack_answers"))


def data_files(files: dict[str, bytes]) -> dict[str, bytes]:
    """The members that may hold data: without a README, checkpoints and the like beside
    them, and without a folder around the rest. All, where nothing else is there."""
    stems = Counter(name.rpartition(".")[0] or name for name in files)
    data = {
        name: own
        for name, own in files.items()
        if not is_beside(name, stems[name.rpartition(".")[0]] > 1)
    }
    return without_folder(data) if data and len(data) < len(files) else files


def is_beside(name: str, has_twin: bool = False) -> bool:
    """Whether a member is no data: what people pack beside their answers. A document
    of several files, its twins, may well be called README."""
    about = ABOUT.search(name) and not has_twin
    return bool(about or BESIDE.search(name)) or not _is_wanted(name)


def documents(source: Source) -> dict[str, bytes]:
    """The members that are documents, as `members` gives them, in a form that readers
    of records know."""
    files = data_files(members(source))
    if is_zip(source) and len(files) == 1 and is_about(*next(iter(files.items()))):
        raise Refused(_no_answers(source.name, next(iter(files))))
    if not any(map(may_have_form, files.values())):
        return files
    contents = {}
    for name, data in files.items():
        alone = Source.of_bytes(name, data)
        with suppress(Refused) if len(files) > 1 else nullcontext():
            alone = in_form(alone, Refused)  # of several, each reader says its own
        contents[name] = alone.single()
    return contents


def as_one_file(source: Source) -> Source:
    """The source itself, or a zip of its files if it has several.

    What came alone in a zip goes by its own name, lest it be taken for a zip.
    """
    if len(source.files) != 1:
        return zip_files(source.name.removesuffix(".zip") + ".zip", source.files)
    if not source.name.lower().endswith(".zip"):
        return source
    (name, data), *_ = source.files.items()
    return Source.of_bytes(name, data)


def zip_files(name: str, files: Mapping[str, bytes]) -> Source:
    """Several files as one zip, the same bytes for the same files."""
    buffer = BytesIO()
    # Stored, not deflated: what deflating gives depends on the machine's library.
    with ZipFile(buffer, "w") as archive:
        for member in sorted(files):
            archive.writestr(ZipInfo(member), files[member])
    return Source.of_bytes(name, buffer.getvalue())


def is_single(source: Source) -> bool:
    """One plain file, whose name so says nothing about the document it holds."""
    return tuple(source.files) == (source.name,) and not is_zip(source)


def is_zip(source: Source) -> bool:
    """One member that calls itself a zip or begins like one."""
    if len(source.files) != 1:
        return False
    (name, data), *_ = source.files.items()
    return name.lower().endswith(".zip") or data.startswith((LOCAL_MARK, END_MARK))


def _is_wanted(name: str) -> bool:
    return not name.endswith("/") and not LEFT_BY_DESKTOPS.search(name)


def without_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """The same members with a folder around all of them taken off."""
    tops = {name.partition("/")[0] for name in files}
    if len(tops) != 1 or not all("/" in name for name in files):
        return files
    return without_folder({n.partition("/")[2]: data for n, data in files.items()})


def _expand(name: str, data: bytes, inside: tuple[str, ...] = ()) -> dict[str, bytes]:
    _check_end(name, data)
    try:
        with ZipFile(BytesIO(data)) as archive:
            listed = archive.infolist()
            for member in listed:
                member.filename = _name_of(member)
            _check_listing(name, listed)
            _check_layout(name, data, listed, archive.start_dir)
            return _read_all(name, archive, listed, inside)
    except UNREADABLE as error:
        raise _refusal(name, MESSAGES("unreadable", error=error)) from None


def _check_end(name: str, data: bytes) -> None:
    """The last record must end the file and agree with it, before any list is made."""
    place = data.rfind(END_MARK)
    if place < 0 or place + END.size > len(data):
        raise _refusal(name, _instead_of_a_zip(data))
    end = END.unpack_from(data, place)
    entries, size, start, comment = end[4:]
    if place + END.size + comment != len(data) or start + size != place:
        raise _refusal(name, HIDDEN)
    large = data.startswith(LARGE_MARK, place - LARGE_SIZE)
    if any(end[1:3]) or end[3] != entries or large:
        raise _refusal(name, MESSAGES("split"))
    if not entries:
        raise _refusal(name, MESSAGES("empty"))
    if entries > MOST_MEMBERS:
        message = MESSAGES("most_members", count=entries, most=MOST_MEMBERS)
        raise _refusal(name, message)
    if _after_directory(data, start, entries) != place:
        raise _refusal(name, HIDDEN)


def _instead_of_a_zip(data: bytes) -> str:
    """A sentence on a file without the last record of a zip."""
    if not data:
        return MESSAGES("no_bytes")
    if data.startswith(ZIP_MARK):
        return MESSAGES("cut")
    kind, _hint = kind_of(data)
    return MESSAGES("other_kind", kind=KINDS(kind)) if kind else MESSAGES("no_end")


def _after_directory(data: bytes, place: int, entries: int) -> int:
    """The place behind the stated number of directory entries; -1 if they are none."""
    for _entry in range(entries):
        if not data.startswith(ENTRY_MARK, place) or place + ENTRY.size > len(data):
            return -1
        place += ENTRY.size + sum(ENTRY.unpack_from(data, place))
    return place


def _name_of(member: ZipInfo) -> str:
    """The name as it was typed: macOS and Info-ZIP write UTF-8 without saying so, macOS
    takes letters apart from their accents, and programs of Windows write \\ between
    folders."""
    name = member.filename.replace("\\", "/")
    if not member.flag_bits & UTF8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return unicodedata.normalize("NFC", name)


def _check_listing(name: str, listed: list[ZipInfo]) -> None:
    """Names, kinds, methods and stated sizes of all members."""
    findings = Findings(name)
    hints = {
        MESSAGES("encrypted"): MESSAGES("no_password"),
        MESSAGES("ratio", most=MOST_RATIO): MESSAGES("unpacked"),
    }
    seen: set[str] = set()
    for member in listed:
        message = (
            odd_name(member.orig_filename.replace("\\", "/"))
            or odd_name(member.filename)
            or _odd_member(member)
        )
        key = member.filename.casefold()
        if not message and key in seen:
            message = MESSAGES("second")
        seen.add(key)
        if message:
            shown = member.orig_filename.encode("ascii", "backslashreplace").decode()
            findings.add(
                "zip_member",
                MESSAGES("member", name=repr(shown[:LONGEST_NAME]), reason=message),
                hint=hints.get(message, ""),
            )
    if sum(member.file_size for member in listed) > MOST_BYTES:
        findings.add("zip", MESSAGES("most_bytes", most=size_in_words(MOST_BYTES)))
    findings.raise_if_any()


def odd_name(name: str) -> str:
    """The reason why `name` cannot be a member's name; empty where it can."""
    parts = name.removesuffix("/").split("/")
    if not name or len(name) > LONGEST_NAME:
        return MESSAGES("name_length", most=LONGEST_NAME)
    if not name.isprintable() or "\\" in name or ":" in name:
        return MESSAGES("name_characters")
    if any(part in ("", ".", "..") or part != part.strip() for part in parts):
        return MESSAGES("name_path")
    return ""


def _odd_member(member: ZipInfo) -> str:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFDIR if member.is_dir() else stat.S_IFREG):
        return MESSAGES("special")
    if member.flag_bits & (ENCRYPTED | PATCHED | STRONG):
        return MESSAGES("encrypted")
    if member.compress_type not in METHODS:
        return MESSAGES("method")
    if member.is_dir() and member.file_size:
        return MESSAGES("directory")
    if member.file_size > max(RATIO_MATTERS_FROM, MOST_RATIO * member.compress_size):
        return MESSAGES("ratio", most=MOST_RATIO)
    return ""


def _check_layout(name: str, data: bytes, listed: list[ZipInfo], end: int) -> None:
    """Members lie one after the other from the first byte to the directory.

    Gaps hide data from the listing and overlaps repeat it, so both are refused, as is
    a local header that contradicts the listing.
    """
    expected = 0
    for member in sorted(listed, key=lambda m: m.header_offset):
        written = member.orig_filename
        if member.header_offset != expected or expected + LOCAL.size > end:
            raise _refusal(name, MESSAGES("gap", name=repr(written)))
        expected = _end_of(name, data, member)
    if expected != end:
        raise _refusal(name, HIDDEN)


def _end_of(name: str, data: bytes, member: ZipInfo) -> int:
    """The place behind the member; its local header must agree with the listing.

    Who writes a stream does not know yet what the header has to say: checksum and
    sizes are 0 there, or some of them (macOS states the size of the file, but not how
    small it became), or sizes are the mark of the zip64 form.
    """
    start = member.header_offset
    local = LOCAL.unpack_from(data, start)
    begin = start + LOCAL.size + int(local[9]) + int(local[10])
    extra = data[begin - int(local[10]) : begin]
    streamed = bool(member.flag_bits & DESCRIPTOR)
    listed = (member.CRC, member.compress_size, member.file_size)
    unknown = {0} if streamed else set()
    sizes = unknown | ({UNKNOWN_SIZE} if _says_zip64(extra) else set())
    agrees = (
        int(local[6]) in {listed[0], *unknown}
        and int(local[7]) in {listed[1], *sizes}
        and int(local[8]) in {listed[2], *sizes}
    )
    same = local[2:4] == (member.flag_bits, member.compress_type)
    if local[0] != LOCAL_MARK or not agrees or not same:
        message = MESSAGES("header")
        raise _refusal(
            name, MESSAGES("member", name=repr(member.orig_filename), reason=message)
        )
    end = begin + member.compress_size
    return end + _descriptor_size(data, end, listed) if streamed else end


def _says_zip64(extra: bytes) -> bool:
    """Whether the extra fields of a local header have the one of the zip64 form."""
    place = 0
    while place + FIELD.size <= len(extra):
        kind, size = FIELD.unpack_from(extra, place)
        if kind == ZIP64:
            return True
        place += FIELD.size + int(size)
    return False


def _descriptor_size(data: bytes, place: int, listed: tuple[int, int, int]) -> int:
    """A streamed member's sizes follow its data, with or without a mark before them,
    in four bytes each or in the eight of the zip64 form."""
    for layout in ("<I2Q", "<3I"):
        bare = struct.pack(layout, *listed)
        for form in (b"PK\x07\x08" + bare, bare):
            if data.startswith(form, place):
                return len(form)
    return -1


def _kind_of_nested(data: bytes) -> tuple[str, str]:
    """The kind of a zip inside a zip, and what to do with it."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            kind, hint = kind_of_zip(dict.fromkeys(archive.namelist(), b""))
    except UNREADABLE:
        kind, hint = "", ""
    if kind and hint:
        return MESSAGES("nested", kind=KINDS(kind)), KINDS(hint)
    return MESSAGES("zip_in_zip"), MESSAGES("unpack_first")


def _read_all(
    name: str, archive: ZipFile, listed: list[ZipInfo], inside: tuple[str, ...]
) -> dict[str, bytes]:
    files = {}
    left = MOST_BYTES
    for member in sorted(listed, key=lambda m: m.filename):
        if not _is_wanted(member.filename):
            continue
        data = _inflate(name, archive, member, left)
        nested = data.startswith((LOCAL_MARK, END_MARK))
        if nested and not (
            member.filename.endswith(inside) or NOTES.search(member.filename)
        ):
            reason, hint = _kind_of_nested(data)
            message = MESSAGES("member", name=repr(member.filename), reason=reason)
            raise Refused(Problem("zip", message, name, hint=hint))
        left -= len(data)
        files[member.filename] = data
    if not files:
        raise _refusal(name, MESSAGES("no_file"))
    return files


def _inflate(name: str, archive: ZipFile, member: ZipInfo, budget: int) -> bytes:
    pieces, size = [], 0
    with archive.open(member) as stream:
        while piece := stream.read(PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > budget:
                raise _refusal(name, MESSAGES("most_bytes", most=MOST_BYTES))
    if size != member.file_size:
        raise _refusal(name, MESSAGES("other_size", name=repr(member.filename)))
    return b"".join(pieces)


def _refusal(name: str, message: str) -> Refused:
    return Refused(Problem("zip", message, name, hint=MESSAGES("plain_zip")))
