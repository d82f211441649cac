"""Values that are made once and read often."""

from leaderboard.web.cache import LruBySize
from leaderboard.web.page_cache import PageKey, cached_page, share

# What is costly and the same for all readers is made once.
__all__ = ["LruBySize", "PageKey", "cached_page", "share"]
