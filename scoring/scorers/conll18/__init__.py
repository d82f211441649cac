"""The 13 scores of the CoNLL 2018 shared task (SCORING.md, `conll18`).

Tokens, sentences and words need not be the gold's: they are compared as stretches of
the same text, and words are paired before anything else is compared.
"""

from scoring.counts import Counts
from scoring.errors import Refused, SetupError
from scoring.formats import surface
from scoring.formats.blind import blind_text
from scoring.formats.surface import RawText, Surface
from scoring.inspecting import Inspection
from scoring.options import Option, Options
from scoring.scorer import Details, Scorer
from scoring.scorers.conll18 import matching, rows
from scoring.scorers.conll18.scores import measures, tables
from scoring.source import Source

OPTIONS = (
    Option("roots", "roots per sentence", "choice", "single", ("single", "any")),
)


def read_gold(source: Source, options: Options) -> Surface:
    return surface.read(source, SetupError, options["roots"] == "single")


def read_blind(source: Source, _options: Options) -> RawText:
    return surface.read_text(source)


def read_system(source: Source, options: Options, gold: Surface | RawText) -> Surface:
    system = surface.read(source, Refused, options["roots"] == "single")
    surface.pair(system, gold)
    return system


def count(gold: Surface, system: Surface, _options: Options) -> Counts:
    return matching.count(gold, system)


def details(gold: Surface, system: Surface, _options: Options) -> Details:
    return rows.details(gold, system)


def inspect(gold: Surface, system: Surface, _options: Options) -> Inspection:
    return rows.inspection(gold, system)


EXAMPLE = """\
# sent_id = 1
1-2\tcannot\t_\t_\t_\t_\t_\t_\t_\t_
1\tcan\tcan\tAUX\t_\tVerbForm=Fin\t3\taux\t_\t_
2\tnot\tnot\tPART\t_\tPolarity=Neg\t3\tadvmod\t_\t_
3\tswim\tswim\tVERB\t_\tVerbForm=Inf\t0\troot\t_\t_
"""

SCORER = Scorer(
    name="conll18",
    title="CoNLL 2018",
    summary="From raw text to trees: tokens, sentences, words, tags, lemmas and "
    "dependencies, whatever the tokenisation.",
    formats=("CoNLL-U",),
    example=EXAMPLE,
    units=("sentence", "document"),
    headline="las",
    options=OPTIONS,
    measures=measures,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind_text,
    tables=tables,
    inspect=inspect,
)
