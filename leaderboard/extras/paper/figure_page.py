"""The job of the sandbox that draws a figure as PDF.

What that needs is imported here, once, and not in each child.
"""

from collections.abc import Sequence

import svglib.svglib  # noqa: F401

from leaderboard.extras.paper.pdf import pdf_of, register_typeface, typeface
from scoring.sandbox.codec import Request, Values

register_typeface()
typeface()


def figure(request: Request) -> tuple[Values, Sequence[bytes]]:
    """The page of one SVG."""
    return {}, [pdf_of(request.files[0].decode())]
