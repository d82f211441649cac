"""Apps that a site can do without: each joins the core at declared points
(`leaderboard/web/extras.py`) and may be left out by `PLUMBLINE_EXTRAS`."""
