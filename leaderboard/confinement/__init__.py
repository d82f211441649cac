"""Strangers' files are read at arm's length: in a child process under limits."""
