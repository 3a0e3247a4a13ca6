"""What is checked of the repository as a whole."""
