"""Acts that change all of a task, one after the other."""

from leaderboard.tasks.models import Task


def hold(pk: int) -> Task:
    """The task as it is now, held until the transaction ends.

    It is asked for before anything of its phases is, or two could wait for each
    other. Notices and history of the task can be written meanwhile.
    """
    return Task.objects.select_for_update(no_key=True).get(pk=pk)
