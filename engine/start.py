"""The entry point of the command `engine`: an interrupt while it is imported is one line, too."""

from support.interrupt import interruptible


def main() -> None:
    """Import and run the command."""
    with interruptible():
        from engine.cli import main as command

        command()


def pbrain() -> None:
    """Import and run the command `pbrain-fiedler`."""
    with interruptible():
        from engine.pbrain import main as command

        command()
