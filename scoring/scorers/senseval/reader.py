"""SENSEVAL files: keys, blind files, lists and sense maps, read block by block.

Lines end at LF; fields are split at any white space; `!!` starts a comment. Memory
grows with what is kept and not with the file.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, islice

import numpy as np
import numpy.typing as npt

from scoring.counts import Flags, Integers
from scoring.errors import Findings, SetupError
from scoring.hints import HINTS
from scoring.messages import Messages, _
from scoring.source import Source, text_of
from scoring.source import brief as brief_text

MESSAGES = Messages(
    with_tag=_("'lexelt instance tag ...' with a tag"),
    with_tag_alone=_("'instance tag ...' with a tag"),
    fields=_("expected %(expected)s."),
    by_spaces=_("Separate them by spaces, all of one instance in one line."),
    long_line=_("the line has more than %(most)s characters."),
    no_weights=_("Take the weights out of the key: only answers have any."),
    one_a_line=_("Write one instance a line."),
    slash=_("a tag holds a slash; expected senses without weights."),
    repeated_instance=_("instance '%(instance)s' has line %(line)s already."),
    instance=_("expected 'lexelt instance' or the instance alone."),
    repeated_sense=_("sense '%(sense)s' has a line already."),
    pairs=_("expected a sense, then pairs of branching factor and parent."),
    branching=_(
        "'%(factor)s %(parent)s' is no branching factor with a new "
        "parent; expected a whole number above 0 and a sense."
    ),
    circle=_("sense '%(sense)s' is its own ancestor."),
)

PIECE = 1 << 16
LONGEST_LINE = 100_000
TAB, LINE_FEED, CARRIAGE_RETURN = 9, 10, 13
FILE_SEPARATOR, UNIT_SEPARATOR, SPACE = 28, 31, 32

# White space for Python beyond ASCII; none of it ends a line.
ODD_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

Texts = npt.NDArray[np.object_]
Row = tuple[int, list[str]]


@dataclass(frozen=True)
class SenseLines:
    """Some lines of a file, blank ones left out, `b` of them.

    `lines` (b,) are their numbers, `sizes` (b,) say how many fields each has, and
    `texts` are all fields in a row.
    """

    lines: Integers
    sizes: Integers
    texts: Texts

    @cached_property
    def begins(self) -> Integers:
        """Index of the first field of each line (b,)."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def lexelts(self) -> list[str]:
        """The first field of every line."""
        lexelts: list[str] = self.texts[self.begins].tolist()
        return lexelts

    @property
    def names(self) -> list[str]:
        """ "lexelt instance" of every line; each needs two fields."""
        instances = self.texts[self.begins + 1].tolist()
        return [*map(" ".join, zip(self.lexelts, instances, strict=True))]

    @property
    def tags(self) -> list[str]:
        """The fields behind the first two of every line, all in a row."""
        behind = np.ones(len(self.texts), dtype=np.bool_)
        behind[self.begins] = behind[self.begins + 1] = False
        tags: list[str] = self.texts[behind].tolist()
        return tags

    @property
    def fields(self) -> list[list[str]]:
        """The fields of every line."""
        bounds = zip(self.begins, self.begins + self.sizes, strict=True)
        return [self.texts[begin:end].tolist() for begin, end in bounds]

    def where(self, chosen: Flags) -> "SenseLines":
        texts = self.texts[np.repeat(chosen, self.sizes)]
        return SenseLines(self.lines[chosen], self.sizes[chosen], texts)

    def at_least(self, fewest: int, expected: str, findings: Findings) -> "SenseLines":
        """This block without lines of too few fields, which go to `findings`."""
        enough = self.sizes >= fewest
        if enough.all():
            return self
        for line in self.lines[~enough].tolist():
            message, hint = MESSAGES("fields", expected=expected), MESSAGES("by_spaces")
            findings.add("fields", message, line=line, hint=hint)
        return self.where(enough)


# Senses as WordNet and BabelNet write them: art%1:09:00::, bn:00005928n.
SENSE_KEY = re.compile(r"\S+%[1-5](?:[:/]\S*)?$|(?:bn|wn):\S+$")
BEFORE_FIELDS = re.compile(r"(?m)^(?=[^\S\n]*(?!!!)\S)")
# What stands for the lexelt in a key that has none.
NO_LEXELT = "- "
LOOKED_AT = 1000


def is_bare(text: str) -> bool:
    """Whether a file has lines of instance and senses, without a lexelt before them, as
    keys of the unified framework for all words (and SemEval-2013, 2015) have: its
    second fields are senses, or there are none."""
    lines = (line.partition("!!")[0].split(None, 2)[:2] for line in text.split("\n"))
    rows = [*islice(filter(None, lines), LOOKED_AT)]
    if all(len(fields) == 1 and "," not in fields[0] for fields in rows):
        return bool(rows)
    return all(len(fields) == 2 and SENSE_KEY.match(fields[1]) for fields in rows)


def with_lexelts(text: str) -> str:
    """Such a file with something before each instance, as all others have."""
    return BEFORE_FIELDS.sub(NO_LEXELT, text)


def without_lexelts(names: list[str]) -> list[str]:
    return [name.removeprefix(NO_LEXELT) for name in names]


def blocks(text: str, findings: Findings) -> Iterator[SenseLines]:
    """All lines that are not blank, comments taken off. A line beyond all measure is a
    finding and left out."""
    first = 1
    for whole in _pieces(text):
        piece = _plain(whole, first, findings)
        sizes = _sizes(piece)
        texts = np.array(piece.split(), dtype=np.object_)
        block = SenseLines(np.arange(first, first + len(sizes)), sizes, texts)
        yield block if sizes.all() else block.where(sizes > 0)
        first += len(sizes)


def _plain(piece: str, first: int, findings: Findings) -> str:
    """The piece without comments, overlong lines and white space beyond ASCII."""
    # One character is found much faster than two.
    if ("!" in piece and "!!" in piece) or len(piece) > LONGEST_LINE:
        lines = [line.partition("!!")[0] for line in piece.split("\n")]
        _drop_long_lines(lines, first, findings)
        piece = "\n".join(lines)
    if not piece.isascii():
        for space in ODD_SPACES:
            piece = piece.replace(space, " ")
    return piece


def _sizes(piece: str) -> Integers:
    """The number of fields of each line, the way `str.split` counts them."""
    text = np.frombuffer(piece.encode("ascii", "replace"), dtype=np.uint8)
    gap = text == SPACE
    for low, high in ((TAB, CARRIAGE_RETURN), (FILE_SEPARATOR, UNIT_SEPARATOR)):
        gap |= text - np.uint8(low) <= high - low
    begins = ~gap
    begins[1:] &= gap[:-1]
    fields = np.flatnonzero(begins)
    so_far = np.searchsorted(fields, np.flatnonzero(text == LINE_FEED))
    return np.diff(so_far, prepend=0, append=len(fields))


def rows(text: str, findings: Findings) -> Iterator[Row]:
    """The lines of `blocks` one by one: number and fields."""
    for block in blocks(text, findings):
        yield from zip(block.lines.tolist(), block.fields, strict=True)


def _pieces(text: str) -> Iterator[str]:
    """The text cut at line ends into pieces of about PIECE characters."""
    size = len(text) - text.endswith("\n")
    start = 0
    while start < size:
        end = text.find("\n", start + PIECE, size)
        end = size if end < 0 else end
        yield text[start:end]
        start = end + 1


def _drop_long_lines(lines: list[str], first: int, findings: Findings) -> None:
    for place, line in enumerate(lines):
        if len(line) > LONGEST_LINE:
            message = MESSAGES("long_line", most=LONGEST_LINE)
            findings.add("long_line", message, line=first + place)
            lines[place] = ""


MOST_SHOWN = 80
MOST_CACHED = 100_000
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Key:
    """Key of `n` instances with `k` senses in all; a blind file has no senses.

    `names` (n,) are "lexelt instance", unique, or the instance alone where the file has
    no lexelts (`bare`), and `lexelts` (n,) their lexelts; `tags` (k,) are the senses,
    none twice in one instance; `instance_of` (k,) is the row of each, ascending.
    """

    names: tuple[str, ...]
    lexelts: tuple[str, ...]
    tags: tuple[str, ...]
    instance_of: Integers

    @property
    def bare(self) -> bool:
        """Whether instances are named without a lexelt."""
        return bool(self.names) and " " not in self.names[0]

    @property
    def sizes(self) -> Integers:
        """Senses of each instance, shape (n,)."""
        return np.bincount(self.instance_of, minlength=len(self.names))

    def keep(self, instances: Flags) -> "Key":
        """This key with the instances of the mask (n,) only."""
        if instances.all():
            return self
        place = np.cumsum(instances) - 1
        kept = instances[self.instance_of]
        return Key(
            tuple(compress(self.names, instances.tolist())),
            tuple(compress(self.lexelts, instances.tolist())),
            tuple(compress(self.tags, kept.tolist())),
            place[self.instance_of[kept]],
        )

    def keep_tags(self, tags: Flags) -> "Key":
        """This key with the senses of the mask (k,) only, and no emptied instance."""
        chosen = tuple(compress(self.tags, tags.tolist()))
        fewer = Key(self.names, self.lexelts, chosen, self.instance_of[tags])
        return fewer.keep(fewer.sizes > 0)


def brief(text: str) -> str:
    """A piece of a file as messages of senses print it."""
    return brief_text(text, MOST_SHOWN)


def list_text(source: Source) -> str:
    """The text of a list, which may be empty. Raises SetupError when there is not one
    file or it is not UTF-8."""
    if len(source.files) == 1 and not source.single().removeprefix(BOM).strip():
        return ""
    return text_of(source, SetupError)


def read_key(source: Source) -> Key:
    """Read lines of `lexelt instance tag ...`, or of `instance tag ...` (`is_bare`),
    whose lexelts are those of the senses; a repeated tag counts once.

    Raises SetupError with the line for an instance that comes twice, a line without
    a tag, and a tag with a slash, which no answer could name.
    """
    findings = Findings(source.name)
    lines, names, lexelts = list[int](), list[str](), list[str]()
    tags, sizes = list[str](), [np.zeros(0, dtype=np.int64)]
    cache: dict[str, str] = {}
    text = text_of(source, SetupError)
    if bare := is_bare(text):
        text = with_lexelts(text)
    expected = MESSAGES("with_tag_alone" if bare else "with_tag")
    for whole in blocks(text, findings):
        block = whole.at_least(3, expected, findings)
        block = _without_repeats(block)
        lines += block.lines.tolist()
        names += block.names
        lexelts += intern_texts(block.lexelts, cache)
        sizes.append(block.sizes - 2)
        tags += intern_texts(block.tags, cache)
        _refuse_slashes(block, findings)
    if bare:
        names = without_lexelts(names)
    _refuse_repeated(lines, names, findings)
    findings.raise_if_any(SetupError)
    instance_of = np.repeat(np.arange(len(names)), np.concatenate(sizes))
    if bare:
        firsts = np.unique(instance_of, return_index=True)[1].tolist()
        lexelts = [_lexelt_of(tags[first]) for first in firsts]
    return Key(tuple(names), tuple(lexelts), tuple(tags), instance_of)


def _lexelt_of(sense: str) -> str:
    """The lexelt that a sense of WordNet belongs to: art.n for art%1:09:00::."""
    lemma, _percent, rest = sense.rpartition("%")
    return f"{lemma}.{PARTS_OF_SPEECH[rest[:1]]}" if lemma else NO_LEXELT.strip()


PARTS_OF_SPEECH = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


def intern_texts(texts: list[str], cache: dict[str, str]) -> Iterator[str]:
    """These texts; equal ones share one string, so that memory is not used twice."""
    if len(cache) > MOST_CACHED:
        cache.clear()
    return map(cache.setdefault, texts, texts)


def _without_repeats(block: SenseLines) -> SenseLines:
    """Each tag of a line once."""
    kept = np.ones(len(block.texts), dtype=np.bool_)
    for row in np.flatnonzero(block.sizes > 3).tolist():
        begin = int(block.begins[row]) + 2
        tags = block.texts[begin : begin + int(block.sizes[row]) - 2].tolist()
        if len(set(tags)) < len(tags):
            seen = set[str]()
            for place, tag in enumerate(tags, begin):
                kept[place] = tag not in seen
                seen.add(tag)
    if kept.all():
        return block
    sizes = np.add.reduceat(kept, block.begins, dtype=np.int64)
    return SenseLines(block.lines, sizes, block.texts[kept])


def _refuse_slashes(block: SenseLines, findings: Findings) -> None:
    if "/" not in "".join(block.tags):
        return
    for line, fields in zip(block.lines.tolist(), block.fields, strict=True):
        if any("/" in sense for sense in fields[2:]):
            message, hint = MESSAGES("slash"), MESSAGES("no_weights")
            findings.add("tag", message, line=line, hint=hint)


def read_instances(source: Source) -> Key:
    """Read a blind file: `lexelt instance`, or the instance where there are no lexelts;
    whatever follows is passed over. Raises SetupError with the line for an instance
    that comes twice."""
    findings = Findings(source.name)
    lines, names, lexelts = list[int](), list[str](), list[str]()
    text = list_text(source)
    if bare := is_bare(text):
        text = with_lexelts(text)
    for whole in blocks(text, findings):
        block = whole.at_least(2, "'lexelt instance'", findings)
        lines += block.lines.tolist()
        names += block.names
        lexelts += block.lexelts
    names = without_lexelts(names) if bare else names
    _refuse_repeated(lines, names, findings)
    findings.raise_if_any(SetupError)
    return Key(tuple(names), tuple(lexelts), (), np.zeros(0, dtype=np.int64))


def _refuse_repeated(lines: list[int], names: list[str], findings: Findings) -> None:
    # A set of very many names is slow; nearly always their hashes say enough.
    hashes = np.sort(np.fromiter(map(hash, names), np.int64, len(names)))
    if not (hashes[1:] == hashes[:-1]).any():
        return
    first: dict[str, int] = {}
    for line, name in zip(lines, names, strict=True):
        if first.setdefault(name, line) != line:
            message = MESSAGES(
                "repeated_instance", instance=brief(name), line=first[name]
            )
            findings.add("duplicate", message, line=line, unit=brief(name))


def read_senses(source: Source) -> frozenset[str]:
    """Read a list of senses, split at any white space; an empty file has none. Raises
    SetupError."""
    findings = Findings(source.name)
    read = list(rows(list_text(source), findings))
    findings.raise_if_any(SetupError)
    return frozenset(sense for _, fields in read for sense in fields)


def read_instance_list(source: Source) -> frozenset[str]:
    """Read a list of "lexelt instance" or instance alone; an empty file has none.
    Raises SetupError with the line of an entry of more than two fields."""
    findings = Findings(source.name)
    entries = set()
    for line, fields in rows(list_text(source), findings):
        if len(fields) > 2:
            message, hint = MESSAGES("instance"), MESSAGES("one_a_line")
            findings.add("fields", message, line=line, hint=hint)
        entries.add(" ".join(fields))
    findings.raise_if_any(SetupError)
    return frozenset(entries)


ALWAYS_KNOWN = frozenset(("U", "P", "TYPO"))
MOST_DIGITS = 9

Chain = dict[str, float]


@dataclass(frozen=True)
class SenseMap:
    """Hierarchy of senses: `chains` gives each its ancestors, nearest first.

    The value of an ancestor is what it earns when it is guessed for the sense: one by
    the product of the branching factors up to it.
    """

    chains: Mapping[str, Chain]
    known: frozenset[str]

    def coarse(self, sense: str) -> str:
        """The topmost ancestor, the sense itself where it has none."""
        return next(reversed(self.chains.get(sense) or (sense,)))


def read_sense_map(source: Source) -> SenseMap:
    """Read lines of `sense [branching parent branching grandparent ...]`.

    Raises SetupError with the line for a sense that comes twice, a parent without its
    branching factor or the other way round, a factor that is no whole number above
    0, and a sense that is its own ancestor.
    """
    findings = Findings(source.name)
    chains: dict[str, Chain] = {}
    lines: dict[str, int] = {}
    for line, fields in rows(text_of(source, SetupError), findings):
        sense = fields[0]
        if sense in chains:
            message = MESSAGES("repeated_sense", sense=brief(sense))
            findings.add("duplicate", message, line=line)
            continue
        chains[sense] = _chain(fields, line, findings)
        lines[sense] = line
    _refuse_circles(chains, lines, findings)
    findings.raise_if_any(SetupError)
    named = {ancestor for chain in chains.values() for ancestor in chain}
    return SenseMap(chains, ALWAYS_KNOWN | chains.keys() | named)


def _chain(fields: list[str], line: int, findings: Findings) -> Chain:
    chain: Chain = {}
    branches = 1
    if len(fields) % 2 == 0:
        message, hint = MESSAGES("pairs"), HINTS("branching")
        findings.add("fields", message, line=line, hint=hint)
        return chain
    for factor, parent in zip(fields[1::2], fields[2::2], strict=True):
        number = _branching(factor)
        if not number or parent in chain:
            message = MESSAGES("branching", factor=brief(factor), parent=brief(parent))
            findings.add("branching", message, line=line)
            break
        branches *= number
        chain[parent] = 1 / branches
    return chain


def _branching(text: str) -> int:
    fine = text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
    return int(text) if fine else 0


def _refuse_circles(
    chains: Mapping[str, Chain], lines: Mapping[str, int], findings: Findings
) -> None:
    for sense, chain in chains.items():
        if any(
            ancestor == sense or sense in chains.get(ancestor, ()) for ancestor in chain
        ):
            message = MESSAGES("circle", sense=brief(sense))
            findings.add("circle", message, line=lines[sense])
