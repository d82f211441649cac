"""Strict readers of LaTeX and BibTeX, written without a look at the writers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"(?P<comment>%[^\n]*\n?)|(?P<command>\\(?:[A-Za-z]+|.))|(?P<open>\{)|(?P<close>\})"
    r"|(?P<cell>&)|(?P<special>[$#_^~])|(?P<text>[^\\{}&%$#_^~]+)",
    re.DOTALL,
)
COMMANDS = {
    "begin",
    "end",
    "centering",
    "caption",
    "label",
    "toprule",
    "midrule",
    "bottomrule",
    "texttt",
    "allowbreak",
    "raggedright",
    "arraybackslash",
    "par",
    "smallskip",
    "columnwidth",
    "textwidth",
    "scriptsize",
    "textbackslash",
    "textasciitilde",
    "textasciicircum",
    "textless",
    "textgreater",
    "textbraceleft",
    "textbraceright",
    "\\",
    "%",
    "&",
    "#",
    "$",
    "_",
    "{",
    "}",
}
PLAIN = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbraceleft{}": "{",
    r"\textbraceright{}": "}",
    r"\%": "%",
    r"\&": "&",
    r"\#": "#",
    r"\$": "$",
    r"\_": "_",
    r"\{": "{",
    r"\}": "}",
}
SAID = re.compile("|".join(map(re.escape, PLAIN)))


@dataclass
class Tabular:
    """`rows` of cells as they stand in the source; `rules` say before which row."""

    columns: str = ""
    caption: str = ""
    rows: list[list[str]] = field(default_factory=list)
    rules: list[tuple[str, int]] = field(default_factory=list)


def tokens(source: str) -> Iterator[tuple[str, str]]:
    """Kind and text; fails on what no kind is, and on unknown commands."""
    at = 0
    while at < len(source):
        found = TOKEN.match(source, at)
        assert found and found.lastgroup, source[at : at + 20]
        kind, text = found.lastgroup, found.group()
        assert kind != "special", f"bare {text} at {source[at - 20 : at + 20]!r}"
        if kind == "command":
            assert text[1:] in COMMANDS, text
        at = found.end()
        yield kind, text


def latex(source: str) -> Tabular:
    """The only table; groups and environments must nest, rows must fit the columns.

    An address is read as it stands, which it may do in a paragraph, not in an argument.
    """
    source = re.sub(
        r"^  \\par\{\\scriptsize\\url\{[^{}\\]*\}\}$", "", source, flags=re.M
    )
    check_groups(source)
    table = Tabular()
    (table.caption,) = re.findall(r"\\caption\{(.*)\}\n", source)
    body = re.search(
        r"\\begin\{tabularx?\}(?:\{\\\w+\})?\{(.*?)\}\n(.*)\\end\{tabularx?\}",
        source,
        re.DOTALL,
    )
    assert body
    wrapped = r">{\raggedright\arraybackslash}X"
    table.columns = body[1].replace("@{}", "").replace(wrapped, "l")
    assert set(table.columns) <= set("lrc")
    cell, row, depth = "", [], 0
    for kind, text in tokens(body[2]):
        depth += (kind == "open") - (kind == "close")
        if kind == "command" and text[1:].endswith("rule"):
            assert not cell.strip() and not row
            table.rules.append((text[1:], len(table.rows)))
        elif kind == "command" and text == r"\\":
            table.rows.append([*row, cell.strip()])
            cell, row = "", []
        elif kind == "cell" and depth == 0:
            row, cell = [*row, cell.strip()], ""
        else:
            cell += text
    assert not cell.strip() and not row
    assert {len(one) for one in table.rows} == {len(table.columns)}
    return table


def check_groups(source: str) -> None:
    stack: list[str] = []
    for kind, _text in tokens(source):
        if kind == "open":
            stack.append(kind)
        elif kind == "close":
            stack.pop()
    assert stack == []
    names: list[str] = []
    for what, name in re.findall(r"\\(begin|end)\{(\w+)\}", source):
        if what == "begin":
            names.append(name)
        else:
            assert names.pop() == name
    assert names == []


def said(cell: str) -> str:
    """The text that LaTeX prints for an escaped one."""
    return SAID.sub(lambda found: PLAIN[found.group()], cell)


def bibtex(source: str) -> tuple[str, dict[str, str]]:
    """Key and fields of one entry, braces counted as BibTeX does: escaped ones too."""
    head = re.match(r"@misc\{([^,{}\s]+),\n", source)
    assert head
    fields, at = {}, head.end()
    while not source.startswith("}", at):
        name = re.compile(r"  (\w+) = ").match(source, at)
        assert name, source[at:]
        at = name.end()
        end = source.index(",\n", _close(source, at) if source[at] == "{" else at)
        fields[name[1]] = source[at:end].removeprefix("{").removesuffix("}")
        at = end + 2
    assert source[at:] == "}\n"
    return head[1], fields


def _close(source: str, at: int) -> int:
    depth = 0
    for place in range(at, len(source)):
        depth += (source[place] == "{") - (source[place] == "}")
        if depth == 0:
            return place + 1
    raise AssertionError("a brace is never closed")
