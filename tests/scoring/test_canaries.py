"""Answers planted in gold never reach the published file."""

import csv
import io
import re
from collections.abc import Callable
from functools import partial

from scoring import Source
from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.options import Options
from scoring.scorer import Scorer
from tests.loops import loop_over
from tests.scoring.examples import Example, counting_scorers, examples_of

CANARY = b"kanariya"


def in_conllu_columns(data: bytes) -> bytes:
    """Every column after FORM but HEAD, MISC beside SpaceAfter, and a comment."""
    lines = []
    for line in data.split(b"\n"):
        fields = line.split(b"\t")
        if len(fields) >= 10:
            planted = [CANARY] * (len(fields) - 2)
            planted[4] = fields[6]
            planted[-1] = b"SpaceAfter=No|Gloss=" + CANARY
            line = b"\t".join([*fields[:2], *planted])
        lines.append(line)
    return b"# note = " + CANARY + b"\n" + b"\n".join(lines)


def in_sense_tags(data: bytes) -> bytes:
    lines = []
    for line in data.split(b"\n"):
        fields = line.split()
        if len(fields) > 2:
            line = b" ".join([*fields[:2], CANARY, b"!! " + CANARY])
        lines.append(line)
    return b"\n".join(lines)


def in_relations(data: bytes) -> bytes:
    more = b"\nagt(" + CANARY + b"(icl>thing), " + CANARY + b".@entry)\n"
    return re.sub(rb"\{unl\}", b"{unl}" + more, data, flags=re.IGNORECASE)


def in_texts(data: bytes) -> bytes:
    return re.sub(rb"(\{/(?!unl|org)\w+\})", CANARY + rb" \1", data)


def in_judgements(data: bytes) -> bytes:
    """Documents with the canary, one more for every topic."""
    topics = [line.split()[0] for line in data.splitlines()]
    rows = [t + b" 0 " + CANARY + b"-%d 1" % i for i, t in enumerate(topics)]
    return data + b"\n".join(rows)


def in_last_cells(data: bytes) -> bytes:
    """The last column of a table, and one more behind it."""
    header, *rows = data.rstrip(b"\n").split(b"\n")
    mark = b"\t" if b"\t" in header else b","
    planted = [row.rpartition(mark)[0] + mark + CANARY + mark + CANARY for row in rows]
    return b"\n".join([header + mark + b"note", *planted]) + b"\n"


def in_further_cells(data: bytes) -> bytes:
    """One more column behind those of a table, whose cells are what they are."""
    if data.startswith(b"{"):
        return data
    header, *rows = data.rstrip(b"\n").split(b"\n")
    mark = b"\t" if b"\t" in header else b","
    planted = [row + mark + CANARY for row in rows]
    return b"\n".join([header + mark + b"note", *planted]) + b"\n"


def in_records(data: bytes) -> bytes:
    """Values of the records' fields, or the codes of expressions."""
    codes = re.sub(rb"(\d+:)[A-Z]+", rb"\1" + CANARY, data)
    return re.sub(rb'("(?:aspect|opinion)": )"[^"]*"', rb'\1"' + CANARY + b'"', codes)


def in_speakers(data: bytes) -> bytes:
    """Speakers of RTTM, or of a table, and the texts there."""
    if data.startswith(b"SPEAKER"):
        return re.sub(rb"(?m)\S+ <NA> <NA>$", CANARY + b" <NA> <NA>", data)
    data = re.sub(rb"(?m)^(m[12]),\w+", rb"\1," + CANARY, data)
    return data.replace(b"the ferry", b"the " + CANARY)


def in_talks(data: bytes) -> bytes:
    """Texts of segments, and a column more."""
    data = data.replace("我们".encode(), "我".encode() + CANARY)
    return data.replace(b"ferry", CANARY).replace(b",log", b"," + CANARY)


def in_tags(data: bytes) -> bytes:
    """Everything behind the first column of columns with tabs."""
    return re.sub(rb"\t.*", b"\t" + CANARY + b"\t" + CANARY, data)


def in_references(data: bytes) -> bytes:
    """Texts by id, or lines of text; a zip stays as it is."""
    if data.startswith(b"PK"):
        return data
    if data.startswith(b"{"):
        value = rb'("text(?:\.\d)?": ?)("[^"]*"|\[[^]]*\])'
        return re.sub(value, rb'\1"' + CANARY + b'"', data)
    if not data.startswith(b"id,"):
        return re.sub(rb"(?m)^.*$", CANARY, data.rstrip(b"\n")) + b"\n"
    header, *rows = csv.reader(io.StringIO(data.decode()))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        cells = zip(header, row, strict=True)
        writer.writerow([CANARY.decode() if "text" in n else cell for n, cell in cells])
    return out.getvalue().encode()


def in_mentions(data: bytes) -> bytes:
    """Entities, and further attributes beside them."""
    if data.startswith(b"#begin"):
        return data
    return data.replace(b"Entity=", b"Bridge=" + CANARY + b"|Entity=")


def in_edits(data: bytes) -> bytes:
    """Types and corrections of edits."""
    edit = rb"(?m)(\|\|\|)[^|\n]*\|\|\|[^|\n]*"
    return re.sub(edit, rb"\1" + CANARY + b"|||" + CANARY, data, count=4)


PLANTS: dict[str, Callable[[bytes], bytes]] = {
    "classes": in_last_cells,
    "clusterings": in_last_cells,
    "coreference": in_mentions,
    "early": in_last_cells,
    "edits": in_edits,
    "labels": in_tags,
    "meetings": in_speakers,
    "metrics": in_further_cells,
    "multilabel": in_last_cells,
    "numbers": in_last_cells,
    "probabilities": in_further_cells,
    "retrieval": in_judgements,
    "senseval": in_sense_tags,
    "simultaneous": in_talks,
    "texts": in_references,
    "tuples": in_records,
    "transcripts": in_references,
    "translation": in_references,
    "unl-graph": in_relations,
    "unl-text": in_texts,
}


def labels_of(scorer: Scorer, example: Example, options: Options) -> list[str]:
    """Tags of a spans example, as its own table shows them."""
    pair = read_pair(scorer, example.gold, example.gold, options)
    counts: Counts = count(scorer, pair, options)
    rows = scorer.tables(counts, options)["tag"]
    return [label for label in rows if not label.startswith("<")]


def planted(scorer: Scorer, example: Example) -> Source:
    plant: Callable[[bytes], bytes]
    if "CoNLL-U" in scorer.formats:
        plant = in_conllu_columns
    elif scorer.name in PLANTS:
        plant = PLANTS[scorer.name]
    else:
        labels = labels_of(scorer, example, example.parse_options(scorer))
        pattern = "|".join(map(re.escape, labels)).encode()

        plant = partial(re.compile(pattern).sub, CANARY)

    files = {name: plant(data) for name, data in example.gold.files.items()}
    return Source(example.gold.name, files)


@loop_over("name", sorted(counting_scorers()))
def test_the_blind_file_holds_no_answer(name: str) -> None:
    scorer, met = counting_scorers()[name], 0
    for example in examples_of(name):
        gold = planted(scorer, example)
        if not any(CANARY in data for data in gold.files.values()):
            continue
        met += 1
        blind = scorer.blind(gold, example.parse_options(scorer))
        for member, data in blind.files.items():
            assert CANARY not in data
            assert CANARY.decode() not in member
    assert met, "no canary could be planted: there are no examples"
