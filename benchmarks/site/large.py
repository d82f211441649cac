"""`python -m benchmarks.site.large`: boards of ten thousand submissions.

More systems than are tested against each other, and more than a process remembers.
"""

import os
import sys
import tempfile

ROWS = 10_000


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as folder:
        os.environ["PLUMBLINE_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        from benchmarks.site import alone

        print(f"making a board of {ROWS} rows ...", file=sys.stderr, flush=True)
        alone.prepare(0, ROWS)
        print("\n".join(alone.of_ten_thousand()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
