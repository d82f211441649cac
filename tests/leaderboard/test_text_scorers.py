"""Translations, texts and transcripts on the site: the numbers of their fields."""

from collections.abc import Callable

import jiwer
import pytest
from django.test import Client
from sacrebleu.metrics import BLEU, TER

from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.teams.models import User
from scoring.formats.bundle import zip_files
from scoring.source import Source
from tests.leaderboard.small import inline
from tests.leaderboard.test_every_scorer import bundle_of, send
from tests.organize.disclosing import logged_in, text_of
from tests.scoring.examples import Example

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
SAID = [
    "The ferry leaves the harbour at noon, and nobody waves.",
    "We reefed the mainsail before the wind rose.",
    "Seven gulls slept on the pier until the rain came.",
    "The lighthouse keeper wrote a letter to his sister.",
]
HEARD = [
    "The ferry leaves the harbour at noon and nobody waved.",
    "We reefed the mainsail before the wind came up.",
    "Seven gulls slept on the old pier until the rain came.",
    "The keeper of the lighthouse wrote a letter to his sister.",
]
OTHER = [
    "At noon the ferry leaves the harbour and nobody waved.",
    "We reefed the sail before the wind came up.",
    "Until the rain came, seven gulls slept on the pier.",
    "The keeper wrote to his sister.",
]
LINES = "\n".join(HEARD).encode()
BOTH = [SAID, OTHER]


def bleu() -> float:
    return float(BLEU().corpus_score(HEARD, BOTH).score)


def ter() -> float:
    return float(TER().corpus_score(HEARD, BOTH).score)


def rouge() -> float:
    # It imports NLTK, for which no other test need wait.
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    pairs = zip(SAID, OTHER, strict=True)
    found = [
        scorer.score_multi(list(pair), text)["rougeL"].fmeasure
        for pair, text in zip(pairs, HEARD, strict=True)
    ]
    return 100 * sum(found) / len(found)


def wer() -> float:
    return 100 * jiwer.wer(SAID, HEARD)


CASES: dict[str, tuple[list[list[str]], tuple[Callable[[], float], ...], str]] = {
    "translation": (BOTH, (bleu, ter), "BLEU|nrefs:2|case:mixed|eff:no|tok:13a"),
    "texts": (BOTH, (rouge,), ""),
    "transcripts": ([SAID], (wer,), ""),
}


@pytest.mark.parametrize("name", CASES)
def test_the_board_shows_the_scores_that_its_field_knows(
    name: str, ada: User, client: Client
) -> None:
    columns, oracles, signature = CASES[name]
    members = {f"reference.{i}.txt": c for i, c in enumerate(columns)}
    gold = zip_files("gold.zip", {n: "\n".join(c).encode() for n, c in members.items()})
    system = Source.of_bytes("system.txt", LINES)
    with inline:
        task = create_task(bundle_of(name, Example(gold, [system])), ada)
        send(task, "otters", system)
        page = text_of(client, f"/tasks/task-{name}/test/board/")
        sent = Submission.objects.get(phase__task=task)
        own = logged_in(ada)
        for oracle in oracles:
            assert f">{oracle():.2f}<" in "".join(page.split())
        assert signature in text_of(own, sent.get_absolute_url())
        assert "units</h2>" in text_of(own, f"{sent.get_absolute_url()}errors/")
        unit = text_of(own, f"{sent.get_absolute_url()}errors/1/")
    assert '<mark class="verdict-deletion">,</mark>' in unit or name == "transcripts"
    assert '<mark class="verdict-substitution">' in unit or name != "transcripts"
    assert "another word" in unit
