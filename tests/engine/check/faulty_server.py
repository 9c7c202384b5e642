"""`faulty_engine.py FAULT` behind a port, a process for each connection; exit code 9 of one of them ends the server."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

ENGINE = [sys.executable, "-S", "-E", str(Path(__file__).parent / "faulty_engine.py"), sys.argv[1]]


def serve(connection: socket.socket) -> None:
    with connection:
        link = connection.fileno()
        if subprocess.run(ENGINE, stdin=link, stdout=link, check=False).returncode == 9:
            os._exit(1)


def main() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(f"listening on 127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()


if __name__ == "__main__":
    main()
