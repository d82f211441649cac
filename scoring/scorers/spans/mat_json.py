"""MAT's JSON documents, versions 1 and 2 (SCORING.md, `spans`)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from scoring.counts import Integers
from scoring.errors import Findings, Problem, Refused
from scoring.formats.json_errors import json_error
from scoring.messages import Messages, _
from scoring.scorers.spans.annotations import (
    NOT_CONTENT,
    TOKEN,
    Document,
    Kinds,
    ReaderOptions,
    check_extents,
    integers,
    odd_label,
)
from scoring.source import decode

MESSAGES = Messages(
    no_json=_("not JSON: %(error)s"),
    depth=_("the JSON is nested too deep"),
    constant=_("%(constant)s is not a number that JSON knows"),
    repeated_key=_("an object holds the same key twice"),
    surrogate=_("the file holds half a surrogate pair, which is no character"),
    signal=_('expected an object with the text as "signal"'),
    not_mat=_(
        "This is not MAT's format. JSON Lines hold one object a line, without a "
        "list around them."
    ),
    version=_("version is %(version)s; expected 1 or 2"),
    several=_("several documents stand in one file."),
    file_each=_("Write a file for each document, and pack them into a zip."),
    no_version=_("there is no 'version'; expected 1 or 2"),
    write_version=_(
        'Write {"signal": "...", "asets": [...], "metadata": {}, "version": 1}.'
    ),
    token=_("a token lies outside the text of %(size)s characters or is empty"),
    sets=_('expected a list of annotation sets as "asets"'),
    set=_("annotation set %(number)s"),
    label=_('%(set)s: expected an object with its label as "type"'),
    lists=_('expected lists as "attrs" (names) and "annots"'),
    in_set=_("%(set)s: %(reason)s"),
    annotations=_("expected annotations of the form [start, end, ...]"),
    numbers=_("expected whole numbers as start and end of annotations"),
    offset=_("an annotation lies far outside the text"),
    most_kinds=_("more than %(most)s different values of attributes"),
)

VERSIONS = (1, 2)
# A JSON list takes some forty times the bytes it is written in.
COSTS = ((b"[", 1_200_000), (b"{", 500_000), (b",", 6_000_000))
MOST_OFFSET = 2**53
MOST_KINDS = 100_000

encoded = json.JSONEncoder(ensure_ascii=False).encode


def read(members: Mapping[str, bytes], options: ReaderOptions) -> Iterator[Document]:
    """One document per member. Raises Refused naming the document and what is wrong in
    it."""
    for name, data in members.items():
        yield _document(name, _load(name, data), options)


def _load(name: str, data: bytes) -> Any:
    text = decode(name, data)
    try:
        value = json.loads(text, parse_constant=_no_number, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and '"signal"' in text[error.pos :]:
            message, hint = MESSAGES("several"), MESSAGES("file_each")
            problem = Problem("several", message, name, error.lineno, hint=hint)
            raise Refused(problem) from None
        message = MESSAGES("no_json", error=json_error(error))
        problem = Problem("json", message, name, error.lineno, error.colno)
        raise Refused(problem) from None
    except RecursionError:
        raise _refusal(name, MESSAGES("depth")) from None
    except ValueError as error:
        raise _refusal(name, MESSAGES("no_json", error=error)) from None
    if "\\ud" in text.lower():
        _check_characters(name, value)
    return value


def _no_number(constant: str) -> NoReturn:
    raise ValueError(MESSAGES("constant", constant=constant))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        raise ValueError(MESSAGES("repeated_key"))
    return unique


def _check_characters(name: str, value: Any) -> None:
    """Half of a surrogate pair is no character and cannot be written anywhere."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        message = MESSAGES("surrogate")
        raise _refusal(name, message) from None


@dataclass(frozen=True)
class Set:
    """One annotation set: `names` of the attributes, `first` where they begin."""

    label: str
    names: tuple[str, ...]
    first: int
    rows: list[list[Any]]


def _document(name: str, value: Any, options: ReaderOptions) -> Document:
    if not isinstance(value, dict) or not isinstance(value.get("signal"), str):
        hint = MESSAGES("not_mat")
        problem = Problem("document", MESSAGES("signal"), name, unit=name, hint=hint)
        raise Refused(problem)
    version = value.get("version")
    if version is None:
        hint = MESSAGES("write_version")
        problem = Problem(
            "document", MESSAGES("no_version"), name, unit=name, hint=hint
        )
        raise Refused(problem)
    if type(version) is not int or version not in VERSIONS:
        shown = json.dumps(version)[:20]
        raise _refusal(name, MESSAGES("version", version=shown))
    findings = Findings(name)
    sets = _sets(value.get("asets"), version, findings)
    findings.raise_if_any()
    kinds = Kinds(options)
    content = [own for own in sets if own.label not in NOT_CONTENT | {TOKEN}]
    starts, ends = _extents(name, content)
    codes = [code for own in content for code in _codes(name, own, kinds)]
    lexes = [own for own in sets if own.label == TOKEN] if options.tokens else []
    document = Document(
        name,
        0,
        value["signal"],
        starts,
        ends,
        integers(codes),
        kinds.all(),
        _tokens(name, len(value["signal"]), lexes),
    )
    check_extents(document, findings)
    findings.raise_if_any()
    return document


def _tokens(name: str, size: int, lexes: list[Set]) -> Integers | None:
    if not lexes:
        return None
    starts, ends = _extents(name, lexes)
    if np.any((starts < 0) | (starts >= ends) | (ends > size)):
        message = MESSAGES("token", size=size)
        raise _refusal(name, message)
    return np.stack((starts, ends), axis=1)


def _sets(value: Any, version: int, findings: Findings) -> list[Set]:
    """Annotation sets with spans; the others are not scored."""
    if not isinstance(value, list):
        findings.add("json", MESSAGES("sets"))
        return []
    sets = [_set(item, i, version, findings) for i, item in enumerate(value, 1)]
    return [item for item in sets if item is not None]


def _set(item: Any, i: int, version: int, findings: Findings) -> Set | None:
    place = MESSAGES("set", number=i)
    if not isinstance(item, dict) or not isinstance(item.get("type"), str):
        findings.add("json", MESSAGES("label", set=place))
        return None
    rows, names = item.get("annots", []), _names(item.get("attrs", []), version)
    if names is None or not isinstance(rows, list):
        message = MESSAGES("lists")
        findings.add("json", MESSAGES("in_set", set=place, reason=message))
        return None
    if version > 1 and item.get("hasSpan", True) is False:
        return None
    if message := odd_label(item["type"]):
        findings.add("label", MESSAGES("in_set", set=place, reason=message))
    if not all(isinstance(row, list) and len(row) >= 2 for row in rows):
        message = MESSAGES("annotations")
        findings.add("json", MESSAGES("in_set", set=place, reason=message))
        return None
    has_id = version > 1 and item.get("hasID", False) is True
    return Set(item["type"], names, 3 if has_id else 2, rows)


def _names(value: Any, version: int) -> tuple[str, ...] | None:
    """Attribute names: strings in version 1, objects with a name in version 2."""
    if not isinstance(value, list):
        return None
    if version > 1:
        value = [v.get("name") if isinstance(v, dict) else v for v in value]
    if not all(isinstance(name, str) for name in value):
        return None
    return tuple(value)


def _extents(name: str, sets: Iterable[Set]) -> tuple[Integers, Integers]:
    rows = [row for own in sets for row in own.rows]
    starts, ends = [row[0] for row in rows], [row[1] for row in rows]
    if not {*map(type, starts), *map(type, ends)} <= {int}:
        raise _refusal(name, MESSAGES("numbers"))
    outer = (*starts, *ends, 0)
    if max(outer) > MOST_OFFSET or min(outer) < -MOST_OFFSET:
        raise _refusal(name, MESSAGES("offset"))
    return integers(starts), integers(ends)


def _codes(name: str, own: Set, kinds: Kinds) -> list[int]:
    """Trailing values may be absent; only attributes asked for are looked at."""
    wanted = [
        (place, attribute)
        for place, attribute in enumerate(own.names, own.first)
        if attribute in kinds.options.attributes
    ]
    if not own.rows:
        return []
    if not wanted:
        return [kinds.code(own.label, {})] * len(own.rows)
    known: dict[tuple[str | None, ...], int] = {}
    codes = []
    # Taken one by one, so that a file is given up on as soon as it is too much.
    for texts in zip(*(_texts(own.rows, at) for at, _name in wanted), strict=True):
        if texts not in known:
            pairs = zip(wanted, texts, strict=True)
            given = {key: text for (_, key), text in pairs if text is not None}
            known[texts] = kinds.code(own.label, given)
            if len(known) > MOST_KINDS:
                message = MESSAGES("most_kinds", most=MOST_KINDS)
                raise _refusal(name, message)
        codes.append(known[texts])
    return codes


def _texts(rows: list[list[Any]], place: int) -> Iterator[str | None]:
    """One value of every annotation as aliases write it, None where it is absent."""
    for row in rows:
        value = row[place] if place < len(row) else None
        yield value if value is None or isinstance(value, str) else encoded(value)


def _refusal(name: str, message: str) -> Refused:
    return Refused(Problem("document", message, name, unit=name))
