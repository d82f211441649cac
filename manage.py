#!/usr/bin/env python
"""Django's command line."""

from leaderboard.__main__ import main

if __name__ == "__main__":
    main()
