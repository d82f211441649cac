"""The format .cupt of PARSEME: CoNLL-U with a column of multiword expressions.

The column says of which expressions a word is one: `1:VID` begins the first of the
sentence and names its category, `1` goes on with it, `1;2:LVC.full` is of two, `*` of
none, and `_` tells nothing.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from scoring.errors import Findings
from scoring.messages import Messages, _
from scoring.source import brief

MESSAGES = Messages(
    columns=_("expected %(expected)s columns, found %(count)s."),
    tabs=_("Separate the columns by single tabs."),
    code=_("'%(text)s' does not say which expressions the word belongs to."),
    write_code=_("Write * for none, 1:VID for the first word of one, 1 for more."),
    no_category=_("expression %(number)s has no category where it begins."),
    long_id=_("the id of the sentence is longer than %(most)s characters."),
)

NOTHING, UNKNOWN = "*", "_"
COLUMN = "PARSEME:MWE"
COLUMNS = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
SENTENCE = re.compile(r"#\s*(?:source_)?sent_id\s*=\s*(.*)")
CODE = re.compile(r"([0-9]{1,9})(?::([^\s:;]+))?")
LEAST_COLUMNS, LONGEST_ID = 11, 200
CATEGORY, WORDS = "category", "words"


@dataclass(frozen=True)
class CuptSentence:
    """A sentence, the line it begins in, and its expressions as records."""

    id: str
    line: int
    expressions: tuple[dict[str, object], ...]


def read(text: str, findings: Findings, *, answered: bool) -> list[CuptSentence]:
    """Sentences of a file, what is wrong noted with its line. One without a name of its
    own is called by its place."""
    reader = _Reader(findings, answered)
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if not line.strip():
            reader.end()
        elif line.startswith("#"):
            reader.comment(number, line)
        else:
            reader.word(number, line)
    return reader.found


class _Reader:
    """The state of reading: the file so far, and the sentence that is being read."""

    def __init__(self, findings: Findings, answered: bool) -> None:
        self.findings, self.answered = findings, answered
        self.found: list[CuptSentence] = []
        self.width, self.place = 0, -1
        self._begin()

    def _begin(self) -> None:
        self.name, self.line = "", 0
        self.words: dict[str, list[str]] = {}
        self.categories: dict[str, str] = {}

    def end(self) -> None:
        """The end of a sentence, if one has begun."""
        if self.line:
            own: list[dict[str, object]] = [
                {CATEGORY: self.categories[number], WORDS: words}
                for number, words in self.words.items()
            ]
            name = self.name or str(len(self.found) + 1)
            self.found.append(CuptSentence(name, self.line, tuple(own)))
        self._begin()

    def comment(self, number: int, line: str) -> None:
        """Names of columns, or the name of the sentence; the first of it counts."""
        if match := COLUMNS.match(line):
            names = match[1].split()
            self.width = len(names)
            self.place = names.index(COLUMN) if COLUMN in names else -1
        elif (match := SENTENCE.match(line)) and not self.name:
            self.name = match[1].strip()
            if len(self.name) > LONGEST_ID:
                message = MESSAGES("long_id", most=LONGEST_ID)
                self.findings.add("id", message, line=number)

    def word(self, number: int, line: str) -> None:
        self.line = self.line or number
        cells = line.split("\t")
        self.width = self.width or max(LEAST_COLUMNS, len(cells))
        if len(cells) != self.width:
            message = MESSAGES("columns", expected=self.width, count=len(cells))
            hint = MESSAGES("tabs")
            self.findings.add("columns", message, line=number, hint=hint)
        elif self.answered and cells[self.place] not in (NOTHING, UNKNOWN):
            self._expressions(number, cells[0], cells[self.place])

    def _expressions(self, line: int, word: str, cell: str) -> None:
        hint = MESSAGES("write_code")
        for code in cell.split(";"):
            match = CODE.fullmatch(code)
            if match is None:
                message = MESSAGES("code", text=brief(cell))
                self.findings.add("code", message, line=line, hint=hint)
                return
            if match[1] not in self.words and match[2] is None:
                message = MESSAGES("no_category", number=match[1])
                self.findings.add("code", message, line=line, hint=hint)
            self.words.setdefault(match[1], []).append(word)
            self.categories.setdefault(match[1], match[2] or "")


def without(text: str, cell: str, sentences: Collection[int] | None = None) -> str:
    """The text with this cell in place of expressions: in all sentences, or those at
    these places."""
    place, current, inside, lines = -1, -1, False, []
    for line in text.split("\n"):
        if match := COLUMNS.match(line):
            names = match[1].split()
            place = names.index(COLUMN) if COLUMN in names else -1
        is_word = bool(line.strip()) and not line.startswith("#")
        current += is_word and not inside
        inside = is_word or (inside and bool(line.strip()))
        if is_word and (sentences is None or current in sentences):
            cells = line.split("\t")
            if len(cells) >= LEAST_COLUMNS:
                cells[place] = cell
            line = "\t".join(cells)
        lines.append(line)
    return "\n".join(lines)
