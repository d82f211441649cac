"""Published files without mentions, guesses by equal names, and gold with mistakes."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from scoring.errors import SetupError
from scoring.options import Options
from scoring.picks import another, each_file, each_published_file, some
from scoring.scorers.coreference.entities import BEGIN, CHUNK, WORD_2012, read
from scoring.scorers.treebanks.blind import NO_SPACE, SHOWN_COMMENTS
from scoring.scorers.treebanks.conllu import FORM, ID, MISC, WIDTH
from scoring.source import Source, decode

HEADER = "# global.Entity = eid-etype-head-other"
SHOWN = (*SHOWN_COMMENTS, "global.Entity")
ATTRIBUTE = "Entity="


def blind(gold: Source, _options: Options) -> Source:
    """The gold without its mentions; of MISC only SpaceAfter stays. Raises SetupError
    where the gold cannot be read."""
    read(gold, SetupError)
    text = decode(gold.name, gold.single())
    hidden = _hidden_2012 if _is_2012(text) else _hidden
    lines = (hidden(line) for line in text.rstrip("\n").split("\n"))
    text_of_lines = "\n".join(line for line in lines if line is not None)
    return Source.of_bytes(gold.name, (text_of_lines + "\n\n").encode())


def _is_2012(text: str) -> bool:
    return text.lstrip().startswith(BEGIN.decode())


def _hidden(line: str) -> str | None:
    if line.startswith("#"):
        return line if line[1:].partition("=")[0].strip() in SHOWN else None
    if not line:
        return line
    *fields, misc = line.split("\t")
    return "\t".join([*fields, NO_SPACE if NO_SPACE in misc.split("|") else "_"])


def _hidden_2012(line: str) -> str:
    if line.startswith("#") or not line.strip():
        return line
    before, _mentions, after = _last(line)
    return f"{before}-{after}"


def _last(line: str) -> tuple[str, str, str]:
    """The last field of a line, and what stands before it and behind."""
    filled = line.rstrip()
    last = filled.split()[-1]
    return filled.removesuffix(last), last, line[len(filled) :]


@each_published_file
def make_guess(blind: Source, _options: Options) -> str:
    """Every name that comes twice or more is an entity: words with a capital letter."""
    text = decode(blind.name, blind.single())
    guess = _guess_2012 if _is_2012(text) else _guess
    return "\n".join(guess(text.rstrip("\n").split("\n"))) + "\n\n"


def _names(forms: list[str]) -> dict[str, int]:
    """Numbers of the names among these words that come twice or more."""
    often = Counter(form for form in forms if len(form) > 1 and form[0].isupper())
    names = [form for form, times in often.items() if times > 1]
    return {name: number for number, name in enumerate(names, 1)}


def _guess(lines: list[str]) -> Iterator[str]:
    rows = [line.split("\t") for line in lines]
    words = [row[FORM] for row in rows if len(row) == WIDTH and row[ID].isdigit()]
    numbers, fields = _names(words), ""
    for line in lines:
        if line.startswith("#") and line[1:].partition("=")[0].strip() == SHOWN[-1]:
            fields = fields or line.partition("=")[2].strip()
    if not fields:
        yield HEADER
        fields = HEADER.partition("=")[2].strip()
    for row in rows:
        if len(row) == WIDTH and row[ID].isdigit() and row[FORM] in numbers:
            entity = f"e{numbers[row[FORM]]}"
            values = {"eid": entity, "GRP": entity, "head": "1", "etype": "name"}
            mention = "-".join(values.get(name, "") for name in fields.split("-"))
            own = [] if row[MISC] == "_" else [row[MISC]]
            row = [*row[:MISC], "|".join([f"{ATTRIBUTE}({mention})", *own])]
        yield "\t".join(row)


def _guess_2012(lines: list[str]) -> Iterator[str]:
    words = [
        line.split()[WORD_2012]
        for line in lines
        if line.strip() and not line.startswith("#")
    ]
    numbers = _names(words)
    for line in lines:
        if line.strip() and not line.startswith("#"):
            number = numbers.get(line.split()[WORD_2012])
            before, _mentions, after = _last(line)
            mention = "-" if number is None else f"({number})"
            line = f"{before}{mention}{after}"
        yield line


@dataclass
class Bracketed:
    """The pieces in which a file writes mentions, of one line: `(e1-person-1-`, `e1)`.

    `before` and `after` are the rest of the line.
    """

    before: str
    chunks: list[str]
    after: str
    is_2012: bool

    def written(self) -> str:
        chunks = [chunk for chunk in self.chunks if chunk]
        if self.is_2012:
            return self.before + ("|".join(chunks) or "-") + self.after
        return self.before + "".join(chunks) + self.after


@each_file
def spoil_mentions(text: str, share: float, random: Random) -> str:
    """Some mentions are gone, some are those of another entity."""
    lines: list[str | Bracketed] = [*map(_bracketed(_is_2012(text)), text.split("\n"))]
    places = [*_mentions(lines)]
    entities = [entity for entity, _ in places]
    for number, (entity, ends) in enumerate(some(places, share, random)):
        other = another(entities, entity, random) if number % 2 else None
        for line, place in ends:
            chunks = line.chunks
            chunks[place] = chunks[place].replace(entity, other, 1) if other else ""
    return "\n".join(
        line if isinstance(line, str) else _tidy(line.written()) for line in lines
    )


def _tidy(line: str) -> str:
    """A line without attributes that have no value any more."""
    fields = line.split("\t")
    if len(fields) == WIDTH:
        kept = [part for part in fields[MISC].split("|") if part != ATTRIBUTE]
        fields[MISC] = "|".join(kept) or "_"
    return "\t".join(fields)


class _bracketed:
    """Cuts lines of one of the formats into pieces."""

    def __init__(self, is_2012: bool) -> None:
        self.is_2012 = is_2012

    def __call__(self, line: str) -> str | Bracketed:
        if line.startswith("#") or not line.strip():
            return line
        if self.is_2012:
            before, last, after = _last(line)
            if "(" in last or ")" in last:
                return Bracketed(before, last.split("|"), after, True)
            return line
        fields = line.split("\t")
        parts = fields[-1].split("|")
        for i, part in enumerate(parts):
            if part.startswith(ATTRIBUTE):
                chunks = CHUNK.findall(part.removeprefix(ATTRIBUTE))
                before = "|".join([*parts[:i], ATTRIBUTE])
                after = "".join("|" + rest for rest in parts[i + 1 :])
                before = "\t".join([*fields[:-1], before])
                return Bracketed(before, chunks, after, False)
        return line


Ends = list[tuple[Bracketed, int]]


def _mentions(lines: list[str | Bracketed]) -> Iterator[tuple[str, Ends]]:
    """Entity and pieces of each mention; those with gaps stay as they are."""
    opened: dict[str, list[Ends]] = defaultdict(list)
    for line in lines:
        if isinstance(line, str):
            continue
        for place, chunk in enumerate(line.chunks):
            entity = chunk.strip("()").partition("-")[0]
            if entity.endswith("]"):
                continue
            if chunk.startswith("("):
                opened[entity].append([])
            if opened[entity]:
                opened[entity][-1].append((line, place))
                if chunk.endswith(")"):
                    yield entity, opened[entity].pop()
