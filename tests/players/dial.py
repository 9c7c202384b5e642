"""A tic-tac-toe player that dials in: `-m tests.players.dial HOST:PORT NAME TOKEN SESSIONS [FAULT [NUMBER]]`.

It holds SESSIONS connections, each the player of `misbehave.py`, and connects again when one is lost. It prints the
answer to each first line, and exits with 1 when it is refused for its token.
"""

import os
import socket
import sys
import threading
import time

from tests.players.misbehave import Player

RETRY_S = 0.05


def play(address: tuple[str, int], first_line: str, fault: str, number: float) -> None:
    while True:
        try:
            link = socket.create_connection(address)
        except OSError:
            time.sleep(RETRY_S)
            continue
        with link, link.makefile("r") as inputs, link.makefile("w") as outputs:
            try:
                player = Player(fault, number, inputs, outputs)
                player.say(first_line)
                answer = inputs.readline().strip()
                if answer:
                    print(answer, flush=True)
                if answer == "welcome":
                    player.run()
                elif "token" in answer:
                    os._exit(1)
            except OSError:
                pass
        time.sleep(RETRY_S)


def main() -> None:
    host, _, port = sys.argv[1].rpartition(":")
    name, token, sessions = sys.argv[2:5]
    fault, number = (sys.argv[5:6] or ["fine"])[0], float((sys.argv[6:7] or ["1"])[0])
    for _ in range(int(sessions)):
        arguments = (host, int(port)), f"player {name} {token}", fault, number
        threading.Thread(target=play, args=arguments).start()


if __name__ == "__main__":
    main()
