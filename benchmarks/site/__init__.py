"""The board under load: a thousand submissions, a server, many readers."""
