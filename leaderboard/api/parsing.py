"""JSON as programs send it, refused where nothing could be done with it."""

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class SoundJSON(JSONParser):
    """JSON of a depth and with texts that can be written again.

    Python reads half a surrogate pair, and nothing can store it.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            found = super().parse(stream, media_type, parser_context)
            json.dumps(found, ensure_ascii=False).encode()
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
        except UnicodeEncodeError:
            said = "JSON parse error - a text holds half a surrogate pair"
            raise ParseError(said) from None
        return found
