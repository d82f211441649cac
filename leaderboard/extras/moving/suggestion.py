"""A scorer of this site that may fit a leaderboard, guessed by names of columns."""

import re
from collections.abc import Iterable, Mapping

from scoring.scorers import all_scorers

# How others call the measures of our scorers, in small letters without signs.
CALLED: Mapping[str, str] = {
    "classes": "accuracy acc balancedaccuracy macrof f macrofscore microf weightedf "
    "precision recall mcc kappa fmacro fmicro fweighted macroaveragedf auc rocauc",
    "numbers": "pearson pearsonr spearman spearmanr kendall rmse mae mse r pcc srcc",
    "translation": "bleu sacrebleu chrf ter bleus",
    "texts": "rouge rougel rougelf rougef rougelsum em exactmatch squad meteor "
    "editsimilarity",
    "transcripts": "wer cer mer worderrorrate charactererrorrate",
    "retrieval": "ndcg ndcgcut map mrr recipank reciprank p precisionat recallat hits",
    "metrics": "spa softpairwiseaccuracy acceq pairwiseaccuracy acct",
    "probabilities": "logloss crossentropy brier brierscore ece icmsoft icm manhattan",
    "tuples": "cf tuplef exactmatchf softf mwef",
    "labels": "spanf entityf nerf seqeval",
    "attachment": "uas las",
    "coreference": "conllf conllscore muc mucf bcub bcubed bcubf ceaf ceafe ceafef lea",
}
# The draft needs some scorer; the first of these that is there.
FALLBACK = ("table", "classes")


def plain(name: str) -> str:
    """A column's name in small letters: no signs, no numbers as in ndcg@10 or f1."""
    return re.sub(r"[\W_\d]+", "", name.lower())


def suggest_scorer(columns: Iterable[str]) -> str:
    """The scorer that has the most of the columns; empty where none has any."""
    names = {plain(column) for column in columns}
    shares = {
        scorer: len(names & set(called.split()))
        for scorer, called in CALLED.items()
        if scorer in all_scorers()
    }
    best = max(shares, key=shares.__getitem__, default="")
    return best if best and shares[best] else ""


def fallback() -> str:
    """A scorer for a draft that nothing is known of."""
    scorers = all_scorers()
    return next((name for name in FALLBACK if name in scorers), next(iter(scorers)))
