"""Relations of Universal Dependencies: their classes and weights (seed 003)."""

from scoring.errors import Findings, SetupError
from scoring.options import Options

CONTENT = {
    "ud1": "acl advcl advmod amod appos ccomp compound conj csubj csubjpass dislocated "
    "dobj iobj list name nmod nsubj nsubjpass nummod parataxis remnant root vocative "
    "xcomp",
    "ud2": "acl advcl advmod amod appos ccomp compound conj csubj dislocated flat iobj "
    "list nmod nsubj nummod obj obl orphan parataxis root vocative xcomp",
}
FUNCTION = {
    "ud1": "aux auxpass case cc cop det expl mark neg mwe",
    "ud2": "aux case cc clf cop det expl fixed mark",
}
CLASSES = {"content": CONTENT, "function": FUNCTION}
DEFAULT_WEIGHT = 0.5
PUNCT = "punct"


def coarse(relation: str) -> str:
    return relation.partition(":")[0]


def relations_of(name: str, options: Options) -> tuple[str, ...]:
    """The task's own list of content or function relations, or the shipped one."""
    return options[name] or tuple(CLASSES[name][options["relations"]].split())


def weight_of(weights: dict[str, float], relation: str) -> float:
    return 0.0 if relation == PUNCT else weights.get(relation, DEFAULT_WEIGHT)


def check_lists(options: Options) -> None:
    """Raise SetupError for a relation that could never count, or would count twice."""
    content, function = (set(options[name]) for name in CLASSES)
    findings = Findings("")
    if content & function:
        both = ", ".join(sorted(content & function))
        findings.add("relation_lists", f"in both content and function: {both}.")
    with_subtype = sorted(r for r in content | function if r != coarse(r))
    if with_subtype:
        message = "the class of a relation is decided by its part before the colon"
        findings.add("relation_lists", f"{message}: {', '.join(with_subtype)}.")
    findings.raise_if_any(SetupError)
