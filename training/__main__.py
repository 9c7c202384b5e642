"""`python -m fiedler.training`: the command `train`."""

from fiedler.training.start import main

main()
