"""Many sessions at once, a soak, replicas behind a proxy, and slow faults: `python -m tests.load`. Loopback only."""
