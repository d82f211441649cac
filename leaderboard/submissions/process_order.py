"""Order of light and heavy work in one worker process."""

from django.db.models import BigAutoField, QuerySet

from leaderboard.submissions import dispatch, evaluation
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.web.statements import statement


@statement(pk=BigAutoField())
def _weights(pk: int) -> QuerySet:
    return Evaluation.objects.filter(pk=pk).values_list("heavy", flat=True)


class ProcessOrder:
    """Runs evaluations, and light ones that waited for a heavy one before the next.

    So light work waits for one heavy job at most, however much heavy work there is and
    whatever the queues bring first. Of each team go as many as may be under way at a
    time: a flood of light work does not shut out the heavy.
    """

    def __init__(self) -> None:
        self._overtaken: list[int] = []

    def run(self, evaluation_id: int) -> bool:
        """Score this one or, before a heavy one, a light one that waited longer.

        False when nothing was scored.
        """
        heavy = any(_weights(pk=evaluation_id))
        if heavy and (light := self._next_overtaken()):
            # Its hint is used up.
            this = Evaluation.objects.filter(pk=evaluation_id)
            this.filter(state=EvaluationState.QUEUED).update(published_at=None)
            return evaluation.run(light)
        scored = evaluation.run(evaluation_id)
        if heavy and scored:
            self._overtaken = dispatch.next_light()
        return scored

    def _next_overtaken(self) -> int | None:
        ready = Evaluation.objects.ready().filter(pk__in=self._overtaken)
        still = set(ready.values_list("pk", flat=True)) if self._overtaken else set()
        self._overtaken = [pk for pk in self._overtaken if pk in still]
        return self._overtaken.pop(0) if self._overtaken else None
