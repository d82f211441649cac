"""Published files made out of gold: words, or running text, without the analysis."""

from collections.abc import Iterator

from scoring.errors import SetupError
from scoring.options import Options
from scoring.scorers.treebanks import conllu
from scoring.scorers.treebanks.conllu import EMPTY_ID, RANGE_ID, WIDTH
from scoring.source import Source, decode

SHOWN_COMMENTS = (
    "sent_id",
    "text",
    "newdoc",
    "newdoc id",
    "newpar",
    "newpar id",
    "genre",
    "meta::genre",
)
BREAKS = (["newdoc"], ["newpar"])
NO_SPACE = "SpaceAfter=No"


def blind_words(gold: Source, _options: Options) -> Source:
    """ID, FORM and SpaceAfter of every line; text, id and genre comments. Raises
    SetupError where gold is no CoNLL-U."""
    text = "\n".join(map(_hidden, _lines(gold))).rstrip("\n") + "\n\n"
    return Source.of_bytes(gold.name, text.encode())


def blind_surface(gold: Source, options: Options) -> Source:
    """The file of `blind_words` without empty nodes, which tell of the analysis."""
    lines = decode(gold.name, blind_words(gold, options).single()).split("\n")
    words = (line for line in lines if not EMPTY_ID.match(line))
    return Source.of_bytes(gold.name, "\n".join(words).encode())


def blind_text(gold: Source, _options: Options) -> Source:
    """Running text: neither words nor sentences, a blank line between paragraphs.
    Raises SetupError where gold is no CoNLL-U."""
    paragraphs: list[list[str]] = [[]]
    covered = 0
    for line in _lines(gold):
        identity, _, rest = line.partition("\t")
        if line.startswith("#"):
            if line[1:].split()[:1] in BREAKS:
                paragraphs.append([])
        elif not line:
            covered = 0
        elif RANGE_ID.match(identity) or (
            identity.isdigit() and int(identity) > covered
        ):
            covered = max(covered, int(identity.rpartition("-")[2]))
            form, _, rest = rest.partition("\t")
            spaced = NO_SPACE not in rest.rpartition("\t")[2].split("|")
            paragraphs[-1].append(form + " " * spaced)
    text = "\n\n".join("".join(p).rstrip(" ") for p in paragraphs if p) + "\n"
    return Source.of_bytes(f"{gold.name.removesuffix('.conllu')}.txt", text.encode())


def _lines(gold: Source) -> Iterator[str]:
    """Lines of a checked file, comments that tell too much left out."""
    conllu.read(gold.name, gold.single(), SetupError, extra_columns=True)
    for line in decode(gold.name, gold.single()).split("\n"):
        name = line[1:].partition("=")[0].strip()
        if not line.startswith("#") or name in SHOWN_COMMENTS:
            yield line


def _hidden(line: str) -> str:
    if not line or line.startswith("#"):
        return line
    fields = line.split("\t")
    spacing = [p for p in fields[-1].split("|") if p.startswith("SpaceAfter=")]
    return "\t".join([*fields[:2], *"_" * (WIDTH - 3), "|".join(spacing) or "_"])
