"""`python -m training`: the command `train`."""

from training.cli import main

main()
