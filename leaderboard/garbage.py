"""Python's look for garbage, which is put off until a process has loaded its code.

To look for it in what is being loaded takes a third of a start, and all of it stays.
"""

import gc


def put_off() -> None:
    """Look for none until `begin` is called."""
    gc.disable()


def begin() -> None:
    """Look for it from now on, among new objects: all that is loaded now stays."""
    gc.freeze()
    gc.enable()
