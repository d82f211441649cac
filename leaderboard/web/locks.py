"""Rows locked until a transaction ends, and the order in which that is done.

The order is one for all. A transaction locks what it needs in this order and never goes
back:

1. the task (`tasks.access.lock_task`). Every change that an organizer makes to the task
   or to anything of it begins here, so that they come one after the other, and reads
   what it changes only then. What it saves it names: `save(update_fields=...)`, or
   `update`.
2. entries of teams, by key
3. the phases of the task, all of them, by key (`tasks.access.lock_phases`). Uploads are
   accepted under this lock, gold revisions are prepared and switched under it, and
   whoever reads what was sent in order to change a phase takes it before.
4. submissions
5. evaluations, by key
6. counters of the quota, by key

Teams and workers do not take the first: they never wait for an organizer who does not
need the phases. The entry in whose name organizers send baselines has no members; it is
changed under the first alone, also after the third. Who belongs to a team is changed
under a lock of the team, which takes no other.

On SQLite a transaction that writes is alone anyway.
"""

from typing import Any

from django.db.models import QuerySet


def lock_rows(rows: QuerySet[Any], *, whole: bool = False) -> QuerySet[Any]:
    """The rows as they are now, in the order of their keys, for this transaction alone.

    Others can write rows that refer to them meanwhile, history and notices too, unless
    `whole` says that they must wait.
    """
    return rows.order_by("pk").select_for_update(of=("self",), no_key=not whole)
