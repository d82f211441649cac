"""Oddities that answers have in common: texts and labels as programs and models leave
them, and no person does.

An oddity is the name of its sentence (`scoring.answered`) and the text that it quotes.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice, pairwise
from operator import eq

from scoring.source import first_difference

Odd = tuple[str, str]

# Signs that labels may end with, as in "other (name)".
CLOSING = frozenset(")]}")
LEAST_NAMES = 2
# Fewer answers may well be the same by chance, or begin alike.
LEAST_EQUAL, LEAST_FEW, LEAST_ALIKE = 3, 5, 10
# Items that are compared with those next to them.
LEAST_NEXT, MOST_NEXT = 12, 10_000
# Letters of a label that is no abbreviation.
LEAST_CAPITALS = 3
# Characters that answers may share, as those to one question do.
MOST_SHARED = 12
# What transformers calls labels whose names were not saved with the model.
NUMBERED_LABEL = "LABEL_"
# Between two texts of one line, and signs of pieces of words.
BETWEEN_TEXTS = ("|||", "\t")
# Between two answers, where each text has just one of them.
BETWEEN_ALTERNATIVES = (" or ", "; ", " / ", " | ")
PIECES = re.compile(
    r"\S*(?:@@ |\s\u2581|\s\u0120\w|\w\u0120\w|(?<=\w) ##(?=\w)|\uffed)\S*"
)
LINE_END = re.compile(
    r"\S*(?:\\[nt](?![a-z])|(?<=[\w.,!?])\\n(?!(?:abla|eq?|exists|i|less|ot|otin|u)\b)|\\u[\da-fA-F]{4}|\\x[89a-f][\da-f]|=[C-F][\dA-F]=[89AB][\dA-F]|(?<=\w)%[2-7][\dA-F](?=[%\w])|\\(?:emph|text(?:bf|it|tt))\{)\S*"
)
# Tokens that belong to a model, and sounds that are no words.
SPECIAL = re.compile(
    r"</?(?:s|unk|pad|bos|eos|mask|think|thinking|reasoning|extra_id_\d+)>"
    r"|\[(?:UNK|PAD|CLS|SEP|MASK|INST|/INST|BLANK_AUDIO|[Nn]oise|[Ll]aughter|[Mm]usic)\]"
    r"|<\|[^|<>\n]{1,30}\|>|<(?!NA>)[A-Z][A-Z_]+>|\[[A-Z_]{3,}\]|\b__[A-Za-z]{2,}__\b"
)
# Words that many answers begin with, which are then hardly part of them.
LEAST_BEGINNING = 4
# Places that may be the second beginning of all answers.
MOST_PERIODS = 50
# Where many answers have the most characters that any has.
LEAST_CUT, LEAST_WORDS_CUT = 20, 15
STM = re.compile(r"\S+ \S+ \S+ \d+\.\d+ \d+\.\d+ \S")
# A letter of an alphabet that is written in words of several.
LETTER = re.compile(r"[^\W\d_\u0e00-\uffff]")
LEAST_LETTERS = 5
TWICE = re.compile(r"\s*(\S.*)\s+\1\s*\Z", re.DOTALL)
LEAST_DOUBLED = 16  # characters
# A word behind the end of a sentence.
BEHIND_END = re.compile(r"[.!?][^\w.!?]*\w+")
# A share behind a text, as of how sure a model is of it.
SCORED = re.compile(r"\s*\S.*[\s:;,|(\[][01]?\.\d+[)\]]?\s*\Z", re.DOTALL)
# The letter of an answer that was chosen of several.
CHOICE = re.compile(r"\(?[A-Ea-e][.)]\s+\S")
REPRESENTED = re.compile(r"\s*[bru](['\"]).*\1\s*\Z", re.DOTALL)
# Letters and digits as programs write bytes.
ENCODED = re.compile(
    r"(?=\S*[a-z])(?=\S*[A-Z])(?=\S*[\d+/=])(?:[A-Za-z0-9+/]{4}){4,}[A-Za-z0-9+/]*={,2}\Z"
)
OF_ALL = (
    ("represented", REPRESENTED),
    ("stm", STM),
    ("said_twice", TWICE),
    ("scored", SCORED),
    ("choices", CHOICE),
)
# What programs that compare texts write around what one has and the other has not.
COMPARED = re.compile(
    r"\[-[^\n]{1,200}?-\]\s?\{\+|\{\+[^\n]{1,200}?\+\}|\{--[^\n]{1,200}?--\}"
    r"|<(?:del|ins)>[^\n]{1,200}?</(?:del|ins)>"
)
# A word with its part of speech or its score, and what is no word of a language.
TAGGED = re.compile(r"\S*[^\W\d_]\S*?[_|/:+](?:[A-Z]{1,5}\$?|[01]?\.\d+)")
DIGIT = re.compile(r"\d")
DIGITS = re.compile(r"\d+(?:[ ,.;]+\d+)+\.?")
ALTERNATIVES = re.compile(
    r"\S (?:OR|/|\|\|?) \S|\w[.!?]?\|\w|[.!?] or [^\W\d_]|\S \((?:or|alt\w*)[:,]? "
)
# What models write behind an answer, of their own.
EXPLAINED = re.compile(
    r"(?<=\S )[\[(]?(?:Explanation|Justification|Note|Rationale|Reason(?:ing)?"
    r"|Translation)s?: "
)
# What models write before an answer, of their own.
LABELLED = re.compile(r"(?:Answer|Output|Response|Result|Summary|Translation): ")
# What people and models write behind an answer, in brackets.
NOTE = re.compile(r" [\[(][^\[\]()]{3,60}[\])]\Z")
# Of answers of few words also these.
OF_FEW_WORDS, FEW_WORDS = re.compile(r"\S(?: or |; ?|\|)\S"), 6
DOUBLED = re.compile(r"\S*\w(?:\.\.| ?\. \.|,,|[?!]\.|\.[?!])(?=\s|\Z)(?! [.,])")
REFUSED = re.compile(
    r"(?i)\bas an ai\b|\bsorry, (?:but )?i (?:can|am unable)"
    r"|\b(?:can ?not|can['\u2019]t|unable to) (?:answer|assist|do (?:that|this)|fulfil"
    r"|help with|provide|translate)\b"
)
SMALL = "a-z\u00df-\u024f\u0430-\u045f"
MIXED_IN = re.compile(f"[{SMALL}]{{2}}\\d+[{SMALL}]|[{SMALL}]\\d+[{SMALL}]{{2}}")
HYPHENS = re.compile(r"[^\W\d_]{2,}- (?!and |or |und |oder )[^\W\d_]{2,}")
LOST_IN = re.compile(r"(?<!\S)[^\W\d_]+\?['\u2019]?[^\W\d_]+(?![^\s.,;:!?'\u2019])")
ENTITY = re.compile(r"&(?:amp|apos|gt|lt|nbsp|quot|#\d{1,5}|#x[\da-f]{1,4});")
TAG = re.compile(r"</?(?:b|br|div|em|i|li|p|span|strong|sub|sup|u|ul)\b[^<>\n]{,80}>")
# A phrase that a model says again and again.
LOOP = re.compile(r"\b([^\W\d_]\w*+(?:[ ,]++\w++){,5}?)(?:[ ,.]++\1\b){4,}")
# Words at the end of a text that stand there twice.
END_AGAIN = re.compile(
    r"(?<!\S)(\w[^\s.!?]*(?: [^\s.!?]+){2,9}) ?[.!?]? \1 ?[.!?]?\s*\Z"
)
LAST_ONES = 200  # characters
LOOKED_AT = 1 << 18  # characters
SIGNS = (
    ("in_pieces", PIECES),
    ("special", SPECIAL),
    ("compared", COMPARED),
    ("entities", ENTITY),
    ("loop", LOOP),
)
# Those that take long to look for.
SLOW = frozenset(("special", "compared", "loop"))
# Words that lost what was between them, in alphabets that write it.
RUN_TOGETHER = re.compile(r"[^\W\d_\u0e00-\uffff]")
APART = re.compile(r"[\s/@\\<>=\u0e00-\uffff]")
LEAST_TOGETHER = 20  # letters
MARKUP = re.compile(r"<[?!A-Za-z][^<>]*>")
NUMBER = re.compile(r"\s*\(?(\d{1,9})(?:[.):](?!\d)|\s*$|\s+(?=[^\W\d]))")
# As in "Answer: ", and as in "out/run.txt:".
NAMED = re.compile(r"[^\W\d_][\w ]*: |[\w./-]*\.[a-z]{2,5}:")
SENTENCE_ENDS = frozenset(".!?\u2026\u3002\uff01\uff1f\u0964")
STOPS = re.compile(r"[.!?,;:()\s\u2026]+")
LEFT_OUT = ("...", "\u2026")


def names_in_common(names: Sequence[str]) -> Odd | None:
    """The part of all labels that hardly belongs to any, and its sentence."""
    if len(names) < LEAST_NAMES:
        return None
    begin, end = _common_start(names), _common_start([n[::-1] for n in names])[::-1]
    phrase = len(begin) > MOST_SHARED and " " in begin
    if begin == NUMBERED_LABEL or _is_mark(begin[:1]) or phrase:
        return "begin_alike", begin
    return ("end_alike", end) if _is_mark(end[-1:]) and end[-1] not in CLOSING else None


def in_capitals(names: Sequence[str]) -> Odd | None:
    """Labels of which none has a small letter, as few schemes of today write them."""
    spelled = [name for name in names if name.upper() != name.lower()]
    small = any(name != name.upper() for name in spelled)
    if small or max(map(len, spelled), default=0) < LEAST_CAPITALS:
        return None
    return "capitals", spelled[0]


def odd_for_sentences(
    texts: Sequence[str], inputs: Iterable[Sequence[str]]
) -> Odd | None:
    """Sentences in capitals alone, without a word, in the order of the alphabet, or of
    words of those next to theirs, of a test set that asks with others."""
    asked = [cells for cells in inputs if all(" " in cell for cell in cells)]
    several = len(texts) >= LEAST_ALIKE and bool(asked)
    if not several or any(cells[0].isupper() for cells in asked):
        return None
    if all(map(STOPS.fullmatch, texts)):
        return "wordless", texts[0]
    if all(text.isupper() and " " in text for text in texts):
        return "all_loud", texts[0]
    kinds = len({*texts}) > LEAST_ALIKE
    if kinds and in_order(texts) and not any(map(in_order, asked)):
        return "sorted", ""
    moved = any(fit_the_next(texts, cells, fits=_shares_words) for cells in asked)
    return ("shifted", "") if kinds and moved else None


def in_order(texts: Sequence[str]) -> bool:
    """Whether texts stand in the order of the alphabet."""
    return all(text <= after for text, after in pairwise(texts))


def _shares_words(text: str, asked: str) -> bool:
    """Whether half of the words of a text are those of another one."""
    words = {*text.casefold().split()}
    return 2 * len(words & {*asked.casefold().split()}) >= len(words) > 1


def fit_the_next(
    own: Sequence[str],
    asked: Sequence[str],
    *,
    fits: Callable[[str, str], bool] = eq,
) -> bool:
    """Whether answers are right for the items next to theirs much more often than for
    their own."""
    first, second = own[:MOST_NEXT], asked[:MOST_NEXT]
    sides = (first, second), (first, second[1:]), (first[1:], second)
    here, above, below = (sum(map(fits, *pair)) for pair in sides)
    many = len(second) >= LEAST_NEXT
    return many and 5 * (max(above, below) - here) >= 2 * len(second)


def names_of_trees(names: Sequence[str]) -> Odd | None:
    """The oddity of names of relations, which are words in small letters."""
    if len(names) >= LEAST_NAMES and all(map(DIGIT.search, names)):
        return "numbers", names[0]
    begin = _common_start(names) if len(names) > LEAST_NAMES else ""
    if len(begin) > 1 and _is_mark(begin[-1]):
        return "begin_alike", begin
    return names_in_common(names) or in_capitals(names)


def common_text(texts: Sequence[str]) -> Odd | None:
    """The oddity of `names_in_common`, of texts."""
    if len(texts) < LEAST_FEW:
        return None
    if len(texts) < LEAST_ALIKE:
        odd = _signs(texts) or _words_of_most(texts) or _escapes(texts)
        odd = odd or _of_many(texts)
        odd = odd or _common_ends(texts) or _markup_in(texts)
        marked = odd and odd[0].endswith("_alike") and odd[1].strip().isalnum()
        return None if marked else odd
    head, tail = texts[0].strip(), texts[-1].strip()
    if MARKUP.fullmatch(head) and (head[1] in "?!" or tail == f"</{head[1:]}"):
        return "markup", head
    numbers = [NUMBER.match(text) for text in texts]
    counted = [int(match[1]) for match in numbers if match]
    if counted in ([*range(len(texts))], [*range(1, len(texts) + 1)]):
        return "numbered", texts[1]
    return (
        _form_of_words(texts)
        or _common_ends(texts)
        or _of_many(texts)
        or _common_beginning(texts)
        or _cut(texts)
        or _end_again(texts)
        or begin_anew(texts)
        or _markup_in(texts)
    )


def _form_of_words(texts: Sequence[str]) -> Odd | None:
    """How words or lines look that no person writes so."""
    if odd := _words_of_most(texts):
        return odd
    for name, form in OF_ALL:
        if all(map(form.match, texts)):
            return name, texts[0]
    if all(map(_is_doubled, texts)):
        return "said_twice", texts[0]
    for mark in BETWEEN_TEXTS:
        if all(mark in text for text in texts):
            return "hold_alike", mark
    if signs := _signs(texts):
        return signs
    for mark in BETWEEN_ALTERNATIVES:
        if all(text.count(mark) == 1 for text in texts):
            return "hold_alike", mark
    return _escapes(texts) or _without_spaces(texts)


def _words_of_most(texts: Sequence[str]) -> Odd | None:
    """How the words of most texts look that no person writes so."""
    words = [text.split() for text in texts]
    for name, look in OF_MOST:
        odd = [row for row, own in enumerate(words) if look(own)]
        if 2 * len(odd) > len(texts):
            return name, texts[odd[0]]
    return None


def _escapes(texts: Sequence[str]) -> Odd | None:
    written = LINE_END.findall("\n".join(texts))
    if len(written) >= LEAST_EQUAL:
        return "written_out", written[0]
    lost = [*filter(None, map(LOST_IN.search, texts))]
    return ("lost_in", lost[0][0]) if len(lost) >= LEAST_EQUAL else None


def _without_spaces(texts: Sequence[str]) -> Odd | None:
    size = sum(map(len, texts))
    if size <= LEAST_TOGETHER * len(texts) or any(map(APART.search, texts)):
        return None
    letters = sum(len(RUN_TOGETHER.findall(text)) for text in texts)
    return ("no_spaces", texts[0]) if 5 * letters >= 4 * size else None


def _of_many(texts: Sequence[str]) -> Odd | None:
    """Signs that a good share of the texts has, and seldom one of a person's."""
    few = sum(map(len, map(str.split, texts))) < FEW_WORDS * len(texts)
    for name, sign in (
        ("refused", REFUSED),
        ("mixed_in", MIXED_IN),
        ("hyphens", HYPHENS),
        ("alternatives", ALTERNATIVES),
        *([("alternatives", OF_FEW_WORDS)] * few),
        ("doubled", DOUBLED),
        ("special", EXPLAINED),
    ):
        matches = [*filter(None, map(sign.search, texts))]
        parts = {"refused": len(texts), "mixed_in": 2}
        if len(matches) >= max(LEAST_EQUAL, len(texts) / parts.get(name, 4)):
            quoted = name in ("doubled", "special")
            return name, (matches[0][0].strip() if quoted else matches[0].string)
    loud = [text for text in texts if text.isupper() and " " in text]
    if max(LEAST_EQUAL, len(texts) / 4) <= len(loud) < len(texts):
        return "loud_in", loud[0]
    return None


def _signs(texts: Sequence[str]) -> Odd | None:
    """Signs of models and programs, of which one is enough."""
    joined = "\n".join(texts)
    for name, sign in SIGNS:
        most = LOOKED_AT if name in SLOW else len(joined)
        if match := sign.search(joined, 0, most):
            return name, match[0].strip()
    return None


def _markup_in(texts: Sequence[str]) -> Odd | None:
    match = TAG.search("\n".join(texts))
    return ("markup_in", match[0]) if match else None


def _end_again(texts: Sequence[str]) -> Odd | None:
    """The end of a text, where many of the texts say their last words twice."""
    ends = [end for text in texts if END_AGAIN.search(end := text[-LAST_ONES:])]
    many = len(ends) >= max(LEAST_EQUAL, len(texts) / 4)
    return ("loop", ends[0]) if many else None


def begin_anew(texts: Sequence[Hashable]) -> Odd | None:
    """After how many answers all of them come again in their order, or how often each
    is said in a row."""
    size, first = len(texts), texts[0]
    row = next((n for n, text in enumerate(texts) if text != first), size)
    each = len({*texts}) * row
    if row > 1 and 4 * each > 3 * size >= 3 * LEAST_FEW * row:
        starts = range(0, size, row)
        if all(len({*texts[start : start + row]}) == 1 for start in starts):
            return "in_a_row", str(row)
    places = (n for n in range(LEAST_FEW, size // 2 + 1) if texts[n] == first)
    for place in islice(places, MOST_PERIODS):
        several = 2 * len({*texts[:place]}) > place
        if several and texts[place:] == texts[:-place]:
            return "again", str(place)
    return None


def one_to_the_end(values: Sequence[float]) -> Odd | None:
    """How many of the last numbers are one, and no limit, where hardly any of those
    before them stands twice."""
    last, size = values[-1], len(values)
    count = next((n for n, v in enumerate(reversed(values)) if v != last), size)
    others = values[: size - count]
    several = len(others) >= LEAST_FEW and 4 * len({*others}) >= 3 * len(others)
    if count < LEAST_ALIKE or not several or not min(others) < last < max(others):
        return None
    return "to_the_end", str(count)


def _common_beginning(texts: Sequence[str]) -> Odd | None:
    """The words that many different texts begin with, or dots or something in brackets
    that they end with, and others do not."""
    begins = Counter(
        " ".join(words[:LEAST_BEGINNING])
        for words in map(str.split, dict.fromkeys(texts))
        if len(words) > LEAST_BEGINNING
    )
    labels = Counter(match[0] for match in map(LABELLED.match, texts) if match)
    for counter in (begins, labels):
        [(begin, count)] = counter.most_common(1) or [("", 0)]
        if count >= LEAST_EQUAL and 4 * count >= len(texts):
            return "many_begin", begin
    notes = Counter(match[0] for match in map(NOTE.search, {*texts}) if match)
    for end in (*LEFT_OUT, *dict(notes.most_common(1))):
        count = sum(text.rstrip().endswith(end) for text in texts)
        if count >= LEAST_EQUAL and 4 * count >= len(texts):
            return "many_end", end
    return None


def _cut(texts: Sequence[str]) -> Odd | None:
    """The length at which most of the texts break off."""
    words = [text.split() for text in texts]
    longest = max(map(len, words))
    whole = [own for own in words if len(own) == longest]
    ends = sum(own[-1][-1] not in SENTENCE_ENDS for own in whole if own)
    if longest >= LEAST_WORDS_CUT and 2 * ends > len(texts) > len({*texts}) / 2:
        return "cut_words", str(longest)
    most = max(map(len, texts))
    cut = {text for text in texts if len(text) == most and " " in text}
    open_ends = sum(text[-1] not in SENTENCE_ENDS for text in cut)
    # Of one form, as dates are, their spaces stand in one place.
    one_form = len({tuple(map(len, text.split(" "))) for text in cut}) < 2
    if most < LEAST_CUT or one_form or 2 * open_ends <= len(texts):
        return None
    return "broken_off", str(most)


def _is_doubled(text: str) -> bool:
    """Whether a text is another one twice, without a space between."""
    plain = text.strip()
    half = len(plain) // 2
    return len(plain) >= LEAST_DOUBLED and plain[:half] == plain[half:]


def _are_spelled(words: Sequence[str]) -> bool:
    """Whether most words are single letters."""
    single = sum(map(bool, map(LETTER.fullmatch, words)))
    return len(words) >= LEAST_LETTERS and 3 * single > 2 * len(words)


def _are_twice(words: Sequence[str]) -> bool:
    return len(words) > LEAST_BEGINNING and words[::2] == words[1::2]


def _are_turned(words: Sequence[str]) -> bool:
    """Whether a sentence ends with its first word and begins with its last."""
    if len(words) < LEAST_BEGINNING or len(words[0]) < LEAST_BEGINNING:
        return False
    ends = words[0][-1] in SENTENCE_ENDS and words[-1][-1] not in SENTENCE_ENDS
    return ends and words[0][:1].islower() and words[-1][:1].isupper()


def _are_backwards(words: Sequence[str]) -> bool:
    """Whether the letters of a sentence stand from the last to the first."""
    last = words[-1] if len(words) > 2 else ""
    capital = last[-1:].isupper() and last[:1].islower()
    return capital and words[0][0] in SENTENCE_ENDS


def _are_tagged(words: Sequence[str]) -> bool:
    tagged = sum(bool(TAGGED.fullmatch(word)) for word in words)
    return tagged > 1 and 5 * tagged >= 4 * len(words)


def _are_digits(words: Sequence[str]) -> bool:
    return len(words) > 1 and bool(DIGITS.fullmatch(" ".join(words)))


# How the words of most texts look that no person writes so.
OF_MOST = (
    ("in_letters", _are_spelled),
    ("words_twice", _are_twice),
    (
        "first_twice",
        lambda words: len(words) > 2 and words[0] == words[1] and words[0].isalpha(),
    ),
    ("words_turned", _are_turned),
    ("letters_turned", _are_backwards),
    ("encoded", lambda words: len(words) == 1 and bool(ENCODED.match(words[0]))),
    ("tagged", _are_tagged),
    ("digits", _are_digits),
)


def _common_ends(texts: Sequence[str]) -> Odd | None:
    """The characters that all texts begin or end with, hardly part of an answer."""
    begin, end = (
        _common_start(texts),
        _common_start([text[::-1] for text in texts])[::-1],
    )
    mark = begin.rstrip()[-1:]
    if len(begin) > MOST_SHARED or _is_mark(begin[:1]) or _is_mark(mark):
        return "begin_alike", begin
    first, space, _rest = begin.partition(" ")
    if space and not re.fullmatch(r"[^\W\d_]+(?:['’-][^\W\d_]+)*[,.!?:]?", first):
        return "begin_alike", f"{first} "
    if named := NAMED.match(begin):
        return "begin_alike", named[0]
    if end.endswith(LEFT_OUT) or BEHIND_END.search(end):
        return "end_alike", end
    if len(end) > MOST_SHARED or (_is_mark(end[-1:]) and end[-1] not in SENTENCE_ENDS):
        return "end_alike", end
    return None


def _common_start(texts: Sequence[str]) -> str:
    """The beginning that all texts share."""
    first, last = min(texts), max(texts)
    return first[: first_difference(first, last)]


def _is_mark(character: str) -> bool:
    return bool(character.strip()) and not character.isalnum()
