"""Faults that a browser must not meet on our pages."""

from typing import Any

from playwright.sync_api import BrowserContext


def watch(context: BrowserContext, home: str) -> list[str]:
    """A list that grows with every complaint about pages of this context.

    Complaints: a request to another host than `home`, a breach of the content
    security policy, an error that a script did not catch.
    """
    complaints: list[str] = []
    inside = (f"{home}/", "data:", "blob:", "about:")

    def note_request(request: Any) -> None:
        if not request.url.startswith(inside):
            complaints.append(f"asked another host: {request.url}")

    def note_message(message: Any) -> None:
        if "Content Security Policy" in message.text:
            complaints.append(message.text)

    context.on("request", note_request)
    context.on("console", note_message)
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    return complaints
