"""Looks at a whole file: its format, and whether its units and words are all there."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate, dropwhile, pairwise
from urllib.parse import unquote

from scoring.diagnosis.answers import (
    LATIN,
    LEAST_SPACES,
    LONGEST_ID,
    NUMBER,
    SIGNS,
    column_of_ids,
    header_of_lines,
    letters_alike,
    look_of,
    names_line,
)
from scoring.diagnosis.refused_file import RefusedFile, changes_between, says
from scoring.diagnosis.sentences import MESSAGES
from scoring.errors import Problem, Refused
from scoring.formats.bundle import is_zip, members
from scoring.formats.text_forms import SEPARATOR_LINE
from scoring.messages import Wording
from scoring.oddities import SPECIAL
from scoring.outlines import Outline, outline_of
from scoring.source import Source, brief, first_difference, list_names

ANNOTATIONS = re.compile(r"T\d+\t\S+ \d+ \d+[\t;]")
# What names a format among those of a scorer, where it is not the name of the kind.
MARKS = {"conllu": "conll-u", "conll2012": "conll-2012"}
MARKS |= dict.fromkeys(("features", "spaces", "tabs", "text"), "")
# Forms of documents with spans, by what they are called.
FORMS = {"brat": "brat", "mat-json": "mat_json", "xml-inline": "xml_inline"}
# Kinds of which no line is one of text.
NO_LINES = frozenset(
    (
        "code",
        "conll2012",
        "conllu",
        "ctm",
        "fairseq",
        "figures",
        "json",
        "link",
        "m2",
    )
) | {"markdown", "nbest", "opennmt", "python", "quads", "sql", "stm", "subtitles"}
NO_LINES |= {"features", "latex", "sclite", "toml", "trec", "unl", "xml"}
# Of those, the ones that no table looks like.
NO_TABLES = frozenset(("code", "features", "markdown", "nbest", "sql", "subtitles"))
NO_TABLES |= {"bullets"}
# Forms that no scorer reads, by what each of the first lines is like.
EVERY_LINE = {
    "sclite": re.compile(
        r"id: \(.*\)|(?:Scores|REF|HYP|Eval|Speaker sentences\s*\d*):.*|>> .*"
    ),
    "opennmt": re.compile(r"(?:SENT|PRED|GOLD) ?[\w ]*: .*"),
    "figures": re.compile(
        r"(?i)(?:[\w-]+ )?(?:accuracy|bleu|cer|chrf|f1|kendall|mae|map|pearson"
        r"|precision|recall|rmse|rouge\S*|spearman|wer)(?:[ -][\w-]+)?"
        r"\s*[:=]\s*[\d.]+ ?%?"
        r"|(?:runid|num_\w+|map|gm_map|Rprec|bpref|recip_rank|P_\d+|ndcg\S*|recall_\d+)"
        r"\s+\S+\s+\S+\s*"
    ),
    "latex": re.compile(r".*(?:&.*)?\\\\(?: *\\hline)?\s*|\\[a-z]+\b.*"),
    "bullets": re.compile(r"[-*\u2022] +(?![\w.-]{1,60}:(?: |$)).*"),
    "yaml": re.compile(
        r"---|(?:- +|  +)?[\w.-]{1,60}:(?: +[^\s,;][^\t]*)?|- +[^\t,;]*"
    ),
    "toml": re.compile(r"\[\[?[\w.-]+\]?\]|[\w.-]+ *= *[\"'\d\[{tf-].*"),
    "markdown": re.compile(r" *\|.*\| *"),
    "stm": re.compile(r"\S+ \S+ \S+ \d+\.\d+ \d+\.\d+ \S.*"),
    "fairseq": re.compile(r"[DHPSTW]-\d+\t.*"),
    "nbest": re.compile(r"\d+ \|\|\| .*"),
    "features": re.compile(r"[\d.+-]+(?: qid:\S+)?(?: \d+:[\d.e+-]+)+(?: #.*)?"),
    "quads": re.compile(r".*\S####\s*\[.*"),
}
MARKDOWN = re.compile(r"\s*\|.*\|[ \t\r]*\n[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t\r]*\n")
MEMBER = re.compile(r'"([^"\n]{1,80})"\s*:')
LINK = re.compile(r"\s*(?:https?|ftp)://\S+\s*\Z")
CODE = re.compile(
    r"\s*(?:#.*\n\s*)*(?:import \w+(?:\.\w+)*(?: as \w+)?|from [\w.]+ import .+"
    r"|library\(\w+\))[ \t\r]*\n"
    r"|\s*(?:export default|(?:export )?(?:const|let|var) \w+ ?="
    r"|module\.exports ?=) ?[\[{]|\s*[A-Za-z_]\w* ?= ?[\[{(][ \t\r]*\n"
)
UNL = re.compile(
    r"(?m)^\s*(?:\[[DS]:[^\]\n]*\]|\{(?:unl|org|[a-z]{2})(?:[:=][^}\s]*)?\})\s*$"
)
YAML = re.compile(r"---|- |[\w.-]+:\s*$")
TOML = re.compile(r"\[\[?[A-Za-z][\w.-]*\]?\]\s*\n[\w.-]+ *= *[^\s=]")
ARFF = re.compile(r"(?i)\s*(?:%.*\s+)*@relation\b")
BRACKETS = re.compile(r"\s*\((?:ROOT|TOP|S|S1)?\s*\((?:S|[A-Z]{1,5}) [^\n]*\)")
CTM = re.compile(r"\S+ \S+ \d+\.\d+ \d+\.\d+ \S+(?: [\d.]+)?")
BEGIN_2012 = "#begin document"
SUBTITLES = re.compile(r"WEBVTT\b|\s*\d+\n\d\d:\d\d:\d\d[,.]\d{3} --> ")
COMMENT_OF_TREES = re.compile(r"# (?:newdoc|newpar|sent_id|text|global\.)\b")
SQL_COMMENT = re.compile(r"(?:--[^\n]*\n|/\*[^*]*\*/;?\s*)+")
SQL = re.compile(r"(?i)(?:insert into|create table|drop table|begin transaction)\b")
JUDGED = re.compile(r"\S+\s+\S+\s+\S+\s+-?\d{1,2}\s*")
# Kinds that a table may look like whose lines are written otherwise.
IN_TABLES = ("csv", "columns")
TEXT = "text"  # the column of texts, whose lines may be sentences
WHOLE = re.compile(r"\d+(?:\.0)?")  # numbers as ids, also as pandas writes them
PARTED = re.compile(r"\S+ \d+")  # ids of two parts, a number the second
FIRST_IDS = 3
# Months by the names that spreadsheets give them, and what they write of two numbers.
MONTHS = {"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7}
MONTHS |= {"aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12}
MONTHS |= {"mrz": 3, "mär": 3, "mai": 5, "okt": 10, "dez": 12}
MONTH = re.compile(rf"(?i)(?<![^\W\d])(?:{'|'.join(MONTHS)})(?![^\W\d])")
ISO_DAY = re.compile(r"\d{4}-(\d{1,2})-(\d{1,2})(?: 00:00:00)?")
TWO_NUMBERS = re.compile(r"(\d{1,2})\W{1,2}(\d{1,2})(\W\d{4})?")
# Parts of data beside that on which systems are tested.
PART = re.compile(
    r"(?i)(?<![^\W_])(?:dev(?:elopment)?|train(?:ing)?|trial|val(?:id(?:ation)?)?)"
    r"(?![^\W\d_])"
)
# A list in JSON without ids, under whatever name.
BARE_LIST = re.compile(r"\s*\{\s*\"[^\"\n]*\"\s*:\s*\[\s*(?:-?\d|\")")
LEAST_SORTED, LOOKED_AT = 10, 1 << 16
SHOWN_WORDS, SHOWN_LETTERS = 6, 25
LINES_LOOKED_AT = 20
# Lines that programs and people put above or below those of a text.
STRAY = re.compile(
    r"(?:\$|//|#|>{3}|sep=|//|%) ?\S.*|\S+@\S+[:~].*[$#]|(?:real|user|sys)\t[\dms.,]+"
    r"|EOF|END|\(\d+ rows?\)|data: \[DONE\]"
    r"|(?i:total|average|mean|sum|count)\W+[\d.,]+%?|\\(?:begin|end)\{.*"
    r"|I hope (?:this|that) .*|Let me know .*|\[[\w.-]+\]"
)
# What programs call the only column of a table of texts or numbers.
COLUMN_NAMES = re.compile(
    r"(?i)answers?|hypothes[ei]s|labels?|outputs?|predictions?|references?|scores?"
    r"|summar(?:y|ies)|targets?|texts?|translations?|values?|0"
)
SENTENCE_ENDS = frozenset('.!?\u2026\u3002\uff01\uff1f\u0964"\u201d\u00bb)')
# Where programs break lines.
LEAST_WIDTH, MOST_WIDTH = 30, 132
Others = Mapping[str, Source]


def texts_alone(case: RefusedFile) -> Problem | None:
    """Texts of brat without their annotations."""
    forms = case.blind.form, case.system.form
    if not case.several or forms != ("brat", "conll"):
        return None
    return case.says("no_ann", "ann_with_text")


def in_folders(asked: Outline, blind: Source, system: Source) -> Problem | None:
    """Documents that stand in several folders of a zip, as of several runs."""
    if asked.kind != "document" or not is_zip(system):
        return None
    documents = {*asked.names}
    own, theirs = (
        [folder for folder, names in _folders(side).items() if names & documents]
        for side in (system, blind)
    )
    if len(own) < 2 or len(theirs) > 1:
        return None
    sets = [_folders(system)[folder] for folder in own]
    if not sets[0] & sets[1]:
        return None
    names = ", ".join(brief(name, 30) for name in own[:6])
    return says(system.name, "folders", "one_folder", found=names)


def _folders(source: Source) -> dict[str, set[str]]:
    """Names of documents by their folders."""
    try:
        files = members(source)
    except Refused:
        return {}
    folders = defaultdict[str, set[str]](set)
    for name in files:
        folder, _slash, own = name.rpartition("/")
        folders[folder].add(own.partition(".")[0])
    return folders


def file_format(case: RefusedFile) -> Problem | None:
    """Another format, where nothing in the file reads as this one."""
    kind, formats = _looks_like(case.head), _formats(case)
    if case.several or (kind == "tabs" and "CoNLL-U" in formats):
        return None  # whose problems name them
    if plainly := _plainly_other(case, kind):
        return _other_format(case, kind, plainly)
    if case.blind.kind == "topic" and _all_lines(JUDGED, case.head):
        return case.says("judgements", "see_which")
    if ANNOTATIONS.match(case.head) and "brat" in formats:
        return case.says("ann_alone", "ann_with_text")
    alike = case.same_kind and (len(case.system) or case.system.header)
    if case.options.get("format") == "jsonl":
        formats = MESSAGES("json_lines")
    if kind in ("json", "xml") and case.blind.words and "scheme" in case.options:
        formats = MESSAGES("columns")  # of several formats that of the blind file
    if case.blind.kind == "document" and kind in (*IN_TABLES, "json"):
        in_lines = len({*case.blind.lines}) > 1
        formats = MESSAGES("json_lines") if in_lines else case.blind.form or "brat"
    mark = MARKS.get(kind, kind)
    if mark and mark in formats.casefold():
        return None
    running = case.blind.kind == "passage"
    marked = mark and (case.blind.words or running or kind not in IN_TABLES)
    if alike and not marked and not (case.blind.kind == "passage" and kind == "text"):
        return None
    untagged = marked and "tag" in case.codes  # the right words, in other columns
    declared = kind == "xml" and case.head.lstrip()[:2] in ("<?", "<!")
    untagged = untagged or (marked and declared)
    untagged = untagged or (kind in NO_LINES and _more_lines(case))
    untagged = untagged or (kind == "xml" and case.system.kind != case.blind.kind)
    running = case.blind.kind == "passage" and "\t" not in case.head
    if alike and not (untagged or running) and len(case.missing) < len(case.blind):
        return None
    if kind == "spaces":
        return case.says("spaces", "by_tabs")
    return _other_format(case, kind, formats)


def _plainly_other(case: RefusedFile, kind: str) -> str:
    """The formats of a task, where a file is of another, whatever units it has: a table
    with commas and no space, or JSON for documents of brat; empty for others."""
    first = case.head.partition("\n")[0]
    if kind in NO_TABLES or (kind == "yaml" and first.startswith("- ")):
        return _formats(case)
    table = case.blind.kind in ("topic", "instance") and " " not in first.strip()
    if table and kind == "csv":
        return _formats(case)
    form = case.blind.form
    return form if kind == "json" and case.system.form != form else ""


def other_form(case: RefusedFile) -> Problem | None:
    """Documents in another of the forms that a scorer of spans reads."""
    forms = case.blind.form, case.system.form
    if forms[0] not in FORMS or forms[1] not in FORMS or forms[0] == forms[1]:
        return None
    about = {"kind": MESSAGES(FORMS[forms[1]]), "formats": MESSAGES(FORMS[forms[0]])}
    return case.says("other_format", "see_format", **about)


def other_text(asked: Outline, blind: Source, system: Source) -> Problem | None:
    """A text of brat that is not that of the input file, which its offsets count."""
    if asked.kind != "document" or not is_zip(system):
        return None
    try:
        own, theirs = members(system), members(blind)
    except Refused:
        return None
    for name, data in own.items():
        sides = [
            side.replace(b"\r\n", b"\n").strip().decode("utf-8", "replace")
            for side in (data, theirs.get(name, data))
        ]
        if name.endswith(".txt") and sides[0] != sides[1]:
            place = max(0, first_difference(*sides) - 10)
            own_text, expected = (brief(side[place:][:40], 30) for side in sides)
            about = {"found": own_text, "expected": expected, "name": brief(name)}
            return says(system.name, "text_of_file", "copy_text", **about)
    return None


def _other_format(case: RefusedFile, kind: str, formats: str) -> Problem:
    word = "text" if kind == "tabs" else kind
    if kind == "csv" and "," not in _lines_of(case.head)[0]:
        word = "semicolons"
    about = {"formats": formats, "kind": MESSAGES(word)}
    if kind == "json" and (names := [*dict.fromkeys(MEMBER.findall(case.head))]):
        about["kind"] = MESSAGES("json_of", names=list_names(names, 4, 30))
    return case.says("other_format", "see_format", **about)


def of_other_kind(case: RefusedFile) -> Problem | None:
    """A file of a kind whose lines are none of any file of the task."""
    kind = _looks_like(case.head)
    return _other_format(case, kind, _formats(case)) if kind in NO_LINES else None


def _formats(case: RefusedFile) -> str:
    """The formats of the task's scorer, each in words that can be translated; of lines
    the last, where a file is data."""
    formats = case.scorer.formats
    formats = (
        formats[-1:] if case.blind.kind == "line" and is_data(case.head) else formats
    )
    names = {f"format{n}": Wording(name) for n, name in enumerate(formats)}
    return Wording(", ".join(f"%({place})s" for place in names), names)


def _more_lines(case: RefusedFile) -> bool:
    return case.blind.kind == case.system.kind == "line" and case.disagrees


def is_run(case: RefusedFile) -> bool:
    """Whether the first lines are those of a TREC run."""
    return _looks_like(case.head) == "trec"


def _all_lines(pattern: re.Pattern[str], head: str) -> bool:
    lines = [line for line in head.splitlines()[:LINES_LOOKED_AT] if line.strip()]
    return len(lines) > 1 and all(map(pattern.fullmatch, lines[:-1] or lines))


def _lines_of(head: str) -> list[str]:
    """The first lines, without the one that a spreadsheet writes for itself, and
    without comments above them."""
    first, *more = head.lstrip().split("\n", LINES_LOOKED_AT)
    lines = (more or [""]) if SEPARATOR_LINE.match(first) else [first, *more]
    below = [*dropwhile(lambda line: line[:1] in ("#", '"') and "#" in line[:2], lines)]
    return (below or lines)[:6]


def _is_table(lines: Sequence[str], mark: str) -> bool:
    """Whether the first and the last line have as many cells, more than one; a line
    alone may be a sentence."""
    if len(lines) == 1 and f"{mark} " in lines[0]:
        return False
    if all(line.count(mark) == 1 and line.rstrip().endswith(mark) for line in lines):
        return False  # whose lines end with it
    counts = [line.count(mark) for line in lines]
    if len(lines) > 1 and all(counts) and not any(map(re.compile(r"\s").search, lines)):
        return True
    below = len(counts) > 2 and len({*counts[1:]}) == 1 and f"{mark} " not in lines[1]
    return counts[0] > 0 and (counts[0] == counts[-1] or (below and counts[1] > 0))


def _looks_like(head: str) -> str:
    first, *more = _lines_of(head)
    if TOML.match(head):
        return "toml"
    if re.match(r"[\[{(][\[{(\s]*'", first):
        return "python"
    if re.match(r"\{\s*([\"}]|$)|\[\s*([\[{\"\]]|$)|\"\s*[\[{]\s*\\", first):
        return "json"
    # A sign of a model, or a name in brackets.
    marked = SPECIAL.match(first) or re.match(r"<[^<>\s]+>\s+(?:Q0|\d)", first)
    if re.match(r"<[?!A-Za-z]", first) and "\t" not in first and not marked:
        return "xml"
    if other := unread_form(head):
        return other
    lines = [line for line in (first, *more[:4]) if line and line[0] != "#"] or [""]
    if all(re.fullmatch(r"\S+\sQ0\s\S+\s\d+\s\S+\s\S+", line) for line in lines[:3]):
        return "trec"
    if all(re.match(r"\d+ +\S+ +\S+ ", line) for line in lines[:3]):
        return "spaces"
    comments = all(map(COMMENT_OF_TREES.match, (first, *more)))
    if comments or 2 * sum(line.count("\t") == 9 for line in lines) > len(lines):
        return "conllu"
    if first.startswith("S ") and (lines[1:2] or [""])[0][:2] in ("", "A ", "S "):
        return "m2"
    if columns := _in_columns(lines):
        return columns
    if lines == [""] or all(line.count("\t") > 1 for line in lines if line):
        return "tabs"
    # Prose has semicolons, too, and seldom as many in each line.
    counts = {line.count(";") for line in lines}
    by_semicolons = len(lines) > 1 and len(counts) == 1 and _is_table(lines, ";")
    return "csv" if _is_table(lines, ",") or by_semicolons else "text"


def _in_columns(lines: Sequence[str]) -> str:
    """Columns of two words a line, or what only looks so; empty for others."""
    if all(re.match(r"[\w.-]+: |[\w:]+\(.*\)$", line) for line in lines if line):
        return "text"
    if all(re.fullmatch(r"[^\s,]\S*[\t ][^,\s]\S*(?<!,)", line) for line in lines[:3]):
        commas = all(line.count(",") > 1 and "\t" not in line for line in lines[:3])
        return "csv" if commas else "columns"
    return ""


def _in_rows(head: str) -> bool:
    """Whether a sentence has a row for its words, its tags and, last, its heads."""
    first, blank, _more = head.partition("\n\n")
    rows = [line.split("\t") for line in first.split("\n")]
    as_many = len({*map(len, rows)}) == 1 and len(rows) > 2 < len(rows[0])
    heads = "0" in rows[-1] and all(map(str.isdigit, rows[-1]))
    return bool(blank) and as_many and heads and not all(map(str.isdigit, rows[0]))


def unread_form(head: str) -> str:
    """A form of text that is none of a table or of JSON; empty for others."""
    first = _lines_of(head)[0]
    if MARKDOWN.match(head):
        return "markdown"
    if ARFF.match(head):
        return "arff"
    if BRACKETS.match(head):
        return "brackets"
    if LINK.match(head):
        return "link"
    if CODE.match(head):
        return "code"
    if _in_rows(head):
        return "mst"
    if SQL.match(first) or SQL.match(SQL_COMMENT.sub("", head, count=1).lstrip()):
        return "sql"
    if head.lstrip().startswith(BEGIN_2012):
        return "conll2012"
    if UNL.match(head):
        return "unl"
    if SUBTITLES.match(head):
        return "subtitles"
    if _all_lines(CTM, head):
        return "ctm"
    forms = (name for name, form in EVERY_LINE.items() if _all_lines(form, head))
    form = next(forms, "")
    # A colon may well be what parts the columns.
    return "" if form == "yaml" and not YAML.match(first) else form


def missing_units(case: RefusedFile) -> Problem | None:
    """Units that are missing, too many, in another order or none of this test set."""
    blind, system = case.blind, case.system
    lines = system.kind == "line" != blind.kind
    unread = {"fields", "name", "no_lexelt", "several", "" if lines else "header"}
    # Words of running text without their numbers are passed over.
    unread |= {"word_id"} if blind.kind == "passage" else set()
    if not len(system) or case.codes & unread:
        return None
    if not (blind.words or lines) and case.codes & {"columns", "json"}:
        return None  # lines that cannot be read would be missing
    if lines or blind.kind == "line":
        return _without_ids(case) if lines else _lines(case)
    if whole := _borders(case) or _repeated_sentences(case):
        return whole
    pairs = case.pairs
    missing = sorted(set(case.missing) - {i for i, _j in pairs})
    extra = _too_many(case, {j for _i, j in pairs})
    if not blind.whole:
        missing = missing if len(missing) == len(blind) else []
    count = len(blind) - len(missing)
    about: dict[str, object] = {"found": count}
    if len(case.missing) == len(blind) and 2 * len(pairs) < len(blind):
        return (
            _one_document(case)
            or _swapped_columns(case)
            or _other_column(case)
            or _other_words(case)
            or (_foreign(case, about) if _of_other_part(case) else None)
            or _written_otherwise(case)
            or _row_numbers(case)
            or _ids_in_answers(case)
            or _unlike_ids(case)
            or _foreign(case, about)
        )
    if missing and extra:
        if blind.kind == "passage" and len(missing) == len(extra):
            return _passages(case, missing, extra)
        return (
            _one_for_all(case, missing, extra)
            or _repeated(case, missing, extra)
            or _written_otherwise(case)
            or _row_numbers(case)
            or case.says(
                "both",
                "see_which",
                count=len(missing),
                unit=case.unit(blind.names[missing[0]]),
                others=len(extra),
                other=case.unit(system.names[extra[0]]),
                **about,
            )
        )
    if missing:
        return _written_otherwise(case) or _missing(case, missing, about)
    if extra:
        return _from_0(case) or _extra(case, extra, about)
    if case.moved:
        return case.says("order", "as_in_blind", **about)
    return None


def _one_document(case: RefusedFile) -> Problem | None:
    """One file where several documents are asked for."""
    if not case.blind.form or len(case.system) != 1:
        return None
    name = brief(case.system.names[0], 40)
    return case.says("single_document", "file_each", found=name)


def _of_other_part(case: RefusedFile) -> bool:
    """Whether all ids name a part of the data that none of the blind file's names."""
    own, asked = (
        [match and match[0].casefold() for match in map(PART.search, names)]
        for names in (case.system.names, case.blind.names)
    )
    return all(own) and not {*own} & {*asked}


def _foreign(case: RefusedFile, about: Mapping[str, object]) -> Problem:
    if case.blind.kind not in ("item", "topic", "instance", "document"):
        return case.says("foreign", "see_which", **about)
    name = brief(case.system.names[0], 40)
    return case.says("foreign", "see_ids", **{**about, "found": name})


def first_words(case: RefusedFile) -> Problem | None:
    """A file that breaks off in its first sentence."""
    words, size = case.blind.words, sum(map(len, case.system.words))
    if len(case.system) != 1 or not words or size >= len(words[0]):
        return None
    if [*words[0][:size]] != [*case.system.words[0]]:
        return None
    about = {"found": brief(" ".join(words[0][:size])), "all": sum(map(len, words))}
    about["count"] = sum(map(len, words)) - size
    return case.says("text_ends", "look_for_end", **about)


def empty_ids(case: RefusedFile) -> Problem | None:
    """Ids that nobody wrote."""
    names = case.system.names
    empty = [j for j, name in enumerate(names) if not name.strip()]
    if not empty or case.blind.kind != "item" or "header" in case.codes:
        return None  # or there is no column of ids
    if len(empty) == len(names) == 1:
        return None  # a line that is none of a table
    if len(empty) == len(names):
        return case.says("ids_empty", "copy_ids", all=len(names))
    about = {"count": len(empty), "all": len(names)}
    line = case.system.lines[empty[0]]
    return case.says("some_ids_empty", "id_each", line=line, **about)


def _too_many(case: RefusedFile, paired: set[int]) -> list[int]:
    """Units that nothing was asked for, where no others may be, and repeated ones."""
    extra, known = sorted(set(case.extra) - paired), set(case.blind.keys)
    return [j for j in extra if case.blind.closed or case.system.keys[j] in known]


def _lines(case: RefusedFile) -> Problem | None:
    lines, wanted = len(case.system), len(case.blind)
    if case.system.kind == "item" and "missing_id" in case.codes:
        name = brief(case.system.names[0], 40)
        return case.says("table_for_lines", "without_ids", found=name)
    if lines == wanted or case.system.kind != "line":
        return None
    if lines == 1 and wanted > 2 and len(case.head.split()) >= wanted:
        return case.says("all_in_one_line", "line_each")
    texts = [*case.system.fields]
    if lines == 2 * wanted and texts[:wanted] == texts[wanted:]:
        about = {"unit": case.unit("1"), "count": wanted}
        return case.says("some_repeated", "take_out", **about)
    name = case.system.fields[0].strip() if lines == wanted + 1 else ""
    cells = re.split(r"[\t,;]", name)
    named = all(map(re.compile(r"[\w.-]+").fullmatch, cells))
    if named and any(map(COLUMN_NAMES.fullmatch, cells)):
        if len(cells) > 1:
            return case.says("names_columns", "one_line_each", found=brief(name, 40))
        return case.says("names_column", "take_out", found=brief(name, 40))
    more = lines - wanted
    empty = sum(not text.strip() for text in case.system.fields)
    separator = SEPARATOR_LINE.match(case.head.partition("\n")[0])
    if empty and lines - empty == wanted and not separator:
        about = {"count": empty, "found": lines, "all": wanted}
        return case.says("empty_lines", "take_empty_out", **about)
    if 4 * (lines - wanted) > wanted and (
        first := _first_wrapped(case.system.fields, wanted)
    ):
        about = {"line": first, "found": lines, "all": wanted}
        return case.says("wrapped", "one_line_each", **about)
    if stray := _strays(case, more):
        return stray
    texts = [text for text in case.system.fields if text.strip()]
    words = not any(" " in text.strip() for text in texts)
    numbers = all(map(NUMBER.fullmatch, map(str.strip, texts)))
    if words and not numbers and len(texts) > 2 * wanted:
        word = brief(texts[0], 40)
        about = {"all": lines, "wanted": wanted}
        return case.says("word_a_line", "one_line_each", found=word, **about)
    return case.says("number_of_lines", "one_line_each", found=lines, all=wanted)


def _strays(case: RefusedFile, more: int) -> Problem | None:
    """The first of as many lines that are no numbers, or of no text, as there are too
    many."""
    texts = [text.strip() for text in case.system.fields]
    if more == 1 and SEPARATOR_LINE.match(first := case.head.partition("\n")[0]):
        return case.says("above", "take_stray_out", line=1, found=brief(first, 40))
    numbers = [n for n, text in enumerate(texts) if not NUMBER.fullmatch(text)]
    strays = [n for n, text in enumerate(texts) if not text or STRAY.fullmatch(text)]
    for odd in (numbers, strays):
        rows = [n for n in odd if texts[n]]
        few = odd is strays or 2 * len(odd) <= len(case.blind)
        if rows and few and len(odd) == more:
            hint = "take_stray_out" if more == 1 else "take_printed_out"
            about = {"line": rows[0] + 1, "found": brief(texts[rows[0]], 40)}
            return case.says("above", hint, **about)
    return None


def _first_wrapped(texts: Sequence[str], wanted: int) -> int:
    """The first line that goes on with the text above it, 0 where lines were not broken
    at a width: many would be the longest with a word more, or all but those that are
    too many end a sentence."""
    width = max(map(len, texts), default=0)
    full = [
        len(text) + 1 + len(after.split(" ", 1)[0]) > width and bool(after.strip())
        for text, after in pairwise(texts)
    ]
    open_ended = [text.rstrip()[-1:] not in SENTENCE_ENDS for text in texts[:-1]]
    more = len(texts) - wanted
    both = [a and b for a, b in zip(full, open_ended, strict=True)]
    small = any(text[:1].islower() for text in texts[1:])
    cased = any(text != text.lower() for text in texts)
    for goes_on in (full, *([open_ended, both] if small or not cased else [])):
        if sum(goes_on) == more:
            return goes_on.index(True) + 2
    narrow = LEAST_WIDTH <= width <= MOST_WIDTH and 2 * sum(full) > len(texts)
    return full.index(True) + 2 if narrow else 0


def _without_ids(case: RefusedFile) -> Problem:
    """Lines of text where ids are expected: without any, or below no header."""
    known = set(case.blind.names)
    if all(text.strip() in known for text in case.system.fields if text.strip()):
        return case.says("ids_alone", "fill_in")
    begin = [
        re.split(r"[\t,;]", text, maxsplit=1)[0].strip() for text in case.system.fields
    ]
    if 2 * sum(name in known for name in begin) > len(begin):
        if begin[0] not in known and (problem := header_of_lines(case, other=True)):
            return problem
        return case.says("no_header", "add_header", header=names_line(case))
    firsts = [words[0] for text in case.system.fields if (words := text.split(None, 1))]
    times = Counter(name for name in firsts if name in known)
    twice = [name for name in times if times[name] > 1]
    if twice and 2 * times.total() > len(firsts):
        name = "one_repeated" if len(twice) == 1 else "some_repeated"
        unit = case.unit(twice[0])
        return case.says(name, "take_out", count=len(twice), unit=unit)
    if problem := header_of_lines(case):
        return problem
    first = case.head.lstrip().partition("\n")[0]
    if TEXT not in case.blind.columns and first.count(" ") > LEAST_SPACES:
        return case.says("no_names_above", "see_which", found=brief(first, 40))
    if all(name in case.head for name in case.blind.names[:FIRST_IDS]):
        name, texts = case.blind.names[0], case.system.fields
        example = next((text for text in texts if name in text), texts[0])
        return case.says("ids_inside", "part_ids", found=brief(example, 40))
    return case.says("no_ids", "give_ids")


def _repeated_sentences(case: RefusedFile) -> Problem | None:
    """Sentences that are there more than once, and none that nothing was asked for, in
    place of others."""
    if not case.blind.words or len(case.extra) < 2 or not case.missing:
        return None
    return _repeated(case, case.missing, case.extra)


def _borders(case: RefusedFile) -> Problem | None:
    if not case.borders:
        return None
    unit = case.unit(case.blind.names[case.missing[0]])
    return case.says("borders", "keep_blank_lines", found=len(case.system), unit=unit)


def _passages(
    case: RefusedFile, missing: Sequence[int], extra: Sequence[int]
) -> Problem:
    has, wanted = case.system.names[extra[0]], case.blind.names[missing[0]]
    if has == wanted:  # they differ further on
        own, asked = case.system.keys[extra[0]], case.blind.keys[missing[0]]
        place = max(first_difference(own, asked) - 10, 0)
        has, wanted = own[place:][:SHOWN_LETTERS], asked[place:][:SHOWN_LETTERS]
    about = {"found": brief(has), "expected": brief(wanted)}
    sizes = {"count": len(missing), "all": len(case.blind)}
    return case.says("passages_differ", "copy_text", **about, **sizes)


def running_text(case: RefusedFile) -> Problem | None:
    """The place where text differs that is hardly divided into passages."""
    blind, system = case.blind, case.system
    asked, written = ("".join(side.keys) for side in (blind, system))
    unlike = case.disagrees and len(case.missing) == len(blind)
    numbered = case.codes & {"columns", "word_id"}
    if blind.kind != "passage" or not (unlike and written) or numbered:
        return None
    words = [*map("".join, map(str.split, blind.fields))]
    own = [*map("".join, map(str.split, system.fields))]
    place, back = (
        next(
            (n for n, (a, b) in enumerate(pairs) if a != b),
            min(len(asked), len(written)),
        )
        for pairs in (
            zip(asked, written, strict=False),
            zip(reversed(asked), reversed(written), strict=False),
        )
    )
    ends = [[*accumulate(map(len, side))] for side in (words, own)]
    here, there = (bisect_right(end, place) for end in ends)
    about = {
        "found": brief(" ".join(own[there : there + SHOWN_WORDS])),
        "expected": brief(" ".join(words[here : here + SHOWN_WORDS])),
        "all": len(words),
        "count": 0,
    }
    if asked.casefold() == written.casefold():
        return case.says("text_case", "copy_text", **about)
    if unicodedata.normalize("NFC", asked) == unicodedata.normalize("NFC", written):
        return case.says("text_forms", "copy_text", **about)
    if Counter(words) == Counter(own):
        return case.says("text_order", "as_in_blind", **about)
    if place == len(written):
        about |= {
            "found": brief(" ".join(own[-SHOWN_WORDS:])),
            "count": len(words) - here,
        }
        return case.says("text_ends", "look_for_end", **about)
    if back == len(written):
        about |= {
            "found": brief(" ".join(own[:SHOWN_WORDS])),
            "count": len(words) - len(own),
        }
        return case.says("text_begins", "look_for_end", **about)
    if place == len(asked):
        return case.says("text_goes_on", "take_out", **about)
    about["count"] = abs(len(words) - len(own))
    if len(asked) > len(written) <= place + back:
        return case.says("text_gap", "add_missing", **about)
    if len(written) > len(asked) <= place + back:
        return case.says("text_added", "take_out", **about)
    shared = Counter(pairwise(words)) & Counter(pairwise(own))
    as_many = len(words) == len(own) > LEAST_SORTED
    if not as_many and 2 * sum(shared.values()) < len(words) - 1:
        return None
    return case.says("text_differs", "copy_text", **about)


def _swapped_columns(case: RefusedFile) -> Problem | None:
    """Ids under the name of the answers."""
    if case.blind.kind != "item":
        return None
    fields = [text.strip() for text in case.system.fields]
    swapped = len(set(case.blind.keys) & {*fields})
    # Numbers may be ids by chance, and hardly all of them others.
    swapped = swapped if 10 * swapped >= 9 * len(fields) else 0
    if not swapped and (column := column_of_ids(case, case.system.header)):
        return case.says("ids_in_column", "name_both", column=brief(column, 40))
    if all(" " in key for key in case.blind.keys):  # of several columns
        parts = {part for key in case.blind.keys for part in key.split()[:1]}
        swapped = sum(text in parts for text in fields)
    return case.says("swapped", "name_both") if 2 * swapped > len(case.blind) else None


def swapped_answers(case: RefusedFile) -> Problem | None:
    """Ids under the name of the answers, of a file of which other lines are broken."""
    asked = {*case.blind.keys}
    if case.blind.kind != "item" or asked & {*case.system.keys}:
        return None
    return _swapped_columns(case) if "columns" in case.codes else None


def swapped_parts(case: RefusedFile) -> Problem | None:
    """Ids of two parts, of which the second stands first."""
    names = {*case.blind.keys}
    turned = [" ".join(reversed(key.split(" "))) for key in case.system.keys]
    if (
        case.blind.words
        or not turned
        or 2 * sum(t in names for t in turned) < len(turned)
    ):
        return None
    if names & {*case.system.keys}:
        return None
    about = {"found": brief(case.system.names[0], 40)}
    about |= {"expected": brief(turned[0], 40)}
    return case.says("swapped_parts", "name_both", **about)


def is_data(head: str) -> bool:
    """Whether a file begins as data of programs do, which are no columns of words."""
    return _looks_like(head) in ("json", "python")


def sorted_tokens(case: RefusedFile) -> Problem | None:
    """Lines of tokens that were sorted."""
    whole = [line for line in case.head.split("\n")[:-1] if line.strip()]
    trees = case.blind.words or case.blind.kind == "passage"
    if trees and len(case.missing) == len(case.blind):
        # Those of a tree are numbered, and sorted ones have all comments above them.
        comments = [line for line in whole if line[:1] == "#"]
        numbered = len(comments) >= FIRST_IDS and len(whole) > LEAST_SORTED
        if numbered and whole == sorted(whole):
            return case.says("sorted", "as_in_blind")
    own = [word for words in case.system.words for word in words]
    asked = [word for words in case.blind.words for word in words]
    if len(own) > LEAST_SORTED and own == asked[::-1] != asked:
        return case.says("order", "as_in_blind")
    several = len({*own}) > LEAST_SORTED and len(case.missing) == len(case.blind)
    if not several or not {*own} <= {*asked} or own != sorted(own):
        return None
    return None if asked == sorted(asked) else case.says("sorted", "as_in_blind")


def _ids_in_answers(case: RefusedFile) -> Problem | None:
    """Ids in lists of answers, as of clusters that name their items."""
    if case.blind.kind != "item" or not case.system.fields:
        return None
    text = "\n".join(case.system.fields)[:LOOKED_AT]
    inside = sum(name in text for name in case.blind.names[:LINES_LOOKED_AT])
    if inside < min(len(case.blind), LINES_LOOKED_AT):
        return None
    fields, name = case.system.fields, case.blind.names[0]
    first = next((field for field in fields if name in field), fields[0])
    return case.says("ids_in_answers", "line_each", found=brief(first, 40))


def _other_words(case: RefusedFile) -> Problem | None:
    """Sentences of the same names, or with as many words each, with other words in all
    of them."""
    sides = case.blind, case.system
    named = all(side.named for side in sides)
    sizes = [[*map(len, side.words)] for side in sides]
    names = [[*side.names] for side in sides]
    several = len(case.blind) >= FIRST_IDS and bool(case.blind.words)
    alike = (named and names[0] == names[1]) or sizes[0] == sizes[1]
    if not several or not alike:
        return None
    about: dict[str, object] = {"count": len(case.blind)}
    about["unit"] = case.unit(case.blind.names[0])
    _tag, has, wanted, _row = next(
        changes_between(case.blind.words[0], case.system.words[0])
    )
    about |= {"found": brief(" ".join(has)), "expected": brief(" ".join(wanted))}
    letters = _alike(case, case.blind.words, case.system.words)
    return letters or case.says("words", "copy_words", **about)


def _alike(
    case: RefusedFile, asked: Sequence[Sequence[str]], own: Sequence[Sequence[str]]
) -> Problem | None:
    """Words that differ in letters of another alphabet alone."""
    return letters_alike(case, [*map(" ".join, own)], [*map(" ".join, asked)])


def _other_column(case: RefusedFile) -> Problem | None:
    """Units that stand in another field of their lines than the first."""
    names, seen = {*case.blind.names}, Counter[int]()
    if case.blind.kind not in ("topic", "instance") or not names:
        return None
    rows = [line.split() for line in case.head.splitlines()[:LINES_LOOKED_AT]]
    size = len(next(iter(names)).split(" "))
    for row in rows:
        runs = (row[n : n + size] for n in range(len(row)))
        seen.update(
            n
            for n, run in enumerate(runs)
            if " ".join(run) in names or (n and " ".join(run[::-1]) in names)
        )
    if not seen or (place := seen.most_common(1)[0])[1] < len(rows) or not place[0]:
        return None
    return case.says("other_column", "names_first", column=place[0] + 1)


def _one_for_all(
    case: RefusedFile, missing: Sequence[int], extra: Sequence[int]
) -> Problem | None:
    """Units that are missing because one of the others stands in their places."""
    known, times = set(case.blind.keys), Counter(case.system.keys)
    names = {case.system.keys[j] for j in extra}
    if not case.blind.words and len(names) == 1 and names <= known:
        unit, other = case.unit(names.pop()), case.unit(case.blind.names[missing[0]])
        about = {"times": max(times.values()), "count": len(missing), "other": other}
        return case.says("repeated_for_others", "each_once", unit=unit, **about)
    return None


def _repeated(
    case: RefusedFile, missing: Sequence[int], extra: Sequence[int]
) -> Problem | None:
    """Units that are missing beside others that are there more than once, and none
    that nothing was asked for."""
    known = set(case.blind.keys)
    if any(case.system.keys[j] not in known for j in extra):
        return None
    hint = "as_in_blind" if case.blind.words else "each_once"
    unit = case.unit(case.blind.names[missing[0]])
    twice = [*case.blind.keys].index(case.system.keys[extra[0]])
    other = case.unit(case.blind.names[twice])
    about = {"count": len(missing), "others": len(extra), "unit": unit, "other": other}
    return case.says("some_repeated_some_missing", hint, **about)


def _missing(
    case: RefusedFile, missing: Sequence[int], about: Mapping[str, object]
) -> Problem:
    blind, count = case.blind, len(missing)
    in_a_row = missing[-1] - missing[0] + 1 == count and count > 1
    here = [place for place in case.places if place >= 0]
    ordered = blind.ordered or (blind.kind == "item" and here == sorted(here))
    if in_a_row and ordered and missing[0] and missing[-1] == len(blind) - 1:
        unit = case.unit(blind.names[missing[0] - 1])
        return case.says("end_missing", "look_for_end", unit=unit, count=count, **about)
    if in_a_row and blind.ordered and missing[0] == 0:
        unit = case.unit(blind.names[missing[-1] + 1])
        name = "begin_missing"
        return case.says(name, "look_for_end", unit=unit, count=count, **about)
    unit = case.unit(blind.names[missing[0]])
    name = "one_missing" if count == 1 else "some_missing"
    return case.says(name, "add_missing", unit=unit, count=count, **about)


def _extra(
    case: RefusedFile, extra: Sequence[int], about: Mapping[str, object]
) -> Problem | None:
    known = set(case.blind.keys)
    if case.missing and not case.pairs:
        return None  # nor are all there
    repeated = [j for j in extra if case.system.keys[j] in known]
    kind, chosen = ("repeated", repeated) if repeated else ("extra", extra)
    again = {case.system.keys[j] for j in repeated}
    count = len(chosen)
    if repeated:
        count = min(count, sum(key in again for key in case.blind.keys))
    name = f"one_{kind}" if count == 1 else f"some_{kind}"
    if repeated and len(chosen) > count:
        name = "one_several" if count == 1 else "several"
    about = {**about, "unit": case.unit(case.system.names[chosen[0]]), "count": count}
    times = max(Counter(case.system.keys[j] for j in chosen).values()) + 1
    return case.says(name, "take_out", times=times, **about)


def _written_otherwise(case: RefusedFile) -> Problem | None:
    """Ids that are the blind file's but for capitals, zeros, blanks or a part."""
    if case.blind.words or not case.missing or case.blind.kind == "passage":
        return None
    if counted := _from_0(case):
        return counted
    if rounded := _rounded_ids(case):
        return rounded
    own, asked = (
        [side.keys[n] for n in rows]
        for side, rows in ((case.system, case.extra), (case.blind, case.missing))
    )
    ways = *WAYS, _without_affixes(own, asked), _without_affixes(asked, own)
    for way in ways:
        known = {way(case.blind.keys[i][:LONGEST_ID]): i for i in case.missing}
        if len(known) < len(case.missing):
            continue
        sides = case.system.keys, case.blind.keys
        if way is _number_in and not any(all(map(WHOLE.fullmatch, s)) for s in sides):
            continue  # other ids that are numbered, too
        if way is _last_number and not any(
            all(map(PARTED.fullmatch, s)) for s in sides
        ):
            continue
        pairs = [
            (known.get(way(case.system.keys[j][:LONGEST_ID])), j) for j in case.extra
        ]
        hits = [(i, j) for i, j in pairs if i is not None]
        if 2 * len(hits) > len(case.missing):
            i, j = hits[0]
            return case.says(
                "ids_differ",
                "copy_ids",
                found=brief(case.system.names[j], 40),
                expected=brief(case.blind.names[i], 40),
                count=len(hits),
            )
    return None


def _from_0(case: RefusedFile) -> Problem | None:
    """Ids that are numbered from 0, where the blind file's are from 1: all of them, or
    those of each system or document; or the other way round."""
    asked, own = (
        [re.fullmatch(r"(.*?)(\d{1,9})", key[-LONGEST_ID:]) for key in side]
        for side in (case.blind.keys, case.system.keys)
    )
    if len({*case.system.keys}) != len(asked) or not all((*asked, *own)):
        return None
    pairs, others = (
        sorted((match[1], int(match[2])) for match in side if match)
        for side in (asked, own)
    )
    bare = not any(name for name, _number in others)
    least, first_of = (
        min((number for _name, number in side), default=-1) for side in (pairs, others)
    )
    shift = first_of - least
    moved = sorted((name * (not bare), number + shift) for name, number in pairs)
    if len(pairs) < FIRST_IDS or abs(shift) != 1 or moved != others:
        return None
    first = next(match for match in own if match and int(match[2]) == first_of)
    about = {"found": brief(first[0], 40)}
    if least and bare and any(name for name, _number in pairs):
        return case.says("row_numbers", "copy_ids", **about)
    if {least, first_of} != {0, 1}:
        return case.says("ids_moved", "copy_ids", **about)
    if not least:
        return case.says("ids_from_1", "copy_ids", **about)
    return case.says("ids_from_0", "copy_ids", **about)


def _row_numbers(case: RefusedFile) -> Problem | None:
    """Ids that are counted from 0 or 1 in place of the blind file's."""
    own = case.system.keys
    counted = [[*map(str, range(start, start + len(own)))] for start in (0, 1)]
    if len(own) < FIRST_IDS or case.blind.words or [*own] not in counted:
        return None
    return case.says("row_numbers", "copy_ids", found=own[0])


def _unlike_ids(case: RefusedFile) -> Problem | None:
    """Ids none of which looks like any of the blind file's."""
    if case.blind.kind not in ("item", "topic"):
        return None
    sides = case.system.keys, case.blind.keys
    own, asked = ([*map(look_of, side)] for side in sides)
    if len(own) < FIRST_IDS and BARE_LIST.match(case.head):
        return case.says("no_ids", "give_ids")
    if not own or {*own} & {*asked}:
        return None
    name = brief(case.system.names[0], 40)
    return case.says("ids_unlike", "copy_ids", found=name)


def _rounded_ids(case: RefusedFile) -> Problem | None:
    """Long numbers as spreadsheets and programs write them that keep some of their
    digits: with an exponent, or with other digits or zeros at their end."""
    wanted = [case.blind.keys[i] for i in case.missing]
    long: dict[int, list[str]] = defaultdict(list)  # by length, in order
    for text in sorted(text for text in wanted if re.fullmatch(r"\d{12,}", text)):
        long[len(text)].append(text)
    pairs = []
    for key in (case.system.keys[j] for j in case.extra):
        if expected := _before_rounding(key, long):
            pairs.append((key, expected))
    if not pairs or 2 * len(pairs) < len(case.extra):
        return None
    about = {"found": brief(pairs[0][0], 40), "expected": brief(pairs[0][1], 40)}
    return case.says("rounded", "as_text", count=len(pairs), **about)


def _before_rounding(key: str, long: Mapping[int, Sequence[str]]) -> str:
    """The number that a rounded one was, of `long` ones by length; empty for none."""
    if short := re.fullmatch(r"(\d)(?:[.,](\d+))?[eE]\+?(\d+)", key):
        start, same = short[1] + (short[2] or "")[:-1], long.get(int(short[3]) + 1, ())
        place = bisect_left(same, start)
        near = same[place : place + 1]
        return next((text for text in near if text.startswith(start)), "")
    if not re.fullmatch(r"\d{15,}", key):
        return ""
    same, step = long.get(len(key), ()), 10 ** (len(key) - len(key.rstrip("0")))
    place = bisect_left(same, key)
    for text in same[max(place - 1, 0) : place + 1]:
        # Programs that keep numbers as decimals change the last digits.
        as_decimal = text[:14] == key[:14] and float(text) == float(key)
        if as_decimal or abs(int(text) - int(key)) < step > 10:
            return text
    return ""


def _without_affixes(
    longer: Sequence[str], shorter: Sequence[str]
) -> Callable[[str], str]:
    """Function that takes off what stands before or behind every id of one side, and
    not of the other; of ids of several parts, each part by itself."""
    first = longer[0].split(" ") if longer else []
    parts = [key.split(" ") for key in shorter]
    sides = [{*column} for column in zip(*parts, strict=False)]
    affixes = []
    for part, known in zip(first, sides, strict=False):
        inside = max((key for key in known if key in part), key=len, default="")
        before, _inside, behind = part.partition(inside) if inside else ("", "", "")
        if inside[:1].isdigit() and before[-1:].isdigit():
            before = behind = ""  # a number is one of another id
        if inside[-1:].isdigit() and behind[:1].isdigit():
            before = behind = ""
        affixes.append((before, behind, known))

    def without(text: str) -> str:
        parts = text.split(" ")
        if len(parts) != len(first) or len(first) != len(sides):
            return text
        return " ".join(map(_strip_affixes, parts, affixes))

    return without


def _strip_affixes(part: str, affixes: tuple[str, str, set[str]]) -> str:
    before, behind, known = affixes
    fits = part not in known and part.startswith(before) and part.endswith(behind)
    return part[len(before) : len(part) - len(behind)] if fits else part


def _last_number(text: str) -> str:
    """The first of several parts of an id, and the number that it ends with."""
    return re.sub(r"^(\S+) .*?(\d+)$", r"\1 \2", text)


def _number_in(text: str) -> str:
    """The number alone, of an id that is nothing else or ends with it."""
    text = text.removesuffix(".0") if WHOLE.fullmatch(text) else text
    match = re.search(r"\d+$", text)
    return match[0].lstrip("0") if match else text


def _without_months(text: str, *, turned: bool) -> str:
    """An id of two numbers that a spreadsheet has taken for a day and a month, perhaps
    `turned` round."""
    plain = MONTH.sub(lambda name: str(MONTHS[name[0].casefold()]), text)
    if match := ISO_DAY.fullmatch(plain):
        numbers, is_date = [match[2], match[1]], True
    elif match := TWO_NUMBERS.fullmatch(plain):
        numbers, is_date = [match[1], match[2]], plain != text or bool(match[3])
    else:
        return text
    if is_date and turned:
        numbers.reverse()
    return "-".join(str(int(number)) for number in numbers)


LATIN_LETTERS = {**LATIN, ord("\u043a"): "k"}
WAYS: tuple[Callable[[str], str], ...] = (
    str.casefold,
    unquote,
    lambda text: unicodedata.normalize("NFKC", text),
    lambda text: text.translate(LATIN_LETTERS),
    lambda text: text.translate(SIGNS),
    lambda text: re.sub(r"[\W_]+", "", text).casefold(),
    lambda text: text.rpartition("/")[2].partition(".")[0],
    lambda text: re.sub(r"(?<!\d)0+(?=\d)", "", text),
    _number_in,
    _last_number,
    lambda text: text.partition(" ")[2] or text,
    partial(_without_months, turned=False),
    partial(_without_months, turned=True),
)


def document_lines(case: RefusedFile) -> Problem | None:
    """Other lines between documents than the blind file has."""
    wanted, lines = case.blind.documents, case.system.documents
    if wanted == lines > 1 and "text" in case.codes and not case.disagrees:
        return case.says("other_docstarts", "copy_docstart", all=wanted)
    if wanted == lines or (wanted <= 1 and not lines):
        return None
    name = "docstart" if lines < wanted else "many_docstarts"
    return case.says(name, "copy_docstart", all=wanted, found=lines)


def sentence_names(case: RefusedFile) -> Problem | None:
    """Sentences without the names that the format asks for."""
    unknown = case.blind.named and bool(case.blind.words) and "unknown_id" in case.codes
    if not ("sent_id" in case.codes or unknown) or case.system.named:
        return None
    size = len(case.system)
    return case.says("no_names", "copy_comments", count=size, all=size)


def words(case: RefusedFile) -> Problem | None:
    """Words of sentences that differ."""
    blind, system, pairs = case.blind, case.system, case.readable_pairs
    if not pairs or not blind.words or len(case.broken) > len(pairs):
        return None
    sides = [(blind.words[i], system.words[j]) for i, j in pairs]
    ways: Mapping[str, Callable[[Sequence[str]], object]] = {
        "forms": lambda words: [unicodedata.normalize("NFC", w) for w in words],
        "case": lambda words: [w.casefold() for w in words],
        "tokens": "".join,
        "word_order": sorted,
    }
    i = pairs[0][0]
    about = {
        "count": len(pairs),
        "all": len(blind),
        "unit": case.unit(blind.names[i]),
        "found": "",
        "expected": "",
    }
    changes = list(changes_between(*sides[0]))
    if changes:
        _tag, has, wanted, _row = changes[0]
        about |= {"found": brief(" ".join(has)), "expected": brief(" ".join(wanted))}
    if problem := _alike(case, *zip(*sides, strict=True)):
        return problem
    for name, way in ways.items():
        if all(way(one) == way(other) for one, other in sides):
            return case.says(name, "copy_words", **about)
    if len(pairs) > 1 and all(_is_cut(*both) for both in sides):
        return case.says("sentences_cut", "copy_words", **about)
    if len(pairs) > 1 and changes and changes[0][0] == "insert":
        return case.says("added_words", "copy_words", **about)
    if len(pairs) > 1 and changes and changes[0][0] == "delete":
        return case.says("lost_words", "copy_words", **about)
    if len(pairs) == 1 and len(changes) == 1 and changes[0][0] != "replace":
        name = "lost_word" if changes[0][0] == "delete" else "added_word"
        return case.says(name, "copy_words", **about)
    if len(pairs) == 1 and len(changes) == 1 and len(changes[0][1]) == 1:
        about["all"] = sum(map(len, blind.words))
        return case.says("word", "copy_words", **about)
    return case.says("words", "copy_words", **about)


def _is_cut(asked: Sequence[str], own: Sequence[str]) -> bool:
    """Whether a sentence breaks off before its end."""
    return 0 < len(own) < len(asked) and [*asked[: len(own)]] == [*own]


def other_test_set(case: RefusedFile, others: Others) -> Problem | None:
    """The test set whose units most of the file's are."""
    best: tuple[float, str, int, int] = (0.0, "", 0, 0)
    own = len(case.blind) - len(case.missing)
    keys = set(case.system.keys)
    for name, source in others.items():
        theirs = outline_of(case.scorer.outline, source, case.options)
        if theirs is None or not len(theirs) or theirs.kind == "line":
            continue
        shared = sum(key in keys for key in theirs.keys)
        best = max(best, (shared / len(theirs), name, shared, len(theirs)))
    share, name, shared, size = best
    if share < 0.5 or shared <= own:
        return None
    return case.says(
        "other_test_set",
        "send_there",
        other=name,
        found=shared,
        all=size,
        own=own,
        wanted=len(case.blind),
    )
