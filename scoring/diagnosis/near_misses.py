"""Files that would be right but for characters that no answer has.

Each way takes such characters out of a copy. Where the copy then has the units of the
blind file, and the file itself has not, they are what is wrong with it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import unescape
from itertools import islice, product

from scoring.diagnosis.answers import ALIKE, LATIN, cells_of, look_of
from scoring.diagnosis.refused_file import match_units, says
from scoring.errors import Problem
from scoring.formats.bundle import is_zip
from scoring.formats.text_forms import JSON
from scoring.oddities import COMPARED, SPECIAL, STM
from scoring.options import Options
from scoring.outlines import MOST_BYTES, Outline, outline_of
from scoring.scorer import Scorer
from scoring.source import Source, brief, printable

MOST_PRINTED, MOST_COPIES, COPIES_IN = 20, 500, 5  # lines, or one line in so many
SHOWN = 40
# What programs, models and notebooks write around answers.
PRINTED = re.compile(
    r"""^(?:[^\n%]{1,80}(?<=\d)%[ ]?\|.{,120}\|.{,120} | [ \t]{,8}(?:
        ```.{0,80} | ~~~.{0,80}
      | (?:[\d\-/:.,TZ+ \[\]]{,40}[\[( ])?(?:DEBUG|INFO|WARN(?:ING)?|ERROR)\b.{,300}
      | \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.{,300}
      | Traceback\ \(most\ recent\ call\ last\): | File\ ".{1,200}",\ line\ \d+.*
      | (?:\S{1,200}:\d+:[ ])?\w{1,80}Warning:.{,300} | warnings\.warn\(.{,200}
      | [\w.]{,80}(?:Error|Exception|Interrupt)(?::[ ].{,300})?
      | PRED\ (?:AVG\ )?SCORE:.{,80}
      | (?:Here|Sure|Below|The\ following|Predictions|Outputs?|Results|Answers)\b
        .{,200}:
      | (?:Done|Finished|Completed|Elapsed|Loading|Loaded|Saving|Saved|Wrote|Writing
          |Reading|Processing|Using|Running|Total\ time|Time)\b.{,200}
      | </?(?:body|code|div|html|p|pre|span|textarea)\b[^<>]{,80}>
      | [-=*\#]{3,80} | \.{3} | … | \[\d+\ rows\ x\ \d+\ columns\]
    ))[ \t\r]{,40}$""",
    re.VERBOSE | re.MULTILINE,
)
# What stands in a file whose program ended before it had written all.
BROKEN_OFF = re.compile(
    r"(?m)^(?:Traceback \(most recent call last\):|Exception in thread .{,200}"
    r"|[\w.]{1,80}(?:Error|Exception): .{,200}|KeyboardInterrupt"
    r"|Segmentation fault.{,80}"
    r"|(?:Killed|Terminated|Aborted)(?: \(.{,80}\))?"
    r"|(?:slurmstepd|CUDA error): .{,200})\r?$"
)
# What stands for lines that were not printed.
LEFT_OUT = re.compile(
    r"(?m)^[ \t]*(?:(?:\.{3}|…)(?: ?\([^()\n]{,40}\))?"
    r"|[\[<(].{,40}(?:\.{3}|…|\btruncated|\bomitted"
    r"|more (?:lines|rows|items)).{,40}[\]>)])[ \t]*\r?$"
)
# Where Git left two versions of some lines.
CONFLICT = re.compile(r"(?m)^<{7} \S.{,80}$(?=(?s:.{,100000}?)^={7}$)")
CONFLICT_BEGINS = re.compile(r"^<{7} ")
# Letters of UTF-8 that were taken for those of Western Europe.
WESTERN = "".join(
    bytes([n]).decode("cp1252", "replace") + chr(n) for n in range(0x80, 0xC0)
).replace("\ufffd", "")
REENCODED = re.compile(
    f"[\u00c2-\u00c5\u00cc-\u00d1\u00d7-\u00db][{WESTERN}]|[\u00e2\u00e3][{WESTERN}]{{2}}"
)
# A copy, what is said where it fits, the hint, and what both name.
Copies = Iterator[tuple[str, str, str, dict[str, object]]]
Way = Callable[[str], Copies]
# Spaces that separate nothing: those that keep a line together, and of other widths.
NO_BREAK, SPACES = "\u00a0\u202f", re.compile("[\u00a0\u2000-\u200a\u202f\u3000]")
# Marks of byte order, breaks of no width, controls, and colours of a terminal.
UNSEEN = re.compile(
    "\n\x1a\\s*\\Z|\x1b\\[[0-9;]*m|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]"
)
# What some programs take for the end of a line, and no reader of files does.
NO_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]\n?|\r(?![\r\n])")
# What stands around the cells of a table of tokens, or in lines that are empty.
AROUND_CELLS = (
    re.compile(r'(?m)(?<![^\t\n])"(?P<word>(?:[^"\t\n]|"")+)"(?![^\t\n])'),
    re.compile(r"(?m)(?<![^\t\n]) *(?P<word>[^\t\n ]+) +(?![^\t\n])"),
    re.compile(r"(?m)^(?:\t+[^\t\n]*| +)$"),
)
# Comments of a treebank that have lost their sign.
UNMARKED = re.compile(
    r"(?m)^[ \t]*(?=(?:global\.\w+|newdoc|newpar|sent_id|source_sent_id|text)"
    r"(?: id)?[ \t]*=)"
)
# A piece of a word on a line of its own, and lines of cells in quotes.
PIECE = re.compile(r"(?m)^(?:\d+\t)?(?P<piece>##\S+|\S+@@)(?=\t)")
WORD = re.compile(r"((?:\d+\t)?)([^\t]*)(.*)")
QUOTED_CELL = re.compile(r'"(?:[^"\\\n]|""|\\.)*"|[^\s",]+')
QUOTED_LINE = re.compile(rf'"[^"\n]*"(?: +(?:{QUOTED_CELL.pattern}))+')
# A line of a program, which may well be all of one.
CODE_LINE = re.compile(
    r"export |module\.exports|(?:const|let|var) \w+ ?=|\w+ ?= ?[\[{]"
)
# Signs of a model, and markup of lines, which are parts of no answer.
INLINE = r"</?(?:b|br|code|em|i|mark|p|strong|sub|sup|u)>"
COLOUR = r"\[(?:\d{1,3};){,3}\d{1,3}m(?=\S)|(?<=\S)\[0?m(?![a-z])"
MARKS = re.compile(f" ?(?:{SPECIAL.pattern}|{INLINE}|{COLOUR}|[\u2581\u0120]) ?")
# Numbers of words as programs write them that keep numbers as decimals.
DECIMAL_WORD = re.compile(r"(?m)^(\d+)\.0(?=(?:\t[^\t\n]*){9}$)")
# A word of CoNLL-U in its columns.
WORD_LINE = re.compile(r"\d+(?:\t[^\t]*){9}$")
BEGIN_2012 = "#begin document"
# Words of letters of both alphabets.
ANY_ALIKE = re.compile(f"[{''.join(ALIKE)}]")
MIXED = re.compile(f"[A-Za-z][{''.join(ALIKE)}]|[{''.join(ALIKE)}][A-Za-z]")
IN_TAGS = re.compile(r"(?m)^(?:<[a-z]+\d?>)?(.*?)</?[a-z]+\d? ?/?>$")
# What stands around each line.
AROUND = (
    re.compile(r"(?m)^[ \t]*\d+(?:[:\t|] ?|[.)] +)(.*)$"),
    re.compile(r"(?m)^[ \t]*1 +(\S.*)$"),
    re.compile(r"(?m)^(?://|--|[#;%]) ?(.*)$"),
    re.compile(r"(?m)^[ \t]+(.*)$"),
    re.compile(
        r"(?m)^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S{,12}"
        r"(?:[ \]:-]+(?:DEBUG|INFO|WARN\w*|ERROR)\b(?:[ :-]+[\w.]{1,40}:)?)?"
        r"[\]: -]{,3}(.*)$"
    ),
    re.compile(r"(?m)^<([a-z]{1,10})>[ ]?(?P<line>.*?)[ ]?</\1>$"),
    re.compile(r"(?m)^(.*?)[ ]?<(?:br|p)[ ]?/?>$"),
    re.compile(r"(?m)^[-+*>] ?(.*)$"),
    re.compile(r"(?m)^[\w./-]{1,80}:(?:\d+:)?(.*)$"),
    re.compile(r"(?m)^\[\d+\] ?(.*)$"),
    re.compile(r"(?m)^(.*\S)[\t;,]$"),
    re.compile(r"(?m)^(.*?)[;,]+$"),
    IN_TAGS,
    re.compile(r"(?m)^(.*)\t-?\d+(?:\.\d+)?$"),
)
# What stands around each line but perhaps the names of columns.
AROUND_TEXTS = (
    re.compile(r'(?m)^b?"(.*)"$'),
    re.compile(r"(?m)^b?'(.*)'$"),
    re.compile("(?m)^[\u201c\u201e\u00ab](.*)[\u201d\u201c\u00bb]$"),
)
ROW_NUMBER = re.compile(r" *(\d+) +")
WRITTEN_OUT = re.compile(r"\\t|&(?:#\d{1,5}|[a-z]{2,6});")
DOUBLED_TAB = re.compile(r"\t\t+")
# Letters, digits and signs of ASCII as wide as those of Chinese and Japanese.
FULL_WIDTH = re.compile("[\uff01-\uff5e]")
PLAIN_WIDTH = {code + 0xFEE0: chr(code) for code in range(0x21, 0x7F)}
CURLY = re.compile("[“”„]")
SEPARATORS = ",;|"
SIGNS_OF_TABS = (" | ", "<TAB>", "<tab>", "[TAB]", "\u2192", "\u21e5", "\u2409")
JSON_TAIL = 300  # characters of what may be one record
MOST_ABOVE = 6  # lines
TEXT = "text"  # the column of texts, which may be broken into lines
FENCE = "```"
FIRST_FIELD = re.compile(r"[\s,;|:]")
RULE = re.compile(r"(?m)^[-=*_~]{3,80}$")
CAT_LINE = re.compile(r".*\$")
# A line of somebody who speaks, before or behind the answers.
PROSE = re.compile(r"\s*|\s*(?:```|~~~).*|(?![SA] )[A-Z*#\"'].*\s.*[.!?:*\"']\s*")
# The code of a file of another format that a scorer reads, too.
OTHER_FORMAT = "other_format"
LEAST_LINES = 3
# Codes of lines that are not read as what they should be.
UNREAD = frozenset(("columns", "csv", "edit", "fields", "id", "json", "word_id"))


def near_miss(
    scorer: Scorer,
    outlines: tuple[Outline, Outline | None],
    system: Source,
    options: Options,
    problems: Sequence[Problem],
    problems_of: Callable[[Source], Sequence[Problem]] = lambda _copy: (),
) -> Problem | None:
    """The one problem that keeps a file that is right otherwise from being read.

    `outlines` are that of the blind file and that of the system's, None where it has
    none. `problems_of` a copy are those that its reader finds.
    """
    blind, own = outlines
    if not (text := _text(system)) or CONFLICT.search(text):
        return None
    if lost := _line_ends_lost(blind, text, system.name):
        return lost
    known = partial(_has_units, scorer, blind, options)
    above = partial(_above, known=known)
    below = text.split("\n")[1 : MOST_ABOVE + 1]
    objects = any(line.lstrip()[:1] in ("{", "[") for line in below)
    objects |= any(line.startswith("SPEAKER ") or STM.match(line) for line in below)
    codes = {problem.code for problem in problems}
    further = [p for p in problems if p.code in UNREAD and (p.line or 0) > MOST_ABOVE]
    # Others are none of the format either, and a comment is in order.
    begun = text[:1] == "#" and (blind.named or blind.kind == "passage")
    begun |= text.startswith(BEGIN_2012) or OTHER_FORMAT in codes
    begun |= text.lstrip()[:1] == "[" and bool(JSON.match(text))
    begun |= blind.kind == "topic" and bool(further)
    of_rows = blind.kind == "line" or (bool(blind.columns) and not objects)
    first = [above] * (not begun and not of_rows)
    # Of a file that has all units a way has to mend what its reader finds.
    whole = _fits(blind, own)

    def mends(copy: Source) -> bool:
        if whole:
            return {problem.code for problem in problems_of(copy)} < codes
        return _fits(blind, outline_of(scorer.outline, copy, options))

    ways = [*WAYS] if blind.kind != "line" else [*WAYS_OF_LINES]
    named = blind.kind == "sentence" and not blind.words
    as_many = named and own is not None and len(own) == len(blind)
    columns = blind.words and any("CoNLL" in name for name in scorer.formats)
    if not blind.words:
        ways.remove(_rules)  # blank lines part nothing
    elif whole and not IN_TAGS.match(text):
        ways.remove(_around_lines)
    if whole:
        ways += _without_strays(text, problems, TEXT in blind.columns)
    ways += [] if as_many or (whole and blind.form) else first
    ways += [full_width] * (whole or not blind.columns)  # ids say it themselves
    ways += [_other_separator] * bool(columns and not whole)
    ways += [_no_spaces] * (blind.kind == "instance")
    return _of_ways(ways, text, system.name, mends)


def one_mistake(
    gold: Source, problems: Sequence[Problem], can_be_read: Callable[[Source], bool]
) -> Problem | None:
    """The one problem that keeps an answer key from being read."""
    # What is in its last line nobody knows but who wrote it.
    ways = [way for way in WAYS if way is not _without_last]
    # Without its header a table may be lines of text.
    header = "header" in {problem.code for problem in problems}
    if not header and 1 in {problem.line for problem in problems}:
        ways.append(partial(_above, known=lambda _part: False))
    return _of_ways(ways, _text(gold), gold.name, can_be_read)


def _of_ways(
    ways: Sequence[Way], text: str, name: str, fits: Callable[[Source], bool]
) -> Problem | None:
    """The first way whose copy of a text is what was meant."""
    for way in ways if text else ():
        for copy, said, hint, about in way(text):
            if fits(Source.of_bytes(name, copy.encode())):
                return says(name, said, hint, **about)
    return None


def _without_strays(
    text: str, problems: Sequence[Problem], of_texts: bool
) -> list[Way]:
    """A way without the few lines of these problems, which are unlike all others."""
    lines = dict(enumerate(text.split("\n"), 1))
    odd = {n for problem in problems for n in (problem.line, *problem.also) if n}
    few = len(odd) <= MOST_PRINTED and 4 * len(odd) < len(lines)
    broken = {p.code for p in problems} <= UNREAD
    strays = broken and few and _are_strays(lines, odd)
    return [partial(_without_lines, odd=odd, of_texts=of_texts)] * strays


def cut_off(system: Source, problems: Sequence[Problem]) -> Problem | None:
    """A last line without its end that is the only one nobody can read."""
    text = _text(system)
    last, ending = text.count("\n") + 1, text.rpartition("\n")[2]
    lines = {line for p in problems for line in (p.line, *p.also) if line}
    unanswered = {"answer", "number"} if ending[-1:] in (*SEPARATORS, "\t") else set()
    before = text[: -len(ending) or None].rstrip("\n").rpartition("\n")[2]
    unanswered |= {"tag"} if len(ending.split()) < len(before.split()) else set()
    unread = {p.code for p in problems if p.line} <= UNREAD | unanswered
    unread &= not (JSON.match(text) and ending[-1:] in ("]", "}"))
    alone = ending and "\0" not in ending and last > 1 and lines == {last} and unread
    of_json = problems and problems[0].code == "json" and _ends_early(text, problems[0])
    if not (of_json or alone or _breaks_off_open(text, problems)):
        return None
    quoted = brief((text if of_json else ending)[-SHOWN:], SHOWN)
    return says(system.name, "cut_off", "look_for_end", line=last, found=quoted)


def _ends_early(text: str, problem: Problem) -> bool:
    """Whether an array of JSON cannot be read since it ends before it is closed."""
    if not JSON.match(text) or text.lstrip()[:1] != "[" or text.rstrip()[-1:] == "]":
        return False
    place = len("\n".join(text.split("\n")[: (problem.line or 1) - 1]))
    return place + (problem.column or 0) > len(text) - JSON_TAIL


def _breaks_off_open(text: str, problems: Sequence[Problem]) -> bool:
    """Whether nothing is wrong but one part that is opened and never closed, behind
    which there is no other mark."""
    if [problem.code for problem in problems] != ["frame"] or text.endswith("\n"):
        return False
    behind = text.split("\n", (problems[0].line or 1) + 1)[-1]
    return "[S" not in behind and "[/" not in behind


def broken_off(
    blind: Source, system: Source, patterns: Sequence[re.Pattern[str]] = ()
) -> Problem | None:
    """A line that says that a program ended before it had written all, or left out
    what is in the middle; none that the blind file has. `patterns` are those that are
    looked for, all without any."""
    text, asked = _text(system), _text(blind)
    for pattern, name, help in (
        (BROKEN_OFF, "broken_off", "see_program"),
        (LEFT_OUT, "left_out", "write_all"),
        (CONFLICT, "conflict", "choose"),
        (COMPARED, "compared", "choose"),
    ):
        if patterns and pattern not in patterns:
            continue
        match = pattern.search(text)
        if match and not pattern.search(asked):
            about = _place(text, match, found=brief(match[0].strip(), SHOWN))
            return says(system.name, name, help, **about)
    return None


def _line_ends_lost(blind: Outline, text: str, name: str) -> Problem | None:
    """One line that has the units of the blind file one behind the other."""
    body = text.strip()
    head, _end, below = body.partition("\n")
    if blind.columns and [*blind.columns] == [*_plain_words(head)]:
        body = below
    several = "\n" in body or body[:1] in ("", "[", "{", "(") or CODE_LINE.match(body)
    few = len(blind) < LEAST_LINES and blind.kind != "passage"
    odd = NO_LINE_ENDS.search(text.strip())
    if several or few or blind.kind == "line" or odd:
        return None
    units = blind.words or [name.split() for name in blind.names]
    words = {*_plain_words(text.replace("\\n", " "))}
    asked = [" ".join(units[i]) for i in (0, len(units) // 2, -1)]
    if not words.issuperset(_plain_words(" ".join(asked))):
        return None
    return says(name, "all_in_one_line", "line_each")


def _plain_words(text: str) -> Iterator[str]:
    """The words of a text without the signs around them."""
    parts = (part.strip("\"',:") for part in re.split(r"[\s,;]+", text))
    return filter(None, parts)


def other_alphabet(text: str) -> Copies:
    """Latin letters for Cyrillic ones that look like them, in words of both."""
    # Most texts have no such letter, which is found out several times as fast.
    if ANY_ALIKE.search(text) and (first := MIXED.search(text)):
        odd = next(letter for letter in first[0] if letter in ALIKE)
        about = _place(text, first, found=f"{odd} <U+{ord(odd):04X}>")
        about["expected"] = ALIKE[odd]
        yield text.translate(LATIN), "alike", "one_alphabet", about


def _above(text: str, known: Callable[[str], bool]) -> Copies:
    """The text without its first lines, of which none is `known` to be of a unit."""
    lines = text.split("\n", MOST_ABOVE)
    for number in range(1, len(lines)):
        ends = lines[number][:1] in ("", "\n")
        if known("\n".join(lines[:number]) + "\n" * ends):
            return
        about: dict[str, object] = {"line": 1, "found": brief(lines[0], SHOWN)}
        yield "\n".join(lines[number:]), "above", "take_printed_out", about


def _has_units(scorer: Scorer, blind: Outline, options: Options, text: str) -> bool:
    part = outline_of(scorer.outline, Source.of_bytes("", text.encode()), options)
    if part is None:
        return False
    if part.kind == "passage" and any(map(WORD_LINE.match, text.split("\n"))):
        return True
    # Another sentence is none of the task's, and no line of something else either.
    sentence = bool(part.words) and text.endswith("\n") and all(part.fields)
    # Lines are called by their numbers, as items may be.
    same = part.kind == blind.kind or part.kind != "line"
    return sentence or (same and bool({*part.keys} & {*blind.keys}))


def _as_meant(match: re.Match[str]) -> str:
    """The letters that were read in another encoding."""
    single = (
        character.encode("latin-1" if character < "\u0100" else "cp1252")
        for character in match[0]
    )
    return b"".join(single).decode("utf-8", "replace")


def _place(text: str, match: re.Match[str], **about: object) -> dict[str, object]:
    """Values for what is said of a match, with its line."""
    start = match.start() + match[0].startswith("\n")
    return {"line": text.count("\n", 0, start) + 1, **about}


def _copies_in(text: str) -> Copies:
    lines = text.split("\n")
    most = max(MOST_COPIES, len(lines) // COPIES_IN)
    copies = [*islice(PRINTED.finditer(text), most + 1)]
    if not 0 < len(copies) <= most:
        return
    odd = [text.count("\n", 0, match.start()) for match in copies]
    for rows in (odd, [n for n in odd if n < odd[0] + 3], odd[-1:]):
        quoted = brief(lines[rows[0]].strip(), SHOWN)
        about = {"line": rows[0] + 1, "count": len(rows), "found": quoted}
        name = "printed" if len(rows) == 1 else "printed_lines"
        blank = {n for n in (r + s for r in rows for s in (-1, 1)) if _blank(lines, n)}
        for out in ({*rows}, {*rows} | blank):
            rest = [line for n, line in enumerate(lines) if n not in out]
            yield "\n".join(rest), name, "take_printed_out", about


def _prose_around(text: str) -> Copies:
    """The text without what somebody says before and behind the answers, or outside of
    a fence around them."""
    lines = text.split("\n")
    fences = [n for n, line in enumerate(lines) if line.lstrip().startswith(FENCE)]
    if len(fences) > 1:
        answers = lines[fences[0] + 1 : fences[-1]]
    else:
        answers = lines[_prose_at(lines) :]
        answers = answers[: len(answers) - _prose_at(answers[::-1])]
    first = next((line for line in lines if line.strip()), "")
    if len(answers) == len(lines) or not PROSE.fullmatch(first):
        first = next((line for line in reversed(lines) if line.strip()), "")
    if answers and len(answers) < len(lines) and PROSE.fullmatch(first):
        about: dict[str, object] = {
            "line": lines.index(first) + 1,
            "found": brief(first.strip(), SHOWN),
        }
        # A blank line may end a sentence.
        yield "\n".join([*answers, "", ""]), "above", "take_printed_out", about


def _around_fence(text: str) -> Copies:
    """Lines of text without what stands outside of a fence around them."""
    if FENCE in text:
        for copy, sentence, hint, about in _prose_around(text):
            yield copy.rstrip("\n") + "\n", sentence, hint, about


def _rules(text: str) -> Copies:
    """Lines of signs, or of one word again and again, in the places of blank lines."""
    alone = [line for line in text.split("\n") if line and not re.search(r"\s", line)]
    [(word, count)] = Counter(alone).most_common(1) or [("", 0)]
    if first := RULE.search(text):
        about = _place(text, first, found=first[0])
        yield RULE.sub("", text), "rules", "keep_blank", about
    elif count >= LEAST_LINES and "\n\n" not in text.strip():
        lines = text.split("\n")
        about = {"found": brief(word, SHOWN), "line": lines.index(word) + 1}
        copy = "\n".join("" if line == word else line for line in lines)
        yield copy, "rules", "keep_blank", about


def hascat_marks(text: str) -> bool:
    """Whether a text is as `cat -A` shows one, with a sign at the end of each line."""
    first = text.partition("\n")[0]
    if not first.endswith("$"):
        return False
    return all(CAT_LINE.fullmatch(line) for line in text.split("\n") if line)


def cat_marks(text: str) -> Copies:
    """Lines as `cat -A` shows them, with a sign for each tab and end."""
    lines = text.split("\n")
    if not hascat_marks(text):
        return
    about: dict[str, object] = {"found": brief(lines[0], SHOWN)}
    copy = "\n".join(line[:-1] for line in lines).replace("^I", "\t")
    yield copy, "cat_marks", "as_signs", about


def _without_last(text: str) -> Copies:
    """The text without its last line, which begins as no other does."""
    head, _end, last = text.rstrip("\n").rpartition("\n")
    if not head or not last.strip() or not text.endswith("\n"):
        return
    looks = {_look_of(line) for line in head.split("\n") if line.strip()}
    about: dict[str, object] = {"found": brief(last.strip(), SHOWN)}
    about["line"] = head.count("\n") + 2
    if _look_of(last) not in looks:
        yield head + "\n", "above", "take_stray_out", about


def _look_of(line: str) -> str:
    """The kinds of signs that the first field of a line has."""
    return look_of(FIRST_FIELD.split(line.strip(), 1)[0][:SHOWN])


def _are_strays(lines: Mapping[int, str], odd: set[int]) -> bool:
    """Whether lines are unlike all others: none begins as one of those does, or is
    known to stand where something broke off."""
    if not odd <= lines.keys():
        return False  # lines of a form that the text was turned into
    wrong = [FIRST_FIELD.split(lines[number].lstrip()) for number in odd]
    others = (line.lstrip() for number, line in lines.items() if number not in odd)
    rest = map(FIRST_FIELD.split, filter(None, others))
    first = {fields[0] for fields in rest if fields}
    marks = BROKEN_OFF, LEFT_OUT, CONFLICT_BEGINS
    if max(lines) in odd or any(m.search(lines[n]) for m in marks for n in odd):
        return False
    return all(fields and fields[0] not in first for fields in wrong)


def _without_lines(text: str, odd: set[int], of_texts: bool) -> Copies:
    """The text without lines that nobody can read, of a file that is whole without."""
    lines = text.split("\n")
    quoted = brief(lines[min(odd) - 1].strip(), SHOWN)
    about: dict[str, object] = {"line": min(odd), "found": quoted}
    kept = [line for number, line in enumerate(lines, 1) if number not in odd]
    # What stands elsewhere behind a mark is an answer, and broken off from its own.
    answer = re.escape(lines[min(odd) - 1].strip())
    sentence, hint = "above", "take_stray_out"
    if of_texts or re.search(rf"[,;\t|]{answer}(?=[|\n]|\Z)", text):
        sentence, hint = "goes_on", "text_in_line"
    yield "\n".join(kept), sentence, hint, about


def _prose_at(lines: Sequence[str]) -> int:
    """The number of lines at the beginning in which somebody speaks."""
    few = lines[:MOST_ABOVE]
    return next((n for n, x in enumerate(few) if not PROSE.fullmatch(x)), len(few))


def _blank(lines: Sequence[str], number: int) -> bool:
    """Whether there is such a line, before the end, and nothing in it."""
    return 0 <= number < len(lines) - 1 and not lines[number].strip()


def _no_break(text: str) -> Copies:
    if first := SPACES.search(text):
        about = _place(text, first, found=printable(first[0]))
        about["count"] = len(SPACES.findall(text))
        name = "no_break" if first[0] in NO_BREAK else "odd_spaces"
        for instead in (" ", "", "\t"):
            copy = SPACES.sub(instead, text)
            yield copy, name, "by_tabs" if instead == "\t" else "plain_spaces", about


def name_unseen(sign: str) -> str:
    """The name of a sign that nobody sees, also where it can be printed."""
    return printable(sign) if not sign.isprintable() else f"<U+{ord(sign[0]):04X}>"


def _space_between(mark: re.Match[str]) -> str:
    """The space that a mark leaves between two words."""
    return " " if mark[0][:1] == " " == mark[0][-1:] else ""


def _around_lines(text: str) -> Copies:
    """Lines with a number, a mark or blanks before each, or in quotes."""
    lines = text.split("\n")
    word = next((line for line in lines if line and line[0] != "#"), lines[0])
    firsts = [*product(AROUND, dict.fromkeys((lines[0], word)))]
    firsts += product(AROUND_TEXTS, dict.fromkeys(lines[:2]))
    for around, first in firsts:
        # A row of CoNLL-U has its number, and nothing else around it.
        match = None if WORD_LINE.match(first) else around.match(first)
        inner = "line" if "line" in around.groupindex else 1
        copy, count = around.subn(rf"\g<{inner}>", text) if match else ("", 0)
        if match and copy != text and 2 * count > text.count("\n"):
            quoted = brief(first, SHOWN)
            if not match.start(inner) and len(first) > SHOWN:
                quoted = "…" + brief(
                    first[-SHOWN:], SHOWN
                )  # its end is what stands there
            about: dict[str, object] = {"found": quoted}
            yield copy, "around_lines", "take_off", about
            if first[:1] == '"':
                plain = copy.replace("\\t", "\t").replace('\\"', '"')
                yield plain, "around_lines", "take_off", about
            if first[:1] == '"' and '""' in copy:
                yield copy.replace('""', '"'), "around_lines", "take_off", about


def _row_numbers(text: str) -> Copies:
    """Lines behind their numbers, as programs show the rows of a table."""
    lines = text.rstrip("\n").split("\n")
    numbered = [match for line in lines if (match := ROW_NUMBER.match(line))]
    counted = [int(match[1]) for match in numbered]
    if len(counted) < len(lines) or len(lines) < LEAST_LINES or counted[0] > 1:
        return
    if counted == [*range(counted[0], counted[0] + len(lines))]:
        copy = "\n".join(match.string[match.end() :] for match in numbered)
        about: dict[str, object] = {"found": brief(lines[0].strip(), SHOWN)}
        yield copy + "\n", "around_lines", "take_off", about


def _around_cells(text: str) -> Copies:
    for pattern in AROUND_CELLS if "\t" in text else ():
        if first := pattern.search(text):
            about = _place(text, first, found=brief(printable(first[0]), SHOWN))
            copy = pattern.sub(_inner_word, text)
            yield copy, "around_cells", "take_off", about


def _inner_word(cell: re.Match[str]) -> str:
    """The word that something stands around, quotes in quotes as they are meant."""
    word = cell.groupdict().get("word", "")
    return word.replace('""', '"') if cell[0][0] == '"' else word


def _pieces(text: str) -> Copies:
    """Words in pieces, as a model's tokenizer leaves them."""
    if not (first := PIECE.search(text)):
        return
    rows: list[str] = []
    for line in text.split("\n"):
        word = WORD.sub(r"\2", line)
        number, own, rest = WORD.findall(rows[-1] if rows else "")[0]
        if own and (word.startswith("##") or own.endswith("@@")):
            joined = own.removesuffix("@@") + word.removeprefix("##")
            rows[-1] = f"{number}{joined}{rest}"
        else:
            rows.append(line)
    about: dict[str, object] = {"found": brief(first["piece"], SHOWN)}
    about["line"] = text.count("\n", 0, first.start("piece")) + 1
    yield "\n".join(rows), "pieces", "whole_words", about


def _spaces_between_quotes(text: str) -> Copies:
    """Cells in double quotes with spaces between them, perhaps behind names of rows."""
    lines = text.rstrip("\n").split("\n")
    if not all(map(QUOTED_LINE.fullmatch, lines)):
        return
    rows = [QUOTED_CELL.findall(line) for line in lines]
    more = len(rows[-1]) - len(rows[0])
    copy = [rows[0], *(row[more:] if more == 1 else row for row in rows[1:])]
    about: dict[str, object] = {"found": brief(lines[0], SHOWN)}
    plain = "\n".join(map(",".join, copy)).replace('\\"', '""')
    yield plain + "\n", "one_column", "by_marks", about
    about["line"] = 1
    bare = "\n".join(map(" ".join, copy)).replace('"', "")
    yield bare + "\n", "around_cells", "take_off", about


def _other_separator(text: str) -> Copies:
    head = text[:1000]
    for mark in (*SIGNS_OF_TABS, *SEPARATORS):
        if "\t" not in head and mark in head:
            about: dict[str, object] = {"found": mark}
            alone = mark if len(mark) == 1 else "\t"
            rows = [cells_of(line, alone) for line in text.split("\n")]
            yield "\n".join(map("\t".join, rows)), "by_mark", "by_tabs", about
            yield text.replace(mark, "\t"), "by_mark", "by_tabs", about


def _no_spaces(text: str) -> Copies:
    """Another sign where spaces separate the fields."""
    for mark in (*SEPARATORS, "="):
        if mark in text.partition("\n")[0][1:] and text[:1] != mark:
            about: dict[str, object] = {"found": mark}
            yield text.replace(mark, " "), "by_mark_spaces", "by_spaces", about


def _fits(blind: Outline, system: Outline | None) -> bool:
    """Whether the units of the blind file are there, in order where it counts."""
    if system is None or system.kind != blind.kind or not len(system):
        return False
    if blind.kind == "line":
        return len(system) == len(blind)
    places = match_units(blind, system)
    here = [place for place in places if place >= 0]
    whole = len(set(here)) == len(blind) if blind.whole else 2 * len(here) > len(blind)
    return (
        whole
        and not (blind.ordered and here != sorted(here))
        and (len(here) == len(places) or not blind.closed)
    )


def _text(system: Source) -> str:
    """The text of one file with plain line ends, empty for others and for what is too
    large to compare."""
    if len(system.files) > 1 or is_zip(system) or len(system.single()) > MOST_BYTES:
        return ""
    try:
        text = system.single().decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return ""
    return text.replace("\r\n", "\n")


def _doubled_tabs(text: str) -> Copies:
    if first := DOUBLED_TAB.search(text):
        line = text.count("\n", 0, first.start()) + 1
        rows = [row for row in text.split("\n") if "\t" in row]
        sizes = {row.count("\t") for row in rows if not DOUBLED_TAB.search(row)}
        if text.split("\n")[line - 1].count("\t") in sizes:
            return  # a cell of this line is empty
        yield DOUBLED_TAB.sub("\t", text), "doubled_tabs", "by_tabs", {"line": line}


Part = Callable[[re.Match[str]], str]


def _instead(
    pattern: re.Pattern[str],
    sentence: str,
    hint: str,
    *others: str | Part,
    quoted: Part = lambda match: match[0].strip(),
    expected: Part | None = None,
) -> Way:
    """A way that writes another text for each that a pattern finds: each of `others`,
    or what is `expected`."""

    def way(text: str) -> Copies:
        if first := pattern.search(text):
            about = _place(text, first, found=quoted(first))
            about["count"] = sum(1 for _match in pattern.finditer(text))
            if expected:
                about["expected"] = expected(first)
            for other in others or filter(None, [expected]):
                yield pattern.sub(other, text), sentence, hint, about

    return way


other_encoding = _instead(
    REENCODED,
    "reencoded",
    "save_again",
    quoted=lambda match: printable(match[0]),
    expected=_as_meant,
)
full_width = _instead(
    FULL_WIDTH,
    "full_width",
    "plain_signs",
    quoted=lambda match: f"{match[0]} <U+{ord(match[0]):04X}>",
    expected=lambda match: match[0].translate(PLAIN_WIDTH),
)
WAYS: tuple[Way, ...] = (
    _copies_in,
    _prose_around,
    _no_break,
    _instead(
        UNSEEN,
        "unseen",
        "take_unseen_out",
        lambda match: match[0][: match[0][0] == "\n"],
        quoted=lambda match: name_unseen(match[0].strip("\n")),
    ),
    _instead(
        NO_LINE_ENDS,
        "no_line_ends",
        "unix_ends",
        "\n",
        quoted=lambda match: printable(match[0][0]),
    ),
    _instead(DECIMAL_WORD, "decimal_words", "whole_heads", r"\1"),
    _pieces,
    _spaces_between_quotes,
    _instead(
        UNMARKED,
        "unmarked",
        "mark_comments",
        "# ",
        quoted=lambda match: brief(
            match.string[match.end() :].split("\n", 1)[0], SHOWN
        ),
    ),
    _instead(CURLY, "curly", "straight_quotes", '"'),
    other_encoding,
    other_alphabet,
    _doubled_tabs,
    _around_lines,
    _row_numbers,
    _instead(
        WRITTEN_OUT,
        "written_out",
        "as_signs",
        lambda match: unescape(match[0].replace("\\t", "\t")),
    ),
    _around_cells,
    cat_marks,
    _rules,
    _instead(MARKS, "marks", "take_unseen_out", "", _space_between),
    _without_last,
)
# Of lines of text none is known to be too many, but for those around a fence.
WAYS_OF_LINES = tuple(
    _around_fence if way is _prose_around else way
    for way in WAYS
    if way is not _without_last
)
