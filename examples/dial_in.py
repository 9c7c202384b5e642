"""Takes a program to a tournament elsewhere: dials in, gives name and token, then passes lines both ways.

    python3 dial_in.py HOST:PORT NAME TOKEN_FILE [--ca FILE] -- PROGRAM ARGUMENTS …

TOKEN_FILE has one line: the token of NAME. With --ca the connection is encrypted, and FILE has the certificate of the
manager, or that of its authority. The program speaks its protocol on its standard input and output and plays
one game at a time; start this script once for each game that it may play at the same time. Each connection starts the
program anew, so that a player whose line was lost returns to its game. Nothing is imported but Python's own library.
"""

import argparse
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

LONGEST_PAUSE_S = 30
"""Longest pause between two attempts to connect."""
ANSWER_S = 10
"""Longest time for a connection, and for the answer to the token."""
GOODBYES = (b"quit", b"END", b"EXIT")
"""The last words of a manager that ends a conversation; the line that is lost has none."""
FINAL = "refused: unknown name or wrong token"
"""The answer that no later attempt changes."""


def play(link: socket.socket, command: list[str]) -> bool:
    """Pass lines between a connection and a new program until one of them ends; return whether the manager said so."""
    pipe, last = subprocess.PIPE, b""
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0) as program:
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
                last = (last + data)[-8:]
                program.stdin.write(data)
        except OSError:
            pass  # the line is lost, or the program has ended
        program.kill()
        sending.join()
    return last.split()[-1:] in [[word] for word in GOODBYES]


def introduce(link: socket.socket, name: str, token: str) -> str:
    """Send the first line and return the answer; what follows it belongs to the program."""
    link.sendall(f"player {name} {token}\n".encode())
    answer = b""
    while not answer.endswith(b"\n") and (byte := link.recv(1)):
        answer += byte
    return answer.decode(errors="replace").strip()


def connect(host: str, port: int, tls: ssl.SSLContext | None) -> socket.socket:
    """Return a connection, encrypted with `tls`."""
    link = socket.create_connection((host, port), timeout=ANSWER_S)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # without it a line that is cut silently looks idle
    if hasattr(socket, "TCP_KEEPIDLE"):
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 10)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
    return tls.wrap_socket(link, server_hostname=host) if tls else link


def arguments() -> argparse.Namespace:
    """Return the words of the command line; end with one line if one is wrong."""
    parser = argparse.ArgumentParser(usage="dial_in.py HOST:PORT NAME TOKEN_FILE [--ca FILE] -- PROGRAM ARGUMENTS …")
    for name in ("where", "name", "token_file"):
        parser.add_argument(name)
    parser.add_argument("--ca")
    parser.add_argument("command", nargs="+")
    found = parser.parse_args()
    found.host, _, port = found.where.rpartition(":")
    if not found.host or not port.isdigit():
        parser.error(f"expected HOST:PORT, got {found.where!r}")
    found.port = int(port)
    if shutil.which(found.command[0]) is None:
        parser.error(f"there is no program {found.command[0]!r}")
    try:
        found.token = read_token(found.token_file)
        found.tls = ssl.create_default_context(cafile=found.ca) if found.ca else None
    except (OSError, ValueError) as error:  # ValueError: not text, or empty
        parser.error(f"{found.token_file}{f' or {found.ca}' if found.ca else ''}: {error}")
    return found


def read_token(file: str) -> str:
    """Return the last word of a file; ValueError if it has none."""
    words = Path(file).read_text(encoding="utf-8").split()
    if not words:
        raise ValueError("expected a token, got an empty file")
    return words[-1]


def main() -> None:
    """Dial in, and again whenever the line is lost."""
    given = arguments()
    pause, answer, over = 1, "", ""
    while answer != FINAL:
        try:
            with connect(given.host, given.port, given.tls) as link:
                answer = introduce(link, given.name, given.token)
                print(answer or "no answer", file=sys.stderr, flush=True)
                if answer == "welcome":
                    pause = 1
                    link.settimeout(None)
                    ended = play(link, given.command)
                    over = ", after it had ended the session: its run may be over" if ended else ""
        except OSError as error:
            print(f"{given.where}: {error}{over}; trying again in {pause} s", file=sys.stderr, flush=True)
        if answer != FINAL:
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)
    sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
