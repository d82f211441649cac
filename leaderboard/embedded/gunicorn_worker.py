"""gunicorn's thread worker, in front of which slow clients wait without a thread.

gunicorn gives each request a thread as soon as its first byte is there, and closes
connections in its main loop, up to two seconds each. Here the main loop takes in the
head of a request and the first `EARLY_BYTES` of its body, and lingers on what is to be
closed, all without blocking; a thread begins when it has something to do. What has more
to come is read by threads of its own, so that uploads hold up uploads alone; one
address may take half of them, and its further uploads wait in a queue. A body and an
answer must move at `LEAST_RATE`; half of the threads at most wait for clients that do
not read.
"""

import errno
import math
import resource
import select
import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Self

from gunicorn.workers import gthread

HEAD_SECONDS = 10.0  # a connection may be silent this long, and send its head so long
BODY_SECONDS = 30.0  # from the head on
LEAST_RATE = 1000  # bytes in a second, once BODY_SECONDS are over
LONGEST_PAUSE = 60.0  # however fast it was before
HEAD_BYTES = 1 << 16
EARLY_BYTES = 1 << 16
PIECE = 1 << 16
WAITING_BYTES = 1 << 27  # in memory, of requests that are not begun
QUEUE_SECONDS = 30.0  # that an upload waits while its address has its share of threads
LINGER_SECONDS = 2.0  # so that an answer is read before the connection is reset
LINGER_BYTES = 1 << 20
DRAIN_SECONDS = 0.1  # for the rest of a body that nobody read
SWEEP_SECONDS = 0.5
ACCEPTED_AT_ONCE = 50  # in one round of the main loop
CONNECTIONS = 4000  # in one process; the oldest that hold no thread make room
FRAMES = 1 << 17  # words on the stack for what a request calls, as far as it is used
SPARE_FILES = 500  # for the database, files and the processes that check uploads
FROM_PROXY = b"x-forwarded-for"
END = b"\r\n\r\n"

TOO_LARGE = "431 Request Header Fields Too Large", "the headers are too large"
TOO_SLOW = "408 Request Timeout", "the request came too slowly"
TOO_MANY = "503 Service Unavailable", "too many uploads from one address at a time"


class Senders:
    """Threads that wait until a client reads; beyond `most` the longest wait ends."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.waiting: dict[ClientSocket, None] = {}
        self.lock = threading.Lock()

    @contextmanager
    def one_more(self, line: "ClientSocket") -> Iterator[None]:
        with self.lock:
            self.waiting[line] = None
            if len(self.waiting) > self.most:
                longest = next(iter(self.waiting))
                del self.waiting[longest]
                with suppress(OSError):
                    longest.shutdown(socket.SHUT_RDWR)
        try:
            yield
        finally:
            with self.lock:
                self.waiting.pop(line, None)


class ClientSocket(socket.socket):
    """A client's connection; `until` is when it must have moved.

    In threads every wait ends then, with TimeoutError.
    """

    senders: Senders
    until = 0.0
    began = 0.0  # when the head of the request was there, see `receiving.arrived_at`

    @classmethod
    def of(cls, sock: socket.socket, senders: Senders) -> Self:
        line = cls(fileno=sock.detach())
        line.senders = senders
        return line

    def may_take(self, seconds: float) -> None:
        self.until = time.monotonic() + seconds

    def extend_for(self, size: int) -> None:
        latest = time.monotonic() + LONGEST_PAUSE
        self.until = min(self.until + size / LEAST_RATE, latest)

    def recv(self, size: int, flags: int = 0) -> bytes:
        given = self.gettimeout()
        if given == 0:
            return super().recv(size, flags)
        try:
            self.settimeout(min(given or math.inf, self._seconds_left()))
            data = super().recv(size, flags)
        finally:
            self.settimeout(given)
        self.extend_for(len(data))
        return data

    def sendall(self, data: Any, flags: int = 0) -> None:
        given = self.gettimeout()
        if given == 0:
            return super().sendall(data, flags)
        self.may_take(BODY_SECONDS)
        self.settimeout(0)
        try:
            with memoryview(data) as rest:
                done = 0
                while done < rest.nbytes:
                    try:
                        size = self.send(rest[done:], flags)
                    except BlockingIOError:
                        self._wait_for_reader()
                        continue
                    self.extend_for(size)
                    done += size
        finally:
            self.settimeout(given)

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """Piece by piece, so that each has to move."""
        file.seek(offset)
        done = 0
        while count is None or done < count:
            left = PIECE if count is None else min(PIECE, count - done)
            if not (data := file.read(left)):
                break
            self.sendall(data)
            done += len(data)
        return done

    def _wait_for_reader(self) -> None:
        poller = select.poll()
        poller.register(self, select.POLLOUT)
        with self.senders.one_more(self):
            if not poller.poll(self._seconds_left() * 1000):
                # gunicorn logs a page of text about every other error.
                raise BrokenPipeError(errno.EPIPE, "the client does not read")

    def _seconds_left(self) -> float:
        return max(self.until - time.monotonic(), 0.001)


class Connection(gthread.TConn):
    """A connection and what the main loop has read of its next request."""

    sock: ClientSocket

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.expect_next(HEAD_SECONDS)

    def expect_next(self, seconds: float, read: bytes = b"") -> None:
        self.read = bytearray(read)
        self.head = 0  # its length, once it is there
        self.needed = math.inf  # length of the whole request
        self.enough = math.inf  # length with which a thread may begin
        self.address: str | None = None  # whose upload it is, while threads read it
        self.queued: str | None = None  # the same, while it waits for such a thread
        self.lingering = 0
        self.searched = 0  # so far there is no end of the head
        self.sock.may_take(HEAD_SECONDS if read else seconds)

    def look(self) -> bool:
        """Whether a thread can begin: with all, or with enough."""
        if not self.head:
            end = self.read.find(END, self.searched)
            if end < 0:
                self.searched = max(len(self.read) - len(END) + 1, 0)
                return False
            self.head = end + len(END)
            self.sock.began = time.monotonic()
            self.sock.may_take(BODY_SECONDS)
            self.needed, self.enough = _lengths(bytes(self.read[: self.head]))
        # The end of chunks may be here, with a trailer or another request behind it.
        ended = self.needed == math.inf and self.read.endswith(END)
        return ended or len(self.read) >= self.enough

    @property
    def has_too_much_head(self) -> bool:
        return not self.head and len(self.read) > HEAD_BYTES

    @property
    def is_whole(self) -> bool:
        return len(self.read) >= self.needed


def _lengths(head: bytes) -> tuple[float, float]:
    """How long the request is, and how much of it a thread should wait for."""
    fields = _fields(head)
    if b"transfer-encoding" in fields:
        needed = math.inf
    elif b"content-length" in fields:
        given = fields[b"content-length"]
        # The parser refuses what is no number; it needs no body to do so.
        needed = len(head) + int(given[:20]) if given.isdigit() else len(head)
    else:
        needed = len(head)
    if b"expect" in fields:  # the client waits for our word before it sends the body
        return needed, len(head)
    return needed, min(needed, len(head) + EARLY_BYTES)


def _fields(head: bytes) -> dict[bytes, bytes]:
    pairs = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def with_beginning(site: Callable[..., object]) -> Callable[..., object]:
    """The site, which learns when a request began, with room for its calls."""

    def call_site(environ: dict[str, Any], start_response: Any) -> object:
        environ["plumbline.began"] = environ["gunicorn.socket"].began
        return site(environ, start_response)

    # CPython keeps frames in blocks of 16 kB, and asks the system for a block at each
    # call that does not fit: a loop at the end of one took ten times as long.
    call_site.__code__ = call_site.__code__.replace(co_stacksize=FRAMES)
    return call_site


class Worker(gthread.ThreadWorker):
    """The web server of every installation; see the module."""

    def init_process(self) -> None:
        self.waiting: dict[Connection, None] = {}  # in the poller, without a thread
        self.swept = 0.0
        # Threads that read, and how many of them are taken by each address.
        self.uploads = ThreadPoolExecutor(self.cfg.threads)
        self.uploading: Counter[str] = Counter()
        self.senders = Senders(self.cfg.threads // 2)
        self.waiting_bytes = 0
        self.worker_connections = _most_connections()
        super().init_process()

    def load_wsgi(self) -> None:
        super().load_wsgi()
        names = (listener.getsockname() for listener in self.sockets)
        # Loaded with the site, after the environment is that of this process.
        from leaderboard.demo.guard import require_here
        from leaderboard.sandbox import client

        require_here(name if isinstance(name, str) else name[0] for name in names)
        client.server.start()  # ready before the first upload is
        self.wsgi = with_beginning(self.wsgi)  # type: ignore[has-type]

    def accept(self, listener: socket.socket) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                sock, client = listener.accept()
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE):
                    self._make_room()
                elif error.errno not in (errno.EAGAIN, errno.ECONNABORTED):
                    self.log.warning("A connection is not accepted: %s", error)
                return
            self.nr_conns += 1
            if self.nr_conns >= self.worker_connections:
                self._make_room()
            line = ClientSocket.of(sock, self.senders)
            conn = Connection(self.cfg, line, client, listener.getsockname())
            self._watch(conn, self._readable)

    def handle(self, conn: Connection) -> Any:
        """Run in a thread; the parser reads on where the main loop ended."""
        conn.sock.may_take(BODY_SECONDS)  # it may have waited for a thread till now
        conn.data_ready = True
        conn.init()
        conn.parser.unreader.unread(bytes(conn.read))
        return super().handle(conn)

    def finish_request(self, conn: Connection, done: Future[Any]) -> None:
        """Run in the main loop when a thread is through with a request."""
        if conn.address is not None:
            self.uploading[conn.address] -= 1
            self.uploading += Counter()  # forgets who has none
            self._begin_queued(conn.address)
        try:
            goes_on = done.result() is True
            conn.sock.setblocking(False)
        except Exception:  # whatever broke the upload, its connection ends
            self._drop(conn)
            return
        if not goes_on:
            self._linger(conn)
            return
        conn.expect_next(self.cfg.keepalive, conn.parser.unreader.take_buffered())
        self._watch(conn, self._readable)
        self._advance(conn)

    def handle_quit(self, sig: int, frame: Any) -> None:
        self.uploads.shutdown(wait=False)
        super().handle_quit(sig, frame)

    def murder_pending(self) -> None:
        """End what took too long; the main loop calls it in each round."""
        now = time.monotonic()
        if now < self.swept + SWEEP_SECONDS:
            return
        self.swept = now
        for conn in list(self.waiting):
            until = conn.sock.until
            if not self.alive and not conn.read:
                until = min(until, now + gthread.STOP_KEEPALIVE_LINGER)
                conn.sock.until = until
            if now < until:
                continue
            if conn.queued is not None:
                self._refuse(conn, *TOO_MANY)
            elif conn.read and not conn.lingering:
                self._refuse(conn, *TOO_SLOW)
            else:
                self._drop(conn)

    def _keepalive_after(self, conn: Connection, keepalive: bool) -> bool:
        deadline = time.monotonic() + DRAIN_SECONDS
        return keepalive and bool(conn.parser.finish_body(deadline=deadline))

    def _readable(self, conn: Connection, line: ClientSocket) -> None:
        if conn not in self.waiting:  # closed in this very round
            return
        try:
            data = line.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data and not conn.head:
            self._drop(conn)
        elif not data:  # the site says what is wrong with half a body
            self._begin(conn)
        else:
            if not conn.read:
                line.may_take(HEAD_SECONDS)
            conn.read += data
            self.waiting_bytes += len(data)
            line.extend_for(len(data))
            self._advance(conn)
            if self.waiting_bytes > WAITING_BYTES:
                self._make_room()

    def _advance(self, conn: Connection) -> None:
        if conn.read and conn.look():
            self._begin(conn)
        elif conn.has_too_much_head:
            self._refuse(conn, *TOO_LARGE)

    def _begin(self, conn: Connection) -> None:
        if conn.is_whole:
            pool = self.tpool
        else:
            pool, address = self.uploads, self._address(conn)
            if self.uploading[address] >= self.cfg.threads // 2:
                self._queue(conn, address)
                return
            conn.address = address
            self.uploading[address] += 1
        self._forget(conn)
        done = pool.submit(self.handle, conn)
        done.add_done_callback(
            lambda done: self.method_queue.defer(self.finish_request, conn, done)
        )

    def _queue(self, conn: Connection, address: str) -> None:
        """Keep it until a thread that reads for the same address is free."""
        self.poller.unregister(conn.sock)
        conn.queued = address
        conn.sock.may_take(QUEUE_SECONDS)

    def _begin_queued(self, address: str) -> None:
        for conn in self.waiting:
            if conn.queued == address:
                self._call(lambda conn, _line: self._begin(conn), conn, conn.sock)
                return

    def _address(self, conn: Connection) -> str:
        """The sender's address: the proxy's word for it, where there is a proxy."""
        header = _fields(bytes(conn.read[: conn.head])).get(FROM_PROXY, b"")
        client = conn.client[0] if isinstance(conn.client, tuple) else ""
        return header.rpartition(b",")[2].strip().decode("latin-1") or client

    def _refuse(self, conn: Connection, status: str, why: str) -> None:
        answer = (
            f"HTTP/1.1 {status}\r\nConnection: close\r\nRetry-After: 10\r\n"
            f"Content-Type: text/plain\r\nContent-Length: {len(why) + 1}\r\n\r\n{why}\n"
        )
        with suppress(OSError):
            conn.sock.send(answer.encode())
        self._forget(conn)
        self._linger(conn)

    def _linger(self, conn: Connection) -> None:
        """Close, but first let the client read what it was told."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)
            return
        conn.sock.may_take(LINGER_SECONDS)
        conn.lingering = LINGER_BYTES
        conn.read.clear()
        self._watch(conn, self._drain)

    def _drain(self, conn: Connection, line: ClientSocket) -> None:
        if conn not in self.waiting:
            return
        try:
            size = len(line.recv(PIECE))
        except BlockingIOError:
            return
        except OSError:
            size = 0
        conn.lingering -= size
        if not size or conn.lingering <= 0:
            self._drop(conn)

    def _watch(self, conn: Connection, callback: Any) -> None:
        self.waiting[conn] = None
        self.waiting_bytes += len(conn.read)
        safe = partial(self._call, callback, conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, safe)

    def _call(self, callback: Any, conn: Connection, line: ClientSocket) -> None:
        """An error, as of a thread that cannot be started, ends one connection."""
        try:
            callback(conn, line)
        except Exception:
            self.log.exception("A connection is dropped")
            self._drop(conn)

    def _forget(self, conn: Connection) -> None:
        if conn in self.waiting:
            del self.waiting[conn]
            self.waiting_bytes -= len(conn.read)
            if conn.queued is None:
                self.poller.unregister(conn.sock)
            conn.queued = None

    def _drop(self, conn: Connection) -> None:
        self._forget(conn)
        self.nr_conns -= 1
        conn.close()

    def _make_room(self) -> None:
        """Drop the oldest, of those that fill memory if there are such."""
        full = self.waiting_bytes > WAITING_BYTES
        for conn in self.waiting:
            if conn.read or not full:
                self._drop(conn)
                return


def _most_connections() -> int:
    """The number of files that may be open, which is small where nobody raised it."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + SPARE_FILES
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most - SPARE_FILES
