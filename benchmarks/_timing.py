"""How work is timed: ours and a peer's in turn, as ratios of one run."""

from collections.abc import Callable
from statistics import fmean, median
from time import process_time
from typing import Any

RUNS = 7
# Short work is repeated until this much is used: a worker scores file after file, and
# a single run of milliseconds would measure what the peer left in the caches.
LEAST_SECONDS = 0.1

Work = Callable[[], object]


def row(
    work: str, ours: Work, peer: tuple[str, Work], target: int | str, share: float = 1
) -> dict[str, Any]:
    """Medians of alternating measurements; of a peer that does 1 / `share` of the work,
    `share` times its time."""
    name, run = peer
    ours(), run()
    pairs = [(milliseconds(ours), share * milliseconds(run)) for _ in range(RUNS)]
    return {
        "work": work,
        "ours_ms": median(mine for mine, _ in pairs),
        "peer": name,
        "peer_ms": median(theirs for _, theirs in pairs),
        "ratio": median(theirs / mine for mine, theirs in pairs),
        "target": target,
    }


def milliseconds(work: Work) -> float:
    """Processor time of one run, the mean of as many as fill LEAST_SECONDS.

    What else the machine does is no part of it; threads of this process are.
    """
    times: list[float] = []
    while sum(times) < LEAST_SECONDS:
        start = process_time()
        work()
        times.append(process_time() - start)
    return 1000 * fmean(times)
