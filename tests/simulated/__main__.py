"""`python -m tests.simulated --seeds N`: simulate disturbed runs; the first wrong one ends it, with its command."""

from __future__ import annotations

import argparse
import sys
import time

from tests.simulated.checks import simulate


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.simulated", description=__doc__)
    options.add_argument("--seeds", type=int, default=200, help="how many seeds (200)")
    options.add_argument("--first", type=int, default=0, help="the first of them (0)")
    asked = options.parse_args()
    began, virtual, faults = time.process_time(), 0.0, 0
    for seed in range(asked.first, asked.first + asked.seeds):
        outcome = simulate(seed)
        virtual += outcome.seconds
        faults += len(outcome.happened)
        if outcome.wrong or asked.seeds == 1:
            print(f"seed {seed}, {outcome.seconds:.0f} s", *outcome.happened, sep="\n  ")
        if outcome.wrong:
            sys.exit("\n".join([*outcome.wrong, f"replay it: python -m tests.simulated --first {seed} --seeds 1"]))
    took = time.process_time() - began
    print(
        f"{asked.seeds} seeds, {faults} faults, nothing wrong; on one core "
        f"{asked.seeds / took:.1f} seeds/s, {virtual / took:.0f} times real time"
    )


if __name__ == "__main__":
    main()
