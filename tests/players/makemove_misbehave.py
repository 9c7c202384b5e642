"""The example player of makemove with one fault: `makemove_misbehave.py PORT FAULT NUMBER`.

`says:TEXT` answers MAKE_MOVE by that; `strict` stays silent at LOAD_MODEL and SET_TIME_PER_MOVE, as published clients
do at one of them; `mute` never says OK; `absent` does not connect; `leaves` closes the connection at its own move
NUMBER, `crashes` ends with status 3 there; `refuses` answers APPLY_MOVE by ERROR; `eager` sends a line too many.
"""

import importlib.util
import socket
import sys
import time
from pathlib import Path

spec = importlib.util.spec_from_file_location("example", Path(__file__).parents[2] / "examples" / "makemove_random.py")
assert spec is not None
assert spec.loader is not None
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)


class Player:
    def __init__(self, link: socket.socket, fault: str, number: int) -> None:
        self.link, self.fault, self.number = link, fault, number
        self.position = example.Position()
        self.moves = 0

    def say(self, *answers: str) -> None:
        self.link.sendall("".join(f"{answer}\n" for answer in answers).encode())

    def run(self) -> None:
        self.say("OK")
        for line in self.link.makefile(encoding="utf-8"):
            command, _, value = line.rstrip("\n").partition(":")
            if not self.do(command, value):
                return

    def do(self, command: str, value: str) -> bool:
        if command == "MAKE_MOVE":
            return self.move()
        if command in {"LOAD_MODEL", "SET_TIME_PER_MOVE"} and self.fault == "strict":
            return True
        if command == "GAME_RESET":
            self.position = example.Position()
        if command == "APPLY_MOVE":
            self.position.play(int(value))
        self.say("ERROR:no" if command == "APPLY_MOVE" and self.fault == "refuses" else "OK")
        return command != "EXIT"

    def move(self) -> bool:
        self.moves += 1
        if self.moves == self.number and self.fault == "leaves":
            return False
        if self.moves == self.number and self.fault == "crashes":
            sys.exit(3)
        if self.fault.startswith("says:"):
            self.say(self.fault.removeprefix("says:"))
            return True
        move = example.choose(self.position, 0)
        self.position.play(move)
        self.say(f"MOVE:{move}", *(["hello"] if self.fault == "eager" else []))
        return True


def main(port: int, fault: str, number: int) -> None:
    if fault == "absent":
        sys.exit("error: no license")
    with socket.create_connection(("127.0.0.1", port)) as link:
        if fault == "mute":
            time.sleep(3600)
        Player(link, fault, number).run()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
