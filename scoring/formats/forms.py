"""Files whose text has another form than its readers know, turned into that.

What `scoring.formats.text_forms` does to a text, done to a file: alone, or the one
file of data in a zip.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from scoring.errors import Refused, ScoringError
from scoring.formats.recognition import BOM, HEAD, kind_of
from scoring.formats.text_forms import ID, form_of
from scoring.options import Options
from scoring.source import ZIP_MARK, Source

if TYPE_CHECKING:
    from scoring.scorer import Scorer

LONG_LINE = 1 << 20
# The options that say what a task calls its answers.
VALUE, ANSWER = "value", "answer"
# What a scorer calls its answers, empty where they have no one name, and its ids.
Names = tuple[str, str]
NAMES: Names = ("", ID)


def recognise(
    source: Source, options: Options, kind: type[ScoringError], names: Names = NAMES
) -> Source:
    """The file in a form that a scorer reads (`in_form`), under the task's names of
    columns; where it names none, under the scorer's `names`."""
    return in_form(source, kind, *_own_names(options, names))


def remarks_on_form(
    source: Source, options: Options, names: Names = NAMES
) -> list[str]:
    """Remarks to whoever sent a file on what `recognise` did to it."""
    text = _text_of_one(source)
    if text is None:
        return []
    try:
        form = form_of(source.name, text[0], Refused, *_own_names(options, names))
    except Refused:
        return []
    return [*form.remarks]


def _own_names(options: Options, names: Names) -> Names:
    """The task's names of answers (empty where that is no choice) and of ids."""
    value, identity = names
    own = options.get(VALUE) or options.get(ANSWER) or value
    return str(own), str(options.get(ID) or identity)


def in_form(
    source: Source, kind: type[ScoringError], value: str = "", identity: str = ID
) -> Source:
    """The source in a form that readers of records know (`text_forms.form_of`); of a
    zip the one file of data in it. Several files, and what is no text, stay."""
    text = _text_of_one(source)
    if text is None:
        return source
    plain, in_zip, name = text
    form = form_of(source.name, plain, kind, value, identity)
    if form.text == plain and not in_zip:
        return source
    return Source(source.name, {name: form.text.encode()})


def _text_of_one(source: Source) -> tuple[str, bool, str] | None:
    """Text of the only file, whether it lies in a zip, and its name; else None."""
    if len(source.files) != 1:
        return None
    (name, data), *_ = source.files.items()
    in_zip = data.startswith(ZIP_MARK)
    if in_zip:
        # Few files are zips, and what reads them is slow to import.
        from scoring.formats.bundle import data_files, is_about, members

        try:
            files = data_files(members(source))
        except Refused:
            return None  # whose reader says so
        (name, data), *more = files.items()
        if more or is_about(name, data):
            return None  # whose reader says so
    if not in_zip and not may_have_form(data):
        return None
    try:
        return data.removeprefix(BOM).decode().replace("\r\n", "\n"), in_zip, name
    except UnicodeDecodeError:
        return None


def may_have_form(data: bytes) -> bool:
    """Whether a file begins like one that has to be turned into another form."""
    head = data[:HEAD].removeprefix(BOM).lstrip()
    if head[:1] in (b"{", b"["):
        lines = head[:1] == b"{" and _begins_lines(data)
        return not (lines or kind_of(data)[0])
    return head[:4].lower() == b"sep="


def _begins_lines(data: bytes) -> bool:
    """Whether the first of several lines is an object of several names, as in JSON
    Lines, of which a large file need not be looked at as a whole."""
    line, end, below = data[:LONG_LINE].removeprefix(BOM).lstrip().partition(b"\n")
    if not end or not below.strip():
        return False
    try:
        value = json.loads(line)
        return isinstance(value, dict) and len(value) > 1
    except (ValueError, RecursionError):
        return False


Convert = Callable[[Source, Options], Source]


def converting(scorer: "Scorer", convert: Convert, *, systems: bool = True) -> "Scorer":
    """The scorer with all files turned by `convert` first, which leaves what it does
    not know and keeps the numbers of lines; those of `systems` unless their reader does
    so itself."""

    def of_file(read: Callable[..., Any] | None) -> Any:
        def with_form(source: Source, options: Options, *rest: Any) -> Any:
            return read(convert(source, options), options, *rest)  # type: ignore[misc]

        return with_form if read else None

    def spoil(texts: Mapping[str, str], share: float, random: Random) -> Any:
        given = (Source.of_bytes(n, text.encode()) for n, text in texts.items())
        files = (convert(source, {}) for source in given)
        plain = {file.name: file.single().decode() for file in files}
        return scorer.spoil and scorer.spoil(plain, share, random)

    return replace(
        scorer,
        read_gold=of_file(scorer.read_gold),
        read_blind=of_file(scorer.read_blind),
        read_system=of_file(scorer.read_system) if systems else scorer.read_system,
        outline=of_file(scorer.outline),
        blind=of_file(scorer.blind),
        ideal=of_file(scorer.ideal),
        spoil=scorer.spoil and spoil,
    )


def rewritten(source: Source, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> Source:
    """JSON Lines of records, each in its line."""
    written: list[str] = []
    for line, row in rows:
        written += [""] * (line - 1 - len(written))
        written.append(json.dumps(row, ensure_ascii=False))
    return Source(source.name, {n: "\n".join(written).encode() for n in source.files})
