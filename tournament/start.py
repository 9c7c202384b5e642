"""The entry point of the command `tournament`: an interrupt while it is imported is one line, too."""

from fiedler.support.interrupt import interruptible


def main() -> None:
    """Import and run the command."""
    with interruptible():
        from fiedler.tournament.cli import main as command

        command()
