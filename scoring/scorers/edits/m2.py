"""M2: sentences of tokens, each with the edits that annotators made of it.

`S The cat sit .` is followed by lines `A 2 3|||R:VERB|||sits|||REQUIRED|||-NONE-|||0`:
tokens from and to, type, correction, two fields that are not used, annotator. `A -1 -1`
of the type noop says that an annotator found nothing to correct.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from scoring.errors import Findings, Problem, Refused, ScoringError
from scoring.messages import Messages, _
from scoring.source import Source, brief, look_alike, whole_lines

MESSAGES = Messages(
    m2=_(
        "Send M2, with a line S for each sentence and a line A for each edit: "
        "errant_parallel makes it of sentences and their corrections."
    ),
    line=_("expected a line that begins with 'S ' or 'A ', found '%(line)s'."),
    no_sentence=_("an edit stands before the first sentence."),
    fields=_("expected six fields separated by '|||', found %(count)s."),
    fields_hint=_(
        "An edit is written as 'A 2 3|||R:VERB|||sits|||REQUIRED|||-NONE-|||0'."
    ),
    span=_("the edit is of tokens '%(span)s'; expected two numbers."),
    range=_("the edit is of tokens %(start)s to %(end)s; the sentence has %(most)s."),
    count_tokens=_("Count tokens, not characters, from 0."),
    type=_("the edit has no type."),
    annotator=_("the annotator is '%(annotator)s'; expected a number."),
    alternative=_(
        "the sentence has edits of a second annotator, %(annotator)s; a submission "
        "corrects each sentence in one way."
    ),
    first=_("Send the edits of one annotator for each sentence."),
    overlap=_(
        "the edit of tokens %(start)s to %(end)s overlaps another one of its "
        "sentence; a submission corrects each token once."
    ),
    none=_("there is no sentence; expected lines that begin with 'S '."),
    other=_("the sentence differs at token %(place)s: '%(token)s'."),
    shorter=_("the sentence ends after %(count)s of %(expected)s tokens."),
    other_hint=_("Expected '%(expected)s'. Copy the lines 'S' as published."),
    number=_("%(count)s sentences found, %(expected)s expected."),
    lines=_("lines found: %(count)s; expected: %(expected)s."),
    lines_hint=_("Write the corrected text of each sentence in a line."),
)

NOOP = "noop"
MARK, FIELDS = "|||", 6
Edit = tuple[int, int, str, str]


@dataclass(frozen=True)
class Annotated:
    """A sentence with the edits of each annotator; an edit is (from, to, type, text).

    `line` is that of its tokens.
    """

    tokens: tuple[str, ...]
    edits: dict[int, list[Edit]]
    line: int


@dataclass(frozen=True)
class Corrections:
    """The sentences of a file."""

    name: str
    sentences: tuple[Annotated, ...]
    # Of a submission of corrected texts their words, sentence by sentence.
    texts: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Numbers of the sentences, which have no names of their own."""
        return tuple(f"{i:07d}" for i in range(1, len(self.sentences) + 1))


def read(source: Source, kind: type[ScoringError]) -> Corrections:
    """Raises `kind` with the lines that are no sentence and no edit of one.

    A gold may have alternatives: several annotators, and edits that overlap. In a
    submission (`kind` is Refused) they are refused, for the best one would count.
    """
    text = whole_lines(source.name, source.single(kind), kind).decode()
    findings = Findings(source.name)
    sentences: list[Annotated] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("S ") or line == "S":
            sentences.append(Annotated(tuple(line[2:].split()), {}, number))
        elif line.startswith("A ") and MARK in line and not sentences:
            findings.add("edit", MESSAGES("no_sentence"), line=number)
        elif line.startswith("A ") and sentences:
            _read_edit(line, number, sentences[-1], findings, kind is Refused)
        elif line.strip():
            message = MESSAGES("line", line=brief(line, 20))
            findings.add("columns", message, line=number, hint=MESSAGES("m2"))
    findings.raise_if_any(kind)
    if not sentences:
        raise kind(Problem("no_sentences", MESSAGES("none"), source.name, 1))
    return Corrections(source.name, tuple(sentences))


def is_m2(source: Source) -> bool:
    """Whether most lines of a file are sentences and edits: a text may begin with A,
    and a line of M2 be broken."""
    lines = [line for line in source.single().split(b"\n") if line.strip()]
    edits = sum(line[:2] == b"A " and MARK.encode() in line for line in lines)
    sentences = sum(line[:2] == b"S " for line in lines)
    whole = edits + sentences == len(lines)
    return whole or (edits > 0 and 2 * (edits + sentences) > len(lines))


def read_texts(source: Source, gold: Corrections) -> Corrections:
    """Corrected sentences, one a line. Raises Refused for another number of lines."""
    text = whole_lines(source.name, source.single(), Refused).decode()
    lines = text.removesuffix("\n").split("\n")
    count, expected = len(lines), len(gold.sentences)
    if count != expected:
        message = MESSAGES("lines", count=count, expected=expected)
        hint, line = MESSAGES("lines_hint"), min(count, expected + 1)
        raise Refused(Problem("sentences", message, source.name, line, hint=hint))
    texts = tuple(tuple(line.split()) for line in lines)
    own = (
        Annotated(sentence.tokens, {}, i)
        for i, sentence in enumerate(gold.sentences, 1)
    )
    return Corrections(source.name, tuple(own), texts)


def _read_edit(
    line: str, number: int, of: Annotated, findings: Findings, submitted: bool
) -> None:
    fields = line[2:].split(MARK)
    if len(fields) != FIELDS:
        message, hint = MESSAGES("fields", count=len(fields)), MESSAGES("fields_hint")
        findings.add("columns", message, line=number, hint=hint)
        return
    annotator = _number(fields[-1].strip())
    if annotator is None:
        message = MESSAGES("annotator", annotator=brief(fields[-1]))
        findings.add("edit", message, line=number)
        return
    span = [_number(part) for part in fields[0].split()]
    kind, text = fields[1].strip(), fields[2].strip()
    if len(span) != 2 or span[0] is None or span[1] is None:
        findings.add("edit", MESSAGES("span", span=brief(fields[0])), line=number)
        return
    start, end, most = span[0], span[1], len(of.tokens)
    nothing = kind == NOOP and start == end == -1
    if not nothing and not 0 <= start <= end <= most:
        message = MESSAGES("range", start=start, end=end, most=most)
        inside = 0 <= start <= end <= len(" ".join(of.tokens))
        hint = MESSAGES("count_tokens") if inside else ""
        findings.add("edit", message, line=number, hint=hint)
        return
    if not kind:
        findings.add("edit", MESSAGES("type"), line=number)
        return
    if submitted and of.edits.keys() - {annotator}:
        message, hint = MESSAGES("alternative", annotator=annotator), MESSAGES("first")
        findings.add("edit", message, line=number, hint=hint)
        return
    edit = (start, end, kind, text)
    if submitted and _overlaps(edit, of.edits.get(annotator, [])):
        message = MESSAGES("overlap", start=start, end=end)
        findings.add("edit", message, line=number)
        return
    of.edits.setdefault(annotator, []).append(edit)


def _overlaps(edit: Edit, others: list[Edit]) -> bool:
    """Whether another edit changes one of its tokens, or inserts at its place."""
    start, end = edit[:2]
    return any(
        (start, end) == other[:2] or (start < other[1] and other[0] < end)
        for other in others
    )


def first_of(sentence: Annotated) -> Annotated:
    """The sentence with what its first annotator made, as a submission may say it."""
    kept: list[Edit] = []
    for annotator, edits in sentence.edits.items():
        for edit in edits:
            if not _overlaps(edit, kept):
                kept.append(edit)
        return replace(sentence, edits={annotator: kept})
    return sentence


def _number(text: str) -> int | None:
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 9:
        return None
    return int(text)


def pair(system: Corrections, gold: Corrections) -> None:
    """Check that both have the same sentences. Raises Refused with all that differ; the
    published file shows what was expected."""
    findings = Findings(system.name)
    pairs = zip(system.sentences, gold.sentences, strict=False)
    for (own, wanted), name in zip(pairs, gold.names, strict=False):
        if own.tokens != wanted.tokens:
            message, hint = _difference(own.tokens, wanted.tokens)
            findings.add("form", message, line=own.line, unit=name, hint=hint)
    count, expected = len(system.sentences), len(gold.sentences)
    if count != expected:
        line = system.sentences[min(count, expected + 1) - 1].line
        message = MESSAGES("number", count=count, expected=expected)
        findings.add("sentences", message, line=line)
    findings.raise_if_any(Refused)


def _difference(own: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, str]:
    pairs = enumerate(zip(own, wanted, strict=False), 1)
    shared = min(len(own), len(wanted))
    place = next((i for i, (a, b) in pairs if a != b), shared + 1)
    if place > len(own):
        return MESSAGES("shorter", count=len(own), expected=len(wanted)), ""
    token = own[place - 1]
    expected = wanted[place - 1] if place <= len(wanted) else ""
    hint = look_alike(token, expected) or MESSAGES(
        "other_hint", expected=brief(expected)
    )
    return MESSAGES("other", place=place, token=brief(token)), hint


def written(sentences: tuple[Annotated, ...]) -> bytes:
    """The file of these sentences."""
    blocks = []
    for sentence in sentences:
        lines = ["S " + " ".join(sentence.tokens)]
        for annotator, edits in sentence.edits.items():
            for start, end, kind, text in edits:
                fields = (f"A {start} {end}", kind, text, "REQUIRED", "-NONE-")
                lines.append(MARK.join([*fields, str(annotator)]))
        blocks.append("\n".join(lines) + "\n")
    return ("\n".join(blocks) + "\n").encode()
