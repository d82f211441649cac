"""Dependency trees under construction, and their lines in CoNLL-U."""

from __future__ import annotations

from benchmarks.ostrel.lexicon import Word

NO_SPACE_BEFORE = frozenset(",.?!;:”)")
NO_COMMA_BEFORE = NO_SPACE_BEFORE - {"”"}
NO_SPACE_AFTER = frozenset("“(")


class Node:
    """A word with its dependents to the left and right, in the order of speech.

    A dependent normally stands among the dependents of its head; one that was
    moved elsewhere keeps its head and stands in another node's list.
    """

    __slots__ = ("head", "left", "rel", "right", "word")

    def __init__(self, word: Word) -> None:
        self.word = word
        self.rel = "root"
        self.head: Node | None = None
        self.left: list[Node] = []
        self.right: list[Node] = []

    def _bind(self, child: Node, rel: str) -> Node:
        child.head, child.rel = self, rel
        return child

    def lead(self, child: Node, rel: str) -> Node:
        """Put the dependent before this word, after those already there."""
        self.left.append(self._bind(child, rel))
        return self

    def open(self, child: Node, rel: str) -> Node:
        """Put the dependent at the very beginning of this phrase."""
        self.left.insert(0, self._bind(child, rel))
        return self

    def trail(self, child: Node, rel: str) -> Node:
        """Put the dependent at the end of this phrase."""
        self.right.append(self._bind(child, rel))
        return self

    def host(self, stray: Node) -> None:
        """Give a place at the end of this phrase to a dependent of another word."""
        self.right.append(stray)

    def words(self) -> list[Node]:
        """All nodes of the phrase in the order of speech."""
        nodes: list[Node] = []
        for child in self.left:
            nodes += child.words() if child.left or child.right else (child,)
        nodes.append(self)
        for child in self.right:
            nodes += child.words() if child.left or child.right else (child,)
        return nodes


def mark(form: str) -> Node:
    return Node(Word(form, form, "PUNCT"))


def spoken(root: Node) -> list[Node]:
    """The words of a sentence without commas that would meet another mark."""
    nodes = root.words()
    following = [node.word.form for node in nodes[1:]] + ["."]
    kept: list[Node] = []
    for node, after in zip(nodes, following, strict=True):
        idle = node.word.form == "," and (after in NO_COMMA_BEFORE or not kept)
        if not idle:
            kept.append(node)
    return kept


def glued(nodes: list[Node]) -> list[bool]:
    """Whether the next word follows without a space, for each."""
    forms = [node.word.form for node in nodes]
    return [
        form in NO_SPACE_AFTER or after in NO_SPACE_BEFORE
        for form, after in zip(forms, [*forms[1:], ""], strict=True)
    ]


def capital(form: str) -> str:
    return form[0].upper() + form[1:]


def surface(nodes: list[Node]) -> list[str]:
    """Forms with a capital at the start and after an opening quotation mark."""
    forms = [node.word.form for node in nodes]
    first = 1 if forms[0] == "“" and len(forms) > 1 else 0
    forms[first] = capital(forms[first])
    return forms


def running_text(forms: list[str], tight: list[bool]) -> str:
    pairs = zip(forms, tight, strict=True)
    return "".join(form if close else form + " " for form, close in pairs).rstrip()


def conllu_lines(nodes: list[Node], forms: list[str], tight: list[bool]) -> list[str]:
    """One line of ten columns per word; heads are positions counted from 1."""
    position: dict[Node | None, int] = {node: at for at, node in enumerate(nodes, 1)}
    position[None] = 0
    return [
        f"{at}\t{form}\t{node.word.lemma}\t{node.word.upos}\t_\t{node.word.feats}"
        f"\t{position[node.head]}\t{node.rel}\t_\t{'SpaceAfter=No' if close else '_'}"
        for at, (node, form, close) in enumerate(
            zip(nodes, forms, tight, strict=True), 1
        )
    ]
