"""What every command shares and no game owns: errors, console, progress bar, addresses, files, provenance."""
