"""A server that refuses everybody: `refuse.py TEXT [reads]` sends TEXT at once, or after the first bytes; it closes."""

from __future__ import annotations

import socket
import sys


def main(text: str, *, reads: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        print(f"listening on 127.0.0.1:{door.getsockname()[1]}", file=sys.stderr, flush=True)
        while True:
            link, _ = door.accept()
            with link:
                if reads:
                    link.recv(4096)
                link.sendall(f"{text}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1], reads="reads" in sys.argv[2:])
