"""How a web process searches for garbage: in what, and how often."""

import gc

# Objects after which it searches: with the 20,000 of leaderboard/__init__.py, which
# shorten a start, it kept 45 MB more of ten boards of thousands, in the same time.
SERVING = 2_000


def keep_loaded() -> None:
    """Exempt all that is loaded from garbage collection, for good: to look through it
    whenever a board makes many objects took a third of the time of a member's front
    page."""
    gc.freeze()
    gc.set_threshold(SERVING)
    gc.enable()
