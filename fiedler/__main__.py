"""The command `fiedler`, and `python -m fiedler`: what is installed here, and whether it plays."""

from fiedler.support.interrupt import interruptible


def main() -> None:
    """Import and run the command."""
    with interruptible():
        from fiedler.installation import installation
        from fiedler.support.console import command_line

        command_line(installation)


if __name__ == "__main__":
    main()
