"""Expected intervals of corrected means, from another program; no part of the suite.

    python -m venv /tmp/ppi && /tmp/ppi/bin/pip install ppi-python==0.2.3
    /tmp/ppi/bin/python tests/scoring/make_ppi_cases.py

writes `ppi_cases.json` beside this file. `case` makes the data of each case by whole
numbers of a generator that NumPy keeps stable, so that only results are stored.
"""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
CASES = 100
LEVELS = (0.9, 0.95, 0.99)
STORED = Path(__file__).with_name("ppi_cases.json")


def case(seed: int) -> tuple[Floats, Floats, Floats, float]:
    """People (n,), the model on their units (n,) and on others (m,), and the level.

    Values are sums of whole numbers: of a quality that both see, of errors of each, and
    of a bias of the model. Some models agree with people, some contradict them.
    """
    raw = np.random.PCG64(seed)

    def numbers(size: int, most: int) -> npt.NDArray[np.int64]:
        drawn: npt.NDArray[np.int64] = (raw.random_raw(size) % most).astype(np.int64)
        return drawn

    n, m = 30 + int(numbers(1, 170)[0]), 50 + int(numbers(1, 1500)[0])
    quality, sight = numbers(n + m, 100), int(numbers(1, 5)[0]) - 1
    noise, bias = 1 + int(numbers(1, 150)[0]), int(numbers(1, 60)[0])
    model = sight * quality + numbers(n + m, noise) + bias
    people = (quality + numbers(n + m, 40))[:n]
    if seed % 4 == 0:
        people, model = (people > 60) * 1, (model > np.median(model)) * 1
    scale = (1, 7, 100)[seed % 3]
    level = LEVELS[seed % len(LEVELS)]
    return people / scale, model[:n] / scale, model[n:] / scale, level


def main() -> None:
    from ppi_py import (  # type: ignore[import-not-found]
        ppi_mean_ci,
        ppi_mean_pointestimate,
    )

    rows = []
    for seed in range(CASES):
        people, model, others, level = case(seed)
        low, high = ppi_mean_ci(people, model, others, alpha=1 - level)
        # Its intervals take the share that it finds from the plain correction.
        value = ppi_mean_pointestimate(people, model, others)
        rows.append([float(np.squeeze(x)) for x in (value, low, high)])
    program = "ppi-python 0.2.3: ppi_mean_pointestimate, ppi_mean_ci"
    STORED.write_text(json.dumps({"program": program, "cases": rows}) + "\n")


if __name__ == "__main__":
    main()
