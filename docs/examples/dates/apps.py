from leaderboard.extension.points import (
    Extra,
    Link,
    OrganizerTab,
    PagePart,
    PeriodicJob,
)


class Dates(Extra):
    name = "dates"
    urls = "dates.urls"
    english = ("dates-csv",)
    points = (
        OrganizerTab("records", "Dates", "organize-dates", "SEE"),
        PagePart("dates/_sent.html", "dates.pages.days_since", "row"),
        Link(
            "task",
            "Dates (CSV)",
            "When each phase ends.",
            "dates-csv",
            "dates.pages.has_end",
        ),
        PeriodicJob("open phases", "dates.count_open", 3600),
    )
