"""A task made by form, and gold for it."""

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.leaderboard.small import perfect

TEXTS = {"title": "Beavers", "summary": "", "description": "a\r\nb", "prizes": "2"}
SCORING = {
    "headline": "las",
    "unit": "sentence",
    "resamples": "200",
    "seed": "7",
    "level": "0.95",
    "measures": "uas\nlas",
    "option_labels": "coarse",
    "option_content": "nsubj\nobj",
    "option_function": "case, det",
}


def gold(data: bytes | None = None, name: str = "north.conllu") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, perfect() if data is None else data)
