"""The rules of a small kalah, and a player over UGI: it sows the `first` or the `last` house that is not empty.

Each side has three houses and a store: places 0 to 2 and 3 of the first side, 4 to 6 and 7 of the second one. It
imports nothing of the project.
"""

import sys

HOUSES = 3
STORES = (HOUSES, 2 * HOUSES + 1)
START = "X;3,3,3,0,3,3,3,0"


def read(text: str) -> tuple[int, list[int]]:
    """Return the side to move and the seeds of a word such as START; raises ValueError."""
    side, _, counts = text.partition(";")
    seeds = [int(count) for count in counts.split(",")]
    if len(seeds) != 2 * HOUSES + 2 or min(seeds) < 0:
        raise ValueError(text)
    return "XO".index(side), seeds


def houses(side: int) -> range:
    """Return the places of the houses of a side."""
    return range(STORES[side] - HOUSES, STORES[side])


def full_houses(side: int, seeds: list[int]) -> list[int]:
    """Return the numbers from 1 of the houses that a side may sow; none once a side has no seeds in its houses."""
    if not all(any(seeds[place] for place in houses(one)) for one in (0, 1)):
        return []
    return [number for number, place in enumerate(houses(side), start=1) if seeds[place]]


def sow(side: int, seeds: list[int], number: int) -> int:
    """Sow a house of a side, and return the side that moves next: the same one if the last seed is in its store."""
    place = houses(side)[number - 1]
    hand, seeds[place] = seeds[place], 0
    while hand:
        place = (place + 1) % len(seeds)
        if place != STORES[1 - side]:
            seeds[place] += 1
            hand -= 1
    opposite = 2 * HOUSES - place
    if place in houses(side) and seeds[place] == 1 and seeds[opposite]:
        seeds[STORES[side]] += 1 + seeds[opposite]
        seeds[place] = seeds[opposite] = 0
    return side if place == STORES[side] else 1 - side


def main() -> None:
    side, seeds = read(START)
    for line in sys.stdin:
        match line.split():
            case ["ugi"]:
                print("id name kalah\nugiok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position", "startpos", *moves]:
                side, seeds = after(START, moves[1:])
            case ["position", "fen", start, *moves]:
                side, seeds = after(start, moves[1:])
            case ["query", _]:
                print("response unknown", flush=True)
            case ["go", *_]:
                print(f"bestmove {full_houses(side, seeds)[-1 if sys.argv[1] == 'last' else 0]}", flush=True)
            case ["quit"]:
                return


def after(start: str, moves: list[str]) -> tuple[int, list[int]]:
    """Return the side to move and the seeds after these moves."""
    side, seeds = read(start)
    for move in moves:
        side = sow(side, seeds, int(move))
    return side, seeds


if __name__ == "__main__":
    main()
