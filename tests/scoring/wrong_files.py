"""Wrong files: right ones of each scorer, and mistakes that people make with them.

Words are invented here; every file is made anew from them, and a mistake is a function
of its lines.
"""

from collections.abc import Callable, Sequence
from io import BytesIO
from random import Random
from zipfile import ZipFile

PROSE = (
    "reed bends wind otter sleeps river tall grey lantern shore quiet drifts boat "
    "heron waits among stones water slow evening light over bridge mill turns"
)
WORDS = PROSE.split()
SIZE = 40
Lines = list[str]
Mistake = Callable[[Lines], Lines]


def sentences(seed: int = 1, size: int = SIZE) -> list[list[str]]:
    """Sentences of five to nine words and a full stop, no two alike."""
    random = Random(seed)
    made: dict[str, list[str]] = {}
    while len(made) < size:
        words = random.choices(WORDS, k=random.randint(4, 8))
        words = [words[0].capitalize(), *words[1:], "."]
        made.setdefault(" ".join(words), words)
    return list(made.values())


def trees(seed: int = 1, name: str = "dev", filled: bool = True, **_more: str) -> Lines:
    """CoNLL-U: each word hangs on the next one, the last is the root."""
    lines = []
    for number, words in enumerate(sentences(seed), 1):
        lines.append(f"# sent_id = {name}-{number}")
        for i, word in enumerate(words, 1):
            head = str(i + 1) if i < len(words) else "0"
            cells = (head, "dep") if filled else ("_", "_")
            lines.append("\t".join([str(i), word, *"____", *cells, "_", "_"]))
        lines.append("")
    return lines


def tags(seed: int = 1, filled: bool = True, marks: bool = False) -> Lines:
    """CoNLL columns: the second word of each sentence is a place."""
    lines = []
    for number, words in enumerate(sentences(seed)):
        if marks and number % 10 == 0:
            lines += ["-DOCSTART-\tO", ""]
        for i, word in enumerate(words):
            tag = {1: "B-PLACE", 2: "I-PLACE"}.get(i, "O")
            lines.append(f"{word}\t{tag if filled else 'O'}")
        lines.append("")
    return lines


def parts(seed: int = 1, filled: bool = True) -> Lines:
    """A tag for every token: NOUN and VERB in turn."""
    lines = []
    for words in sentences(seed):
        kinds = ["NOUN" if i % 2 else "VERB" for i in range(len(words) - 1)]
        both = zip(words, [*kinds, "PUNCT"], strict=True)
        lines += [f"{word}\t{tag if filled else '_'}" for word, tag in both]
        lines.append("")
    return lines


def table(
    answers: Sequence[str], column: str = "", name: str = "item", separator: str = ","
) -> Lines:
    """A table of ids and, where a column is named, an answer for each."""
    rows = [f"{name}-{number:03d}" for number in range(1, SIZE + 1)]
    if not column:
        return ["id", *rows]
    cells = [answers[i % len(answers)] for i in range(SIZE)]
    both = zip(rows, cells, strict=True)
    return [f"id{separator}{column}", *(f"{a}{separator}{b}" for a, b in both)]


def run(name: str = "q") -> Lines:
    """A TREC run of three documents for each of some topics."""
    return [
        f"{name}{topic} Q0 d{topic}{rank} {rank} {9 - rank}.5 mine"
        for topic in range(1, 11)
        for rank in (1, 2, 3)
    ]


def corrections(seed: int = 1, filled: bool = True) -> Lines:
    """M2: the second word of each sentence is to be another."""
    edit = "A 1 2|||R:NOUN|||boat|||REQUIRED|||-NONE-|||0"
    return [
        line
        for words in sentences(seed)
        for line in (f"S {' '.join(words)}", *[edit] * filled, "")
    ]


def mentions(seed: int = 1, name: str = "dev", filled: bool = True) -> Lines:
    """CorefUD: the first word of each sentence is a mention of one entity."""
    lines = ["# global.Entity = eid-etype-head-other", *trees(seed, name, False)]
    for i, line in enumerate(lines):
        if filled and line.startswith("1\t"):
            lines[i] = line.removesuffix("_") + "Entity=(e1-x-1-)"
    return lines


def columns_of_mentions(seed: int = 1, filled: bool = True) -> Lines:
    """CoNLL-2012: the same, in one document."""
    lines = ["#begin document (shore); part 000"]
    for words in sentences(seed):
        for i, word in enumerate(words):
            lines.append(f"shore 0 {i} {word} * {'-' if i or not filled else '(1)'}")
        lines.append("")
    return [*lines, "#end document"]


def opinions(name: str = "review", filled: bool = True) -> Lines:
    """JSON Lines: an item with one record each."""
    record = '{"aspect": "boat", "opinion": "slow"}'
    answer = f', "tuples": [{record}]' if filled else ""
    return [f'{{"id": "{name}-{n:03d}"{answer}}}' for n in range(1, SIZE + 1)]


def grades(name: str = "", filled: bool = True) -> Lines:
    """A table with a score of each of four systems for ten segments."""
    return [
        f"system,segment{',score' * filled}",
        *(
            f"{system},{name}{segment}{f',0.{segment}' * filled}"
            for system in ("gull", "heron", "tern", "wren")
            for segment in range(1, 11)
        ),
    ]


# Mistakes: functions of lines.


def unit(lines: Lines, number: int) -> slice:
    """Where the sentence of this number, from 0, stands, its blank line included."""
    ends = [i + 1 for i, line in enumerate(lines) if not line]
    begins = [0, *ends]
    return slice(begins[number], ends[number])


def without(*numbers: int) -> Mistake:
    def mistake(lines: Lines) -> Lines:
        kept = list(lines)
        for number in sorted(numbers, reverse=True):
            del kept[unit(kept, number)]
        return kept

    return mistake


def doubled(number: int) -> Mistake:
    def mistake(lines: Lines) -> Lines:
        place = unit(lines, number)
        return [*lines[: place.stop], *lines[place], *lines[place.stop :]]

    return mistake


def turned(lines: Lines) -> Lines:
    """The sentences from the last to the first."""
    count = lines.count("")
    return [line for n in reversed(range(count)) for line in lines[unit(lines, n)]]


def first_sentences(count: int) -> Mistake:
    return lambda lines: lines[: unit(lines, count - 1).stop]


def last_sentences(count: int) -> Mistake:
    return lambda lines: lines[unit(lines, SIZE - count).start :]


def each(change: Callable[[str], str]) -> Mistake:
    """Another line for every one that is not blank."""
    return lambda lines: [change(line) if line else line for line in lines]


def at(number: int, change: Callable[[str], str]) -> Mistake:
    """Another line for this one, from 1."""

    def mistake(lines: Lines) -> Lines:
        changed = list(lines)
        changed[number - 1] = change(lines[number - 1])
        return changed

    return mistake


def dropped(*numbers: int) -> Mistake:
    """Lines of these numbers, from 1, left out."""
    return lambda lines: [x for i, x in enumerate(lines, 1) if i not in numbers]


def repeated(number: int) -> Mistake:
    return lambda lines: [*lines[:number], lines[number - 1], *lines[number:]]


def together(*mistakes: Mistake) -> Mistake:
    def mistake(lines: Lines) -> Lines:
        for one in mistakes:
            lines = one(lines)
        return lines

    return mistake


def cell(column: int, change: Callable[[str], str], mark: str = "\t") -> Mistake:
    """Another text in a column, from 0, of every line that has it."""

    def changed(line: str) -> str:
        fields = line.split(mark)
        if len(fields) > column:
            fields[column] = change(fields[column])
        return mark.join(fields)

    return each(changed)


def body(mistake: Mistake) -> Mistake:
    """The mistake below the header."""
    return lambda lines: [lines[0], *mistake(lines[1:])]


def zipped(text: bytes) -> bytes:
    """A zip of one file."""
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("answers", text)
    return packed.getvalue()
