"""gunicorn's configuration, for the process that starts the web processes.

It loads the site once, and they begin as copies of it that share what none of them
writes to.
"""

import os
import sys
from typing import Any

from leaderboard import garbage
from scoring.sandbox.kernel import close_memory, keep_little_free_memory

close_memory()
keep_little_free_memory()
preload_app = True
# While one thread makes a page anew, others hand out pages that are made: they ask for
# their turn a dozen times each, and turns of five milliseconds would add up.
sys.setswitchinterval(0.0005)


def when_ready(arbiter: Any) -> None:
    """Pages are loaded by now, too: looking through them took a third of the time of a
    member's front page. All web processes share the sandbox server that is started
    here, which has the engine in memory; not as another account than theirs."""
    from leaderboard.sandbox import client  # with the site, as above

    if (os.geteuid(), os.getegid()) == (arbiter.cfg.uid, arbiter.cfg.gid):
        client.server.start()
    garbage.begin()


# Longer than the proxies of deploy/ keep a connection that nobody uses: else they send
# a form into one that is being closed, and may not send it again by themselves.
keepalive = 75
