"""gunicorn's configuration, for the process that starts the web processes.

It has the site's environment, secrets included, and never loads the site itself.
"""

from leaderboard.sandbox.kernel import close_memory

close_memory()

# Longer than the proxies of deploy/ keep a connection that nobody uses: else they send
# a form into one that is being closed, and may not send it again by themselves.
keepalive = 75
