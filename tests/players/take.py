"""A player of tests/take.py over UGI: it takes the `least` or the `most`. It imports nothing of the project."""

import sys

START = 11


def choose(taken: list[int], wish: str) -> str:
    """Return a number to take after these."""
    left, last = START - sum(taken), taken[-1] if taken else 0
    legal = [number for number in (1, 2, 3) if number != last and number <= left]
    return str(min(legal) if wish == "least" else max(legal))


def main() -> None:
    taken: list[int] = []
    for line in sys.stdin:
        match line.split():
            case ["ugi"]:
                print("id name take\nugiok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position", "startpos", *words]:
                taken = [int(word) for word in words[1:]]
            case ["query", _]:
                print("response unknown", flush=True)
            case ["go", *_]:
                print(f"bestmove {choose(taken, sys.argv[1])}", flush=True)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
