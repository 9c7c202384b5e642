"""The entry point of the command `train`: an interrupt while it is imported is one line, too."""

from fiedler.support.interrupt import heed_ends, interruptible


def main() -> None:
    """Import and run the command."""
    heed_ends()
    with interruptible():
        from fiedler.training.cli import main as command

        command()
