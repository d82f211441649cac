"""Room for the frames of all that a call leads to.

CPython keeps frames in pieces of 16 KiB and returns a piece to the system when the
frame that began it ends. A function that is called in a loop just where a piece ends
has the system map and unmap memory at each call, which takes far longer than the call.
Below pytest and Django some function always is. A frame that is larger than a piece is
given a larger one, and what it calls has the rest of that.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

SLOTS = 1 << 16  # of eight bytes: the piece is the next power of two, twice as large

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def with_room(
    call: Callable[Given, Answer], *args: Given.args, **kwargs: Given.kwargs
) -> Answer:
    """What the call returns, made below a frame with half a megabyte to spare."""
    return call(*args, **kwargs)


# Nothing is ever put into these slots, so they take addresses but no memory.
with_room.__code__ = with_room.__code__.replace(co_stacksize=SLOTS)
