"""JSON as programs send it, refused where nothing could be done with it."""

import json
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class SoundJSON(JSONParser):
    """JSON of a depth and with texts that can be written again.

    Python reads half a surrogate pair, and nothing can store it.
    """

    def parse(self, stream: IO[Any], *args: Any, **kwargs: Any) -> Any:
        try:
            data = super().parse(stream, *args, **kwargs)
            json.dumps(data, ensure_ascii=False).encode()
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
        except UnicodeEncodeError:
            message = "JSON parse error - a text holds half a surrogate pair"
            raise ParseError(message) from None
        return data
