"""The subcommands of `engine`: options in, one call of the library, text or JSON out."""
