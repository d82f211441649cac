"""The published file made out of gold: words without their analysis."""

from scoring.formats.conllu import WIDTH
from scoring.options import Options
from scoring.source import Source, decode

SHOWN_COMMENTS = ("sent_id", "text", "newdoc id", "newpar id", "genre")


def blind_words(gold: Source, _options: Options) -> Source:
    """ID, FORM and SpaceAfter of every line; text, id and genre comments."""
    lines = decode(gold.name, gold.single()).split("\n")
    kept = (_hidden(line) for line in lines if _shown(line))
    text = "\n".join(kept).rstrip("\n") + "\n\n"
    return Source.of_bytes(gold.name, text.encode())


def _shown(line: str) -> bool:
    name = line.lstrip("# ").partition("=")[0].strip()
    return not line.startswith("#") or name in SHOWN_COMMENTS


def _hidden(line: str) -> str:
    if not line or line.startswith("#"):
        return line
    fields = line.split("\t")
    spacing = [p for p in fields[-1].split("|") if p.startswith("SpaceAfter=")]
    return "\t".join([*fields[:2], *"_" * (WIDTH - 3), "|".join(spacing) or "_"])
