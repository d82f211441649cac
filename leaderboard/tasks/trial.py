"""Whether gold can be scored at all: against itself, and from its blind file."""

from scoring.engine import Job, count
from scoring.errors import Refused, SetupError, UsageError
from scoring.source import Source


def units_of(job: Job, gold: Source, blind: Source) -> int:
    """Score gold against itself and the blind file, as a submission would be.

    Returns the number of units. Raises SetupError with what is wrong with the gold.
    """
    scorer, options = job.scorer, job.options
    try:
        answers = scorer.read_gold(gold, options)
        published = scorer.read_blind(blind, options)
        scorer.read_system(gold, options, published)
        perfect = scorer.read_system(gold, options, answers)
        return len(count(scorer, (answers, perfect), options, job.unit).units)
    except (Refused, UsageError) as refusal:
        raise SetupError(refusal.problems) from None
