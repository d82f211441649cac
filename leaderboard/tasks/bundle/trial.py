"""The trial of a stranger's bundle, a job of the sandbox: can it be read?

The one job that sets Django up: phases of a bundle are checked against the fields of
their model. No connection is opened.
"""

from collections.abc import Callable, Sequence
from itertools import compress

import django
from django.apps import apps
from django.utils.module_loading import import_string

if not apps.ready:
    django.setup()

from leaderboard.sandbox.program_environment import Inventory
from leaderboard.tasks.bundle.files import PACKAGES
from leaderboard.tasks.bundle.load import declared_plan, with_gold, with_units
from leaderboard.tasks.bundle.schema import TaskPlan
from leaderboard.web.extras import Importer, importer_of, joined
from scoring.formats.bundle import is_zip, members, unpack, zip_files
from scoring.sandbox.codec import Request, Values
from scoring.source import Source

ANY_ENDING = ("",)
# A child would import what converts bundles of other sites anew for each of them.
for _importer in joined(Importer):
    import_string(_importer.converts)


def trial(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Load the zip called `name`: what its gold comes to, and blind files made of it.

    Of a bundle of another site the answer holds first the one that was made of it, and
    the rows of the report.
    """
    name = request.values["name"]
    source = Source.of_bytes(name, request.files[0])
    if is_zip(source):
        files = unpack(source, ANY_ENDING)
        if importer := importer_of(files):
            about = request.values
            python = Inventory(about["version"], modules=frozenset(about["modules"]))
            bundle, rows = importer.convert(files, python)
            # Of its baselines each is tried when it is sent.
            values, blinds = _count_units(bundle, with_units)
            values |= {"importer": importer.route, "rows": rows}
            return values, [zip_files(name, bundle.files).single(), *blinds]
    return _count_units(Source(name, members(source, PACKAGES)))


def _count_units(
    source: Source, read: Callable[[TaskPlan], TaskPlan] = with_gold
) -> tuple[Values, list[bytes]]:
    """The unit, the `units` of each test set, and which blind files were made."""
    declared = declared_plan(source)
    plan = read(declared)
    missing = [test_set.blind is None for test_set in declared.test_sets]
    blind_files = [test_set.blind for test_set in compress(plan.test_sets, missing)]
    values = {
        "unit": plan.scoring.unit,
        "units": [test_set.units for test_set in plan.test_sets],
        "made": [blind.name for blind in blind_files],
    }
    return values, [blind.single() for blind in blind_files]
