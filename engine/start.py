"""The entry point of the command `engine`: an interrupt while it is imported is one line, too."""

from fiedler.support.interrupt import interruptible


def main() -> None:
    """Import and run the command."""
    with interruptible():
        from fiedler.engine.cli import main as command

        command()


def pbrain() -> None:
    """Import and run the command `pbrain-fiedler`."""
    with interruptible():
        from fiedler.engine.pbrain import main as command

        command()
