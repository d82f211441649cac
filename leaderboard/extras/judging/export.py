"""Every vote of a campaign as a file. Judges are numbers; judge models have names."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpResponse

from leaderboard.extension.exports import attachment
from leaderboard.extension.models import Task
from leaderboard.extras.judging.models import Campaign
from leaderboard.extras.judging.results import CampaignVotes
from scoring.report import csv_text

HEADER = (
    "vote",
    "judge",
    "model",
    "unit",
    "first",
    "second",
    "control",
    "spoiled",
    "known",
    "excluded",
    "own_team",
    "seconds",
    "instructions",
    "at",
)


def export_votes(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Every vote that counts now, controls and excluded judges included and marked."""
    voted = voted_columns(campaign)
    for row in CampaignVotes(campaign).everything:
        values = dict(row.values)
        yield {
            "vote": row.pk,
            "judge": f"judge {row.number}",
            "model": row.model,
            "unit": row.unit,
            "first": str(row.first or ""),
            "second": str(row.second or ""),
            "control": row.is_check,
            "spoiled": row.spoiled > 0,
            "known": row.known_answer is not None,
            "excluded": row.excluded,
            "own_team": row.own_team,
            "seconds": row.seconds,
            "instructions": row.wording,
            "at": row.at.isoformat(),
            **{name: values.get(name) for name in voted},
        }


def voted_columns(campaign: Campaign) -> tuple[str, ...]:
    """The columns that say what a judge said."""
    if campaign.in_pairs:
        return ("choice",)
    return (*campaign.columns, *(("spans",) * campaign.marks_errors))


def votes_file(campaign: Campaign, ending: str) -> HttpResponse:
    """Every vote, as "csv" or "jsonl". Raises Http404 for other endings."""
    rows = list(export_votes(campaign))
    if ending == "jsonl":
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        media_type = "application/jsonl"
    elif ending == "csv":
        more = voted_columns(campaign)
        for row in rows:
            if row.get("spans") is not None:
                row["spans"] = json.dumps(row["spans"], ensure_ascii=False)
        out = io.StringIO()
        writer = csv.DictWriter(out, (*HEADER, *more), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        text, media_type = out.getvalue(), "text/csv"
    else:
        raise Http404
    name = f"{campaign.phase.task.slug}-votes-{campaign.pk}.{ending}"
    return attachment(name, text, media_type, secret=True)


LIST_HEADER = ("campaign", "title", "kind", "votes")


def members(task: Task) -> Iterator[tuple[str, bytes]]:
    """Votes of each campaign with one, twice, then a list of them; nothing without."""
    rows = [LIST_HEADER]
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
