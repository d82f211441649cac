"""Votes in the archive of a task, for its organizers. Judges are numbers."""

from collections.abc import Iterator

from leaderboard.extension.models import Task
from leaderboard.extras.judging.export import votes_file
from leaderboard.extras.judging.models import Campaign
from scoring.report import csv_text

HEADER = ("campaign", "title", "kind", "votes")


def members(task: Task) -> Iterator[tuple[str, bytes]]:
    """Votes of each campaign with one, twice, then a list of them; nothing without."""
    rows = [HEADER]
    campaigns = Campaign.objects.filter(phase__task=task).select_related("phase__task")
    for campaign in campaigns.order_by("created_at", "pk"):
        as_csv, as_lines = (votes_file(campaign, x).content for x in ("csv", "jsonl"))
        if as_lines:
            yield f"votes/{campaign.key}.csv", as_csv
            yield f"votes/{campaign.key}.jsonl", as_lines
            number = as_lines.count(b"\n")
            rows.append((campaign.key, campaign.title, campaign.kind, str(number)))
    if len(rows) > 1:
        yield "votes/list.csv", f"\ufeff{csv_text(rows)}".encode()
