"""A grown site for the tests: three workers, and two web servers on one port."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.http import HttpRequest, HttpResponse
from django.test.utils import modify_settings

from leaderboard.embedded import web_server as web
from leaderboard.embedded.processes import spawn, stop
from tests.waiting import wait_until
from tests.worker import Worker

WORKERS, SERVERS = 3, 2
START_SECONDS, STOP_SECONDS = 60.0, 5.0


class Workers(Worker):
    """Three workers, each a process group; this object is the first of them.

    They start and end at the same time.
    """

    def __init__(self, env: dict[str, str], redis_url: str, log: Path) -> None:
        super().__init__(env, redis_url, log)
        logs = (log.with_name(f"worker-{number}.log") for number in range(1, WORKERS))
        self._others = [Worker(env, redis_url, other) for other in logs]

    def start(self) -> None:
        asleep = [one for one in (self, *self._others) if not one.running]
        launched = [(one, one._launch()) for one in asleep]
        for one, seen in launched:
            one._wait_until_up(seen)

    def stop(self) -> None:
        for one in (self, *self._others):
            if one.running:
                os.kill(one.pid, signal.SIGTERM)
        for worker in self._others:
            worker.stop()
        super().stop()

    def kill(self) -> None:
        for worker in self._others:
            worker.kill()
        super().kill()

    @contextmanager
    def paused(self) -> Iterator[None]:
        with ExitStack() as stack:
            for worker in self._others:
                stack.enter_context(worker.paused())
            with super().paused():
                yield


class Servers:
    """Two gunicorns on one socket, in place of pytest-django's live server.

    Both take from it, so that each request may meet either.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self._stack = ExitStack()
        listener = self._stack.enter_context(web.listen(22_000))
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        # Asked for by pytest-django around each test.
        self._live_server_modified_settings = modify_settings(
            ALLOWED_HOSTS={"append": "127.0.0.1"}
        )
        argv = [*web.command(listener), "--workers", "1"]
        for number in range(SERVERS):
            log = settings.TEST_DATA / f"server-{number}.log"
            links = [listener.fileno()]
            server = spawn(argv, log, env={**os.environ, **env}, pass_fds=links)
            self._stack.callback(stop, server, STOP_SECONDS)
            wait_until(lambda at=log: b"Booting" in at.read_bytes(), START_SECONDS)
        port = listener.getsockname()[1]
        wait_until(lambda: web.is_ready(port), START_SECONDS, "a site")

    def stop(self) -> None:
        self._stack.close()

    def __str__(self) -> str:
        return self.url

    def __add__(self, path: str) -> str:
        return f"{self}{path}"


class ForgetContentTypes:
    """A flush between tests gives them new keys; servers that live on must not know.

    `known_content_types` does it for the process of the tests.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        ContentType.objects.clear_cache()
        return self.get_response(request)
