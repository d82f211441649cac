"""The call of a site for work in the sandbox, and the processes that do it."""
