"""More rows than fit in memory: `docs/scale.md`."""
