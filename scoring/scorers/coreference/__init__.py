"""Coreference: entities and their mentions, by the measures of CoNLL-2012 and CRAC."""

from collections import Counter
from dataclasses import replace

from scoring.answered import Answered
from scoring.errors import Problem, Refused, SetupError
from scoring.messages import Messages, _
from scoring.options import Option, Options
from scoring.outlines import Outline, Sentences, blocks, text_of
from scoring.scorer import Scorer, answer_itself
from scoring.scorers.coreference import entities
from scoring.scorers.coreference.counts import count
from scoring.scorers.coreference.details import details, inspect
from scoring.scorers.coreference.entities import COREFUD, Discourse
from scoring.scorers.coreference.examples import blind, make_guess, spoil_mentions
from scoring.scorers.coreference.figures import MEASURES, tables
from scoring.scorers.coreference.mention_pairs import EXACT, HEAD, PARTIAL
from scoring.scorers.treebanks.outline import trees
from scoring.source import Source

MESSAGES = Messages(
    no_heads=_("match is '%(match)s', and the gold tells no heads of mentions."),
    no_heads_hint=_(
        "Choose match=exact, or a gold in CoNLL-U whose '# global.Entity' names a "
        "field head."
    ),
    no_entity=_("there is no mention of any entity."),
    all_alone=_("all entities of the file have one mention and are left out."),
    no_entity_hint=_("See whether this is the file you meant."),
)

OPTIONS = (
    Option(
        "match",
        "which mentions are the same: those of the same words (exact); one within the "
        "gold's that has its head (partial); those of the same head (head)",
        "choice",
        EXACT,
        (EXACT, PARTIAL, HEAD),
    ),
    Option("singletons", "count entities of one mention, too", "flag"),
)


def read_gold(source: Source, options: Options) -> Discourse:
    """Raises SetupError for what cannot be read, and where nothing is to be found."""
    gold = entities.read(source, SetupError)
    if options["match"] != EXACT and not gold.headed:
        message = MESSAGES("no_heads", match=options["match"])
        hint = MESSAGES("no_heads_hint")
        raise SetupError(Problem("option", message, source.name, hint=hint))
    if not gold.mentions:
        message, hint = MESSAGES("no_entity"), MESSAGES("no_entity_hint")
        raise SetupError(Problem("entities", message, source.name, hint=hint))
    return gold


def read_blind(source: Source, _options: Options) -> Discourse:
    return entities.read(source, SetupError)


def read_system(source: Source, _options: Options, gold: Discourse) -> Discourse:
    return entities.pair_documents(entities.read(source, Refused), gold)


def outline(source: Source, options: Options) -> Outline:
    """Sentences of either format by their words."""
    if not entities.may_have_columns(source.single()):
        return trees(source, options)
    sentences = Sentences()
    for first, block in blocks(text_of(source)):
        lines = [(n, line.split()) for n, line in enumerate(block, first)]
        rows = [(n, cells[3]) for n, cells in lines if len(cells) > 4]
        rows = [(n, word) for n, word in rows if not block[n - first].startswith("#")]
        if rows:
            sentences.add("", [word for _n, word in rows], [n for n, _word in rows])
    return sentences.outline()


def count_answers(_asked: Discourse, system: Discourse, _options: Options) -> Answered:
    """How the documents are answered: by no mention, or by one entity alone."""
    size, mentions = len(system.documents), system.mentions
    owners = {mention.entity for mention in mentions}
    instead = (system.like_entity, "Entity=") if system.like_entity else None
    empty = 0 if mentions else size
    coverage = Answered(size, size, empty, units="documents", instead=instead)
    if len(owners) > 1 or not mentions:
        return coverage
    return replace(coverage, met=len(mentions), single=mentions[0].entity)


def remarks(_gold: Discourse, system: Discourse, options: Options) -> list[str]:
    """Remarks on what counts otherwise than the system's team may think."""
    remarks = _several(system)
    if options["match"] == HEAD and system.kind == COREFUD and not system.headed:
        remarks.append("no heads are told: the first word of each mention is taken")
    return remarks


def notes(system: Discourse, options: Options) -> list[Problem]:
    """A remark on entities that are all left out."""
    sizes = Counter(mention.entity for mention in system.mentions)
    if options["singletons"] or max(sizes.values(), default=0) != 1:
        return []
    return [Problem("left_out", MESSAGES("all_alone"), system.name)]


def gold_remarks(gold: Discourse, options: Options) -> list[str]:
    """The same of the gold, and whether every entity of it is left out."""
    sizes = Counter(mention.entity for mention in gold.mentions)
    remarks = _several(gold)
    if not options["singletons"] and max(sizes.values()) == 1:
        remarks.append(
            "all entities have one mention and are left out: singletons=true"
        )
    return remarks


def _several(side: Discourse) -> list[str]:
    owners: dict[tuple[int, ...], set[str]] = {}
    places: dict[str, set[int]] = {}
    for mention in side.mentions:
        owners.setdefault(mention.nodes, set()).add(mention.entity)
        document = int(side.document_of[mention.sentence])
        places.setdefault(mention.entity, set()).add(document)
    again = len(side.mentions) - sum(map(len, owners.values()))
    several = sum(len(own) > 1 for own in owners.values())
    spread = sum(len(own) > 1 for own in places.values())
    remarks = []
    if several:
        remarks.append(
            f"{several} stretches of words are mentions of several entities: in most "
            "measures the last of these counts"
        )
    if again:
        remarks.append(
            f"{again} mentions are written again for the same entity and words: they "
            "count once (the CorefUD scorer counts each)"
        )
    if spread:
        remarks.append(
            f"{spread} names of entities occur in several documents: they are "
            "different entities in each"
        )
    return remarks


EXAMPLE = """\
# newdoc id = harbour
# global.Entity = eid-etype-head-other
# sent_id = 1
1\tThe\tthe\tDET\t_\t_\t3\tdet\t_\tEntity=(e1-place-3-
2\told\told\tADJ\t_\t_\t3\tamod\t_\t_
3\tharbour\tharbour\tNOUN\t_\t_\t4\tnsubj\t_\tEntity=e1)
4\tsleeps\tsleep\tVERB\t_\t_\t0\troot\t_\t_

# sent_id = 2
1\tAda\tAda\tPROPN\t_\t_\t2\tnsubj\t_\tEntity=(e2-person-1-)
2\tloves\tlove\tVERB\t_\t_\t0\troot\t_\t_
3\tit\tit\tPRON\t_\t_\t2\tobj\t_\tEntity=(e1-place-1-)

# newdoc id = lighthouse
# sent_id = 3
1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\tEntity=(e3-person-1-)
2\tkeeps\tkeep\tVERB\t_\t_\t0\troot\t_\t_
3\ther\tshe\tPRON\t_\t_\t4\tnmod\t_\tEntity=(e4-thing-2-(e3-person-1-)
4\tlamp\tlamp\tNOUN\t_\t_\t2\tobj\t_\tEntity=e4)
5\tand\tand\tCCONJ\t_\t_\t6\tcc\t_\t_
6\tcleans\tclean\tVERB\t_\t_\t2\tconj\t_\t_
7\tit\tit\tPRON\t_\t_\t6\tobj\t_\tEntity=(e4-thing-1-)

"""

SCORER = Scorer(
    name="coreference",
    title=_("Coreference"),
    summary=_(
        "Which stretches of a text speak of the same thing: CoNLL F1 with MUC, B³ and "
        "CEAF, BLANC, LEA and the overlap of mentions, as the CorefUD scorer has them."
    ),
    formats=("CorefUD in CoNLL-U", "CoNLL-2012"),
    example=EXAMPLE,
    units=("document",),
    headline="conll_f1",
    options=OPTIONS,
    fixed_measures=MEASURES,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind,
    tables=tables,
    remarks=remarks,
    answered=count_answers,
    notes=notes,
    gold_remarks=gold_remarks,
    guess=make_guess,
    spoil=spoil_mentions,
    inspect=inspect,
    stand_in=answer_itself,
    outline=outline,
)
