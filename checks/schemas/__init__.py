"""The command as the programs that read its JSON see it."""
