"""UNL documents, sentences with a graph and texts, and the graphs (SCORING.md).

A graph that does not parse is an answer that was not returned, not a broken file.
"""

import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field

from scoring.errors import Findings, ScoringError
from scoring.messages import Messages, _
from scoring.source import Source, brief, decode

MESSAGES = Messages(
    stray_in_sentence=_("'%(text)s' where a {unl} or text block was expected."),
    stray_text=_("'%(text)s' where [S:id] was expected."),
    unknown_sentence=_("sentence '%(sentence)s' is not in this test set."),
    repeated_sentence=_("sentence '%(sentence)s' again, after line %(line)s."),
    no_sentence=_("no sentence found; expected [S:id] {unl} ... {/unl} [/S]"),
    sentence_id=_("the sentence's id is '%(id)s'; expected [S:id]."),
    end_without_begin=_("[/S] without [S:id] before it."),
    not_closed=_("%(mark)s is not closed."),
    without=_("%(mark)s without %(before)s before it."),
    second_unl=_("a second {unl} in one sentence; expected one."),
    empty=_("empty expression"),
    long=_("longer than %(most)s characters"),
    relation=_("expected relation(node, node) at '%(text)s'"),
    two_nodes=_("a relation needs two nodes: '%(text)s'"),
    uw=_("expected a UW at '%(text)s'"),
)

TAG = re.compile(
    r"""\[ (?P<end>/)? (?P<frame>[DPS]) (?: : (?P<id>[^\[\]\n]*) )? \]
      | \{ (?P<close>/)? (?P<name>[A-Za-z]++) (?P<more>[^{}\n]*+) \}""",
    re.VERBOSE,
)
UNL, ORIGINAL = "unl", "org"
# No database and no array of names keeps it.
NUL = "\0"


@dataclass(frozen=True, slots=True)
class UnlBlock:
    """Text between {name} and {/name}, and the line on which it begins.

    `name` is `unl`, a language, or `org:` and a language.
    """

    name: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """One [S:id] with its blocks, in the order of the file."""

    id: str
    line: int
    document: str
    blocks: tuple[UnlBlock, ...]

    @property
    def graph(self) -> UnlBlock | None:
        """The {unl} block, the first where there are several."""
        return next((block for block in self.blocks if block.name == UNL), None)

    @property
    def originals(self) -> list[str]:
        """The texts that are called the original, in whatever language."""
        begin = f"{ORIGINAL}:"
        return [b.text.strip() for b in self.blocks if b.name.startswith(begin)]

    def texts(self, language: str) -> tuple[str, ...]:
        """Every {language} text; the {org:language} ones where there is none."""
        return self.answers(language) or self.answers(f"{ORIGINAL}:{language}")

    def answers(self, language: str) -> tuple[str, ...]:
        """Every {language} text. What an answer calls the original is none."""
        return tuple(block.text for block in self.blocks if block.name == language)


Sentences = dict[str, Sentence]


def read(
    source: Source, kind: type[ScoringError], expected: Container[str] | None = None
) -> Sentences:
    """Sentences by id, in the order of the file.

    Raises `kind` with every line where the frame is broken, an id is repeated or (with
    `expected`) is not among the expected ones, and for a file without sentences.
    """
    reader = _Reader(source.name, decode(source.name, source.single(kind), kind))
    sentences: Sentences = {}
    for sentence in reader.sentences():
        if expected is not None and sentence.id not in expected:
            message = MESSAGES("unknown_sentence", sentence=brief(sentence.id))
            _report(reader.findings, "unknown_sentence", message, sentence)
        elif sentence.id in sentences:
            first = sentences[sentence.id].line
            message = MESSAGES(
                "repeated_sentence", sentence=brief(sentence.id), line=first
            )
            _report(reader.findings, "repeated_sentence", message, sentence)
        else:
            sentences[sentence.id] = sentence
    if not sentences and not reader.findings.problems:
        message = MESSAGES("no_sentence")
        reader.findings.add("no_sentences", message)
    reader.findings.raise_if_any(kind)
    return sentences


def _report(findings: Findings, code: str, message: str, sentence: Sentence) -> None:
    findings.add(code, message, line=sentence.line, unit=brief(sentence.id))


@dataclass
class _Reader:
    """Walks over the tags of a file once; `line` is the line of the current tag."""

    name: str
    text: str
    findings: Findings = field(init=False)
    line: int = 1
    document: str = ""
    place: int = 0
    sentence: tuple[str, int] | None = None
    block: tuple[str, int, int] | None = None
    blocks: list[UnlBlock] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.findings = Findings(self.name)

    def sentences(self) -> Iterator[Sentence]:
        """Every whole sentence; problems go to `findings`."""
        end = 0
        for tag in TAG.finditer(self.text):
            self.line += self.text.count("\n", self.place, tag.start())
            self.place = tag.start()
            block = self.block
            if block is None:
                self._refuse_stray_text(end)
            if tag["frame"] == "S":
                yield from self._sentence_tag(tag)
            elif block is not None:
                self._inside_block(tag, *block)
            elif tag["frame"] is None:
                self._block_tag(tag)
            elif tag["frame"] == "D":
                self.document = "" if tag["end"] else (tag["id"] or "").strip()
            end = tag.end()
        self.line += self.text.count("\n", self.place)
        self.place = len(self.text)
        if self.sentence is not None:
            self._leave(f"[S:{brief(self.sentence[0])}]", self.sentence[1])
        else:
            self._refuse_stray_text(end)

    def _refuse_stray_text(self, begin: int) -> None:
        stray = self.text[begin : self.place].strip()
        if stray:
            line = self.line - self.text[begin : self.place].lstrip().count("\n")
            name = "stray_in_sentence" if self.sentence else "stray_text"
            message = MESSAGES(name, text=brief(stray))
            self.findings.add("stray_text", message, line=line)

    def _sentence_tag(self, tag: re.Match[str]) -> Iterator[Sentence]:
        if self.block is not None:
            self._leave(f"{{{brief(self.block[0])}}}", self.block[1])
        if tag["end"]:
            yield from self._end_sentence()
            return
        if self.sentence is not None:
            self._leave(f"[S:{brief(self.sentence[0])}]", self.sentence[1])
        name = (tag["id"] or "").strip()
        if not name or NUL in name:
            message = MESSAGES("sentence_id", id=brief(name))
            self.findings.add("sentence_id", message, line=self.line)
        self.sentence, self.blocks = (name, self.line), []

    def _end_sentence(self) -> Iterator[Sentence]:
        if self.sentence is None:
            message = MESSAGES("end_without_begin")
            self.findings.add("frame", message, line=self.line)
        elif self.sentence[0]:
            yield Sentence(*self.sentence, self.document, tuple(self.blocks))
        self.sentence, self.blocks = None, []

    def _leave(self, opened: str, line: int) -> None:
        """Report what was opened on `line` and never closed."""
        self.findings.add("frame", MESSAGES("not_closed", mark=opened), line=line)
        self.block = None

    def _block_tag(self, tag: re.Match[str]) -> None:
        name = _block_name(tag)
        if tag["close"] or self.sentence is None:
            before = f"{{{brief(name)}}}" if tag["close"] else "[S:id]"
            message = MESSAGES("without", mark=brief(tag[0]), before=before)
            self.findings.add("frame", message, line=self.line)
            return
        if name == UNL and any(block.name == UNL for block in self.blocks):
            message = MESSAGES("second_unl")
            self.findings.add("frame", message, line=self.line)
        self.block = (name, self.line, tag.end())

    def _inside_block(
        self, tag: re.Match[str], name: str, line: int, begin: int
    ) -> None:
        """Only the closing tag means something inside a block."""
        if tag["close"] and tag["name"].lower() == name.partition(":")[0]:
            text = self.text[begin : tag.start()]
            self.blocks.append(UnlBlock(name, text, line))
            self.block = None


def _block_name(tag: re.Match[str]) -> str:
    """`org:en` of {org:en=utf-8}: an encoding or version behind the name is dropped."""
    name = tag["name"].lower()
    language = tag["more"].partition("=")[0].strip().removeprefix(":").strip().lower()
    return f"{name}:{language}" if name == ORIGINAL and language else name


def write(sentences: Sentences, kept: Callable[[UnlBlock], bool]) -> str:
    """A document of these sentences with the blocks that `kept` lets through."""
    lines: list[str] = []
    document = ""
    for sentence in sentences.values():
        if sentence.document != document:
            lines += ["[/D]"] * bool(document) + [f"[D:{sentence.document}]"]
            document = sentence.document
        lines.append(f"[S:{sentence.id}]")
        for block in filter(kept, sentence.blocks):
            end = block.name.partition(":")[0]
            lines += [f"{{{block.name}}}", block.text.strip(), f"{{/{end}}}"]
        lines.append("[/S]")
    return "\n".join([*lines, *["[/D]"] * bool(document), ""])


LABEL = re.compile(r"([A-Za-z]\w*)\s*(?::\s*(\w+)\s*)?\(")
PAIRS = re.compile(r'"[^"]*"|[(),"]')
SINGLE = re.compile(r"\[W(?::[^\[\]\n]*)?\]([^\[\]]*)\[/W\]")
ID = re.compile(r"\w+")
ATTRIBUTE = re.compile(r"[^\s@\"(),]+")
CONSTRAINT = re.compile(r"\s*[a-z]{2,3}\s*[<>]")
MOST_CHARACTERS = 100_000
SCOPE_UW = ":scope"
SOURCE, TARGET, LONE = "source", "target", "single"


class Unreadable(ValueError):
    """The expression is no graph; the text says why."""


@dataclass(frozen=True, slots=True)
class UnlNode:
    """Node of a graph; a scope used as one has SCOPE_UW as `uw`, and its own `id`."""

    uw: str
    id: str
    attributes: tuple[str, ...] = ()

    @property
    def is_scope(self) -> bool:
        return self.uw == SCOPE_UW

    @property
    def key(self) -> tuple[str, str]:
        return self.uw, self.id


@dataclass(frozen=True, slots=True)
class Relation:
    """Labelled arrow between two nodes, inside the scope of that id or of none."""

    label: str
    scope: str
    source: UnlNode
    target: UnlNode


@dataclass(frozen=True, slots=True)
class Graph:
    """Relations and single UWs of one sentence."""

    relations: tuple[Relation, ...]
    singles: tuple[UnlNode, ...]

    def roles(self) -> list[tuple[str, UnlNode]]:
        """Every node as it is written, with its role."""
        roles = [(LONE, node) for node in self.singles]
        for relation in self.relations:
            roles += [(SOURCE, relation.source), (TARGET, relation.target)]
        return roles

    def is_connected(self) -> bool:
        """All nodes in one component; a scope is linked to what it contains."""
        links: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for node in self.singles:
            links.setdefault(node.key, [])
        for relation in self.relations:
            source = relation.source.key
            others = [relation.target.key]
            others += [(SCOPE_UW, relation.scope)] * bool(relation.scope)
            for other in others:
                links.setdefault(source, []).append(other)
                links.setdefault(other, []).append(source)
        reached: set[tuple[str, str]] = set()
        waiting = list(links)[:1]
        while waiting:
            key = waiting.pop()
            if key not in reached:
                reached.add(key)
                waiting += links[key]
        return len(reached) == len(links)


def parse(expression: str) -> Graph:
    """The graph between {unl} and {/unl}. Raises Unreadable when it is empty or
    endless, or something in it is neither a relation of two nodes nor a single UW."""
    text = expression.strip()
    if not text:
        raise Unreadable(MESSAGES("empty"))
    if len(text) > MOST_CHARACTERS:
        raise Unreadable(MESSAGES("long", most=f"{MOST_CHARACTERS:,}"))
    if _is_bare(text):
        return Graph((), (_node(text),))
    singles = tuple(_node(node[1]) for node in SINGLE.finditer(text))
    return Graph(tuple(_relations(SINGLE.sub(" ", text))), singles)


def _relations(text: str) -> list[Relation]:
    relations = []
    place = _skip_space(text, 0)
    while place < len(text):
        label = LABEL.match(text, place)
        if label is None:
            at = brief(text[place:])
            raise Unreadable(MESSAGES("relation", text=at))
        parts, end = _nodes_of(text, label.end())
        if len(parts) != 2:
            at = brief(text[place:])
            raise Unreadable(MESSAGES("two_nodes", text=at))
        source, target = map(_node, parts)
        relations.append(Relation(label[1], label[2] or "", source, target))
        place = _skip_space(text, end)
    return relations


def _skip_space(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _nodes_of(text: str, begin: int) -> tuple[list[str], int]:
    """Parts between commas up to the closing parenthesis, and the place behind it; no
    parts where it never closes."""
    depth, parts, start = 1, [], begin
    for mark in PAIRS.finditer(text, begin):
        if mark[0] == "(":
            depth += 1
        elif mark[0] == ")":
            depth -= 1
        elif mark[0] == '"':
            break
        if depth == 0 or (depth == 1 and mark[0] == ","):
            parts.append(text[start : mark.start()])
            start = mark.end()
        if depth == 0:
            return parts, start
    return [], len(text)


def _is_bare(text: str) -> bool:
    """A node by itself: no parentheses, or only those of a constraint list."""
    if "\n" in text or "[W" in text or "[/W" in text:
        return False
    marks = (mark for mark in PAIRS.finditer(text) if mark[0][0] != '"')
    first = next(marks, None)
    if first is None:
        return True
    if first[0] != "(":
        return False
    parts, end = _nodes_of(text, first.end())
    behind = text[end:].lstrip()
    alone = not behind or (behind[0] in ":." and "(" not in behind)
    return alone and bool(parts) and all(map(CONSTRAINT.match, parts))


def _node(text: str) -> UnlNode:
    """A node of `UW[:id].@attribute...` or `:scope.@attribute...`. White space inside a
    UW is collapsed: a line may be broken anywhere."""
    text = " ".join(text.split())
    quoted = text.rfind('"') + 1
    head, *attributes = text[quoted:].split(".@")
    uw, colon, name = (text[:quoted] + head).rpartition(":")
    if not colon or not ID.fullmatch(name.strip()):
        uw, name = text[:quoted] + head, ""
    attributes = [attribute.strip() for attribute in attributes]
    wrong = not all(map(ATTRIBUTE.fullmatch, attributes))
    if wrong or text.count('"') % 2 or not (uw.strip() or name):
        raise Unreadable(MESSAGES("uw", text=brief(text)))
    written = tuple("@" + attribute for attribute in attributes)
    return UnlNode(uw.strip() or SCOPE_UW, name.strip(), written)
