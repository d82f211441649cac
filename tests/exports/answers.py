"""Contents of answers, those that are zips included."""

from io import BytesIO
from typing import Any
from zipfile import ZipFile, is_zipfile


def text_of(answer: Any) -> str:
    """All text of an answer; of a zip the names and texts of its members."""
    data = answer.content
    if not is_zipfile(BytesIO(data)):
        return str(data.decode(errors="replace"))
    with ZipFile(BytesIO(data)) as members:
        texts = {name: members.read(name) for name in members.namelist()}
    return "\n".join(f"{name}\n{text.decode()}" for name, text in texts.items())
