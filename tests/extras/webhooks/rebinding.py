"""A program in a network of its own whose name server changes its mind.

It prints as JSON what became of two webhooks, how often the name was asked for, and
whether the port inside was reached. Its arguments are a file that says which name
server to ask, and the first address that the name means; afterwards it is 127.0.0.1.
"""

import json
import os
import socket
import struct
import subprocess
import sys
import threading

A = 1


class Names:
    """A name server for all names, on the port where the system asks."""

    def __init__(self, first: str) -> None:
        self.first, self.asked = first, 0
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind(("127.0.0.1", 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            data, client = self.sock.recvfrom(512)
            self.sock.sendto(self.answer(data), client)

    def answer(self, data: bytes) -> bytes:
        end = data.index(b"\0", 12) + 5
        question, (kind,) = data[12:end], struct.unpack("!H", data[end - 4 : end - 2])
        rows = b""
        if kind == A:
            self.asked += 1
            address = self.first if self.asked == 1 else "127.0.0.1"
            rows = b"\xc0\x0c" + struct.pack("!HHIH", A, 1, 0, 4)
            rows += socket.inet_aton(address)
        head = struct.pack("!HHHHH", 0x8180, 1, 1 if rows else 0, 0, 0)
        return data[:2] + head + question + rows


class Inside:
    """A port that nobody may be led to."""

    def __init__(self) -> None:
        self.sock = socket.create_server(("127.0.0.1", 443))
        self.sock.setblocking(False)

    def reached(self) -> bool:
        try:
            self.sock.accept()
        except BlockingIOError:
            return False
        return True


def main(resolver: str, first: str) -> None:
    mount = ["mount", "--bind", resolver, "/etc/resolv.conf"]
    subprocess.run(mount, check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    names, inside = Names(first), Inside()
    from leaderboard.extras.webhooks import ssrf

    outcomes = [ssrf.post("https://rebinding.example/", {}, b"{}") for _ in range(2)]
    told = [[one.status, one.error] for one in outcomes]
    print(json.dumps([told, names.asked, inside.reached()]))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    main(*sys.argv[1:])
