"""gunicorn's configuration, for the process that starts the web processes.

It loads the site once, and they begin as copies of it that share what none of them
writes to.
"""

from scoring.sandbox.kernel import close_memory, share_free_memory

close_memory()
share_free_memory()
preload_app = True

# Longer than the proxies of deploy/ keep a connection that nobody uses: else they send
# a form into one that is being closed, and may not send it again by themselves.
keepalive = 75
