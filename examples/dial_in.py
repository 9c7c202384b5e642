"""Takes a program to a tournament elsewhere: dials in, gives name and token, then passes lines both ways.

    python3 dial_in.py HOST:PORT NAME TOKEN_FILE [--ca FILE] -- PROGRAM ARGUMENTS …

TOKEN_FILE has one line: the token of NAME. With --ca the connection is encrypted, and FILE has the certificate of the
manager, or that of its authority. The program speaks its protocol on its standard input and output and plays
one game at a time; start this script once for each game that it may play at the same time. Each connection starts the
program anew, so that a player whose line was lost returns to its game. Nothing is imported but Python's own library.
"""

import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

LONGEST_PAUSE_S = 30
"""Longest pause between two attempts to connect."""


def play(link: socket.socket, command: list[str]) -> None:
    """Pass lines between a connection and a new program until one of them ends."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        output = program.stdout.fileno()

        def send() -> None:
            try:
                while data := os.read(output, 65536):
                    link.sendall(data)
                link.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the line is lost; the other direction ends, too

        sending = threading.Thread(target=send)
        sending.start()
        try:
            while data := link.recv(65536):
                program.stdin.write(data)
                program.stdin.flush()
        except OSError:
            pass  # the line is lost, or the program has ended
        program.kill()
        sending.join()


def introduce(link: socket.socket, name: str, token: str) -> str:
    """Send the first line and return the answer; what follows it belongs to the program."""
    link.sendall(f"player {name} {token}\n".encode())
    answer = b""
    while not answer.endswith(b"\n") and (byte := link.recv(1)):
        answer += byte
    return answer.decode().strip()


def connect(host: str, port: int, ca: str) -> socket.socket:
    """Return a connection, encrypted if there is a file of authorities."""
    link = socket.create_connection((host, port))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return ssl.create_default_context(cafile=ca).wrap_socket(link, server_hostname=host) if ca else link


def main() -> None:
    """Dial in, and again whenever the line is lost."""
    end = sys.argv.index("--")
    (where, name, token_file, *more), command = sys.argv[1:end], sys.argv[end + 1 :]
    ca = more[1] if more else ""
    host, _, port = where.rpartition(":")
    token = Path(token_file).read_text(encoding="utf-8").split()[-1]
    pause, answer = 1, ""
    while "token" not in answer:  # a refusal of the token is final
        try:
            with connect(host, int(port), ca) as link:
                answer = introduce(link, name, token)
                print(answer, file=sys.stderr, flush=True)
                if answer == "welcome":
                    pause = 1
                    play(link, command)
        except OSError as error:
            print(f"{where}: {error}; trying again in {pause} s", file=sys.stderr, flush=True)
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)
    sys.exit(1)


if __name__ == "__main__":
    main()
