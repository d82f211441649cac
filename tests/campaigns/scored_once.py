"""Scores one made-up file in this process and prints the digest of all that comes out.

`python -m tests.campaigns.scored_once SEED`; test_determinism.py runs it under
different conditions.
"""

import json
import random
import sys
from dataclasses import asdict
from hashlib import sha256

from scoring import Plan, Source
from scoring.engine import Job, count, read_pair, summarise
from scoring.options import parse
from scoring.scorers import get

SENTENCES, WORDS = 60, 8


def treebank(chance: random.Random, wrong: float) -> bytes:
    """Chains of words, some heads moved."""
    lines = []
    for number in range(SENTENCES):
        lines.append(f"# sent_id = s{number}")
        for word in range(1, WORDS + 1):
            moved = word > 2 and chance.random() < wrong
            head = word - 2 if moved else word - 1
            lines.append(f"{word}\tw{word}\t_\tX\t_\t_\t{head}\tdep\t_\t_")
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


def digest(seed: int) -> str:
    scorer = get("attachment")
    options = parse(scorer.options, {})
    job = Job(scorer, options, plan=Plan(500, 7))
    gold = Source.of_bytes("gold.conllu", treebank(random.Random(0), 0.0))
    sent = Source.of_bytes("sent.conllu", treebank(random.Random(seed), 0.3))
    pair = read_pair(scorer, gold, sent, options)
    counts = count(scorer, pair, options)
    result = summarise(scorer, counts, options, "", job.plan)
    text = json.dumps(asdict(result)["measures"], sort_keys=True)
    return sha256(text.encode() + counts.save()).hexdigest()


if __name__ == "__main__":
    print(digest(int(sys.argv[1])))
