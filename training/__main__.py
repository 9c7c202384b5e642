"""`python -m training`: the command `train`."""

from training.start import main

main()
