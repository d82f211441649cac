"""Room on the interpreter's stack, so that deep calls cost what shallow ones do."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

# In words of eight bytes. The interpreter gets memory for a frame this large and leaves
# at least as much behind it free as a hundred ordinary blocks have: no page of ours
# calls so deeply. Memory that no frame has used yet is not taken from the machine.
ROOM = 1 << 17

Called = TypeVar("Called", bound=Callable[..., Any])


def with_room(function: Called) -> Called:
    """The function, whose calls leave room on the stack for all that it calls.

    CPython keeps frames in blocks of 16 kB, gives a block back with its last frame and
    asks the system for it again at the next call. A loop that runs at the end of a
    block does so at each call in it, which takes ten times as long as the call: by how
    deeply its template was nested a page took twice as long as another.
    """
    plain = cast(FunctionType, function)
    plain.__code__ = plain.__code__.replace(co_stacksize=ROOM)
    return function
