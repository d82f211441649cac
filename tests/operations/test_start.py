"""What every process of the site does when it starts."""

import json
import subprocess
import sys

from django.conf import settings

STARTED = """
import gc, json
import django
django.setup()
whole = gc.get_stats()[2]["collections"]
print(json.dumps([whole, gc.get_freeze_count() > 100_000, gc.isenabled()]))
"""


def test_a_start_looks_for_no_garbage_in_what_it_loads_but_does_from_then_on() -> None:
    started = subprocess.run(
        [sys.executable, "-c", STARTED],
        cwd=settings.BASE_DIR,
        capture_output=True,
        check=True,
    )
    assert json.loads(started.stdout) == [0, True, True]
