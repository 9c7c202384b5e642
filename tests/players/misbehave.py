"""A tic-tac-toe player over UGI that has one fault: `misbehave.py [--tcp] FAULT [NUMBER]`.

It plays the first free square. NUMBER is the own move of a game, from 1, at which the fault shows; for `slow` seconds;
for `held` the game from which on it moves only if there is a file `released`, and says with a file `holding` that it
waits. FAULT may be `says:TEXT`: that, with escapes as in Python, in place of the move;
`repeats:COUNT:TEXT`: that line so often. `absent` does not start before
there is a file `come`. With --tcp it serves one connection after the other and says where on standard error.
"""

import os
import socket
import sys
import time
from pathlib import Path
from typing import TextIO

SQUARES = [column + row for row in "123" for column in "abc"]


class Player:
    def __init__(self, fault: str, number: float, inputs: TextIO, outputs: TextIO) -> None:
        self.fault, self.number = fault, number
        self.inputs, self.outputs = inputs, outputs
        self.moves: list[str] = []
        self.own_moves = 0
        self.games = 0

    def say(self, *lines: str) -> None:
        for line in lines:
            self.outputs.write(line + "\n")
        self.outputs.flush()

    def say_bytes(self, text: str) -> None:
        """Send characters as the bytes of their numbers; a newline only if the text has one."""
        self.outputs.buffer.write(text.encode("latin-1"))
        self.outputs.flush()

    def run(self) -> None:
        for line in self.inputs:
            words = line.split()
            if self.fault == "mute":
                continue
            if self.fault == "echo":
                self.say(line.rstrip())
                continue
            if words == ["quit"] and self.fault != "stays":
                return
            if not self.do(words):
                return

    def do(self, words: list[str]) -> bool:
        match words:
            case ["ugi"]:
                self.greet()
            case ["isready"]:
                if self.fault == "unready" and self.games >= self.number:
                    return True
                self.say(*(["readyok", "bestmove a1"] if self.fault == "early" else ["readyok"]))
            case ["uginewgame"]:
                self.own_moves = 0
                self.games += 1
                if self.fault == "newgame-crash" and self.games >= self.number:
                    sys.exit(4)
            case ["position", "startpos", *rest] if {*rest[1:]} <= {*SQUARES}:
                self.moves = rest[1:]
            case ["go", *_]:
                self.own_moves += 1
                return self.move()
            case ["stop"] if self.fault == "late-twice":
                self.say("bestmove a1", "bestmove a1")
        return True

    def greet(self) -> None:
        if self.fault == "no-newline":
            self.say_bytes("ugiok")
        elif self.fault == "nameless":
            self.say("id name misbehave")
        elif self.fault == "shouts":
            self.say("Hello!", "UGIOK")
        else:
            answer = "uciok" if self.fault == "uci" else "ugiok"
            self.say("id name misbehave", "option name seed type spin default 0 min 0 max 99", answer)

    def move(self) -> bool:
        free = next(square for square in SQUARES if square not in self.moves)
        if self.fault == "slow":
            time.sleep(self.number)
        elif self.fault == "held":
            self.hold()
        elif self.own_moves >= self.number:
            return self.misbehave(free)
        self.say(f"bestmove {free}")
        return True

    def hold(self) -> None:
        if self.games >= self.number:
            Path("holding").touch()
            while not Path("released").exists():
                time.sleep(0.005)

    def misbehave(self, free: str) -> bool:
        match self.fault:
            case "silent":
                time.sleep(3600)
            case "complains":
                print("KeyError: 'a1'", file=sys.stderr, flush=True)
            case "late-twice" | "early":
                return True
            case "crash":
                print("Traceback: out of ideas", file=sys.stderr, flush=True)
                os._exit(3)
            case "killed":
                os.kill(os.getpid(), 9)
            case "ends-in-mid-line":
                self.say_bytes(f"bestmove {free}")
                os._exit(0)
            case "closes":
                self.close()
            case _:
                self.say_wrong(free)
        return self.fault != "closes"

    def say_wrong(self, free: str) -> None:
        match self.fault:
            case "illegal":
                self.say(f"bestmove {self.moves[0] if self.moves else 'z9'}")
            case "again":
                self.say(f"bestmove {self.moves[-2]}")
            case "garbage":
                self.say("bestmove \x00\x07")
            case "noise":
                self.say("Thinking...", "info depth x score y", "", f"bestmove {free} ponder a1")
            case "thrice":
                self.say("\n".join([f"bestmove {free}"] * 3))
            case "bare" | "resign":
                self.say("bestmove resign" if self.fault == "resign" else "bestmove")
            case "flood" | "flood-lines":
                self.flood("x" * 65536 if self.fault == "flood" else "info string nothing to say\n" * 2000)
            case "bomb" | "bomb-before":
                lines = [f"bestmove {free}", *["x"] * 400_000]
                self.say(*(lines if self.fault == "bomb" else reversed(lines)))
            case "stderr-flood" | "leaves":
                (self.flood_stderr if self.fault == "stderr-flood" else self.leave)(free)
            case fault if fault.startswith("repeats:"):
                _, count, text = fault.split(":", 2)
                self.say(*[text] * int(count))
            case fault if fault.startswith("says:"):
                self.say_bytes(fault.removeprefix("says:").encode().decode("unicode_escape"))
            case _:
                self.say(f"bestmove {free}")

    def close(self) -> None:
        """Close the output; on pipes the process stays alive."""
        self.outputs.close()
        if self.outputs.name == "<stdout>":
            os.close(1)
            time.sleep(3600)

    def flood_stderr(self, free: str) -> None:
        """Play on; a child writes on standard error without end."""
        if os.fork() == 0:
            while True:
                os.write(2, b"x\n" * 2000)
        self.say(f"bestmove {free}")

    def leave(self, free: str) -> None:
        """Play on; a daemon in another session is left behind."""
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(3600)
            os._exit(0)
        os.wait()
        self.say(f"bestmove {free}")

    def flood(self, text: str) -> None:
        while True:
            self.outputs.write(text)


def serve(fault: str, number: float) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(f"listening on 127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
        while True:
            connection, _ = server.accept()
            if os.fork() == 0:  # one process per connection: a crash ends the connection only
                with connection, connection.makefile("r") as inputs, connection.makefile("w") as outputs:
                    Player(fault, number, inputs, outputs).run()
                    if fault == "closes":
                        connection.shutdown(socket.SHUT_RDWR)
                os._exit(0)
            connection.close()


def main() -> None:
    arguments = [word for word in sys.argv[1:] if word != "--tcp"]
    fault, number = arguments[0], float(arguments[1]) if len(arguments) > 1 else 1.0
    if fault == "exit" or (fault == "absent" and not Path("come").exists()):
        print("error: cannot find my opening book", file=sys.stderr, flush=True)
        sys.exit(7)
    if "--tcp" in sys.argv:
        serve(fault, number)
    else:
        Player(fault, number, sys.stdin, sys.stdout).run()


if __name__ == "__main__":
    main()
