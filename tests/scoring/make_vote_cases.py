"""Expected ratings and agreement, from other programs; no part of the suite.

    python -m venv /tmp/votes
    /tmp/votes/bin/pip install choix==0.4.1 arena-rank==0.1.1 krippendorff==0.9.0
    /tmp/votes/bin/python tests/scoring/make_vote_cases.py

writes `vote_cases.json` beside this file. `wins` and `judged` make the data of a case
by whole numbers of a generator that NumPy keeps stable: only results are stored.
"""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
CASES, TABLES = 20, 200
LEVELS = ("nominal", "ordinal", "interval")
STORED = Path(__file__).with_name("vote_cases.json")


def numbers(raw: np.random.PCG64, size: int, most: int) -> Integers:
    drawn: Integers = (raw.random_raw(size) % most).astype(np.int64)
    return drawn


def wins(seed: int) -> Integers:
    """How often the row was better than the column; no ties."""
    raw = np.random.PCG64(seed)
    systems = 3 + seed % 10
    counts = 1 + numbers(raw, systems * systems, 6 + 4 * (seed % 5))
    table = counts.reshape(systems, systems) * (1 + np.arange(systems))[:, None]
    np.fill_diagonal(table, 0)
    return table


def judged(seed: int) -> Floats:
    """Judges in rows, units in columns, nan where one did not judge."""
    raw = np.random.PCG64(1000 + seed)
    judges, units, steps = 2 + seed % 5, 4 + seed % 17, 2 + seed % 6
    quality = numbers(raw, units, steps)
    noise = numbers(raw, judges * units, 1 + seed % 4).reshape(judges, units)
    table = ((quality + noise) % steps).astype(np.float64)
    missing = numbers(raw, judges * units, 10).reshape(judges, units) < seed % 5
    table[missing] = np.nan
    table[:2, 0] = 0, steps - 1  # some value differs
    return table


def main() -> None:
    import choix  # type: ignore[import-not-found]
    import krippendorff  # type: ignore[import-not-found]
    import pandas  # type: ignore[import-untyped,import-not-found]
    from arena_rank.models.bradley_terry import (  # type: ignore[import-not-found]
        BradleyTerry,
    )
    from arena_rank.utils.data_utils import PairDataset  # type: ignore[import-not-found]

    ratings = []
    for seed in range(CASES):
        table = wins(seed)
        n = len(table)
        votes = [(i, j) for i in range(n) for j in range(n) for _ in range(table[i, j])]
        strength = choix.opt_pairwise(n, votes, alpha=0, tol=1e-12)
        rows = [(f"{i:02}", f"{j:02}", "model_a") for i, j in votes]
        frame = pandas.DataFrame(rows, columns=["model_a", "model_b", "winner"])
        data = PairDataset.from_pandas(frame)
        model = BradleyTerry(n, hessian_reg=1e-7)
        found = model.compute_ratings_and_cis(data)
        ratings.append(
            {
                "choix": [float(x) for x in strength - strength.mean()],
                "arena": [float(x) for x in found["ratings"]],
                "variances": [float(x) for x in found["variances"]],
            }
        )
    alphas = [
        [float(krippendorff.alpha(judged(s), level_of_measurement=x)) for x in LEVELS]
        for s in range(TABLES)
    ]
    programs = "choix 0.4.1, arena-rank 0.1.1, krippendorff 0.9.0"
    stored = {
        "programs": programs,
        "ratings": ratings,
        "alphas": alphas,
    }
    STORED.write_text(json.dumps(stored) + "\n")


if __name__ == "__main__":
    main()
