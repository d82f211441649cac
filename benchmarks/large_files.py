"""`python -m benchmarks.large_files [MB...]`: memory that large treebanks take.

Gold and system are CoNLL-U files of so many million bytes each, scored by `attachment`
without resamples in a process of its own.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks._treebanks import pair

SIZES = (50, 200)
CHILD = """
import resource, sys
from time import process_time
from pathlib import Path
from scoring import Job, Plan, Source, evaluate
from scoring.options import parse
from scoring.scorers import get

scorer = get("attachment")
job = Job(scorer, parse(scorer.options, {}), plan=Plan(resamples=0))
start = process_time()
found = evaluate(job, *(Source.of_path(Path(name)) for name in sys.argv[1:]))
usage = resource.getrusage(resource.RUSAGE_SELF)
print(found.units, found.measures["las"].value, process_time() - start, usage.ru_maxrss)
"""


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each size."""
    called = argparse.ArgumentParser(prog="python -m benchmarks.large_files")
    called.add_argument("sizes", nargs="*", type=int, default=SIZES, metavar="MB")
    for size in called.parse_args(arguments).sizes:
        print(measured(size), flush=True)
    return 0


def measured(size: int) -> str:
    """A line on the memory and seconds that files of `size` million bytes take."""
    with tempfile.TemporaryDirectory(prefix="plumbline-memory-") as folder:
        paths = [Path(folder) / name for name in ("gold.conllu", "system.conllu")]
        for path, text in zip(paths, pair(), strict=True):
            with path.open("wb") as file:
                for _copy in range(round(size * 1e6 / len(pair()[0]))):
                    file.write(text)
        child = [sys.executable, "-c", CHILD, *map(str, paths)]
        answer = subprocess.run(child, check=True, capture_output=True, text=True)
        side = max(path.stat().st_size for path in paths)
    units, las, seconds, kilobytes = answer.stdout.split()
    return (
        f"{side / 1e6:,.0f} MB a side, {int(units):,} sentences: LAS {float(las):.6f}, "
        f"{float(seconds):.1f} s, at most {int(kilobytes) * 1024 / 1e6:,.0f} MB, "
        f"{int(kilobytes) * 1024 / side:.1f} times a side"
    )


if __name__ == "__main__":
    sys.exit(main())
