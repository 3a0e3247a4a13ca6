"""The cookbook: programs of `examples/cookbook`, and the page that shows what they print."""
